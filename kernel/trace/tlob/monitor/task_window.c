// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a window over a task: it is opened, expires, is ended or taken
 * away. monitor.h has the locks, slots.h says who may have a window, and
 * monitor_hooks.c charges it.
 */
#include <linux/hrtimer.h>
#include <linux/rcupdate.h>

#include "../window/window.h"
#include "monitor_report.h"
#include "slots.h"
#include "task_ring.h"

/* A window that was closed and is not yet counted. */
struct tlob_closed {
	struct tlob_task_window *w;	/* its record; the caller's memory */
	struct tlob_slot *slot;		/* to be freed */
};

/*
 * Returns whether the record of @s may name other tasks: the file of its START and
 * its reader's file were opened with CAP_PERFMON, where pids are global.
 */
static bool tlob_slot_names_tasks(const struct tlob_slot *s)
{
	return s->begin.names &&
	       (!s->begin.ring || tlob_ring_names_tasks(s->begin.ring));
}

/* Fills in the record of an open window at @now. Under its place's lock. */
static void tlob_slot_fill(const struct tlob_slot *s, u64 now,
			   unsigned int state, u32 flags,
			   struct tlob_task_window *w)
{
	const struct task_struct *task = s->place->task;
	struct tlob_account_record r;
	unsigned int i;

	tlob_account_read(s->place->account, &s->window, now, &r);
	memset(w, 0, sizeof(*w));
	w->version = TLOB_EVENT_VERSION;
	w->size = sizeof(*w);
	w->flags = flags;
	w->tid = task->pid;
	w->tgid = task->tgid;
	w->state = state;
	w->switches = r.sums.switches;
	w->tag = s->begin.tag;
	w->start_ns = s->window.t0;
	w->elapsed_ns = r.elapsed;
	w->threshold_ns = s->window.budget;
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		w->part_ns[i] = r.sums.part[tlob_task_part_of[i]];
	memcpy(w->count, r.sums.count, sizeof(w->count));
	w->count[TLOB_NOISE_THREAD] = 0;
	w->unavailable = tlob_monitor.unavailable;
	w->cpu = raw_smp_processor_id();
	w->largest = r.other.ns > r.largest.ns && tlob_slot_names_tasks(s) ?
		     r.other : r.largest;
	w->adjusted_ns = r.sums.adjusted;
	w->clock_steps = r.sums.steps;
	w->errors = r.sums.errors;
	memcpy(w->comm, task->comm, sizeof(w->comm));
	if (s->begin.binding)
		strscpy(w->binding, s->begin.binding, sizeof(w->binding));
	if (s->window.over)
		w->flags |= TLOB_TASK_VIOLATION;
	if (w->adjusted_ns || w->clock_steps || w->errors)
		w->flags |= TLOB_TASK_INEXACT;
}

/* Gives older windows the longest wait of newer ones, like tlob_account_fold() interruptions. */
static void tlob_place_fold(struct tlob_place *p)
{
	struct tlob_slot *newer = tlob_slot_older(tlob_place_newest(p)), *s;

	for (; newer; newer = s) {
		s = tlob_slot_older(newer);
		if (s && newer->longest.ns > s->longest.ns)
			s->longest = newer->longest;
	}
	p->folded = true;
}

/*
 * Returns the longest wait of a window: its own, or a newer window's. Of
 * equal ones it is the first in time. Under its place's lock.
 */
static const struct tlob_longest *tlob_slot_longest(const struct tlob_slot *s)
{
	const struct tlob_slot *newest = tlob_place_newest(s->place);

	if (s == newest)
		return &s->longest;
	if (!s->place->folded)
		tlob_place_fold(s->place);
	return newest->longest.ns > s->longest.ns ? &newest->longest : &s->longest;
}

/*
 * Sends a record to the ring of the window. @closing: its times in functions are
 * known. Under its place's lock.
 */
static void tlob_slot_notify(struct tlob_slot *s, const struct tlob_task_window *w,
			     bool closing)
{
	if (s->begin.ring)
		tlob_ring_write_event(s->begin.ring, s->place->task, w,
				      tlob_slot_longest(s), closing ? s->functions : NULL);
}

/*
 * The timer of a budget has expired, on any CPU. The clock of the windows may
 * be a little behind the clock of the timers.
 *
 * The slot may belong to another window by now. Its verdict does no harm. But
 * that window may have armed the other timer. So only the timer of the window
 * may come again; nothing would ever stop the other one.
 */
