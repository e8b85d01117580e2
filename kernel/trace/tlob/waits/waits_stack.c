// SPDX-License-Identifier: GPL-2.0
/* The table of stacks on which tasks waited: waitstack.h in sets with a lock each. */
#include <linux/moduleparam.h>
#include <linux/vmalloc.h>

#include "waits.h"

#define TLOB_WAIT_SETS		64U
#define TLOB_WAIT_STACKS_MIN	64U
#define TLOB_WAIT_STACKS_MAX	65536U

static unsigned int wait_stacks = 8192;
module_param(wait_stacks, uint, 0444);
MODULE_PARM_DESC(wait_stacks, "stacks that `waits` has room for, 64 ... 65536");

struct tlob_wait_stacks {
	raw_spinlock_t lock;
	u64	swept;			/* tlob_wait_count.evicted at the last sweep */
	struct tlob_wait_set set;
	struct tlob_shares shares;	/* of its entries */
	u8	*share;			/* whose an entry is, as tlob_share_take() */
};

static struct tlob_wait_stacks *tlob_wait_stacks __read_mostly;
static struct tlob_wait_entry *tlob_wait_entries;
static u8 *tlob_wait_entry_shares;

static unsigned int tlob_wait_stacks_per_set(void)
{
	return clamp(wait_stacks, TLOB_WAIT_STACKS_MIN, TLOB_WAIT_STACKS_MAX) /
	       TLOB_WAIT_SETS;
}

unsigned int tlob_wait_stacks_max(void)
{
	return tlob_wait_stacks ? tlob_wait_stacks_per_set() * TLOB_WAIT_SETS : 0;
}

int tlob_wait_stacks_alloc(void)
{
	unsigned int i, n = tlob_wait_stacks_per_set();

	tlob_wait_stacks = vzalloc(array_size(TLOB_WAIT_SETS,
					      sizeof(*tlob_wait_stacks)));
	tlob_wait_entries = vzalloc(array_size(TLOB_WAIT_SETS * n,
					       sizeof(*tlob_wait_entries)));
	tlob_wait_entry_shares = vzalloc(array_size(TLOB_WAIT_SETS * n,
						    sizeof(*tlob_wait_entry_shares)));
	if (!tlob_wait_stacks || !tlob_wait_entries || !tlob_wait_entry_shares)
		return -ENOMEM;
	for (i = 0; i < TLOB_WAIT_SETS; i++) {
		raw_spin_lock_init(&tlob_wait_stacks[i].lock);
		tlob_wait_stacks[i].set.entry = tlob_wait_entries + i * n;
		tlob_wait_stacks[i].share = tlob_wait_entry_shares + i * n;
		tlob_wait_set_clear(&tlob_wait_stacks[i].set, n);
	}
	return 0;
}

void tlob_wait_stacks_free(void)
{
	vfree(tlob_wait_stacks);
	vfree(tlob_wait_entries);
	vfree(tlob_wait_entry_shares);
	tlob_wait_stacks = NULL;
	tlob_wait_entries = NULL;
	tlob_wait_entry_shares = NULL;
}

/* A task that owes a stack may note it meanwhile. */
void tlob_wait_stacks_clear(void)
{
	unsigned int i;

	for (i = 0; i < TLOB_WAIT_SETS; i++) {
		struct tlob_wait_stacks *stacks = &tlob_wait_stacks[i];
		unsigned long flags;

		raw_spin_lock_irqsave(&stacks->lock, flags);
		tlob_wait_set_clear(&stacks->set, stacks->set.nr);
		memset(&stacks->shares, 0, sizeof(stacks->shares));
		memset(stacks->share, 0, stacks->set.nr * sizeof(*stacks->share));
		stacks->swept = 0;
		raw_spin_unlock_irqrestore(&stacks->lock, flags);
	}
}

/* Adds the key of @w. Returns NULL if there is no room for its user. */
static struct tlob_wait_entry *tlob_wait_try(struct tlob_wait_stacks *stacks, u64 hash,
					     const struct tlob_wait_work *w)
{
	struct tlob_wait_set *set = &stacks->set;
	struct tlob_wait_entry *e;
	int share;

	if (set->used == set->nr)
		return NULL;
	share = tlob_share_take(&stacks->shares, &w->user, set->nr - set->used);
	if (share < 0)
		return NULL;
	e = tlob_wait_add(set, hash, &w->key);
	stacks->share[e - set->entry] = share;
	return e;
}

/* Returns whether there is more room. */
static bool tlob_wait_make_room(struct tlob_wait_stacks *stacks)
{
	struct tlob_wait_set *set = &stacks->set;
	unsigned int i;

	if (!tlob_wait_sweep(set, tlob_wait_task_gone))
		return false;
	for (i = 0; i < set->nr; i++) {
		if (set->entry[i].key.task)
			continue;
		tlob_share_give(&stacks->shares, stacks->share[i]);
		stacks->share[i] = 0;
	}
	return true;
}

