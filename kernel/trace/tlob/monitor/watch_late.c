// SPDX-License-Identifier: GPL-2.0
/* Stacks of late activations. The entries of a ring are shared by its watches, on all CPUs. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../base/base.h"
#include "../base/users.h"
#include "../split/late_limit.h"
#include "../window/late.h"
#include "hooks.h"
#include "task_ring.h"
#include "watch_late.h"

/* Threads that are late at once; stacks of further ones are not known. */
#define TLOB_TASK_LATES		64
/* No wait is so long. A time may be added. */
#define TLOB_NEVER_LATE		(U64_MAX / 2)
/* Tasks that wait for one CPU at once and are asked; of further ones the last. */
#define TLOB_LOOK_PLACES	4

struct tlob_task_lates {
	raw_spinlock_t lock;		/* of all but @at */
	DECLARE_BITMAP(taken, TLOB_TASK_LATES);
	unsigned int left;
	struct tlob_shares shares;	/* of the users of watched threads */
	u8	share[TLOB_TASK_LATES];	/* whose an entry is, as tlob_share_take() */
	struct tlob_late at[TLOB_TASK_LATES];
};

/*
 * Each CPU has one. Watched tasks wait for the CPU. If a wait is late, the next interrupt takes the
 * stack of the task that runs there, for all that wait.
 */
struct tlob_watch_look {
	struct tlob_place *place[TLOB_LOOK_PLACES]; /* of tasks that may wait; any CPU sets it */
	u64	at;			/* none is late before; any CPU sets it, after the place */
	/* The CPU's own, with irqs off: */
	bool	armed;
	struct hrtimer timer;
	u64	looked_at;		/* when @stack was taken; 0: never */
	struct tlob_turn_mark turn;	/* then */
	struct tlob_late_stack stack;
};

static DEFINE_PER_CPU(struct tlob_watch_look, tlob_watch_look) = { .at = TLOB_NEVER_LATE };

struct tlob_task_lates *tlob_task_lates_alloc(void)
{
	struct tlob_task_lates *l = kvzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);

	if (!l)
		return NULL;
	tlob_memory_add(sizeof(*l));
	raw_spin_lock_init(&l->lock);
	l->left = TLOB_TASK_LATES;
	return l;
}

void tlob_task_lates_free(struct tlob_task_lates *l)
{
	if (!l)
		return;
	tlob_memory_sub(sizeof(*l));
	kvfree(l);
}

void tlob_watch_late_begin(struct tlob_slot *s)
{
	/* a ring has entries if its reader may know all tasks */
	bool may = s->begin.ring && s->begin.ring->lates && s->begin.names;

	s->activation.late_ns = !may ? TLOB_NEVER_LATE :
		max_t(u64, s->begin.threshold_ns / 2, TLOB_LATE_LEAST_NS);
}

/* Returns an entry for a thread of @user, or NULL: none is left to it. */
static struct tlob_late *tlob_late_take(struct tlob_task_lates *l, const struct tlob_payer *user)
{
	unsigned int i;
	int share;

	raw_spin_lock(&l->lock);
	share = tlob_share_take(&l->shares, user, l->left);
	i = share < 0 ? TLOB_TASK_LATES : find_first_zero_bit(l->taken, TLOB_TASK_LATES);
	if (i < TLOB_TASK_LATES) {
		__set_bit(i, l->taken);
		l->share[i] = share;
		l->left--;
	}
	raw_spin_unlock(&l->lock);
	return i < TLOB_TASK_LATES ? &l->at[i] : NULL;
}

/* Takes an entry for @s, if it has none. Returns where the stack of @moment goes to, or NULL. */
static struct tlob_late_stack *tlob_watch_stack(struct tlob_slot *s, enum tlob_late_moment moment)
{
	struct tlob_activation *a = &s->activation;
	struct tlob_payer user;

	if (!a->looked) {
		user = tlob_task_user(a->place->task);
		a->stacks = tlob_late_take(s->begin.ring->lates, &user);
		if (!a->stacks)
			return NULL;
	}
	a->looked |= 1U << moment;
	return &a->stacks->at[moment];
}

void tlob_watch_late_give(struct tlob_slot *s)
{
	struct tlob_activation *a = &s->activation;
	struct tlob_task_lates *l = s->begin.ring->lates;
	unsigned int i = a->stacks - l->at;

	/* the record has a copy */
	raw_spin_lock(&l->lock);
	tlob_share_give(&l->shares, l->share[i]);
	__clear_bit(i, l->taken);
	l->left++;
	raw_spin_unlock(&l->lock);
	a->stacks = NULL;
	a->looked = 0;
	a->looked_ns = 0;
}

/* Returns the time from which on @s goes over its budget, if it does not run before. */
static u64 tlob_watch_over(const struct tlob_slot *s, u64 begins, u64 now)
{
	u64 budget = s->begin.threshold_ns, left = s->activation.least_ns, ran = 0;
	struct tlob_account_sums sums;

	if (s->place) {
		tlob_account_sums(s->place->account, now, &sums);
		ran = sums.part[TLOB_WORK_ON_CPU] - s->window.start.part[TLOB_WORK_ON_CPU];
	}
	left -= min(ran, left);
	return begins + budget - min(left, budget);
}

