// SPDX-License-Identifier: GPL-2.0
/*
 * Slots for the windows of tasks, who may have how many, and what the hooks know of
 * them: whether any exists.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/vmalloc.h>

#include "../base/later.h"
#include "../window/window.h"
#include "slots.h"

unsigned int tlob_nr_slots __read_mostly = 1024;
module_param_named(slots, tlob_nr_slots, uint, 0444);
MODULE_PARM_DESC(slots, "windows of the monitor at the same time, 1 ... 32768");

static unsigned int slots_per_user = 64;
module_param(slots_per_user, uint, 0644);
MODULE_PARM_DESC(slots_per_user, "of these by START, for a user without CAP_SYS_RESOURCE");

#define TLOB_SLOTS_MAX		32768U

/*
 * Divisors of all slots: the share of one user's bindings, and the reserve for
 * CAP_SYS_RESOURCE.
 */
#define TLOB_BOUND_SHARE	4U
#define TLOB_RESERVE_SHARE	8U

/*
 * A payer who has windows. Each slot brings a spare one for each of its payers:
 * the first window of a payer uses it up, and the others lend theirs. So every
 * window finds one when it ends. The lock of its bucket protects it.
 */
struct tlob_ucount {
	struct hlist_node node;
	struct tlob_ucount *next;	/* in a list of spares */
	struct tlob_ucount *spares;	/* of all windows but one */
	struct tlob_payer payer;
	unsigned int started, bound;	/* windows by START, by bindings */
};

struct tlob_bucket {
	raw_spinlock_t lock;
	struct hlist_head ucounts;
};

struct tlob_slot *tlob_slots __read_mostly;	/* [tlob_nr_slots] */
DEFINE_PER_CPU(struct tlob_pool, tlob_pools);
struct tlob_pool tlob_reserve;

u32 tlob_monitor_used __read_mostly;
struct tlob_monitor tlob_monitor __read_mostly;

static DEFINE_RAW_SPINLOCK(tlob_used_lock);	/* of changes of tlob_monitor_used */
static struct tlob_later tlob_unused_later;

/* Neighbours belong to tasks on different CPUs, whose hooks write them. */
struct tlob_account_line {
	struct tlob_account account;
} ____cacheline_aligned_in_smp;

static struct tlob_account_line *tlob_accounts __read_mostly; /* [tlob_nr_slots] */
static struct tlob_ucount (*tlob_ucounts)[TLOB_PAYERS] __read_mostly; /* [tlob_nr_slots] */
static struct tlob_bucket *tlob_buckets __read_mostly;	/* [1 << bits] */
static unsigned int tlob_buckets_bits __read_mostly;

static struct tlob_bucket *tlob_ucount_bucket(const struct tlob_payer *payer)
{
	u32 hash = hash_ptr(payer->ns, 32) ^ __kuid_val(payer->uid);

	return &tlob_buckets[hash_32(hash, tlob_buckets_bits)];
}

static struct tlob_ucount *tlob_ucount_find(struct tlob_bucket *bucket,
					    const struct tlob_payer *payer)
{
	struct tlob_ucount *u;

	hlist_for_each_entry(u, &bucket->ucounts, node)
		if (tlob_payer_eq(&u->payer, payer))
			return u;
	return NULL;
}

/*
 * Returns whether the payer @i of @b, with count @u or NULL, has all its
 * windows. A namespace has a share for both kinds together.
 */
static bool tlob_ucount_is_full(const struct tlob_ucount *u,
				const struct tlob_begin *b, unsigned int i)
{
	unsigned int share = DIV_ROUND_UP(tlob_nr_slots, TLOB_BOUND_SHARE);
	unsigned int started = u ? u->started : 0, bound = u ? u->bound : 0;

	if (i && started + bound >= share)
		return true;
	if (b->binding)
		return bound >= share;
	return started >= tlob_payer_limit(i, min(READ_ONCE(slots_per_user),
						  TLOB_SLOTS_MAX));
}

/*
 * Counts a window of the payer @i of @b, which will be in @s (NULL: no slot is
 * left). Returns 0, -EDQUOT or -ENOSPC.
 */
