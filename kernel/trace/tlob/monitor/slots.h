/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots for the windows of tasks, who may have how many, and whether any window exists.
 *
 * START and STOP of different tasks share no lock and write no common cache
 * line. Each CPU has a pool of free slots and counters of its own. Users with
 * limits have a counter each, which only their own windows change.
 */
#ifndef _TLOB_SLOTS_H
#define _TLOB_SLOTS_H

#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "places.h"

/*
 * Free slots and counters of one CPU. A window takes a slot from the pool of its
 * CPU, or from another one if that is empty. It gives the slot to the pool of
 * the CPU on which it ends. Only its CPU writes the counters, with irqs off.
 */
struct tlob_pool {
	raw_spinlock_t lock;		/* of the list */
	struct tlob_slot *free;
	u64	opened, windows, violations, cut, no_slot, over_quota;
	u64	sum_failures, errors, adjusted_ns, clock_steps;
};

DECLARE_PER_CPU(struct tlob_pool, tlob_pools);
extern struct tlob_pool tlob_reserve;	/* of slots for CAP_SYS_RESOURCE */

extern struct tlob_slot *tlob_slots;	/* [tlob_nr_slots] */
extern unsigned int tlob_nr_slots;

/*
 * Takes a slot of @pool for the window of @b, and counts it for the user of @b.
 * Returns 0, -EDQUOT, or -EAGAIN if @pool is empty.
 *
 * The caller disables preemption until the window is open or the slot is given
 * back. Threads that are over their limit could hold all slots otherwise.
 */
int  tlob_slot_take(struct tlob_pool *pool, const struct tlob_begin *b,
		    struct tlob_slot **slot);
/* Returns why no slot is left for @b: -EDQUOT or -ENOSPC. */
int  tlob_slot_refusal(const struct tlob_begin *b);
/* Gives a slot without a window back. */
void tlob_slot_give(struct tlob_slot *s);

/* Gives a slot of @pool to @open, or back if that fails. -EAGAIN: @pool is empty. */
static __always_inline int
tlob_pool_use(struct tlob_pool *pool, const struct tlob_begin *b,
	      int (*open)(struct tlob_slot *s, const void *arg), const void *arg)
{
	struct tlob_slot *s;
	int err;

	if (!READ_ONCE(pool->free))
		return -EAGAIN;
	preempt_disable();
	err = tlob_slot_take(pool, b, &s);
	if (!err) {
		err = open(s, arg);
		if (err)
			tlob_slot_give(s);
	}
	preempt_enable();
	return err;
}

/*
 * Finds a slot for @b and gives it to @open, which runs with preemption disabled. Returns
 * what @open returns, -ENOSPC or -EDQUOT. Preemptible between two pools.
 */
static __always_inline int
tlob_slot_use(const struct tlob_begin *b,
	      int (*open)(struct tlob_slot *s, const void *arg), const void *arg)
{
	int cpu, err = tlob_pool_use(raw_cpu_ptr(&tlob_pools), b, open, arg);

	for_each_possible_cpu(cpu) {
		if (err != -EAGAIN)
			return err;
		err = tlob_pool_use(per_cpu_ptr(&tlob_pools, cpu), b, open, arg);
	}
	if (err == -EAGAIN && !b->limited)
		err = tlob_pool_use(&tlob_reserve, b, open, arg);
	return err == -EAGAIN ? tlob_slot_refusal(b) : err;
}

/*
 * Tells the hooks that windows exist. Irqs off, before a window is opened.
 * Returns whether the caller must call tlob_monitor_unuse_soon().
 */
bool tlob_monitor_use(void);
/* Tells the hooks later that no window exists any more, if that is so. */
void tlob_monitor_unuse_soon(void);
/* Tells them now: the monitor is off and has no windows. May sleep. */
void tlob_monitor_unuse(void);
/* Returns the number of open windows. Never less than there were at some moment of the call. */
u64  tlob_monitor_open(void);

/* The timers of the budget, in task_window.c. Cancelling may sleep. */
void tlob_slot_timers_init(struct tlob_slot *s);
void tlob_slot_timers_cancel(struct tlob_slot *s);

int  tlob_slots_init(void);		/* 0, -EINVAL, -ENOMEM */
void tlob_slots_exit(void);

#endif /* _TLOB_SLOTS_H */
