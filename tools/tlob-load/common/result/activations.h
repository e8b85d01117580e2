/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What attach knows of the threads whose activations it watches: for each how often it was late,
 * how long it took to run after its wake-up, who woke it, and at which interval.
 */
#ifndef TLOB_RESULT_ACTIVATIONS_H
#define TLOB_RESULT_ACTIVATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "hist.h"
#include "result/activation.h"

#define ACTIVATION_THREADS	256	/* of further ones only the windows count */
#define ACTIVATION_WAKERS	4	/* names of a thread; the first ones stay */
#define ACTIVATION_PLACES	8	/* where its activations end; the first ones stay */

struct activation_waker {
	char	 name[TLOB_NAME_LEN];	/* of a task; or timer, irq, softirq, nmi, unknown */
	uint64_t count;
};

struct activation_place {
	uint32_t call, stack;		/* as in struct tlob_task_activation */
	uint64_t ends;
};

struct activation_thread {
	uint32_t tid;
	char	 comm[TLOB_NAME_LEN];	/* the last one */
	uint64_t windows;		/* that ended */
	uint64_t violations;		/* ended or cut */
	uint64_t max_ns;		/* the longest of both */
	uint64_t gaps;			/* activations whose record was lost */
	struct tlob_hist wake;		/* ns from the start until it ran */
	struct tlob_hist interval;	/* ns from start to start of the next activation */
	struct activation_waker waker[ACTIVATION_WAKERS];
	size_t	 nwaker;
	uint64_t other_wakers;		/* wake-ups by further ones */
	/* After activations_end(): */
	uint64_t period_ns;		/* 0: the intervals are not regular */
	uint64_t skipped;		/* periods without an activation */

	uint64_t last_ns, last_nr;	/* the activation before; nr 0: none */
	struct activation_place place[ACTIVATION_PLACES];
	size_t	 nplace;
	uint64_t ends;			/* without those that are TLOB_TASK_UNCLEAR */
};

struct activations {
	struct activation_thread *thread;	/* [n], in the order of their first window */
	size_t	 n;
	uint64_t further;		/* windows of threads for which no room was left */
};

/* Adds a record of a window that ended or was cut. 0 or -ENOMEM. */
int  activations_add(struct activations *a, const struct tlob_task_activation *w);

/*
 * After the last record: the thread @tid still rests at @now_ns, and its last activation had begun at
 * @began_ns. If none of its intervals was that long, this one counts as far as it has come.
 */
void activations_rests(struct activations *a, uint32_t tid, uint64_t began_ns, uint64_t now_ns);

/*
 * After the last record: finds the periods, and what was skipped. The intervals of a thread are
 * regular if p5 and p95 are at most a tenth away from the median. Then an interval has as many
 * periods as it has medians, rounded, and the period is the mean of all of these. Returns the number
 * of skipped ones. @interval gets the intervals of all.
 */
uint64_t activations_end(struct activations *a, struct tlob_hist *interval);

/*
 * Returns how many have ended elsewhere than most of their thread: another call, or another place
 * of the program that makes it. These may have ended in the middle of a cycle.
 */
uint64_t activations_elsewhere(const struct activations *a);

/* Which thread was late most often: an index of @order; then the one with the longest window. */
void activations_sort(const struct activations *a, size_t order[ACTIVATION_THREADS]);

#endif /* TLOB_RESULT_ACTIVATIONS_H */
