/* SPDX-License-Identifier: GPL-2.0 */
/* The options of `tlob-load run`, parsed and checked. Pure: no I/O. */
#ifndef TLOB_OPTIONS_H
#define TLOB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "expr.h"
#include "option_value.h"
#include "policy.h"
#include "workspec.h"

enum workload { WORKLOAD_USER, WORKLOAD_KTHREAD };

struct options {
	const char *cpus;		/* NULL: the affinity mask */
	const char *housekeeping;	/* NULL: what is not measured */
	const char *cgroup;		/* cgroup v2 path for the worker threads, or NULL */
	uint64_t period_ns;		/* 1 ms */
	uint64_t budget_ns;		/* the period if not given */
	const char *work_text;
	struct tlob_work work;
	enum workload workload;
	const char *policy;		/* as given: "fifo:95" */
	struct policy sched;		/* the same; policy_format() for the kernel */
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
	struct expr stop_on[OPTIONS_MAX_LIST];
	unsigned int nstop_on;
	struct expr assertion[OPTIONS_MAX_LIST];
	unsigned int nassertion;
	const char *trace;		/* file, or NULL */
	const char *events[OPTIONS_MAX_LIST];
	unsigned int nevents;
	bool	 print_stack;
	bool	 has_seed;
	uint64_t seed;			/* of phase_ns, if that is not named */
	const char *hist;		/* file, "-" for stdout, or NULL */
	const char *json;		/* file, "-" for stdout, or NULL */
	bool	 quiet;
	bool	 help, version;
};

/*
 * 0, or -EINVAL with one line in @err (what is wrong and what to do; no
 * newline). @argv[0] is the name of the subcommand. The strings point into
 * @argv, which is not reordered. With --help or --version the rest is not read.
 */
int options_parse(struct options *o, int argc, char **argv,
		  char *err, unsigned int size);

/* The text of `tlob-load run --help`. */
extern const char options_help[];

#endif /* TLOB_OPTIONS_H */
