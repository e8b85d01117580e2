// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of functions in a window of the monitor, and the times of such
 * a window. Only windows whose ring wants functions have them, and one of a task's
 * windows at most.
 *
 * A window borrows its calls while it is open. They are under the lock of its place,
 * like the cursor that charges them. A probe may run in the middle of a hook that
 * holds this lock, or in an nmi. So it only tries to take it: by arch_spin_trylock(),
 * which is inline, because lockdep and the out-of-line functions may be probed
 * themselves. An entry that finds the lock taken is counted as missed. An exit leaves
 * its mark, and the next boundary finds that its call has left.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "../monitor/slots.h"
#include "../monitor/monitor_report.h"
#include "../monitor/task_ring.h"
#include "functions.h"

#define TLOB_TASK_CALLS		64	/* windows at once; of a user half of what is left */

struct tlob_task_calls {
	struct tlob_calls calls;
	struct tlob_slot *slot;		/* whose window has them; NULL: free */
	struct tlob_task_calls *next;	/* of the free ones */
	int	share;			/* whose it is, as tlob_share_take() */
	u32	missed_before;		/* tlob_place.missed when the window began */
};

static DEFINE_RAW_SPINLOCK(tlob_task_calls_lock);	/* of the three below */
static struct tlob_task_calls *tlob_task_calls, *tlob_task_calls_free;
static unsigned int tlob_task_calls_left;
static struct tlob_shares tlob_task_calls_shares;

/* Returns calls for a window of @b, or NULL. */
static struct tlob_task_calls *tlob_task_calls_take(const struct tlob_begin *b)
{
	struct tlob_task_calls *t = NULL;
	int share = 0;

	raw_spin_lock(&tlob_task_calls_lock);
	if (b->limited)
		share = tlob_share_take(&tlob_task_calls_shares,
					&b->payers.payer[b->payers.nr - 1], tlob_task_calls_left);
	if (share >= 0 && tlob_task_calls_left) {
		t = tlob_task_calls_free;
		tlob_task_calls_free = t->next;
		tlob_task_calls_left--;
		t->share = share;
	}
	raw_spin_unlock(&tlob_task_calls_lock);
	return t;
}

static void tlob_task_calls_give(struct tlob_task_calls *t)
{
	raw_spin_lock(&tlob_task_calls_lock);
	tlob_share_give(&tlob_task_calls_shares, t->share);
	t->next = tlob_task_calls_free;
	tlob_task_calls_free = t;
	tlob_task_calls_left++;
	raw_spin_unlock(&tlob_task_calls_lock);
}

/* The window of @s has just begun. Under its place's lock. */
static void tlob_task_calls_begin(struct tlob_slot *s)
{
	struct tlob_place *p = s->place;
	struct tlob_task_calls *t;

	if (!s->begin.ring ||
	    tlob_ring_format(s->begin.ring) != TLOB_FORMAT_FUNCTIONS ||
	    p->functions)
		return;
	t = tlob_task_calls_take(&s->begin);
	if (!t)
		return;
	t->missed_before = atomic_read(&p->missed);
	WRITE_ONCE(t->slot, s);
	s->functions = t;
	p->functions = s;
	tlob_calls_begin(&t->calls, &p->account->split, tlob_function_sets);
}

/* The window was closed: nothing changes its times from here on. Under the place's lock. */
static void tlob_task_calls_close(struct tlob_slot *s)
{
	tlob_calls_end(&s->functions->calls);
}

/* Gives the calls of @s back. Under the place's lock. */
static void tlob_task_calls_end(struct tlob_slot *s)
{
	struct tlob_task_calls *t = s->functions;
	struct tlob_split *split = &s->place->account->split;

	s->functions = NULL;
	s->place->functions = NULL;
	split->calls = NULL;
	split->slow &= ~TLOB_SLOW_CALLS;
	WRITE_ONCE(t->slot, NULL);
	while (t->calls.newest)
		tlob_calls_unlink(&t->calls, t->calls.newest);
	t->calls.active = &t->calls.none;
	tlob_task_calls_give(t);
}

static void tlob_task_calls_copy_set(struct tlob_task_function_time *to, unsigned int set,
				     const struct tlob_function_time *from)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		to->part_ns[i] = from->part_ns[tlob_task_part_of[i]];
	to->max_ns = from->max_ns;
	to->max_function = from->max_function ?
			   tlob_function_start(set, from->max_function) : 0;
	to->calls = from->calls;
	to->unreturned = from->unreturned;
}

/*
 * Writes the times of @t, whose window was closed; NULL: not measured. The same lock. The
 * reader may change @to meanwhile, so it is never read.
 */
static void tlob_task_calls_copy(const struct tlob_task_calls *t, struct tlob_task_functions *to)
{
	unsigned int i, sets = tlob_function_sets;

	memset(to, 0, sizeof(*to));
	if (!t)
		return;
	to->sets = sets;
	to->missed = atomic_read(&t->slot->place->missed) - t->missed_before;
	for (i = 0; i < sets; i++)
		tlob_task_calls_copy_set(&to->set[i], i, &t->calls.time[i]);
}

/* The window of the current task, which runs, or NULL. Under p->lock. */
static __always_inline struct tlob_slot *tlob_probed_slot(const struct tlob_place *p)
{
	return tlob_place_is_of(p, current) && p->account->state == running_tlob ?
	       p->functions : NULL;
}

