// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of the scheduler, of irqs and of nmis: they charge the windows of a
 * task. monitor.h has the locks; places.h has the table.
 */
#include <linux/sched.h>

#include "../base/stopped.h"
#include "../base/throttled.h"
#include "../split/turns.h"
#include "../window/window.h"
#include "monitor_report.h"
#include "places.h"

/* Moves all windows of the task of @p to the state after @event. */
static void tlob_place_sched(struct tlob_place *p, u64 now,
			     enum events_tlob event)
{
	struct tlob_account *a = p->account;
	unsigned int state = a->state;

	if (tlob_account_sched(a, now, event))
		tlob_report_event(p->task, state, event, a->state);
	else
		tlob_report_error(p->task, state, event);
}

/* Returns the log of this CPU after its steal clock was read. Irqs off. */
static struct tlob_turns *tlob_turns_here(const struct tlob_cpu *c)
{
	struct tlob_turns *turns = this_cpu_ptr(&tlob_turns);

	tlob_away_stolen(&turns->away, tlob_stolen_here(c));
	return turns;
}

/*
 * The task of @p, which has windows, begins to wait for @cpu. Under p->lock. Of an interrupt that
 * wakes it from another CPU the part before is not known; of one here it is charged.
 */
static void tlob_place_awaits(struct tlob_place *p, int cpu)
{
	const struct tlob_away *away = &per_cpu_ptr(&tlob_turns, cpu)->away;
	unsigned int kind;

	if (cpu == smp_processor_id())
		tlob_away_charge(&tlob_turns_here(tlob_this_cpu())->away, tlob_clock());
	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++)
		p->account->away[kind] = READ_ONCE(away->ns[kind]);
	p->account->away_stolen = tlob_stolen(tlob_cpu(cpu));
	tlob_place_awaits_none(p);
	atomic_inc(per_cpu_ptr(&tlob_awaiting, cpu));
	WRITE_ONCE(p->awaits, cpu + 1);
	WRITE_ONCE(tlob_cpu(cpu)->awaited, true);
}

/* Nobody waits for the CPU any more. In a switch of its own, or without hooks. */
static void tlob_awaited_end(struct tlob_cpu *c)
{
	WRITE_ONCE(c->awaited, false);
	per_cpu(tlob_turns, c->cpu).away.depth = 0;
}

void tlob_monitor_unhooked(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		WRITE_ONCE(tlob_cpu(cpu)->awaited, false);
	/* hooks of irqs that a run still has may have seen it */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		tlob_awaited_end(tlob_cpu(cpu));
}

/* Its wait, which was @waited long, has ended on this CPU. */
static void tlob_place_interrupted(struct tlob_cpu *c, struct tlob_place *p, u64 waited)
{
	struct tlob_account *a = p->account;
	u64 ns[TLOB_NOISE_THREAD];
	unsigned int kind;

	if (p->awaits != c->cpu + 1)
		return;
	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++)
		ns[kind] = this_cpu_read(tlob_turns.away.ns[kind]) - a->away[kind];
	tlob_place_awaits_none(p);
	tlob_account_interrupted(a, waited, c->task_steal - c->steal_from - a->away_stolen, ns);
}

/* An irq or softirq, as @kind says, begins or ends on this CPU. A task may wait for the CPU. */
static void tlob_away_moved(const struct tlob_cpu *c, bool begins, unsigned int kind)
{
	struct tlob_away *away = &tlob_turns_here(c)->away;

	if (begins)
		tlob_away_enter(away, tlob_clock(), kind);
	else
		tlob_away_leave(away, tlob_clock());
}

/* A task comes to this CPU. Returns false if a task with windows waits for the CPU. */
static __always_inline bool tlob_turn_plain(const struct tlob_cpu *c, u64 now,
					    const struct task_struct *next)
{
	if (unlikely(READ_ONCE(c->awaited)))
		return false;
	tlob_turns_note(tlob_turns_here(c), now, next->pid, next->comm);
	return true;
}

