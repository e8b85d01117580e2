/* SPDX-License-Identifier: GPL-2.0 */
/* Windows over tasks: how the other files of the monitor open and close them. */
#ifndef _TLOB_TASK_WINDOW_H
#define _TLOB_TASK_WINDOW_H

#include "slots.h"

/* A window that was closed and is not yet counted. */
struct tlob_closed {
	struct tlob_task_window *w;	/* its record; the caller's memory */
	struct tlob_slot *slot;		/* to be freed; NULL: its watch keeps it */
	bool	watch;			/* it was an activation */
};

/*
 * Closes an open window. Under its place's lock; after the caller has released the lock, it
 * calls tlob_closed_count(). @c is this CPU if the task runs on it, or NULL on any other
 * CPU. @ended: the task itself ends the window. @longest: gets its longest wait, unless it
 * is NULL. Returns true if this call found the budget over; the caller then calls
 * tlob_report_task().
 */
bool tlob_slot_close(struct tlob_cpu *c, struct tlob_slot *s, bool ended,
		     struct tlob_closed *closed, struct tlob_longest *longest);

/*
 * Counts the window, and frees its slot unless a watch keeps it. The caller must not
 * enable preemption since tlob_slot_close(): tlob_monitor_stop() waits for this. With a slot
 * to free, it runs neither under a lock of the monitor nor under one of a run queue.
 */
void tlob_closed_count(const struct tlob_closed *closed);

/*
 * Opens the window of @s over the task of @p, which was woken at @now and slept. If the
 * task has other windows, they know of the wake-up. @delay and @stolen: as for
 * tlob_account_wake().
 * Under p->lock, on any CPU.
 */
void tlob_place_wake(struct tlob_place *p, struct tlob_slot *s, u64 now, u64 delay,
		     u64 stolen);

/*
 * The task of @p, which has windows, comes to this CPU: the timers of their budgets come along.
 * Under p->lock.
 */
void tlob_place_arm_here(struct tlob_place *p);

/* Takes the window of @s away if it is open and belongs to @owner (NULL: to anybody). */
void tlob_slot_cut(struct tlob_slot *s, const void *owner);
/* Takes all windows of the current task away. */
void tlob_current_cut_all(void);

/* Counts a window or a watch that got no slot, if @err is -ENOSPC or -EDQUOT. */
void tlob_monitor_refused(int err);

#endif /* _TLOB_TASK_WINDOW_H */