static __always_inline struct tlob_call *
tlob_task_call(struct tlob_cpu *c, struct tlob_place *p, unsigned int set,
	       unsigned long function, unsigned long sp, unsigned int level)
{
	struct tlob_slot *s = tlob_probed_slot(p);
	struct tlob_call *call;
	struct tlob_calls *calls;
	u64 now, key;

	if (!s)
		return NULL;
	calls = &s->functions->calls;
	key = tlob_call_key(&p->account->split, level, set);
	if (tlob_calls_nested(calls, key, sp))
		return NULL;
	now = tlob_place_boundary(c, p);
	tlob_split_charge(&p->account->split, now);
	call = tlob_calls_enter(calls, &p->account->split, now, key, sp, function);
	if (unlikely(!call))
		atomic_inc(&p->missed);
	return call;
}

notrace bool tlob_function_enter_task(struct tlob_function_call *ref, unsigned int set,
				      unsigned long function, unsigned long sp)
{
	unsigned int level = interrupt_context_level();
	struct tlob_call *call = NULL;
	struct tlob_place *p;
	struct tlob_cpu *c;
	unsigned long flags;

	raw_local_irq_save(flags);
	c = tlob_this_cpu();
	if (!READ_ONCE(c->monitored))
		goto out;
	p = c->place;
	if (unlikely(level > TLOB_CALL_IRQ || !arch_spin_trylock(&p->lock.raw_lock))) {
		atomic_inc(&p->missed);
		goto out;
	}
	call = tlob_task_call(c, p, set, function, sp, level);
	if (call) {
		struct tlob_task_calls *t = tlob_probed_slot(p)->functions;

		ref->serial = call->serial;
		ref->place = t - tlob_task_calls;
		ref->owner = TLOB_CALL_OF_TASK;
		ref->index = call - t->calls.call;
	}
	arch_spin_unlock(&p->lock.raw_lock);
out:
	raw_local_irq_restore(flags);
	return call;
}

/* The call of @ref is still open in @s. Under its place's lock. */
static __always_inline void tlob_task_return(struct tlob_place *p, struct tlob_slot *s,
					     struct tlob_call *call)
{
	struct tlob_calls *calls = &s->functions->calls;

	/* the scheduler's own functions return after the task has left */
	if (tlob_probed_slot(p) == s)
		tlob_split_charge(&p->account->split,
				  tlob_place_boundary(tlob_this_cpu(), p));
	tlob_calls_leave(calls, &p->account->split, call);
}

notrace void tlob_function_leave_task(const struct tlob_function_call *ref)
{
	struct tlob_task_calls *t = READ_ONCE(tlob_task_calls);
	struct tlob_call *call;
	struct tlob_place *p;
	struct tlob_slot *s;
	unsigned long flags;

	/* the windows that it was entered in may have lost their calls since */
	if (unlikely(!t || ref->place >= TLOB_TASK_CALLS))
		return;
	t += ref->place;
	call = &t->calls.call[ref->index];
	raw_local_irq_save(flags);
	s = READ_ONCE(t->slot);
	p = s ? READ_ONCE(s->place) : NULL;
	if (!p || READ_ONCE(call->serial) != ref->serial)
		goto out;
	if (unlikely(interrupt_context_level() > TLOB_CALL_IRQ ||
		     !arch_spin_trylock(&p->lock.raw_lock))) {
		cmpxchg(&call->serial, ref->serial, ref->serial | TLOB_CALL_LEFT);
		goto out;
	}
	if (READ_ONCE(s->place) == p && s->functions == t && call->serial == ref->serial)
		tlob_task_return(p, s, call);
	arch_spin_unlock(&p->lock.raw_lock);
out:
	raw_local_irq_restore(flags);
}

int tlob_functions_task_begin(void)
{
	size_t size = TLOB_TASK_CALLS * sizeof(*tlob_task_calls);
	unsigned int i;

	/* no probe is attached yet */
	tlob_task_calls = vzalloc(size);
	if (!tlob_task_calls)
		return -ENOMEM;
	tlob_memory_add(PAGE_ALIGN(size));
	tlob_task_calls_free = NULL;
	tlob_task_calls_left = TLOB_TASK_CALLS;
	for (i = 0; i < TLOB_TASK_CALLS; i++) {
		struct tlob_task_calls *t = &tlob_task_calls[i];

		tlob_function_calls_init(&t->calls);
		t->next = tlob_task_calls_free;
		tlob_task_calls_free = t;
	}
	WRITE_ONCE(tlob_functions_monitored, true);
	return 0;
}

/* Takes the calls of windows that are open. */
void tlob_functions_task_end(void)
{
	unsigned long flags;
	unsigned int i;

	WRITE_ONCE(tlob_functions_monitored, false);
	/* a window that begins may have seen that they are wanted */
	synchronize_rcu();
	for (i = 0; i < tlob_nr_slots; i++) {
		struct tlob_slot *s = &tlob_slots[i];
		struct tlob_place *p = READ_ONCE(s->place);

		if (!p)
			continue;
		raw_spin_lock_irqsave(&p->lock, flags);
		if (READ_ONCE(s->place) == p && s->functions)
			tlob_task_calls_end(s);
		raw_spin_unlock_irqrestore(&p->lock, flags);
	}
	tlob_memory_sub(PAGE_ALIGN(TLOB_TASK_CALLS * sizeof(*tlob_task_calls)));
	for (i = 0; i < TLOB_TASK_CALLS; i++)
		tlob_function_calls_retire(&tlob_task_calls[i].calls);
	vfree(tlob_task_calls);
	tlob_task_calls = NULL;
	tlob_task_calls_free = NULL;
	tlob_task_calls_left = 0;
}

static const struct tlob_task_calls_ops tlob_functions_of_tasks = {
	.begin = tlob_task_calls_begin,
	.close = tlob_task_calls_close,
	.end = tlob_task_calls_end,
	.copy = tlob_task_calls_copy,
};

void tlob_functions_task_init(void)
{
	tlob_task_calls_ops = &tlob_functions_of_tasks;
}