/*
 * Entries of tasks that are forgotten make room. A sweep looks at the whole set.
 * The run-queue lock must not be held for that long, so callers under it say
 * @sweep false. A sweep also needs a task that was forgotten since the last one.
 */
static struct tlob_wait_entry *tlob_wait_make(struct tlob_wait_stacks *stacks,
					      u64 hash,
					      const struct tlob_wait_work *w,
					      bool sweep)
{
	struct tlob_wait_entry *e = tlob_wait_try(stacks, hash, w);
	u64 evicted = atomic64_read(&tlob_wait_count.evicted);

	if (e || !sweep || evicted == stacks->swept)
		return e;
	stacks->swept = evicted;
	return tlob_wait_make_room(stacks) ? tlob_wait_try(stacks, hash, w) : NULL;
}

/* The entry's place and generation: never the same again until unload. */
static u64 tlob_wait_entry_id(const struct tlob_wait_entry *e)
{
	return (u64)e->generation << 32 | (e - tlob_wait_entries);
}

/* A listener that looks up the stacks of windows one by one shares nothing between threads. */
static u64 tlob_wait_shared_trace(const struct tlob_wait_key *key, u32 tgid)
{
	if (READ_ONCE(tlob_wait_config.scope) == TLOB_WAIT_WINDOWS)
		return 0;
	return tlob_wait_trace_hash(key->frame + key->nr_kernel, key->nr_code, tgid);
}

/*
 * Hands @copy to the listener unless it has one of this stack already. Under
 * stacks->lock.
 */
static bool tlob_wait_entry_copy(struct tlob_wait_entry *e,
				 const struct tlob_wait_work *w,
				 struct tlob_wait_buffer *copy)
{
	u64 listener = tlob_wait_listener();

	if (!copy || !listener || e->epoch == listener)
		return false;
	copy->copy.stack = tlob_wait_entry_id(e);
	if (!tlob_wait_copy_queue(copy, &w->user, listener,
				  tlob_wait_shared_trace(&e->key, copy->copy.tgid)))
		return false;
	e->epoch = listener;
	return true;
}

bool tlob_wait_stack_note(struct tlob_wait_work *w,
			  struct tlob_wait_buffer *copy, bool sweep)
{
	u64 hash = tlob_wait_hash(&w->key);
	struct tlob_wait_stacks *stacks = &tlob_wait_stacks[hash % TLOB_WAIT_SETS];
	struct tlob_wait_entry *e;
	unsigned long flags;
	bool taken = false;

	w->id = 0;
	/* a reset came between: the wait is also forgotten */
	if (tlob_wait_task_gone(w->key.task))
		return false;
	raw_spin_lock_irqsave(&stacks->lock, flags);
	e = tlob_wait_find(&stacks->set, hash, &w->key) ?:
	    tlob_wait_make(stacks, hash, w, sweep);
	if (e) {
		if (w->blocked.max_ns >= e->blocked.max_ns)
			e->waker = w->waker;
		tlob_wait_total_merge(&e->blocked, &w->blocked);
		taken = tlob_wait_entry_copy(e, w, copy);
		w->id = tlob_wait_entry_id(e);
	} else {
		atomic64_add(w->blocked.count, &tlob_wait_count.lost_stacks);
	}
	raw_spin_unlock_irqrestore(&stacks->lock, flags);
	return taken;
}

static void tlob_wait_stack_fill(const struct tlob_wait_entry *e,
				 struct tlob_wait_stack *s)
{
	const struct tlob_wait_key *key = &e->key;

	memset(s, 0, sizeof(*s));
	s->type = TLOB_WAIT_STACK;
	s->size = sizeof(*s);
	s->nr_kernel = key->nr_kernel;
	s->nr_code = key->nr_code;
	s->id = tlob_wait_entry_id(e);
	s->task = key->task;
	s->blocked = e->blocked;
	s->waker = e->waker;
	s->waker.reserved = 0;
	memcpy(s->kernel, key->frame, key->nr_kernel * sizeof(s->kernel[0]));
	memcpy(s->code, key->frame + key->nr_kernel,
	       key->nr_code * sizeof(s->code[0]));
}

/* Holds a lock for one entry at a time: hooks wait for it. */
unsigned int tlob_waits_copy_stacks(struct tlob_wait_stack *to, unsigned int max)
{
	unsigned int i, n = tlob_wait_stacks_per_set(), nr = 0;

	for (i = 0; i < tlob_wait_stacks_max() && nr < max; i++) {
		struct tlob_wait_stacks *stacks = &tlob_wait_stacks[i / n];
		struct tlob_wait_entry *e = &tlob_wait_entries[i];
		unsigned long flags;

		raw_spin_lock_irqsave(&stacks->lock, flags);
		if (e->key.task && !tlob_wait_task_gone(e->key.task))
			tlob_wait_stack_fill(e, &to[nr++]);
		raw_spin_unlock_irqrestore(&stacks->lock, flags);
		cond_resched();
	}
	return nr;
}