static enum hrtimer_restart tlob_slot_is_due(struct tlob_slot *s,
					     struct hrtimer *timer)
{
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	struct tlob_place *p = READ_ONCE(s->place);
	struct tlob_task_window w;
	enum states_tlob state;
	unsigned long flags;
	bool over = false;
	u64 now;

	if (!p)
		return restart;
	raw_spin_lock_irqsave(&p->lock, flags);
	now = tlob_clock();
	if (READ_ONCE(s->place) != p)
		goto unlock;
	switch (tlob_account_verdict(p->account, &s->window, now)) {
	case TLOB_VERDICT_FIRST:
		over = true;
		state = tlob_account_due(p->account, &s->window, &now);
		tlob_slot_fill(s, now, state, 0, &w);
		/* the task had not left its CPU at that moment */
		w.switches -= state == running_tlob &&
			      p->account->state != running_tlob;
		tlob_slot_notify(s, &w, false);
		tlob_report_event(p->task, p->account->state,
				  budget_expired_tlob, p->account->state);
		break;
	case TLOB_VERDICT_WITHIN:
		/* a START may have armed the timer again meanwhile */
		if (timer == &s->timer[s->soft] && !hrtimer_is_queued(timer)) {
			hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_USEC));
			restart = HRTIMER_RESTART;
		}
		break;
	case TLOB_VERDICT_KNOWN:
		break;
	}
unlock:
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (over)
		tlob_report_task(&w);
	return restart;
}

static enum hrtimer_restart tlob_slot_expired(struct hrtimer *timer)
{
	return tlob_slot_is_due(container_of(timer, struct tlob_slot, timer[0]),
				timer);
}

static enum hrtimer_restart tlob_slot_expired_soft(struct hrtimer *timer)
{
	return tlob_slot_is_due(container_of(timer, struct tlob_slot, timer[1]),
				timer);
}

void tlob_slot_timers_init(struct tlob_slot *s)
{
	tlob_hrtimer_setup(&s->timer[0], tlob_slot_expired,
			   HRTIMER_MODE_ABS_PINNED_HARD);
	tlob_hrtimer_setup(&s->timer[1], tlob_slot_expired_soft,
			   HRTIMER_MODE_ABS_PINNED_SOFT);
}

void tlob_slot_timers_cancel(struct tlob_slot *s)
{
	hrtimer_cancel(&s->timer[0]);
	hrtimer_cancel(&s->timer[1]);
}

/* One ns after the budget, when elapsed > budget holds. */
static u64 tlob_slot_due(const struct tlob_slot *s)
{
	return s->window.t0 + s->window.budget + 1;
}

/*
 * Arms the timer of the budget.
 *
 * On PREEMPT_RT the timers of a task without a real-time policy expire in a
 * thread, like the kernel's own. Any user may have many timers that are due at
 * once. A real-time task of another user must not wait for them. STOP gives the
 * exact verdict, no matter when the timer expires.
 */
