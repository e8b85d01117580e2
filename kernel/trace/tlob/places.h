/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows, and the table that finds those of a task: for monitor.c, which opens and
 * closes them, and monitor_hooks.c, which charges them.
 *
 * The table is an array of places with open addressing. Its key is the task's
 * address, and reach says for each hash how far from it a key of that hash may be.
 * A key never moves, and a place is never freed, so a lookup needs no lock: it
 * takes the place's, and looks again whose the place is. Only the task itself
 * puts its key there, so all who look for it later are ordered after that by the
 * scheduler; and a lookup that finds no place because it is just being given up
 * has nothing to do.
 *
 * The CPU that runs a monitored task knows its place (tlob_cpu.place), and may
 * find it in other hands, since others may close the task's windows.
 */
#ifndef _TLOB_PLACES_H
#define _TLOB_PLACES_H

#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>

#include "account.h"
#include "monitor.h"

struct tlob_place;

/* A window, or a free slot for one. */
struct tlob_slot {
	struct tlob_account account;
	struct hrtimer timer[2];	/* of the budget: hard, soft */
	bool	soft;			/* which of them */
	struct tlob_place *place;	/* NULL: free */
	struct tlob_slot *next;		/* in its place, or free */
	struct tlob_begin begin;	/* what it was opened with */
};

struct tlob_place {
	raw_spinlock_t lock;
	struct task_struct *task;	/* the key; NULL: free */
	struct tlob_slot *windows;
	/* of the hash that is this place's index, under tlob_slots_lock: */
	u8	reach;			/* how many places to look at */
	u8	nr_keys;		/* how many have this hash */
} ____cacheline_aligned_in_smp;

/*
 * What each hook reads must not share a line with what START and STOP write. Not
 * __ro_after_init, where kmemleak does not look for pointers in modules.
 */
extern struct tlob_place *tlob_places;		/* [1 << bits] */
extern unsigned int tlob_places_bits;

static inline struct tlob_place *tlob_place_at(u32 hash, u32 distance)
{
	return &tlob_places[(hash + distance) & ((1U << tlob_places_bits) - 1)];
}

static inline u32 tlob_place_hash(const struct task_struct *task)
{
	return hash_ptr(task, tlob_places_bits);
}

/* The place of @task, to be locked and looked at again; NULL: has no windows. */
static inline struct tlob_place *
tlob_place_find(const struct task_struct *task)
{
	u32 hash = tlob_place_hash(task), i, reach;

	reach = READ_ONCE(tlob_place_at(hash, 0)->reach);
	for (i = 0; i < reach; i++) {
		struct tlob_place *p = tlob_place_at(hash, i);

		if (READ_ONCE(p->task) == task)
			return p;
	}
	return NULL;
}

/* Under p->lock: whether it is still @task's. */
static inline bool tlob_place_is_of(const struct tlob_place *p,
				    const struct task_struct *task)
{
	return likely(READ_ONCE(p->task) == task);
}

/*
 * The time of a boundary of the current task's windows. What nmis took since the
 * last one goes to them first; the clock is read again until no nmi came between
 * it and that account. Under p->lock.
 */
u64 tlob_place_boundary(struct tlob_cpu *c, struct tlob_place *p);

/* From here on this CPU's irqs and nmis belong to the windows of @p, or to none. */
void tlob_cpu_set_place(struct tlob_cpu *c, struct tlob_place *p);

#endif /* _TLOB_PLACES_H */
