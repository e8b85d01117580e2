/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A work that comes after a while. On PREEMPT_RT a delayed_work does not come while a
 * real-time task keeps the CPU on which it was queued: its timer expires in a thread there.
 * This one's timer expires in a hard interrupt, and any housekeeping CPU does the work.
 */
#ifndef _TLOB_LATER_H
#define _TLOB_LATER_H

#include <linux/hrtimer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct tlob_later {
	struct work_struct work;
	struct hrtimer timer;
	bool	waits;			/* the timer is armed, or will be */
	bool	over;			/* is being cancelled */
};

void tlob_later_init(struct tlob_later *l, work_func_t work);
/* The work comes in @ns, or earlier if somebody has asked before. Not under a run queue's lock. */
void tlob_later_ask(struct tlob_later *l, u64 ns);
/* The work comes in @ns, whatever was asked before. The same. */
void tlob_later_set(struct tlob_later *l, u64 ns);
/* Waits for a work that runs, which may ask again in vain. Nobody else asks. May sleep. */
void tlob_later_cancel(struct tlob_later *l);

#endif /* _TLOB_LATER_H */
