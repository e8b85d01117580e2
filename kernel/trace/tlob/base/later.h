/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A work that comes after a while. On PREEMPT_RT a delayed_work does not come while a
 * real-time task keeps the CPU on which it was queued: its timer expires in a thread there.
 * The timer of this work expires in a hard interrupt, and any housekeeping CPU does the work.
 *
 * The rule: what is for later never interrupts an isolated CPU that asks for it. A timer stays
 * where it is armed with kernel.timer_migration=0, with isolcpus= without nohz_full=, and if it
 * is the next one to expire. So an isolated CPU only queues a work, which arms the timer.
 */
#ifndef _TLOB_LATER_H
#define _TLOB_LATER_H

#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct tlob_later {
	struct work_struct work, arm;
	struct hrtimer timer;
	raw_spinlock_t lock;
	u64	due;			/* of the next work, ns; U64_MAX: none was asked for */
	bool	over;			/* is being cancelled */
};

void tlob_later_init(struct tlob_later *l, work_func_t work);
/*
 * The work comes in @ns, or at another time if somebody has asked before. In any context but an
 * nmi and not under a run queue's lock.
 */
void tlob_later_ask(struct tlob_later *l, u64 ns);
/* The work comes in @ns at the latest. The same. */
void tlob_later_set(struct tlob_later *l, u64 ns);
/* Waits for a work that runs, which may ask again in vain. Nobody else asks. May sleep. */
void tlob_later_cancel(struct tlob_later *l);

#endif /* _TLOB_LATER_H */
