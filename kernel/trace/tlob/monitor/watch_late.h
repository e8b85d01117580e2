/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Late activations: which code of the kernel kept the CPU, or interrupts off. As in a run
 * (window/late.h) an activation in time pays for comparisons. A late one takes one of the entries
 * that the ring of its watch has, until its record is written.
 */
#ifndef _TLOB_WATCH_LATE_H
#define _TLOB_WATCH_LATE_H

#include "task_window.h"

struct tlob_task_lates;

/* Returns NULL if memory is short. May sleep. */
struct tlob_task_lates *tlob_task_lates_alloc(void);
void tlob_task_lates_free(struct tlob_task_lates *l);

/* The watch of @s begins: from when on is it late? */
void tlob_watch_late_begin(struct tlob_slot *s);

/*
 * The task of @p, which has a window of its watch, begins to wait for @cpu. @alone: no other task
 * with windows does. Under p->lock. If the interrupt that wakes it has met code that may keep the
 * CPU, a timer interrupts that again when the wait is late.
 */
void tlob_watch_late_waits(struct tlob_place *p, int cpu, bool alone);

/* An irq begins on this CPU: returns whether a wait for the CPU is late. Irqs off. */
bool tlob_watch_late_is_due(void);

/*
 * Then: looks at what it has met, unless that would push a window over its budget. What looking
 * takes is a part of the wait, and an irq of the task that runs on @c, this CPU.
 */
void tlob_watch_late_look(const struct tlob_cpu *c);

/* No watched task waits for this CPU: no interrupt of ours is wanted. Irqs off. */
void tlob_watch_late_comes(void);

void tlob_watch_late_init(void);
/* No hook looks any more. Waits for timers in hard interrupts. */
void tlob_watch_late_stop(void);

/*
 * The current task leaves this CPU, in a switch that began at @switched, and may be @blocked. The
 * task of @p, which has windows, comes. What looking takes is a part of its wait. Under p->lock.
 */
void tlob_watch_late_left(struct tlob_place *p, u64 switched, bool blocked);

/* Looks at what the timer's interrupt has met, as for tlob_watch_late_met(). */
bool tlob_watch_late_met_now(struct tlob_place *p, u64 begins, u64 now);

/*
 * The task of @p, which has a watch, is about to be woken by its timer, which expired at @expiry.
 * Returns whether time went by since @now: it is a part of the delay. Under p->lock.
 */
static inline bool tlob_watch_late_met(struct tlob_place *p, u64 expiry, u64 now)
{
	const struct tlob_activation *a = &p->watch->activation;
	u64 begins = max(expiry, a->rests_ns);

	return unlikely(a->rests_ns && now > begins + a->late_ns) &&
	       tlob_watch_late_met_now(p, begins, now);
}

/* Gives the entry back. */
void tlob_watch_late_give(struct tlob_slot *s);

/* The window of @s has ended, with the record @w. Under its place's lock. */
static inline void tlob_watch_late_end(struct tlob_slot *s, const struct tlob_task_window *w)
{
	struct tlob_activation *a = &s->activation;
	u64 ran = w->part_ns[TLOB_TASK_PART_RUNNING];

	if (!a->least_ns || ran < a->least_ns)
		a->least_ns = ran;
	if (unlikely(a->looked))
		tlob_watch_late_give(s);
}

#endif /* _TLOB_WATCH_LATE_H */
