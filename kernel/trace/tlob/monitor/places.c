// SPDX-License-Identifier: GPL-2.0
/*
 * The table that finds the windows of a task: tasks get places and give them
 * up. places.h has the rules and the lookup. And the boundaries of the windows at a place.
 */
#include <linux/log2.h>
#include <linux/vmalloc.h>

#include "places.h"

/* At most a fourth of the table is used, so keys stay near their hash. */
#define TLOB_PLACES_PER_SLOT	4U

struct tlob_place *tlob_places __read_mostly;
unsigned int tlob_places_bits __read_mostly;

/* The log of this CPU's switches while there are windows, and its interrupts while awaited. */
DEFINE_PER_CPU(struct tlob_turns, tlob_turns);
u64 tlob_turns_valid __read_mostly = U64_MAX;

DEFINE_PER_CPU(atomic_t, tlob_awaiting);

const struct tlob_task_calls_ops *tlob_task_calls_ops __read_mostly;
bool tlob_functions_monitored __read_mostly;

struct tlob_place *tlob_place_take(struct task_struct *task)
{
	u32 hash = tlob_place_hash(task), i;
	struct tlob_place *home = tlob_place_at(hash, 0), *p;

	for (i = 0; i < U8_MAX; i++) {
		p = tlob_place_at(hash, i);
		if (READ_ONCE(p->task) || cmpxchg(&p->task, NULL, task))
			continue;
		raw_spin_lock(&home->keys_lock);
		home->nr_keys++;
		if (i >= home->reach)
			WRITE_ONCE(home->reach, i + 1);
		raw_spin_unlock(&home->keys_lock);
		return p;
	}
	return NULL;
}

void tlob_place_give_up(struct tlob_place *p)
{
	struct tlob_place *home = tlob_place_at(tlob_place_hash(p->task), 0);

	/* another task may take it at once, and then counts itself */
	WRITE_ONCE(p->task, NULL);
	raw_spin_lock(&home->keys_lock);
	if (!--home->nr_keys)
		WRITE_ONCE(home->reach, 0);
	raw_spin_unlock(&home->keys_lock);
}

int tlob_places_init(unsigned int slots)
{
	unsigned int i, places = roundup_pow_of_two(slots * TLOB_PLACES_PER_SLOT);

	tlob_places_bits = ilog2(places);
	tlob_places = vzalloc(array_size(places, sizeof(*tlob_places)));
	if (!tlob_places)
		return -ENOMEM;
	for (i = 0; i < places; i++) {
		raw_spin_lock_init(&tlob_places[i].lock);
		raw_spin_lock_init(&tlob_places[i].keys_lock);
	}
	return 0;
}

void tlob_places_exit(void)
{
	vfree(tlob_places);
}

u64 tlob_place_boundary(struct tlob_cpu *c, struct tlob_place *p)
{
	struct tlob_nmi nmi;
	u64 now, steal;
	u32 entries;

	do {
		entries = READ_ONCE(c->nmi_entries);
		steal = READ_ONCE(*c->steal_at);
		barrier();
		nmi = c->task_nmi;
		now = tlob_clock();
		barrier();
	} while (entries != READ_ONCE(c->nmi_entries) || steal != READ_ONCE(*c->steal_at));

	if (unlikely(steal != c->task_steal)) {
		if (p->account->state == running_tlob)
			tlob_split_stolen(&p->account->split, steal - c->task_steal);
		c->task_steal = steal;
	}

	if (likely(nmi.ns == c->task_nmi_ns_taken))
		return now;
	if (p->account->state == running_tlob)
		tlob_account_nmi(p->account, nmi.ns - c->task_nmi_ns_taken,
				 nmi.count - c->task_nmi_count_taken, nmi.max);
	c->task_nmi_ns_taken = nmi.ns;
	c->task_nmi_count_taken = nmi.count;
	/* an nmi right here may set a larger value, which stays */
	cmpxchg_local(&c->task_nmi.max, nmi.max, 0);
	return now;
}