/*
 * A task comes to this CPU. It may be the last one that waited for it, or that one has moved or has
 * no window any more. Nobody waits for a CPU that goes idle, but by sched_ext or core scheduling.
 */
static void tlob_turn(struct tlob_cpu *c, u64 now, const struct task_struct *next)
{
	if (tlob_turn_plain(c, now, next))
		return;
	if (!next->pid || !atomic_read(this_cpu_ptr(&tlob_awaiting)))
		tlob_awaited_end(c);
	tlob_turns_note(tlob_turns_here(c), now, next->pid, next->comm);
}

/* The task leaves this CPU for @next. @state: 0 if it is not blocked. */
static void tlob_place_leaves(struct tlob_cpu *c, struct task_struct *prev,
			      struct task_struct *next, unsigned int state)
{
	struct tlob_place *p = c->place;

	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, prev)) {
		tlob_place_sched(p, tlob_place_boundary(c, p), state ?
				 sleep_tlob : preempt_tlob);
		p->account->kept = state ? tlob_stopped(prev, state) :
			tlob_throttled(prev, next) ? TLOB_KEPT_THROTTLED : TLOB_KEPT_NOT;
		if (!state)
			tlob_place_awaits(p, c->cpu);
	}
	raw_spin_unlock(&p->lock);
	WRITE_ONCE(c->monitored, false);
}

/*
 * The task of @p has waited for @cpu until @now. @current_pid: the task that runs there, with
 * its @comm, or TLOB_TURNS_UNKNOWN. Under p->lock and the lock of the CPU's run queue.
 */
static void tlob_place_waited(struct tlob_place *p, int cpu, u64 now, s32 current_pid,
			      const char *comm)
{
	struct tlob_account *a = p->account;
	struct tlob_turns_wait w;
	struct tlob_noise longest;

	if (a->kept)
		tlob_place_awaits_none(p);
	/* a wait that is no longer than the longest sum so far cannot have a longer one */
	if (now <= a->waits_since + a->other.ns) {
		a->waits_since = now;
		a->kept = TLOB_KEPT_NOT;
		return;
	}
	w = tlob_place_wait(p, cpu, now);
	if (a->kept)
		tlob_turns_kept(a->kept, a->waits_since, now, &longest);
	else
		tlob_turns_longest(per_cpu_ptr(&tlob_turns, cpu), READ_ONCE(tlob_turns_valid),
				   &w, current_pid, comm, &longest);
	/* a task that moves may run */
	a->kept = TLOB_KEPT_NOT;
	tlob_account_waited(a, now, &longest);
}

/* The task comes to this CPU in a switch from @prev that began at @switched. Under p->lock. */
static void tlob_place_comes(struct tlob_cpu *c, struct tlob_place *p,
			     const struct task_struct *prev, u64 switched)
{
	u64 now, waited = 0;

	tlob_cpu_set_place(c, p);
	now = tlob_place_boundary(c, p);
	if (p->account->state == waiting_tlob) {
		waited = now > p->account->waits_since ? now - p->account->waits_since : 0;
		tlob_turns_here(c);
		tlob_place_waited(p, c->cpu, switched, prev->pid, prev->comm);
	}
	tlob_place_sched(p, now, switch_in_tlob);
	if (waited)
		tlob_place_interrupted(c, p, waited);
	tlob_place_awaits_none(p);
	tlob_place_arm_here(p);
}

void tlob_monitor_migrates(struct task_struct *task)
{
	struct tlob_place *p = tlob_place_find(task);

	if (!p)
		return;
	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, task) && p->account->state == waiting_tlob) {
		tlob_place_waited(p, task_cpu(task), tlob_clock(), TLOB_TURNS_UNKNOWN, NULL);
		tlob_place_awaits_none(p);
	}
	raw_spin_unlock(&p->lock);
}

