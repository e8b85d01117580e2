// SPDX-License-Identifier: GPL-2.0
/*
 * The longest wait of each window of the monitor. A task opens its windows while
 * it runs, so a wait is in a window as a whole.
 *
 * The stack of a wait is known when its work is noted. For a user task this is on
 * the way to user mode, before the task can end the window. Until then the window
 * has the serial number of the work. A work that is taken back, or forgotten by a
 * reset, leaves a number that no other work will have.
 *
 * As with interruptions (account.h), a window keeps the longest wait until the
 * next newer window began. So a wait costs the same however many windows are open.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>

#include "places.h"
#include "waits.h"

/* Under the rq's lock, which is above the lock of the place. */
void tlob_wait_windows_add(const struct task_struct *task,
			   const struct tlob_longest *wait)
{
	struct tlob_place *p = tlob_place_find(task);
	struct tlob_slot *s;

	if (!p)
		return;
	raw_spin_lock(&p->lock);
	s = tlob_place_is_of(p, task) ? tlob_place_newest(p) : NULL;
	if (s && wait->ns > s->longest.ns) {
		s->longest = *wait;
		p->noting |= !!wait->owed;
	}
	raw_spin_unlock(&p->lock);
}

void tlob_wait_windows_noted(const struct task_struct *task,
			     const struct tlob_wait_work *w)
{
	struct tlob_place *p;
	struct tlob_slot *s;
	unsigned long flags;

	if (!READ_ONCE(tlob_monitor_used))
		return;
	p = tlob_place_find(task);
	if (!p)
		return;
	raw_spin_lock_irqsave(&p->lock, flags);
	if (!tlob_place_is_of(p, task) || !p->noting)
		goto unlock;
	p->noting = false;
	for (s = tlob_place_newest(p); s; s = tlob_slot_older(s)) {
		if (s->longest.owed == w->serial) {
			s->longest.stack = w->id;
			s->longest.owed = 0;
		}
		p->noting |= !!s->longest.owed;
	}
unlock:
	raw_spin_unlock_irqrestore(&p->lock, flags);
}

/* The number in @ns of the task with the number @nr in the initial namespace, or 0. */
static pid_t tlob_waker_nr(pid_t nr, struct pid_namespace *ns)
{
	pid_t seen;

	if (ns == &init_pid_ns)
		return nr;
	rcu_read_lock();
	seen = pid_nr_ns(find_pid_ns(nr, &init_pid_ns), ns);
	rcu_read_unlock();
	return seen;
}

void tlob_longest_fill(const struct tlob_longest *longest, u32 tgid,
		       struct pid_namespace *ns, bool wakers,
		       struct tlob_window_wait *to)
{
	struct tlob_wait_waker *w = &to->waker;

	memset(to, 0, sizeof(*to));
	to->flags = tlob_waits_are_on() ? TLOB_WAIT_IS_ON : 0;
	if (!longest->ns)
		return;
	to->ns = longest->ns;
	to->stack = longest->stack;
	w->kind = longest->waker.kind;
	if (w->kind != TLOB_WAKER_TASK ||
	    (!wakers && longest->waker.tgid != tgid))
		return;
	w->tid = tlob_waker_nr(longest->waker.tid, ns);
	w->tgid = tlob_waker_nr(longest->waker.tgid, ns);
	if (w->tid)
		memcpy(w->comm, longest->waker.comm, sizeof(w->comm));
}
