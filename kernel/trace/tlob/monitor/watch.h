/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watches: each activation of a thread is a window. An activation lasts from the wake-up of
 * the thread out of a rest to its next rest (struct tlob_watch in the UAPI).
 *
 * A watch keeps a slot, so the hooks of the scheduler open and close its windows without
 * allocating anything. It has its slot and its reference to the ring from beginning to end.
 * At most one watch has a task, because hooks handle it with irqs off.
 *
 * The task's place exists while it is watched, also without a window. So the CPU that runs a
 * watched task knows the place, and sees the task go to rest.
 *
 * A wake-up counts only if the task rests. sched_waking may also come for a task that is
 * still on its way to a rest. Then the rest begins after it, and the activation begins at
 * sched_wakeup, which always follows. An activation whose wake-up no hook has seen begins
 * when the task is switched in.
 *
 * Where the task is as the watch begins is not known: its CPU may switch at that moment.
 * The first event says it. A switch does, and a wake-up finds the task asleep in a state
 * that does not change under its pi_lock.
 */
#ifndef _TLOB_WATCH_H
#define _TLOB_WATCH_H

#include "../base/clock.h"
#include "task_window.h"

/* Returns how many watches exist: each has a slot. */
unsigned int tlob_watches(void);

/*
 * The task of @p, whose watch has not seen a switch yet, is about to be woken: finds out
 * whether it rests. Under the task's pi_lock and p->lock.
 */
void tlob_watch_unseen(struct tlob_place *p);

/*
 * The task of @p, which rests, was woken at @now, by the timer of its own sleep that expired
 * at @expiry (0: by something else). Other windows of the task know. Under p->lock.
 */
void tlob_watch_woken(struct tlob_place *p, u64 now, u64 expiry);

/* The sleep for a lock of the task of @p ends at @now. Under p->lock. */
void tlob_watch_unlocked(struct tlob_place *p, u64 now);

/* Who holds the lock of the longest sleep for one, which may be the present one. Under p->lock. */
static inline const struct tlob_wait_waker *tlob_watch_holder(const struct tlob_activation *a)
{
	bool present = a->lock_since && tlob_clock() > a->lock_since + a->lock.ns;

	return present ? &a->holder : &a->lock_holder;
}

/*
 * The task of @p, which has a watch, leaves the CPU @c in @state and is blocked. If that is a
 * rest, its activation ends. Under p->lock. Returns true if @closed has a window; @over says
 * whether the caller reports it.
 */
bool tlob_watch_sleeps(struct tlob_cpu *c, struct tlob_place *p, unsigned int state,
		       struct tlob_closed *closed, bool *over);

#endif /* _TLOB_WATCH_H */