/* One of the tasks may have windows, or something waits for the CPU. */
static noinline __noclone void tlob_places_switch(void *data, bool preempt,
						  struct task_struct *prev,
						  struct task_struct *next,
						  unsigned int prev_state)
{
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_place *p;
	/* before a wait begins below: its turns are those of other tasks */
	u64 now = tlob_clock();

	if (c->monitored)
		tlob_place_leaves(c, prev, next, tlob_blocked(preempt, prev, prev_state) ?
				  prev_state : 0);
	p = tlob_place_find(next);
	if (p) {
		raw_spin_lock(&p->lock);
		if (tlob_place_is_of(p, next))
			tlob_place_comes(c, p, prev, now);
		raw_spin_unlock(&p->lock);
	}
	tlob_turn(c, now, next);
}

/*
 * A context switch. Under the run queue's lock. Nearly every one only notes whose turn it is: a
 * call in between would save registers each time.
 */
void tlob_monitor_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	const struct tlob_cpu *c = tlob_this_cpu();
	u64 now;

	if (unlikely(c->monitored) || tlob_place_find(next) ||
	    unlikely(!tlob_clock_inline(&now)) || !tlob_turn_plain(c, now, next))
		tlob_places_switch(data, preempt, prev, next, prev_state);
}

/* The sleep of the task of @p ends at @now. Under p->lock. */
static void tlob_place_slept(struct tlob_place *p, u64 now)
{
	struct tlob_account *a = p->account;
	struct tlob_noise stop;

	if (a->state == sleeping_tlob && a->kept) {
		/* nothing is charged in a sleep */
		tlob_turns_kept(a->kept, a->split.last, now, &stop);
		tlob_account_waited(a, now, &stop);
		a->kept = TLOB_KEPT_NOT;
	}
	tlob_place_sched(p, now, wakeup_tlob);
}

/* @task becomes runnable and does not run here. Under its run queue's lock. */
void tlob_monitor_wakeup(struct task_struct *task)
{
	struct tlob_place *p = tlob_place_find(task);

	if (!p)
		return;
	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, task)) {
		tlob_place_slept(p, tlob_clock());
		if (p->account->state == waiting_tlob) {
			p->account->kept = tlob_throttled(task, NULL) ? TLOB_KEPT_THROTTLED :
					   TLOB_KEPT_NOT;
			tlob_place_awaits(p, task_cpu(task));
		}
	}
	raw_spin_unlock(&p->lock);
}

/* An irq or softirq begins on this CPU, whose current task has windows, or which is awaited. */
void tlob_monitor_enter(struct tlob_cpu *c, unsigned int kind, s32 id,
			const char *name, bool lasting)
{
	struct tlob_place *p = c->place;

	if (c->monitored) {
		raw_spin_lock(&p->lock);
		if (tlob_place_is_of(p, current) && p->account->state == running_tlob)
			tlob_account_enter(p->account, tlob_place_boundary(c, p), kind, id,
					   name, lasting);
		raw_spin_unlock(&p->lock);
	}
	if (READ_ONCE(c->awaited))
		tlob_away_moved(c, true, kind);
}

void tlob_monitor_leave(struct tlob_cpu *c, unsigned int kind, s32 id)
{
	struct tlob_place *p = c->place;

	if (READ_ONCE(c->awaited))
		tlob_away_moved(c, false, kind);
	if (!c->monitored)
		return;
	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, current) && p->account->state == running_tlob)
		tlob_account_exit(p->account, tlob_place_boundary(c, p), kind, id);
	raw_spin_unlock(&p->lock);
}

void tlob_monitor_name_irq(struct tlob_cpu *c, const char *name)
{
	struct tlob_place *p = c->place;

	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, current) && p->account->state == running_tlob)
		tlob_split_name_irq(&p->account->split, name);
	raw_spin_unlock(&p->lock);
}

/* In nmi context. */
void tlob_monitor_nmi(struct tlob_cpu *c, u64 ns, bool count)
{
	struct tlob_nmi *nmi = &c->task_nmi;

	if (READ_ONCE(c->awaited))
		tlob_away_nmi(&this_cpu_ptr(&tlob_turns)->away, ns);
	if (!c->monitored)
		return;
	nmi->ns += ns;
	nmi->count += count;
	if (ns > nmi->max)
		nmi->max = ns;
	WRITE_ONCE(c->nmi_entries, c->nmi_entries + 1);
}
