/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Late windows: which code of the kernel kept the CPU. A stack takes longer than a wake-up, so
 * one is taken only in a window that is late already. A window in time pays for comparisons.
 */
#ifndef _TLOB_LATE_H
#define _TLOB_LATE_H

#include <linux/interrupt.h>

#include "window.h"

/* Returns whether the last boundary of a window that still waits for its task was late. */
static __always_inline bool tlob_is_late(const struct tlob_cpu *c)
{
	return unlikely(c->split[0].last > c->times.late_at);
}

/* t1: the timer's interrupt may be late, and met_user is known. */
void tlob_late_met(struct tlob_cpu *c);

/* A timer has interrupted what runs instead of the task. Its irq is charged up to @now. */
void tlob_late_tick(struct tlob_cpu *c, u64 now);

/* The current task leaves the CPU to @c's, and the hook has charged its time. */
void tlob_late_left(struct tlob_cpu *c, bool blocked);

/* The timer's interrupt has met a task, or a softirq follows: either may stay. */
void tlob_late_watch(struct tlob_cpu *c);

/*
 * t1: @c's task was woken. Where the kernel is preempted, a task leaves it inside of the function
 * that kept the CPU. Softirqs are tasks on PREEMPT_RT.
 */
static __always_inline void tlob_late_fired(struct tlob_cpu *c)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    unlikely(c->delayed_by_pid || local_softirq_pending()))
		tlob_late_watch(c);
}

/* t2, or a new window: the task has the CPU, so no timer may come into its work. Irqs off. */
static __always_inline void tlob_late_begun(struct tlob_cpu *c)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && unlikely(c->looked & TLOB_LATE_LOOK))
		hrtimer_try_to_cancel(&c->look_timer);
}

/* Returns the net @duration of an interrupt without what tlob_late_tick() took in it. */
u64 tlob_late_unlooked(struct tlob_cpu *c, u64 duration);

/* After t3, in the measured task, before the window's record is written. */
void tlob_late_write(struct tlob_cpu *c, const struct tlob_window *w);

void tlob_late_init(struct tlob_cpu *c);

#endif /* _TLOB_LATE_H */
