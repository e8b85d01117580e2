/* SPDX-License-Identifier: GPL-2.0 */
/* What one run is asked to do: cmd/run_options.c fills it in. */
#ifndef TLOB_RUN_CONFIG_H
#define TLOB_RUN_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "policyspec.h"
#include "workspec.h"
#include "result/condition.h"

#define RUN_MAX_EVENTS	32

enum workload { WORKLOAD_USER, WORKLOAD_KTHREAD };

struct run_config {
	const char *cpus;		/* NULL: the affinity mask */
	const char *housekeeping;	/* NULL: what is not measured */
	const char *cgroup;		/* cgroup v2 path for the worker threads, or NULL */
	uint64_t period_ns;		/* 1 ms */
	uint64_t budget_ns;		/* the period if not given */
	const char *work_text;
	struct tlob_work work;
	enum workload workload;
	const char *policy;		/* as given: "fifo:95" */
	struct tlob_policy sched;	/* the same; policy_format() for the kernel */
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t windows;		/* per CPU; 0: no limit */
	uint64_t warm_up;		/* windows per CPU */
	const char *noise_source;
	uint64_t align_ns;
	bool	 has_phase;
	uint64_t phase_ns;		/* after a tick; named, or drawn from the seed */
	uint64_t hw_threshold_ns;
	bool	 idle_state_set;
	int	 idle_state;		/* deepest one allowed */
	int64_t	 dma_latency_us;	/* -1: do not hold */
	struct condition stop_on[CONDITIONS_MAX];
	unsigned int nstop_on;
	struct condition assertion[CONDITIONS_MAX];
	unsigned int nassertion;
	const char *trace;		/* file, or NULL */
	const char *events[RUN_MAX_EVENTS];
	unsigned int nevents;
	bool	 print_stack;
	bool	 has_seed;
	uint64_t seed;			/* of phase_ns, if that is not named */
	const char *hist;		/* file, "-" for stdout, or NULL */
	const char *json;		/* file, "-" for stdout, or NULL */
	bool	 quiet;
	bool	 help, version;
};

#endif /* TLOB_RUN_CONFIG_H */
