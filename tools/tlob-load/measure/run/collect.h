/* SPDX-License-Identifier: GPL-2.0 */
/* Collects records, histograms and counters into the result. */
#ifndef TLOB_RUN_COLLECT_H
#define TLOB_RUN_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#include "report/progress.h"
#include "result/functions.h"
#include "result/kept.h"
#include "run/lates.h"
#include "run/stop.h"

struct actions;
struct attach_wait;
struct backend_run;
struct result;
struct run_config;
struct own_count;
struct sample_out;
struct workers;

/*
 * User threads calibrate in windows, so that the split removes interruptions. The
 * demand is the smallest on_cpu of the windows after the first. Runs of fixed work
 * have at least this many windows of warm-up.
 */
#define CALIBRATION_WINDOWS	6

struct calibration {
	unsigned int seen;
	uint64_t least, most;		/* ns; valid once all windows are seen */
};

struct collect_ahead {
	struct late_window late;	/* the next one of a CPU; t0 0: it is not read */
	uint64_t empty;			/* the batch of records in hand when there was none */
};

struct collector {
	struct result *r;
	const struct run_config *config;
	struct backend_run *backend;
	struct workers *workers;	/* NULL: kernel threads */
	bool	*ended;			/* [ncpus] kernel threads: all records are read */
	struct calibration *calibration; /* [ncpus], of user threads; the thread's if it counts */
	struct own_count **own_count;		/* [ncpus]: user threads count in them; NULL: all by records */
	struct stop stop;		/* --stop-on */
	/*
	 * --on-violation of a run that does not stop at one; or NULL. Threads that count leave
	 * the windows in @met, [ncpus], for it.
	 */
	struct actions *actions;
	struct sample_out *samples;	/* --samples; or NULL */
	struct spsc **met;
	_Atomic uint64_t met_lost;	/* windows that found no room there */
	int	 act_error;		/* -ENOMEM, printed; 0: none */
	struct window_functions functions; /* of the record in hand */
	struct lates lates;
	struct collect_ahead *ahead;	/* [ncpus]; NULL: no backend.late */
	int	 late_error;		/* -ENOMEM, printed; 0: none */
	struct progress *progress;	/* whose screen shows windows, or NULL; until collect_finish() */
	/* --waits: the names of @w's stack, of @namer. 0 or -errno, printed. */
	int	(*name_wait)(void *namer, const struct tlob_window_wait *w,
			     struct attach_wait *to);
	void	*namer;
	int	 wait_error;		/* of that; 0: none */
};

/* User threads calibrate in windows of the warm-up: makes room for them. */
void collect_warm_up(struct run_config *o);

/* @workers is NULL for kernel threads. 0 or -ENOMEM, printed; then collect_free(). */
int  collect_init(struct collector *c, struct backend_run *b,
		  struct workers *workers);
void collect_free(struct collector *c);

/*
 * Before the user threads are started: they count what nobody needs as a record. 0 or -ENOMEM,
 * printed.
 */
int  collect_own_count(struct collector *c);

/*
 * After collect_act(), before the threads are started: reads the names of the kernel's functions, if
 * they are shown during the run.
 */
void collect_names(struct collector *c);

/* Before the user threads are started: windows that meet the condition get @actions. */
void collect_act(struct collector *c, struct actions *actions);

/* Takes the actions at @k, which meets @condition, or counts it. 0 or -ENOMEM, printed. */
int  collect_act_at(struct actions *a, const struct result *r, const struct kept_window *k,
		    const char *condition);

/* The same: all windows that belong to the run go to @samples. */
void collect_samples(struct collector *c, struct sample_out *samples);

/* Before the first window: the result has its begin. */
void collect_starts(struct collector *c);

/* Kernel threads: makes their records readable, after start. 0 or -errno, printed. */
int collect_open(struct collector *c);

/* Takes all waiting records. 0 or -errno, printed. */
int collect_drain(struct collector *c);

/* True once the run has ended on all CPUs, for any reason. */
bool collect_ended(const struct collector *c);

/* True once every CPU has had @n windows after the warm-up. */
bool collect_have(const struct collector *c, uint64_t n);

/* Every user thread has made @n windows or more; records of some may be lost. */
bool collect_made(const struct collector *c, uint64_t n);

/*
 * Read what `status` has only while the run is enabled. At the beginning: the noise
 * source in use. At the end: the differences that the source `both` found. 0 or
 * -errno, printed.
 */
int collect_begin(struct collector *c);
int collect_end(struct collector *c);

/* Why the run cannot go on, or its workload has ended. */
enum collect_cut {
	CUT_NONE,
	CUT_OFFLINE,		/* *cpu went offline; it may be back */
	CUT_POLICY,		/* another process changed it: result->policy_changed */
	CUT_VIOLATION,		/* the kernel stopped at a violation on *cpu */
	CUT_DISABLED,		/* enable = 0, by another process */
};

/* Asks the kernel. 0 or -errno, printed. */
int collect_cut(struct collector *c, enum collect_cut *why, int *cpu);

/*
 * After stop and the last drain: reads the backend's counters, and for kernel
 * threads its histograms. @end_ns: when the run ended, CLOCK_MONOTONIC. 0 or
 * -errno, printed.
 */
int collect_finish(struct collector *c, uint64_t end_ns);

/*
 * Checks that every expiry was counted, under the policy that was asked for. 0;
 * -ECANCELED, printed: a CPU left the run before its end, or another process changed
 * the policy.
 */
int collect_check(const struct collector *c);

/* Brings the result up to date during the run, for a table. 0 or -errno, printed. */
int collect_snapshot(struct collector *c);

#endif /* TLOB_RUN_COLLECT_H */
