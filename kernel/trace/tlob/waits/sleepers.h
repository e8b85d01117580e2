/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of sleepers, for the hooks of waits_tasks.c. Under the lock of its
 * shard a sleeper is found by the address of its task.
 */
#ifndef _TLOB_SLEEPERS_H
#define _TLOB_SLEEPERS_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/uidgid.h>

#include "../base/users.h"
#include "waits.h"

#define TLOB_WAIT_BUCKET_BITS	6	/* of a shard */
#define TLOB_WAIT_BUCKETS	BIT(TLOB_WAIT_BUCKET_BITS)
#define TLOB_WAIT_WORKS		32U	/* of a shard */

struct tlob_wait_shard {
	raw_spinlock_t lock;
	struct hlist_head bucket[TLOB_WAIT_BUCKETS];
	u32	used;			/* its works that are in use, a bit for each */
	struct tlob_payer user[TLOB_WAIT_WORKS]; /* who uses them */
};

extern struct tlob_wait_shard *tlob_wait_shards;

static inline struct tlob_wait_shard *
tlob_wait_shard(const struct task_struct *task)
{
	return &tlob_wait_shards[hash_ptr(task, TLOB_WAIT_SHARDS_BITS)];
}

static inline struct hlist_head *
tlob_wait_bucket(struct tlob_wait_shard *shard, const struct task_struct *task)
{
	/* the bits below those that chose the shard */
	u32 hash = hash_ptr(task, TLOB_WAIT_SHARDS_BITS + TLOB_WAIT_BUCKET_BITS);

	return &shard->bucket[hash % TLOB_WAIT_BUCKETS];
}

/* Under shard->lock. */
static inline struct tlob_sleeper *
tlob_sleeper_find(struct tlob_wait_shard *shard, const struct task_struct *task)
{
	struct tlob_sleeper *s;

	hlist_for_each_entry(s, tlob_wait_bucket(shard, task), node)
		if (s->task == task)
			return s;
	return NULL;
}

/* Makes the sleeper of @task, on the CPU that the task leaves. Irqs off. */
void tlob_sleeper_make(struct task_struct *task, u64 now);
/* @task has ended: nothing but its statistics remains. */
void tlob_sleeper_exits(const struct task_struct *task);

#endif /* _TLOB_SLEEPERS_H */
