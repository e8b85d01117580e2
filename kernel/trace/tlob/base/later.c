// SPDX-License-Identifier: GPL-2.0
/* Works that come after a while. later.h says why. */
#include <linux/limits.h>

#include "base.h"
#include "clock.h"
#include "compat.h"
#include "later.h"

/* Under l->lock, on a CPU that the timer may interrupt. */
static void tlob_later_start(struct tlob_later *l)
{
	hrtimer_start(&l->timer, ns_to_ktime(l->due), HRTIMER_MODE_ABS_HARD);
}

static void tlob_later_arm(struct work_struct *arm)
{
	struct tlob_later *l = container_of(arm, struct tlob_later, arm);

	raw_spin_lock_irq(&l->lock);
	if (l->due != U64_MAX)
		tlob_later_start(l);
	raw_spin_unlock_irq(&l->lock);
}

static enum hrtimer_restart tlob_later_due(struct hrtimer *timer)
{
	struct tlob_later *l = container_of(timer, struct tlob_later, timer);

	raw_spin_lock(&l->lock);
	/* the work begins after this: who asks from here on arms the timer again */
	smp_store_mb(l->due, U64_MAX);
	queue_work(tlob_wq, &l->work);
	raw_spin_unlock(&l->lock);
	return HRTIMER_NORESTART;
}

void tlob_later_init(struct tlob_later *l, work_func_t work)
{
	INIT_WORK(&l->work, work);
	INIT_WORK(&l->arm, tlob_later_arm);
	tlob_hrtimer_setup(&l->timer, tlob_later_due, HRTIMER_MODE_ABS_HARD);
	raw_spin_lock_init(&l->lock);
	l->due = U64_MAX;
	l->over = false;
}

void tlob_later_set(struct tlob_later *l, u64 ns)
{
	u64 due = tlob_clock() + ns;
	unsigned long flags;

	raw_spin_lock_irqsave(&l->lock, flags);
	if (!l->over && due < l->due) {
		WRITE_ONCE(l->due, due);
		if (tlob_cpu_is_housekeeping(smp_processor_id()))
			tlob_later_start(l);
		else
			queue_work(tlob_wq, &l->arm);
	}
	raw_spin_unlock_irqrestore(&l->lock, flags);
}

void tlob_later_ask(struct tlob_later *l, u64 ns)
{
	/* what the work will look at comes before this; pairs with the one above */
	smp_mb();
	if (READ_ONCE(l->due) == U64_MAX)
		tlob_later_set(l, ns);
}

static void tlob_later_end(struct tlob_later *l, bool over)
{
	raw_spin_lock_irq(&l->lock);
	WRITE_ONCE(l->due, U64_MAX);
	l->over = over;
	raw_spin_unlock_irq(&l->lock);
}

void tlob_later_cancel(struct tlob_later *l)
{
	/* what runs from here on asks in vain */
	tlob_later_end(l, true);
	cancel_work_sync(&l->arm);
	hrtimer_cancel(&l->timer);
	cancel_work_sync(&l->work);
	tlob_later_end(l, false);
}
