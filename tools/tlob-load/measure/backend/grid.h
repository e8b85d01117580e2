/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the backends whose threads sleep by themselves: the grid of expiries,
 * and the thread on it. As in the kernel part, expiry n is at start + n * period,
 * and n is 1 or more. Each expiry since the first arming is a window, or missed.
 */
#ifndef TLOB_BACKEND_GRID_H
#define TLOB_BACKEND_GRID_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "backend/backend.h"

struct status;

struct grid {
	uint64_t start, period;		/* ns of CLOCK_MONOTONIC */
	uint64_t first;			/* the first that was armed; 0: none yet */
	uint64_t activation;		/* of the armed or the last window */
	uint64_t recorded;		/* the last one that has a record */
};

/*
 * Arms the first expiry after @now. Returns its time. @missed gets the number of
 * expiries since the one before that are in the past, and become no window.
 */
static inline uint64_t grid_arm(struct grid *g, uint64_t now, uint64_t *missed)
{
	uint64_t next = g->activation + 1;

	if (g->start + next * g->period <= now)
		next = (now - g->start) / g->period + 1;
	*missed = g->first ? next - g->activation - 1 : 0;
	if (!g->first) {
		g->first = next;
		g->recorded = next - 1;
	}
	g->activation = next;
	return g->start + next * g->period;
}

/* The thread ends at @now, with no window armed. Returns the expiries since the last one. */
static inline uint64_t grid_end(struct grid *g, uint64_t now)
{
	uint64_t last = now > g->start ? (now - g->start - 1) / g->period : 0;
	uint64_t missed = g->first && last > g->activation ? last - g->activation : 0;

	g->activation += missed;
	return missed;
}

/* The window has a record. Returns the expiries without one since the record before. */
static inline uint64_t grid_record(struct grid *g)
{
	uint64_t missed = g->activation - g->recorded - 1;

	g->recorded = g->activation;
	return missed;
}

/*
 * When to start the grids: @now, or @phase_ns after the next multiple of @tick_ns,
 * if the phase is given. An expiry on the tick costs more than one between two ticks.
 */
static inline uint64_t grid_start(uint64_t now, bool has_phase, uint64_t phase_ns,
				  uint64_t tick_ns)
{
	return has_phase ? (now / tick_ns + 1) * tick_ns + phase_ns : now;
}

/* The period of the tick, or of the longest one, if the clock does not say. */
static inline uint64_t grid_tick_ns(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &ts) || ts.tv_sec || !ts.tv_nsec)
		return 10000000;
	return (uint64_t)ts.tv_nsec;
}

/* The counts of a thread on a grid. It is the only writer. 0: the backend has none. */
struct grid_counts {
	_Atomic uint64_t first_activation, offline;
	_Atomic uint64_t windows, violations, missed, aborted, sum_failures;
	_Atomic uint64_t errors, adjusted_ns, clock_steps, overhead_ns;
};

static inline void grid_count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
			      memory_order_relaxed);
}

/* A measuring thread on its grid. All of its times are of the same clock. */
struct grid_thread {
	struct grid grid;
	struct grid_counts *counts;
	int	 cpu;
	uint64_t t0;			/* of the armed or the last window */
	uint64_t ended_at;		/* t3 of the window before; 0: none */
	bool	 in_window;
};

/*
 * In the thread, after its policy is set: @g gets the grid of its CPU, where
 * @start_ns is where the first CPU's grid starts. 0 or -errno, printed.
 */
int  grid_thread_open(struct grid_thread *g, const struct backend_thread *t,
		      struct grid_counts *counts, uint64_t start_ns);

/* Arms the next expiry, at @now. */
void grid_thread_arm(struct grid_thread *g, uint64_t now);

/*
 * Sleeps until the armed expiry, which is @offset_ns later by our CLOCK_MONOTONIC.
 * In line, because what it takes to return is a part of each wake-up. 0 or an errno.
 */
static inline int grid_thread_sleep(const struct grid_thread *g, uint64_t offset_ns)
{
	uint64_t at = g->t0 + offset_ns;
	const struct timespec until = {
		.tv_sec = (time_t)(at / 1000000000),
		.tv_nsec = (long)(at % 1000000000),
	};
	int err;

	do {
		err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	} while (err == EINTR);
	return err;
}

/*
 * The window has ended at @t3: sets what only the grid knows of the record @w, adds
 * the verdict to its flags, and counts it. The caller has set the rest.
 */
void grid_thread_record(struct grid_thread *g, const struct backend_thread *t,
			struct tlob_window *w, uint64_t t3);

/* Hands over the record @w between two windows, if somebody takes it there. */
static inline void grid_thread_ended(struct backend_thread *t, struct tlob_window *w)
{
	if (!t->ended)
		return;
	t->ended(t, w);
	w->flags = TLOB_WINDOW_NONE;
}

/* A window that is open has no record any more: it is aborted, and missed. */
void grid_thread_drop(struct grid_thread *g, uint64_t now);

/* After the record of the last window: the expiries until its end are missed. */
void grid_thread_end(struct grid_thread *g);

/* True if the thread runs on another CPU: one that goes offline loses its threads. */
bool grid_thread_has_left(const struct grid_thread *g);

/* Why. 0: the CPU went offline, so the run is over; -EXDEV, printed. */
int  grid_thread_why_left(const struct grid_thread *g);

/* Fills @s->cpu in from @counts, which has an entry for each CPU. 0 or -ENOMEM. */
int  grid_status(const struct backend_run *b, const struct grid_counts *counts,
		 uint64_t start_ns, struct status *s);

#endif /* TLOB_BACKEND_GRID_H */
