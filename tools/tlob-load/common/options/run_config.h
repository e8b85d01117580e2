/* SPDX-License-Identifier: GPL-2.0 */
/* The request for one run: run/run_options.c fills it in. */
#ifndef TLOB_OPTIONS_RUN_CONFIG_H
#define TLOB_OPTIONS_RUN_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "options/function_request.h"
#include "policyspec.h"
#include "result/condition.h"
#include "result/tags.h"
#include "util/action.h"
#include "workspec.h"

#define RUN_MAX_EVENTS	32
#define RUN_MAX_LOADS	16
#define RUN_MAX_SETTINGS 16

enum workload { WORKLOAD_USER, WORKLOAD_KTHREAD };

struct run_config {
	const char *backend;		/* "auto", or its name */
	const char *cpus;		/* NULL: isolated ones, else the affinity mask */
	const char *housekeeping;	/* NULL: what is not measured */
	const char *cgroup;		/* cgroup v2 path for the worker threads, or NULL */
	uint64_t period_ns;		/* 1 ms */
	uint64_t budget_ns;		/* the period if not given */
	const char *work_text;
	struct tlob_work work;
	const struct phases *phases;	/* of @FILE; see run/phases.h */
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
	struct action_config act;	/* --on-violation and --on-end */
	struct condition act_on[CONDITIONS_MAX];	/* when; those of --stop-on, or violations>0 */
	unsigned int nact_on;
	struct condition assertion[CONDITIONS_MAX];
	unsigned int nassertion;
	const char *samples;		/* file, or NULL */
	uint64_t samples_size;		/* bytes that it has at most */
	const char *trace;		/* file, or NULL */
	const struct traced_sets *traced; /* what @functions are here; NULL: none */
	struct function_requests functions;
	const char *events[RUN_MAX_EVENTS];	/* SYSTEM[:EVENT][/FILTER/] */
	uint64_t trace_size;		/* bytes of each CPU; 0: the kernel's */
	unsigned int nevents;
	bool	 waits;			/* name the longest wait of each of the worst windows */
	bool	 timeline;		/* keep what happened in the worst windows, in order */
	bool	 tune, tune_list;	/* make the settings; show them only */
	unsigned int nsetting;
	const char *setting[RUN_MAX_SETTINGS];	/* as tuning/setting.h reads them */
	unsigned int nload;
	const char *load[RUN_MAX_LOADS];	/* commands, or presets such as "@cpu" */
	const char *load_cpus;		/* NULL: measured and housekeeping CPUs */
	bool	 has_seed;
	uint64_t seed;			/* of phase_ns, if that is not named */
	const char *timeline_json;	/* file, "-" for stdout, or NULL */
	const char *hist;		/* file, "-" for stdout, or NULL */
	const char *json;		/* file, "-" for stdout, or NULL */
	const char *html;		/* the same */
	const char *label;		/* a name for the result, or NULL */
	struct tag_list tags;
	const char *output_dir;		/* where the JSON gets a name of its own, or NULL */
	bool	 wait;			/* for another run on this machine */
	bool	 has_checkpoint;	/* given; else from ten minutes on */
	uint64_t checkpoint_ns;		/* the result is written this often; 0: at the end */
	const char *junit, *ktap, *markdown;	/* the same */
	char	 lowered[16];		/* what policy points to if it was lowered */
	char	 lowered_note[320];	/* why, and what permits it; empty: not lowered */
	bool	 has_policy;		/* given; else a default that may be lowered */
	bool	 has_dma_latency;	/* given; the default depends on the backend */
	bool	 has_progress;
	uint64_t progress_ns;		/* between lines; 0: none */
	bool	 quiet, verbose;
};

#endif /* TLOB_OPTIONS_RUN_CONFIG_H */