static int tlob_ucount_take(const struct tlob_begin *b, struct tlob_slot *s,
			    unsigned int i)
{
	const struct tlob_payer *payer = &b->payers.payer[i];
	struct tlob_bucket *bucket = tlob_ucount_bucket(payer);
	struct tlob_ucount *u;
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	u = tlob_ucount_find(bucket, payer);
	if (tlob_ucount_is_full(u, b, i)) {
		err = -EDQUOT;
	} else if (!s) {
		err = -ENOSPC;
	} else {
		if (u) {
			s->spare[i]->next = u->spares;
			u->spares = s->spare[i];
		} else {
			u = s->spare[i];
			*u = (struct tlob_ucount){ .payer = *payer };
			hlist_add_head(&u->node, &bucket->ucounts);
		}
		s->spare[i] = NULL;
		if (b->binding)
			u->bound++;
		else
			u->started++;
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return err;
}

/* Takes a slot off the count of payer @i of @b; @s gets a spare count back. */
static void tlob_ucount_give(const struct tlob_begin *b, struct tlob_slot *s,
			     unsigned int i)
{
	const struct tlob_payer *payer = &b->payers.payer[i];
	struct tlob_bucket *bucket = tlob_ucount_bucket(payer);
	struct tlob_ucount *u;
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	u = tlob_ucount_find(bucket, payer);
	if (b->binding)
		u->bound--;
	else
		u->started--;
	s->spare[i] = u->spares ?: u;
	if (u->spares)
		u->spares = u->spares->next;
	else
		hlist_del(&u->node);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
}

/* Gives back what the payers from @nr - 1 down to 0 have taken. */
static void tlob_ucounts_give(const struct tlob_begin *b, struct tlob_slot *s,
			      unsigned int nr)
{
	while (nr--)
		tlob_ucount_give(b, s, nr);
}

/* Counts a window for all payers of @b, or for none of them. */
static int tlob_ucounts_take(const struct tlob_begin *b, struct tlob_slot *s)
{
	unsigned int i;
	int err;

	for (i = 0; i < b->payers.nr; i++) {
		err = tlob_ucount_take(b, s, i);
		if (err) {
			tlob_ucounts_give(b, s, i);
			return err;
		}
	}
	return 0;
}

static struct tlob_slot *tlob_pool_take(struct tlob_pool *pool)
{
	struct tlob_slot *s;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	s = pool->free;
	if (s)
		WRITE_ONCE(pool->free, s->next);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
	return s;
}

static void tlob_pool_give(struct tlob_pool *pool, struct tlob_slot *s)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool->lock, flags);
	s->next = pool->free;
	WRITE_ONCE(pool->free, s);
	raw_spin_unlock_irqrestore(&pool->lock, flags);
}

/* Puts a slot that counts for no user into a pool. */
static void tlob_slot_return(struct tlob_slot *s)
{
	tlob_pool_give(s->reserved ? &tlob_reserve : raw_cpu_ptr(&tlob_pools), s);
}

int tlob_slot_take(struct tlob_pool *pool, const struct tlob_begin *b,
		   struct tlob_slot **slot)
{
	struct tlob_slot *s = tlob_pool_take(pool);
	int err;

	if (!s)
		return -EAGAIN;
	err = b->limited ? tlob_ucounts_take(b, s) : 0;
	if (err) {
		tlob_slot_return(s);
		return err;
	}
	s->begin = *b;
	*slot = s;
	return 0;
}

int tlob_slot_refusal(const struct tlob_begin *b)
{
	unsigned int i;

	/* a limit is the reason, even if no slot is left */
	for (i = 0; b->limited && i < b->payers.nr; i++)
		if (tlob_ucount_take(b, NULL, i) == -EDQUOT)
			return -EDQUOT;
	return -ENOSPC;
}

void tlob_slot_give(struct tlob_slot *s)
{
	if (s->begin.limited)
		tlob_ucounts_give(&s->begin, s, s->begin.payers.nr);
	tlob_slot_return(s);
}

/*
 * Under tlob_used_lock, or while no window can begin. Hooks note switches while @used is not 0:
 * the log is complete from the moment after.
 */
static void tlob_monitor_set_used(u32 used)
{
	bool begins = used && !tlob_monitor_used;

	if (!used)
		WRITE_ONCE(tlob_turns_valid, U64_MAX);
	WRITE_ONCE(tlob_monitor_used, used);
	if (begins) {
		/* a hook that still finds 0 does so before the clock is read */
		smp_mb();
		WRITE_ONCE(tlob_turns_valid, tlob_clock());
	}
}

bool tlob_monitor_use(void)
{
	bool first;

	raw_spin_lock(&tlob_used_lock);
	first = !tlob_monitor_used;
	tlob_monitor_set_used(TLOB_USED);
	raw_spin_unlock(&tlob_used_lock);
	return first;
}

