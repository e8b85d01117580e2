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
#include <linux/rcupdate.h>

#include "../monitor/places.h"
#include "waits.h"

bool tlob_wait_in_window(const struct task_struct *task)
{
	return tlob_place_find(task);
}

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

	if (!tlob_monitor_in_use())
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