/* A look at @now does not push the activation of @s over its budget. It began at @begins. */
static bool tlob_watch_may_look(const struct tlob_slot *s, u64 begins, u64 now)
{
	return tlob_late_may_look(now, tlob_watch_over(s, begins, now));
}

/* Under the lock of the CPU's run queue. */
static void tlob_look_add(struct tlob_watch_look *look, struct tlob_place *p, int cpu)
{
	unsigned int i, to = 0;

	for (i = 0; i < TLOB_LOOK_PLACES; i++) {
		struct tlob_place *other = READ_ONCE(look->place[i]);

		if (other == p)
			return;
		if (!other || READ_ONCE(other->awaits) != cpu + 1)
			to = i;
	}
	WRITE_ONCE(look->place[to], p);
}

static void tlob_look_by(struct tlob_watch_look *look, u64 at)
{
	u64 old = READ_ONCE(look->at), seen;

	for (; at < old; old = seen) {
		seen = cmpxchg(&look->at, old, at);
		if (seen == old)
			return;
	}
}

void tlob_watch_late_waits(struct tlob_place *p, int cpu, bool alone)
{
	struct tlob_watch_look *look = per_cpu_ptr(&tlob_watch_look, cpu);
	u64 since = p->account->waits_since;
	struct tlob_late_times times = { .late_at = since + p->watch->activation.late_ns };
	ktime_t expires;

	tlob_look_add(look, p, cpu);
	if (p->watch->activation.late_ns == TLOB_NEVER_LATE)
		return;
	/* a look that does not find the place has taken the time: pairs with its xchg() */
	smp_mb();
	if (alone)
		WRITE_ONCE(look->at, times.late_at);
	else
		tlob_look_by(look, times.late_at);
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || cpu != smp_processor_id() || !in_hardirq() ||
	    !current->pid || !tlob_late_goes_on())
		return;
	times.over_at = tlob_watch_over(p->watch, p->watch->window.t0, since);
	/* its clock may be a little ahead of ours */
	expires = ns_to_ktime(since + tlob_late_after(&times, since, since) + NSEC_PER_USEC);
	/* an earlier one asks for the next */
	if (hrtimer_is_queued(&look->timer) && hrtimer_get_expires(&look->timer) <= expires)
		return;
	look->armed = true;
	hrtimer_start(&look->timer, expires, HRTIMER_MODE_ABS_PINNED_HARD);
}

bool tlob_watch_late_is_due(void)
{
	u64 at = READ_ONCE(this_cpu_ptr(&tlob_watch_look)->at);

	return at < TLOB_NEVER_LATE && tlob_clock() > at;
}

/* What a look at @now would find, and push over its budget. */
struct tlob_look_asked {
	u64	now, next;	/* @next: when to ask again */
	bool	late, refused;
};

/* The last stack is of the task that had most of the wait of @p: no later one is wanted. */
static bool tlob_look_has(const struct tlob_watch_look *look, const struct tlob_place *p, u64 now)
{
	struct tlob_turns_wait w = tlob_place_wait(p, smp_processor_id(), now);

	return look->looked_at > w.from &&
	       tlob_turns_was_most(this_cpu_ptr(&tlob_turns), &look->turn, &w);
}

static void tlob_look_ask_waiter(struct tlob_look_asked *ask, struct tlob_place *p)
{
	const struct tlob_account *a;
	u64 late_at, over;

	raw_spin_lock(&p->lock);
	a = p->account;
	if (p->awaits == smp_processor_id() + 1 && a && a->state == waiting_tlob && !a->kept &&
	    p->watch && p->watch->place) {
		late_at = a->waits_since + p->watch->activation.late_ns;
		if (ask->now <= late_at)
			ask->next = min(ask->next, late_at);
		else if (!tlob_look_has(this_cpu_ptr(&tlob_watch_look), p, ask->now))
			ask->late = true;
		over = tlob_watch_over(p->watch, p->watch->window.t0, ask->now);
		if (!tlob_late_may_look(ask->now, over)) {
			ask->refused = true;
			ask->next = min(ask->next, over);
		}
	}
	raw_spin_unlock(&p->lock);
}

/*
 * The task that runs has windows. What is left to do in others than activations is not known. If it
 * refuses, the next irq asks, and no timer: the time until it may be asked moves on while it runs.
 */
static void tlob_look_ask_current(struct tlob_look_asked *ask, struct tlob_place *p)
{
	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, current) &&
	    (!p->watch || !p->watch->place || tlob_slot_older(tlob_place_newest(p)) ||
	     !tlob_watch_may_look(p->watch, p->watch->window.t0, ask->now))) {
		ask->refused = true;
		ask->next = ask->now;
	}
	raw_spin_unlock(&p->lock);
}