static void tlob_slot_arm(struct tlob_slot *s, const struct task_struct *task)
{
	s->timer_cpu = raw_smp_processor_id();
	s->soft = IS_ENABLED(CONFIG_PREEMPT_RT) &&
		  READ_ONCE(task->normal_prio) >= MAX_RT_PRIO;
	hrtimer_start(&s->timer[s->soft], ns_to_ktime(tlob_slot_due(s)), s->soft ?
		      HRTIMER_MODE_ABS_PINNED_SOFT :
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Takes the closed window of @s out of its place, and the place from the task
 * if no other window is left. Under the place's lock.
 */
static void tlob_slot_leave_place(struct tlob_slot *s)
{
	struct tlob_place *p = s->place;
	struct tlob_slot *newest, *older = tlob_slot_older(s);

	if (older && s->longest.ns > older->longest.ns)
		older->longest = s->longest;
	tlob_account_close(p->account, &s->window);
	newest = tlob_place_newest(p);
	if (!newest) {
		p->account = NULL;
		tlob_place_awaits_none(p);
		tlob_place_give_up(p);
	} else if (s->account == p->account) {
		swap(s->account, newest->account);
	}
	WRITE_ONCE(s->place, NULL);
}

/*
 * Closes an open window. Under its place's lock; after the caller has released the lock, it
 * calls tlob_closed_count(). @c is this CPU if the task runs on it, or NULL on any other
 * CPU. @ended: the task itself ends the window. @longest: gets its longest wait, unless it
 * is NULL. Returns true if this call found the budget over; the caller then calls
 * tlob_report_task().
 */
static bool tlob_slot_close(struct tlob_cpu *c, struct tlob_slot *s, bool ended,
			    struct tlob_closed *closed, struct tlob_longest *longest)
{
	struct tlob_account *a = s->place->account;
	u64 now = c ? tlob_place_boundary(c, s->place) : tlob_clock();
	enum tlob_verdict verdict = TLOB_VERDICT_WITHIN;
	struct tlob_task_window *w = closed->w;
	unsigned int state = a->state;

	if (ended) {
		if (tlob_account_stop(a, now))
			tlob_report_event(s->place->task, state, stop_tlob,
					  unmonitored_tlob);
		/* also for a STOP that the state does not accept */
		verdict = tlob_account_verdict(a, &s->window, now);
	} else if (c && state == running_tlob) {
		/* the nmis of this boundary, and the time in functions */
		tlob_split_charge(&a->split, now);
	}
	tlob_slot_fill(s, now, state, ended ? TLOB_TASK_ENDED : TLOB_TASK_CUT,
		       w);
	if (s->functions)
		tlob_task_calls_ops->close(s);
	if (verdict == TLOB_VERDICT_FIRST || s->begin.every)
		tlob_slot_notify(s, w, true);
	if (s->functions)
		tlob_task_calls_ops->end(s);
	if (longest)
		*longest = *tlob_slot_longest(s);
	tlob_slot_leave_place(s);
	/* a timer that runs right now finds no window or another one */
	hrtimer_try_to_cancel(&s->timer[s->soft]);
	closed->slot = s;
	return verdict == TLOB_VERDICT_FIRST;
}

/* Counts a window that has ended. Irqs off. */
static void tlob_pool_count(struct tlob_pool *pool, const struct tlob_task_window *w)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	tlob_count(&pool->sum_failures, sum != w->elapsed_ns);
	tlob_count(&pool->violations, !!(w->flags & TLOB_TASK_VIOLATION));
	tlob_count(&pool->cut, !!(w->flags & TLOB_TASK_CUT));
	tlob_count(&pool->adjusted_ns, w->adjusted_ns);
	tlob_count(&pool->clock_steps, w->clock_steps);
	tlob_count(&pool->errors, w->errors);
	tlob_count(&pool->windows, 1);
}

/*
 * Counts the window, and frees its slot. The caller must not enable preemption since
 * tlob_slot_close(): tlob_monitor_stop() waits for this. It runs neither under a lock of the
 * monitor nor under one of a run queue.
 */
static void tlob_closed_count(const struct tlob_closed *closed)
{
	struct tlob_ring *ring = closed->slot->begin.ring;
	unsigned long flags;

	local_irq_save(flags);
	tlob_slot_give(closed->slot);
	/* last: the monitor counts as used until nothing is left of the window */
	tlob_pool_count(this_cpu_ptr(&tlob_pools), closed->w);
	local_irq_restore(flags);
	/* must not run under a lock of the monitor */
	tlob_ring_put_atomic(ring);
}

/* Selects windows. */
typedef bool (*tlob_slot_match)(const struct tlob_slot *s, const void *arg);

static bool tlob_slot_from(const struct tlob_slot *s, const void *source)
{
	return s->begin.source == source;
}

static bool tlob_slot_started_by(const struct tlob_slot *s, const void *owner)
{
	return s->begin.owner == owner;
}

static bool tlob_slot_any(const struct tlob_slot *s, const void *arg)
{
	return true;
}

static bool tlob_slot_bound(const struct tlob_slot *s, const void *arg)
{
	return s->begin.binding;
}

static bool tlob_slot_own_only(const struct tlob_slot *s, const void *arg)
{
	return !s->begin.perfmon;
}

/*
 * Returns an open window of the current task that @match accepts, or NULL. @p
 * is the task's place or was it. Under p->lock.
 */
static __always_inline struct tlob_slot *
tlob_current_find(struct tlob_place *p, tlob_slot_match match, const void *arg)
{
	struct tlob_slot *s;

	if (!tlob_place_is_of(p, current))
		return NULL;
	for (s = tlob_place_newest(p); s; s = tlob_slot_older(s))
		if (match(s, arg))
			break;
	return s;
}

/* Returns whether the current task has an open window of @source. */
static bool tlob_current_has(const void *source)
{
	struct tlob_place *p = tlob_place_find(current);
	struct tlob_slot *s;
	unsigned long flags;

	if (!p)
		return false;
	raw_spin_lock_irqsave(&p->lock, flags);
	s = tlob_current_find(p, tlob_slot_from, source);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return s;
}

/* Gives the window of @s, which is about to be opened, to @p. Under p->lock. */
static void tlob_place_add(struct tlob_place *p, struct tlob_slot *s)
{
	tlob_count(&this_cpu_ptr(&tlob_pools)->opened, 1);
	s->longest.ns = 0;
	s->longest.owed = 0;
	s->functions = NULL;
	WRITE_ONCE(s->place, p);
	if (!p->account) {
		p->account = s->account;
		p->functions = NULL;
		p->noting = false;
	}
	p->folded = false;
}

static bool tlob_slot_is_elsewhere(const struct tlob_slot *s)
{
	return s->timer_cpu != raw_smp_processor_id() && !s->window.over;
}

/*
 * A task that stays on its CPU pays nothing, however many windows it has. Each timer that
 * becomes the CPU's next one programs its clock event: so the earliest comes first.
 */
void tlob_place_arm_here(struct tlob_place *p)
{
	struct tlob_slot *s, *first = NULL;

	if (likely(p->timers_cpu == raw_smp_processor_id()))
		return;
	p->timers_cpu = raw_smp_processor_id();
	for (s = tlob_place_newest(p); s; s = tlob_slot_older(s))
		if (tlob_slot_is_elsewhere(s) &&
		    (!first || tlob_slot_due(s) < tlob_slot_due(first)))
			first = s;
	if (first)
		tlob_slot_arm(first, p->task);
	for (s = tlob_place_newest(p); s; s = tlob_slot_older(s))
		if (tlob_slot_is_elsewhere(s))
			tlob_slot_arm(s, p->task);
}

/*
 * Opens the window of @s over the current task, whose place is @p. Under p->lock.
 * Returns whether the caller must call tlob_monitor_unuse_soon().
 */
static bool tlob_place_open(struct tlob_place *p, struct tlob_slot *s)
{
	struct tlob_cpu *c = tlob_this_cpu();
	bool first;
	u64 now;

	/* all but the first window after a pause only read it */
	first = !(READ_ONCE(tlob_monitor_used) & TLOB_USED) && tlob_monitor_use();
	if (s->begin.ring) {
		tlob_ring_get(s->begin.ring);
		tlob_ring_use(s->begin.ring);
	}
	tlob_place_add(p, s);
	if (!c->monitored || c->place != p)
		tlob_cpu_set_place(c, p);
	/* open windows get their nmis before the new one begins */
	now = tlob_place_boundary(c, p);
	tlob_account_open(p->account, &s->window, now, s->begin.threshold_ns);
	if (READ_ONCE(tlob_functions_monitored))
		tlob_task_calls_ops->begin(s);
	tlob_report_event(current, unmonitored_tlob, start_tlob, running_tlob);
	tlob_slot_arm(s, current);
	p->timers_cpu = s->timer_cpu;
	return first;
}

/*
 * Opens the window of @s over the current task. Returns 0, -ENODEV or -ENOSPC.
 * Irqs are off from the test of m->on until the window is open, so
 * tlob_monitor_stop() can wait for it.
 */
static int tlob_slot_open(struct tlob_slot *s, const void *unused)
{
	bool mine = false, first = false;
	struct tlob_place *p;
	unsigned long flags;
	int err = -ENODEV;

	local_irq_save(flags);
	if (!READ_ONCE(tlob_monitor.on))
		goto out;
	/* again if the task's last window was just taken away, with its place */
	while (!mine) {
		err = -ENOSPC;
		p = tlob_place_find(current) ?: tlob_place_take(current);
		if (!p)
			goto out;
		raw_spin_lock(&p->lock);
		/* a place that was just taken has no window yet */
		mine = READ_ONCE(p->task) == current;
		if (mine)
			first = tlob_place_open(p, s);
		raw_spin_unlock(&p->lock);
	}
	err = 0;
out:
	local_irq_restore(flags);
	if (unlikely(first))
		tlob_monitor_unuse_soon();
	return err;
}

/* Preemptible between two pools, because it may look at the pools of all CPUs. */
static int tlob_monitor_try(const struct tlob_begin *b)
{
	if (!READ_ONCE(tlob_monitor.on))
		return -ENODEV;
	/* only the task itself opens windows over itself */
	if (tlob_current_has(b->source))
		return -EEXIST;
	return tlob_slot_use(b, tlob_slot_open, NULL);
}

/* Counts a window that got no slot, if @err is -ENOSPC or -EDQUOT. */
static void tlob_monitor_refused(int err)
{
	unsigned long flags;

	local_irq_save(flags);
	if (err == -ENOSPC)
		tlob_count(&this_cpu_ptr(&tlob_pools)->no_slot, 1);
	if (err == -EDQUOT)
		tlob_count(&this_cpu_ptr(&tlob_pools)->over_quota, 1);
	local_irq_restore(flags);
}

int tlob_monitor_begin(const struct tlob_begin *b)
{
	int err = tlob_monitor_try(b);

	if (unlikely(err))
		tlob_monitor_refused(err);
	return err;
}

/*
 * Closes one open window of the current task that @match accepts. Sets *@over to whether
 * the caller must report it. Returns false if no window matches; else the caller calls
 * tlob_closed_count().
 */
static bool tlob_current_close(tlob_slot_match match, const void *arg, bool ended,
			       struct tlob_closed *closed,
			       struct tlob_longest *longest, bool *over)
{
	struct tlob_place *p = tlob_place_find(current);
	struct tlob_slot *s;
	unsigned long flags;

	if (!p)
		return false;
	raw_spin_lock_irqsave(&p->lock, flags);
	s = tlob_current_find(p, match, arg);
	if (s)
		*over = tlob_slot_close(tlob_this_cpu(), s, ended, closed, longest);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return s;
}

int tlob_monitor_end(const void *owner, struct tlob_task_window *w,
		     struct tlob_longest *longest)
{
	struct tlob_closed closed = { .w = w };
	bool over, found;

	preempt_disable();
	found = tlob_current_close(tlob_slot_started_by, owner, true, &closed, longest,
				   &over);
	if (found)
		tlob_closed_count(&closed);
	preempt_enable();
	if (!found)
		return -ESRCH;
	if (over)
		tlob_report_task(w);
	return !!(w->flags & TLOB_TASK_VIOLATION);
}

static void tlob_current_cut(tlob_slot_match match)
{
	struct tlob_task_window w;
	struct tlob_closed closed = { .w = &w };
	bool over, found;

	do {
		preempt_disable();
		found = tlob_current_close(match, NULL, false, &closed, NULL, &over);
		if (found)
			tlob_closed_count(&closed);
		preempt_enable();
	} while (found);
}

void tlob_monitor_exited(void)
{
	tlob_current_cut(tlob_slot_any);
}

/*
 * Takes windows away as the current task becomes another program. The new
 * program never reaches the stop of a region of the old one. @hidden: the
 * program gains privileges, or its user may not read it. That user must not
 * learn what it does: perf ends its events at the same places.
 */
void tlob_monitor_exec(bool hidden)
{
	tlob_current_cut(tlob_slot_bound);
	if (hidden)
		tlob_current_cut(tlob_slot_own_only);
}

/* Takes the window of @s away if it is open and belongs to @owner (NULL: to anybody). */
static void tlob_slot_cut(struct tlob_slot *s, const void *owner)
{
	struct tlob_place *p = READ_ONCE(s->place);
	struct tlob_task_window w;
	struct tlob_closed closed = { .w = &w };
	unsigned long flags;
	bool mine;

	/* avoids waiting for the locks of other owners; checked again below */
	if (!p || (owner && data_race(s->begin.owner) != owner))
		return;
	preempt_disable();
	raw_spin_lock_irqsave(&p->lock, flags);
	mine = READ_ONCE(s->place) == p &&
	       (!owner || s->begin.owner == owner);
	if (mine)
		tlob_slot_close(NULL, s, false, &closed, NULL);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (mine)
		tlob_closed_count(&closed);
	preempt_enable();
}

void tlob_monitor_close(const void *owner)
{
	unsigned int i;

	if (!READ_ONCE(tlob_monitor_used))
		return;
	for (i = 0; i < tlob_nr_slots; i++) {
		tlob_slot_cut(&tlob_slots[i], owner);
		cond_resched();
	}
}
