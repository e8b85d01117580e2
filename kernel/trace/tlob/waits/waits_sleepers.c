// SPDX-License-Identifier: GPL-2.0
/*
 * The sleepers: their memory, who of them is free or has exited, and copies of
 * them for readers. waits.h has the rules.
 */
#include <linux/cred.h>
#include <linux/moduleparam.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#include "sleepers.h"

#define TLOB_SLEEPERS_MIN	64U
#define TLOB_SLEEPERS_MAX	65536U
#define TLOB_SLEEPER_BITS	17	/* of an id: the index of the sleeper */

static unsigned int wait_tasks = 4096;
module_param(wait_tasks, uint, 0444);
MODULE_PARM_DESC(wait_tasks, "tasks that `waits` has room for, 64 ... 65536");

struct tlob_wait_pool {
	raw_spinlock_t lock;
	struct list_head free;
	unsigned int nr_left;		/* free, or exited ones of root */
	struct tlob_shares shares;
	struct list_head exited[TLOB_SHARES];	/* of each share; the oldest first */
	struct tlob_wait_total blocked, runnable;	/* of evicted tasks */
};

struct tlob_wait_shard *tlob_wait_shards __read_mostly;
static struct tlob_sleeper *tlob_sleepers;
static struct tlob_wait_pool tlob_wait_pool;

bool tlob_wait_task_gone(u64 id)
{
	unsigned int i = id & (BIT(TLOB_SLEEPER_BITS) - 1);

	return READ_ONCE(tlob_sleepers[i].id) != id;
}

/* Returns the sleeper of @share that exited first, or NULL. Under pool->lock. */
static struct tlob_sleeper *tlob_sleeper_evict(struct tlob_wait_pool *pool, int share)
{
	struct tlob_sleeper *s = list_first_entry_or_null(&pool->exited[share],
							  struct tlob_sleeper, list);

	if (s) {
		atomic64_inc(&tlob_wait_count.evicted);
		tlob_wait_total_merge(&pool->blocked, &s->blocked);
		tlob_wait_total_merge(&pool->runnable, &s->runnable);
	}
	return s;
}

/*
 * Returns the share that has most of those with ended tasks, or 0 if no user has one. A user
 * whose tasks all live has nothing to give. Under pool->lock.
 */
static int tlob_sleeper_giver(const struct tlob_wait_pool *pool)
{
	int i, giver = 0;

	for (i = 1; i < TLOB_SHARES; i++)
		if (!list_empty(&pool->exited[i]) &&
		    pool->shares.of[i].nr > pool->shares.of[giver].nr)
			giver = i;
	return giver;
}

/*
 * Finds a sleeper for @user, and sets *@share. A user who has its share, or comes when no
 * other sleeper is left, gets that of an ended task. Under pool->lock.
 */
static struct tlob_sleeper *tlob_sleeper_find_free(struct tlob_wait_pool *pool,
						   const struct tlob_payer *user, int *share)
{
	struct tlob_sleeper *s;
	int giver;

	*share = tlob_share_take(&pool->shares, user, pool->nr_left);
	if (*share >= 0 && pool->nr_left) {
		pool->nr_left--;
		return list_first_entry_or_null(&pool->free, struct tlob_sleeper, list) ?:
		       tlob_sleeper_evict(pool, 0);
	}
	giver = tlob_sleeper_giver(pool);
	/* root's are among those that are left, of which this user has its part */
	s = giver ? tlob_sleeper_evict(pool, giver) : NULL;
	if (s) {
		tlob_share_give(&pool->shares, s->share);
		*share = tlob_share_take(&pool->shares, user, UINT_MAX);
	}
	return s;
}

/* Takes a sleeper that is free, or whose task has exited. Returns NULL. */
static struct tlob_sleeper *tlob_sleeper_take(const struct tlob_payer *user)
{
	struct tlob_wait_pool *pool = &tlob_wait_pool;
	struct tlob_sleeper *s;
	int share;

