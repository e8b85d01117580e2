// SPDX-License-Identifier: GPL-2.0
/* Works that come after a while. later.h says why. */
#include "base.h"
#include "compat.h"
#include "later.h"

static enum hrtimer_restart tlob_later_due(struct hrtimer *timer)
{
	struct tlob_later *l = container_of(timer, struct tlob_later, timer);

	/* the work begins after this: who asks from here on arms the timer again */
	smp_store_mb(l->waits, false);
	queue_work(tlob_wq, &l->work);
	return HRTIMER_NORESTART;
}

void tlob_later_init(struct tlob_later *l, work_func_t work)
{
	INIT_WORK(&l->work, work);
	tlob_hrtimer_setup(&l->timer, tlob_later_due, HRTIMER_MODE_REL_HARD);
	l->waits = false;
}

void tlob_later_ask(struct tlob_later *l, u64 ns)
{
	/* while a task is preempted between these two, nobody else would arm the timer */
	preempt_disable();
	if (!READ_ONCE(l->over) && !xchg(&l->waits, true))
		hrtimer_start(&l->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_HARD);
	preempt_enable();
}

void tlob_later_set(struct tlob_later *l, u64 ns)
{
	preempt_disable();
	/* what the work will look at comes before this; pairs with the one above */
	smp_store_mb(l->waits, true);
	hrtimer_start(&l->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_HARD);
	preempt_enable();
}

void tlob_later_cancel(struct tlob_later *l)
{
	int i;

	/* a work that begins from here on asks in vain */
	smp_store_mb(l->over, true);
	/* one that began before may have armed the timer again, which may have expired */
	for (i = 0; i < 2; i++) {
		hrtimer_cancel(&l->timer);
		cancel_work_sync(&l->work);
	}
	WRITE_ONCE(l->waits, false);
	WRITE_ONCE(l->over, false);
}
