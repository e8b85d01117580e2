// SPDX-License-Identifier: GPL-2.0
/* Stacks of late activations. The entries of a ring are shared by its watches, on all CPUs. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../base/base.h"
#include "../base/users.h"
#include "../split/late_limit.h"
#include "../window/late.h"
#include "task_ring.h"
#include "watch_late.h"

/* Threads that are late at once; stacks of further ones are not known. */
#define TLOB_TASK_LATES		64
/* No wait is so long. A time may be added. */
#define TLOB_NEVER_LATE		(U64_MAX / 2)

struct tlob_task_lates {
	raw_spinlock_t lock;		/* of all but @at */
	DECLARE_BITMAP(taken, TLOB_TASK_LATES);
	unsigned int left;
	struct tlob_shares shares;	/* of the users of watched threads */
	u8	share[TLOB_TASK_LATES];	/* whose an entry is, as tlob_share_take() */
	struct tlob_late at[TLOB_TASK_LATES];
};

/*
 * Each CPU has one. A watched task waits for the CPU. If the wait is late, the next interrupt takes
 * the stack of the task that runs there.
 */
struct tlob_watch_look {
	struct tlob_place *place;	/* whose task began to wait for it last; any CPU sets it */
	u64	at;			/* its wait is late then; likewise */
	/* The CPU's own, with irqs off: */
	bool	armed;
	struct hrtimer timer;
	u64	looked_at;		/* when @stack was taken; 0: never */
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
	bool may = s->begin.ring && s->begin.ring->lates && tlob_slot_names_tasks(s);

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
static u64 tlob_watch_over(struct tlob_slot *s, u64 begins, u64 now)
{
	u64 budget = s->begin.threshold_ns, left = s->activation.least_ns, ran = 0;
	struct tlob_account_record r;

	if (s->place) {
		tlob_account_read(s->place->account, &s->window, now, &r);
		ran = r.sums.part[TLOB_WORK_ON_CPU];
	}
	left -= min(ran, left);
	return begins + budget - min(left, budget);
}

/* A look at @now does not push the activation of @s over its budget. It began at @begins. */
static bool tlob_watch_may_look(struct tlob_slot *s, u64 begins, u64 now)
{
	return tlob_late_may_look(now, tlob_watch_over(s, begins, now));
}

void tlob_watch_late_waits(struct tlob_place *p, int cpu)
{
	struct tlob_watch_look *look = per_cpu_ptr(&tlob_watch_look, cpu);
	u64 since = p->account->waits_since;
	struct tlob_late_times times = { .late_at = since + p->watch->activation.late_ns };

	if (p->watch->activation.late_ns == TLOB_NEVER_LATE)
		return;
	/* a CPU that reads both in between looks in vain, or not at all */
	WRITE_ONCE(look->place, p);
	WRITE_ONCE(look->at, times.late_at);
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || cpu != smp_processor_id() || !in_hardirq() ||
	    !current->pid || !tlob_late_goes_on())
		return;
	look->armed = true;
	times.over_at = tlob_watch_over(p->watch, p->watch->window.t0, since);
	/* its clock may be a little ahead of ours */
	hrtimer_start(&look->timer, ns_to_ktime(since + tlob_late_after(&times, since, since) +
						NSEC_PER_USEC), HRTIMER_MODE_ABS_PINNED_HARD);
}

bool tlob_watch_late_is_due(void)
{
	u64 at = READ_ONCE(this_cpu_ptr(&tlob_watch_look)->at);

	return at < TLOB_NEVER_LATE && tlob_clock() > at;
}

void tlob_watch_late_look(void)
{
	struct tlob_watch_look *look = this_cpu_ptr(&tlob_watch_look);
	struct tlob_place *p = READ_ONCE(look->place);
	const struct tlob_account *a;
	u64 now = tlob_clock(), at = READ_ONCE(look->at);
	bool waits = false, may = false;

	if (p && current->pid) {
		raw_spin_lock(&p->lock);
		a = p->account;
		waits = p->awaits == smp_processor_id() + 1 && a && a->state == waiting_tlob &&
			!a->kept && p->watch && p->watch->place &&
			now > a->waits_since + p->watch->activation.late_ns;
		may = waits && tlob_watch_may_look(p->watch, p->watch->window.t0, now);
		if (may) {
			tlob_late_fill(&look->stack, false);
			look->looked_at = now;
		}
		raw_spin_unlock(&p->lock);
	}
	/* later, if it would make a violation now; another CPU may have set the next wait's */
	if (may || !waits)
		cmpxchg(&look->at, at, TLOB_NEVER_LATE);
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
 * before the wait was late.
 */
static enum hrtimer_restart tlob_watch_look_fire(struct hrtimer *timer)
{
	if (READ_ONCE(tlob_this_cpu()->awaited) && tlob_watch_late_is_due())
		tlob_watch_late_look();
	return HRTIMER_NORESTART;
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
		hrtimer_cancel(&per_cpu(tlob_watch_look, cpu).timer);
		per_cpu(tlob_watch_look, cpu).at = TLOB_NEVER_LATE;
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
	tlob_late_fill(stack, blocked);
	tlob_watch_seen(p, &s->activation);
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