	raw_spin_lock(&pool->lock);
	s = tlob_sleeper_find_free(pool, user, &share);
	if (s) {
		list_del_init(&s->list);
		WRITE_ONCE(s->id, 0);
		s->share = share;
	}
	raw_spin_unlock(&pool->lock);
	return s;
}

void tlob_sleeper_make(struct task_struct *task, u64 now)
{
	struct tlob_wait_shard *shard = tlob_wait_shard(task);
	struct tlob_payer user = tlob_task_user(task);
	struct tlob_sleeper *s = tlob_sleeper_take(&user);

	if (!s) {
		atomic64_inc(&tlob_wait_count.lost_tasks);
		return;
	}
	s->flags = task->flags & PF_KTHREAD ? TLOB_WAIT_KTHREAD : 0;
	s->start_ns = task->start_time;
	s->tid = task->pid;
	s->tgid = task->tgid;
	s->asleep_ns = now;
	s->waking_ns = 0;
	memset(&s->blocked, 0, sizeof(s->blocked));
	memset(&s->runnable, 0, sizeof(s->runnable));
	s->owes = NULL;
	memcpy(s->comm, task->comm, sizeof(s->comm));
	raw_spin_lock(&shard->lock);
	/* a reader looks for s->task, and needs all of the above then */
	WRITE_ONCE(s->task, task);
	s->generation++;
	WRITE_ONCE(s->id, (u64)s->generation << TLOB_SLEEPER_BITS |
		   (s - tlob_sleepers));
	hlist_add_head(&s->node, tlob_wait_bucket(shard, task));
	raw_spin_unlock(&shard->lock);
}

void tlob_sleeper_exits(const struct task_struct *task)
{
	struct tlob_wait_shard *shard = tlob_wait_shard(task);
	struct tlob_wait_pool *pool = &tlob_wait_pool;
	struct tlob_sleeper *s;
	unsigned long flags;

	raw_spin_lock_irqsave(&shard->lock, flags);
	s = tlob_sleeper_find(shard, task);
	if (s) {
		hlist_del_init(&s->node);
		WRITE_ONCE(s->task, NULL);
		s->flags |= TLOB_WAIT_EXITED;
		s->asleep_ns = 0;
	}
	raw_spin_unlock(&shard->lock);
	if (s) {
		raw_spin_lock(&pool->lock);
		list_add_tail(&s->list, &pool->exited[s->share]);
		pool->nr_left += !s->share;
		raw_spin_unlock(&pool->lock);
	}
	local_irq_restore(flags);
}

static void tlob_wait_task_fill(const struct tlob_sleeper *s, u64 now,
				struct tlob_wait_task *t)
{
	memset(t, 0, sizeof(*t));
	t->type = TLOB_WAIT_TASK;
	t->size = sizeof(*t);
	t->flags = s->flags;
	t->id = s->id;
	t->start_ns = s->start_ns;
	t->tid = s->tid;
	t->tgid = s->tgid;
	t->blocked = s->blocked;
	t->runnable = s->runnable;
	if (s->asleep_ns && s->waking_ns < s->asleep_ns && now > s->asleep_ns)
		t->asleep_ns = now - s->asleep_ns;
	memcpy(t->comm, s->comm, sizeof(t->comm));
}

/*
 * Copies @s, which is its task's or has exited. Each lock is held for one sleeper:
 * switches spin on it. Returns whether there was one to copy.
 */
static bool tlob_sleeper_copy(struct tlob_sleeper *s, u64 ended,
			      struct tlob_wait_task *to)
{
	const struct task_struct *task = READ_ONCE(s->task);
	raw_spinlock_t *lock = task ? &tlob_wait_shard(task)->lock : &tlob_wait_pool.lock;
	unsigned long flags;
	bool copied;

	raw_spin_lock_irqsave(lock, flags);
	/* under this lock @s stays its task's, or in the list of exited ones */
	if (task)
		copied = s->task == task && (s->blocked.count || s->asleep_ns);
	else
		copied = !list_empty(&s->list) && s->id && s->blocked.count;
	/* no hook has seen how a wait continued after the end */
	if (copied)
		tlob_wait_task_fill(s, ended ?: tlob_clock(), to);
	raw_spin_unlock_irqrestore(lock, flags);
	return copied;
}

