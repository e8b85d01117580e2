/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The result of attach, filled from the monitor's records. Renderers and assertions
 * read it. Its size does not depend on the length of the run.
 */
#ifndef TLOB_RESULT_ATTACH_RESULT_H
#define TLOB_RESULT_ATTACH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <linux/tlob.h>
#include "binding.h"
#include "hist.h"
#include "result/activations.h"
#include "result/condition.h"
#include "result/episodes.h"
#include "result/result.h"

#define ATTACH_FORMAT	"tlob-load attach"
#define ATTACH_VERSION	1

/* Violations whose windows are still open: the kernel's default number of slots. */
#define ATTACH_OPEN	1024
#define ATTACH_OTHERS	64	/* other processes kept apart */

/* The metrics with a histogram: the whole, then enum tlob_task_part. */
enum attach_metric {
	ATTACH_ELAPSED,
	ATTACH_PARTS,
	ATTACH_NR_METRICS = ATTACH_PARTS + TLOB_NR_TASK_PARTS,
};

extern const char * const attach_metric_names[ATTACH_NR_METRICS];
#define attach_part_names	(attach_metric_names + ATTACH_PARTS)

/* The words that --assert accepts. */
extern const struct condition_words attach_words;

struct attach_place {
	char	*text;			/* as in the source */
	struct tlob_offsets at;
};

/* A window over its budget that is still open. */
struct attach_open {
	bool	 announced;		/* its line has been printed */
	uint64_t seen_ns;		/* CLOCK_MONOTONIC, by the tool */
	struct tlob_task_window w;
	struct tlob_wait_waker holder;	/* as in struct kept */
};

struct attach_result {
	/* Settings and circumstances. */
	char	*command;		/* shell-quoted */
	char	*kernel, *machine;	/* as in struct result */
	char	*host, *boot_id, *machine_id, *run_id; /* likewise, or NULL */
	char	*backend;		/* "tlob" or "bpf" */
	struct tags tags;
	char	*file;			/* that start and stop are in */
	char	*debug_file;		/* where its symbols were found, or NULL */
	char	*program;		/* of the process */
	char	*stopped_by;		/* what ended it early, or NULL */
	char	**notes;
	struct attach_place start, stop;
	bool	 deterministic;
	bool	 all;			/* other processes count as well */
	bool	 of_threads;		/* windows are activations; else they are of a region */
	bool	 waits;			/* of --waits: windows have their longest wait */
	bool	 started_it;		/* the process was started by us */
	bool	 ended;			/* the process has ended */
	int	 status;		/* of wait(), if we started it */
	int	 pid;
	uint64_t budget_ns;
	time_t	 started;
	uint64_t began_ns;		/* CLOCK_MONOTONIC */
	uint64_t clock_resolution_ns;	/* a step of the clock; 0: not known */
	uint64_t timer_resolution_ns;	/* of timers that wait for a tick; 0: they are exact */
	struct result_limits limits;
	uint64_t duration_ns;

	/* They count the windows of this process; with @all, of all processes. */
	ATTACH_COUNTERS(COUNTER_MEMBER)
	uint32_t unavailable;		/* 1 << enum tlob_task_part */
	struct tlob_hist *hist;		/* [ATTACH_NR_METRICS], of those that ended */
	struct offenders noise;
	struct causes causes;		/* of the violations */
	struct causes places;		/* of those whose place in the kernel is known */
	struct episode_track episodes;	/* of windows over the budget, of all threads together */

	size_t	 nother;		/* other processes; ATTACH_OTHERS: at least */
	uint32_t other[ATTACH_OTHERS];

	size_t	 nworst;		/* largest elapsed time first */
	struct kept_region worst[RESULT_WORST];
	struct activations activations;	/* n 0: none has ended or was cut */
	struct function_sets *functions;	/* of --functions; NULL: none */
	struct function_totals *function_totals; /* of the windows that ended */

	struct assertions assertions;	/* of --assert, in this process */
	struct said said;		/* of the run whose file this was */
	struct action_counts actions;	/* --on-violation */

	size_t	 nopen;
	struct attach_open *at;		/* [ATTACH_OPEN] */
};

/* 0 or -ENOMEM. attach_result_free() also takes a zeroed result. */
int  attach_result_init(struct attach_result *r);
void attach_result_free(struct attach_result *r);

/* A step of the clock, of @r and of all its histograms; 0: not known. */
void attach_result_set_clock(struct attach_result *r, uint64_t step_ns);

/* The meaning of a record. */
enum attach_event {
	ATTACH_OTHER,			/* another process: only counted */
	ATTACH_WITHIN,
	ATTACH_OVER,			/* over budget and still open: kept in at */
	ATTACH_VIOLATION,		/* a window over its budget has ended */
};

/* Accounts for a record that came at @now_ns; @f: its times in functions, or NULL. */
enum attach_event attach_record(struct attach_result *r, uint64_t now_ns,
				const struct tlob_task_window *w,
				const struct window_functions *f);

/* The last record has come. Violations in @at stay open. */
void attach_end(struct attach_result *r);

/*
 * After the last record: takes the counts of the binding @name from the @text of monitor_stat.
 * 0 or -ENOENT.
 */
int  attach_stat(struct attach_result *r, const char *text, const char *name);

/*
 * Which enum tlob_part of a run enum tlob_task_part @part is: where a result of attach is
 * shown or compared like one.
 */
unsigned int attach_part_of_run(unsigned int part);

/* The name of the part of a cause: "irq", "thread"; for a region (@of_task) "waiting". */
const char *cause_part_name(unsigned int part, bool of_task);

/* Window @w as the work phase of a run's window, for cause_of(). */
void attach_as_window(struct tlob_window *to, const struct tlob_task_window *w);

/* What made @w long. Returns false if that is not known. */
bool attach_cause_of(const struct attach_result *r, const struct tlob_task_window *w,
		     struct cause *c);

/* The place of @w among the worst windows of @r, by thread and start, or NULL. */
struct kept_region *attach_worst_of(struct attach_result *r, const struct tlob_task_window *w);

/* Keeps who held the lock for which @w slept. The record of @w was taken last. */
void attach_holder(struct attach_result *r, const struct tlob_task_window *w,
		   const struct tlob_wait_waker *holder);

/* @w, whose record was taken last, was made late at @place, which may be unknown. */
void attach_place(struct attach_result *r, const struct tlob_task_window *w,
		  const struct kernel_place *place);

#endif /* TLOB_RESULT_ATTACH_RESULT_H */
