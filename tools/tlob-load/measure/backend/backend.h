/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A backend is a way to measure: one table of functions. It makes records, each a
 * struct tlob_window; everything after the record is the same for all backends.
 *
 * The main thread calls, in this order:
 *
 *	probe		can it be had here? Touches nothing
 *	open		settings; changes of the system are knobs
 *	start		the measurement begins
 *	stop_at_violation	after the warm-up
 *	status		what it counted: at any time between start and close
 *	stop		the measurement ends
 *	save_trace
 *	close		also after an error of any of these
 *
 * Each measuring thread calls, between start and stop:
 *
 *	thread_open
 *	thread_next	again and again, with the work of a window in between
 *	thread_last
 *	thread_close	also after an error
 *
 * thread_next() ends a window, arms the next and waits for it. These are one
 * function because the module does all three in one read().
 *
 * All functions return 0 or -errno, and print their errors, if nothing else is said.
 */
#ifndef TLOB_BACKEND_H
#define TLOB_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/tlob.h>
#include "result/kept.h"

struct cgroup;
struct cpus;
struct knobs;
struct result;
struct run_config;
struct status;
struct tlob_hist;
struct function_sets;

/* One run. The caller fills in all but @data, which is the backend's. */
struct backend_run {
	const struct backend *backend;
	const struct run_config *config;
	const struct cpus *cpus;
	struct knobs *knobs;		/* begun, if the backend changes the system */
	const struct cgroup *cgroup;	/* the threads on measured CPUs enter it; see machine/cgroup.h */
	struct result *r;		/* for notes */
	/*
	 * Priority and locked memory are taken as far as they are permitted. There are
	 * no knobs.
	 */
	bool	 as_permitted;
	/*
	 * The caller raises it when it has taken over records of windows, before it asks for what
	 * belongs to them. So one look is enough for all of them that have none.
	 */
	uint64_t batch;
	void	*data;
};

/* One measuring thread. The caller fills in @run, @index and @cpu. */
struct backend_thread {
	struct backend_run *run;
	size_t	 index;			/* of the CPU in run->cpus->list */
	int	 cpu;
	/*
	 * Changes at every interruption of this CPU; set by thread_open(). Where it
	 * points to a constant, interruptions are not seen, and a gap in `spin` work
	 * may be one of them: TLOB_WORK_HW is unavailable then.
	 */
	const volatile uint64_t *interference;
	/*
	 * A backend with `between` calls it in thread_next(), where no window is open and none is
	 * armed, with the record of the window that has ended. NULL: thread_next() hands over all.
	 */
	void	(*ended)(struct backend_thread *t, struct tlob_window *w);
	void	*data;
};

/* Records and histograms of kernel threads. @i is an index of run->cpus->list. */
struct backend_kthread {
	/* After start: makes the records of all CPUs readable. */
	int (*open)(struct backend_run *b);
	/* Up to @n records to @w. Their number; 0: no more now; -ENODATA: ended. */
	int (*read)(struct backend_run *b, size_t i, struct tlob_window *w, size_t n);
	/* Fills TLOB_NR_METRICS histograms; @running: the run continues. */
	int (*hist)(struct backend_run *b, size_t i, struct tlob_hist *hist,
		    bool running);
};

/* A window that was late, and the stacks that were taken in it. */
struct late_window {
	struct tlob_window w;
	struct tlob_late stacks;
};

struct backend {
	const char *name;		/* of --backend, and `backend` in the JSON */
	bool	 changes_system;	/* has knobs, so it needs the state file */
	bool	 without_root;		/* can do without them where rights_of_root() lacks */
	bool	 has_noise_source;	/* --noise-source makes a difference */
	bool	 between;		/* knows when a thread is between two windows */
	/* Parts that it measures nowhere (1 << enum tlob_part), and why. */
	uint32_t never;
	const char *never_because;
	const char *opening;		/* what open() does that takes time: "loading ..." */

	/*
	 * 0, or -EOPNOTSUPP with one line in @why: what is missing, and how to get
	 * it. Prints nothing, mounts nothing.
	 */
	int (*probe)(char *why, unsigned int size);
	int (*open)(struct backend_run *b);
	int (*start)(struct backend_run *b);
	/* Ends the run at the next violation. NULL: only the tool does, from records. */
	int (*stop_at_violation)(struct backend_run *b);
	/* Fills @s in; status_free() it. @s->cpu has one entry for each measured CPU. */
	int (*status)(struct backend_run *b, struct status *s);
	int (*stop)(struct backend_run *b);
	/*
	 * With config->timeline: what happened in window @w of the CPU with index @i, valid
	 * until the next call for this CPU; NULL: lost. Ask for each window, in order, while
	 * its thread may go on. NULL: no --timeline.
	 */
	const struct tlob_timeline *(*timeline)(struct backend_run *b, size_t i,
						const struct tlob_window *w);
	/*
	 * Fills @to with the next late window of the CPU with index @i. It arrives before the
	 * window's record. Returns false if none is left. NULL: the backend takes no stacks.
	 */
	bool (*late)(struct backend_run *b, size_t i, struct late_window *to);
	/*
	 * With config->waits, as timeline: the longest wait of @w's thread inside of @w; NULL:
	 * it had none, or it was lost. NULL: no --waits.
	 */
	const struct tlob_window_wait *(*wait)(struct backend_run *b, size_t i,
					       const struct tlob_window *w);
	/*
	 * With config->traced: the time of window @w in functions; as timeline, and valid
	 * for as long. NULL: no --functions.
	 */
	const struct tlob_functions *(*functions)(struct backend_run *b, size_t i,
						  const struct tlob_window *w);
	/* After start and after stop: fills in mechanism and counts. */
	int (*functions_read)(struct backend_run *b, struct function_sets *sets);
	int (*save_trace)(struct backend_run *b, FILE *out);	/* NULL: no --trace */
	/* After open, with config->trace: the tracing instance; NULL: there is none. */
	const char *(*trace_dir)(struct backend_run *b);
	void (*close)(struct backend_run *b);
	const struct backend_kthread *kthread;	/* NULL: no --workload kthread */

	/* -ENODEV, not printed: the run is over already. */
	int (*thread_open)(struct backend_thread *t);
	/*
	 * Ends the current window, arms the next and waits for it. @w gets the record
	 * of the window that ended, or TLOB_WINDOW_NONE in its flags. 1: a window has
	 * begun; 0: the run is over; -errno.
	 */
	int (*thread_next)(struct backend_thread *t, struct tlob_window *w);
	/* Ends the current window, and arms none. Fills @w in likewise. */
	int (*thread_last)(struct backend_thread *t, struct tlob_window *w);
	void (*thread_close)(struct backend_thread *t);
};

/* Some builds lack the first two: choose.c. */
extern const struct backend backend_tlob, backend_bpf, backend_posix;

#endif /* TLOB_BACKEND_H */