/* Makes one row of the tasks that were evicted. Returns whether there is any. */
static bool tlob_wait_others_copy(struct tlob_wait_task *to)
{
	struct tlob_wait_pool *pool = &tlob_wait_pool;
	unsigned long flags;

	memset(to, 0, sizeof(*to));
	to->type = TLOB_WAIT_TASK;
	to->size = sizeof(*to);
	to->flags = TLOB_WAIT_EXITED | TLOB_WAIT_OTHERS;
	to->id = U64_MAX;
	strscpy(to->comm, "others", sizeof(to->comm));
	raw_spin_lock_irqsave(&pool->lock, flags);
	to->blocked = pool->blocked;
	to->runnable = pool->runnable;
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return to->blocked.count;
}

/*
 * A sleeper keeps its place, so each is copied at most once. The others come first: a
 * task that is evicted meanwhile is missing rather than there twice.
 */
unsigned int tlob_waits_copy_tasks(struct tlob_wait_task *to, u64 ended)
{
	unsigned int i, nr = tlob_wait_others_copy(to);

	for (i = 0; i < wait_tasks; i++) {
		nr += tlob_sleeper_copy(&tlob_sleepers[i], ended, &to[nr]);
		cond_resched();
	}
	return nr;
}

unsigned int tlob_waits_nr_slots(void)
{
	return tlob_sleepers ? wait_tasks : 0;
}

unsigned int tlob_waits_slots(void)
{
	return wait_tasks;
}

bool tlob_sleepers_valid(void)
{
	return wait_tasks >= TLOB_SLEEPERS_MIN && wait_tasks <= TLOB_SLEEPERS_MAX;
}

void tlob_sleepers_free(void)
{
	vfree(tlob_wait_shards);
	vfree(tlob_sleepers);
	tlob_wait_shards = NULL;
	tlob_sleepers = NULL;
}

int tlob_sleepers_alloc(void)
{
	unsigned int i;

	tlob_wait_shards = vzalloc(array_size(TLOB_WAIT_SHARDS,
					      sizeof(*tlob_wait_shards)));
	tlob_sleepers = vzalloc(array_size(wait_tasks, sizeof(*tlob_sleepers)));
	if (!tlob_wait_shards || !tlob_sleepers) {
		tlob_sleepers_free();
		return -ENOMEM;
	}
	raw_spin_lock_init(&tlob_wait_pool.lock);
	for (i = 0; i < TLOB_WAIT_SHARDS; i++)
		raw_spin_lock_init(&tlob_wait_shards[i].lock);
	return 0;
}

/* Forgets all sleepers. No probe is attached. */
void tlob_sleepers_clear(void)
{
	struct tlob_wait_pool *pool = &tlob_wait_pool;
	unsigned long flags;
	unsigned int i, k;

	/* a task that runs its works just now finds its sleeper whole, or not at all */
	for (i = 0; i < TLOB_WAIT_SHARDS; i++) {
		raw_spin_lock_irqsave(&tlob_wait_shards[i].lock, flags);
		for (k = 0; k < TLOB_WAIT_BUCKETS; k++)
			INIT_HLIST_HEAD(&tlob_wait_shards[i].bucket[k]);
		raw_spin_unlock_irqrestore(&tlob_wait_shards[i].lock, flags);
	}
	INIT_LIST_HEAD(&pool->free);
	for (i = 0; i < TLOB_SHARES; i++)
		INIT_LIST_HEAD(&pool->exited[i]);
	memset(&pool->shares, 0, sizeof(pool->shares));
	pool->nr_left = wait_tasks;
	memset(&pool->blocked, 0, sizeof(pool->blocked));
	memset(&pool->runnable, 0, sizeof(pool->runnable));
	for (i = 0; i < wait_tasks; i++) {
		struct tlob_sleeper *s = &tlob_sleepers[i];

		s->task = NULL;
		s->flags = 0;
		s->owes = NULL;
		s->share = 0;
		WRITE_ONCE(s->id, 0);
		list_add_tail(&s->list, &pool->free);
	}
}