void tlob_monitor_unuse(void)
{
	tlob_later_cancel(&tlob_unused_later);
	tlob_monitor_set_used(0);
}

void tlob_monitor_unuse_soon(void)
{
	tlob_later_ask(&tlob_unused_later, NSEC_PER_SEC);
}

/* Those that ended are read first. */
u64 tlob_monitor_open(void)
{
	u64 ended = 0, opened = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		ended += READ_ONCE(per_cpu_ptr(&tlob_pools, cpu)->windows);
	/* no later window may be among those that ended */
	smp_rmb();
	for_each_possible_cpu(cpu)
		opened += READ_ONCE(per_cpu_ptr(&tlob_pools, cpu)->opened);
	return opened - ended;
}

/*
 * Tells the hooks, once a second at most, that no window exists any more. A window
 * that begins meanwhile finds TLOB_USED_ENDING and changes it. One that had found
 * TLOB_USED before is counted after the grace period.
 */
static void tlob_unused(struct work_struct *work)
{
	bool open, again;

	raw_spin_lock_irq(&tlob_used_lock);
	again = tlob_monitor_used;
	if (again)
		tlob_monitor_set_used(TLOB_USED_ENDING);
	raw_spin_unlock_irq(&tlob_used_lock);
	if (!again)
		return;
	synchronize_rcu();
	open = tlob_monitor_open();
	raw_spin_lock_irq(&tlob_used_lock);
	again = open || tlob_monitor_used != TLOB_USED_ENDING;
	tlob_monitor_set_used(again ? TLOB_USED : 0);
	raw_spin_unlock_irq(&tlob_used_lock);
	if (again)
		tlob_monitor_unuse_soon();
}

/* Spreads the free slots over the pools. */
static void tlob_pools_init(void)
{
	unsigned int i, reserved = tlob_nr_slots / TLOB_RESERVE_SHARE;
	int cpu;

	raw_spin_lock_init(&tlob_reserve.lock);
	for_each_possible_cpu(cpu)
		raw_spin_lock_init(&per_cpu_ptr(&tlob_pools, cpu)->lock);
	cpu = cpumask_first(cpu_possible_mask);
	for (i = 0; i < tlob_nr_slots; i++) {
		tlob_slots[i].reserved = i < reserved;
		if (tlob_slots[i].reserved) {
			tlob_pool_give(&tlob_reserve, &tlob_slots[i]);
			continue;
		}
		tlob_pool_give(per_cpu_ptr(&tlob_pools, cpu), &tlob_slots[i]);
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_possible_mask);
	}
}

int tlob_slots_init(void)
{
	unsigned int i, payer;

	tlob_later_init(&tlob_unused_later, tlob_unused);
	if (!tlob_nr_slots || tlob_nr_slots > TLOB_SLOTS_MAX)
		return -EINVAL;
	tlob_slots = vzalloc(array_size(tlob_nr_slots, sizeof(*tlob_slots)));
	tlob_accounts = vzalloc(array_size(tlob_nr_slots, sizeof(*tlob_accounts)));
	tlob_ucounts = vzalloc(array_size(tlob_nr_slots, sizeof(*tlob_ucounts)));
	/* hash_32() cannot make a hash of no bits */
	tlob_buckets_bits = ilog2(roundup_pow_of_two(tlob_nr_slots)) ?: 1;
	tlob_buckets = vzalloc(array_size(1U << tlob_buckets_bits,
					  sizeof(*tlob_buckets)));
	if (!tlob_slots || !tlob_accounts || !tlob_ucounts || !tlob_buckets)
		return -ENOMEM;
	for (i = 0; i < 1U << tlob_buckets_bits; i++)
		raw_spin_lock_init(&tlob_buckets[i].lock);
	for (i = 0; i < tlob_nr_slots; i++) {
		tlob_slots[i].account = &tlob_accounts[i].account;
		for (payer = 0; payer < TLOB_PAYERS; payer++)
			tlob_slots[i].spare[payer] = &tlob_ucounts[i][payer];
	}
	tlob_pools_init();
	return 0;
}

void tlob_slots_exit(void)
{
	/* a START of the past may have queued it late */
	tlob_later_cancel(&tlob_unused_later);
	vfree(tlob_slots);
	vfree(tlob_accounts);
	vfree(tlob_ucounts);
	vfree(tlob_buckets);
}