void tlob_watch_late_look(const struct tlob_cpu *c)
{
	struct tlob_watch_look *look = this_cpu_ptr(&tlob_watch_look);
	struct tlob_look_asked ask = { .next = TLOB_NEVER_LATE };
	struct tlob_place *p;
	unsigned int i;

	/* one that waits for it comes soon, but others may wait then */
	if (!current->pid)
		return;
	/* whoever adds a place from here on sets its time itself */
	xchg(&look->at, TLOB_NEVER_LATE);
	ask.now = tlob_clock();
	for (i = 0; i < TLOB_LOOK_PLACES; i++) {
		p = READ_ONCE(look->place[i]);
		if (p)
			tlob_look_ask_waiter(&ask, p);
	}
	if (ask.late && c->monitored)
		tlob_look_ask_current(&ask, c->place);
	if (ask.late && !ask.refused) {
		tlob_late_fill(&look->stack, false);
		look->looked_at = ask.now;
		tlob_turns_mark(this_cpu_ptr(&tlob_turns), &look->turn);
	}
	tlob_look_by(look, ask.next);
}

void tlob_watch_late_comes(void)
{
	struct tlob_watch_look *look = this_cpu_ptr(&tlob_watch_look);

	if (likely(!look->armed))
		return;
	look->armed = false;
	hrtimer_try_to_cancel(&look->timer);
}

/*
 * The hook of the interrupt has looked, unless the interrupt has none, or began for another timer
 * before the wait was late. It may have been refused, or another wait may be late next.
 */
static enum hrtimer_restart tlob_watch_look_fire(struct hrtimer *timer)
{
	struct tlob_cpu *c = tlob_this_cpu();
	u64 at;

	if (!READ_ONCE(c->awaited))
		return HRTIMER_NORESTART;
	/* here a look would be charged to the task that it meets */
	if (!c->monitored && tlob_watch_late_is_due())
		tlob_watch_late_look(c);
	at = READ_ONCE(this_cpu_ptr(&tlob_watch_look)->at);
	if (at == TLOB_NEVER_LATE || at <= tlob_clock())
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ns_to_ktime(at + NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

void tlob_watch_late_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tlob_hrtimer_setup(&per_cpu(tlob_watch_look, cpu).timer, tlob_watch_look_fire,
				   HRTIMER_MODE_ABS_PINNED_HARD);
}

void tlob_watch_late_stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct tlob_watch_look *look = &per_cpu(tlob_watch_look, cpu);

		hrtimer_cancel(&look->timer);
		look->at = TLOB_NEVER_LATE;
		memset(look->place, 0, sizeof(look->place));
	}
}

/*
 * The wait of @p on this CPU ends now. If an interrupt took a stack in it, copies that: what ran is
 * the same for all that waited.
 */
static void tlob_watch_seen(const struct tlob_place *p, struct tlob_activation *a)
{
	const struct tlob_watch_look *look = this_cpu_ptr(&tlob_watch_look);

	a->looked &= ~(1U << TLOB_LATE_TICK);
	if (look->looked_at <= p->account->waits_since)
		return;
	a->stacks->at[TLOB_LATE_TICK] = look->stack;
	a->looked |= 1U << TLOB_LATE_TICK;
}

/*
 * The task that leaves now is not the one that an interrupt has met in the wait, and had less of
 * it. The latter left before, for a reason that is not known.
 */
static bool tlob_watch_left_before(const struct tlob_place *p, const struct tlob_activation *a,
				   u64 switched)
{
	struct tlob_turns_wait w = tlob_place_wait(p, smp_processor_id(), switched);

	return a->looked & 1U << TLOB_LATE_TICK &&
	       a->stacks->at[TLOB_LATE_TICK].pid != current->pid &&
	       tlob_turns_was_most(this_cpu_ptr(&tlob_turns), &this_cpu_ptr(&tlob_watch_look)->turn,
				   &w);
}

void tlob_watch_late_left(struct tlob_place *p, u64 switched, bool blocked)
{
	const struct tlob_account *account = p->account;
	struct tlob_slot *s = p->watch;
	u64 waited = switched - account->waits_since;
	struct tlob_late_stack *stack;

	/* of several waits the longest counts; the idle task keeps nothing from a CPU */
	if (!s->place || account->state != waiting_tlob || account->kept || !current->pid ||
	    waited <= s->activation.looked_ns || !tlob_watch_may_look(s, s->window.t0, switched))
		return;
	stack = tlob_watch_stack(s, TLOB_LATE_LEFT);
	if (!stack)
		return;
	tlob_watch_seen(p, &s->activation);
	if (tlob_watch_left_before(p, &s->activation, switched))
		tlob_late_left_before(stack, &s->activation.stacks->at[TLOB_LATE_TICK]);
	else
		tlob_late_fill(stack, blocked);
	s->activation.looked_ns = waited;
}

bool tlob_watch_late_met_now(struct tlob_place *p, u64 begins, u64 now)
{
	struct tlob_late_stack *stack;

	/* a softirq thread runs the timer after others; user code cannot delay the interrupt */
	if (!in_hardirq() || tlob_irq_met_user() || !current->pid ||
	    !tlob_watch_may_look(p->watch, begins, now))
		return false;
	stack = tlob_watch_stack(p->watch, TLOB_LATE_MET);
	if (stack)
		tlob_late_fill(stack, false);
	return stack;
}
