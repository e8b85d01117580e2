// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of the scheduler, of irqs and of nmis: they charge the windows of a
 * task. monitor.h has the locks; places.h has the table.
 */
#include <linux/sched.h>

#include "../window/window.h"
#include "monitor_report.h"
#include "places.h"

u64 tlob_place_boundary(struct tlob_cpu *c, struct tlob_place *p)
{
	struct tlob_nmi nmi;
	u32 entries;
	u64 now;

	do {
		entries = READ_ONCE(c->nmi_entries);
		barrier();
		nmi = c->task_nmi;
		now = tlob_clock();
		barrier();
	} while (entries != READ_ONCE(c->nmi_entries));

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

void tlob_cpu_set_place(struct tlob_cpu *c, struct tlob_place *p)
{
	c->place = p;
	c->task_nmi_ns_taken = c->task_nmi.ns;
	c->task_nmi_count_taken = c->task_nmi.count;
	c->task_nmi.max = 0;
	/* an nmi that sees monitored must find an account that has begun */
	barrier();
	WRITE_ONCE(c->monitored, true);
}

/* Once for all windows of the task, which are in the same state. */
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

/* The task leaves this CPU. */
static void tlob_place_leaves(struct tlob_cpu *c, struct task_struct *prev,
			      bool blocked)
{
	struct tlob_place *p = c->place;

	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, prev))
		tlob_place_sched(p, tlob_place_boundary(c, p), blocked ?
				 sleep_tlob : preempt_tlob);
	raw_spin_unlock(&p->lock);
	WRITE_ONCE(c->monitored, false);
}

/* A context switch. Under the run queue's lock. */
void tlob_monitor_switch(struct tlob_cpu *c, struct task_struct *prev,
			 struct task_struct *next, bool blocked)
{
	struct tlob_place *p;

	if (c->monitored)
		tlob_place_leaves(c, prev, blocked);
	p = tlob_place_find(next);
	if (!p)
		return;
	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, next)) {
		tlob_cpu_set_place(c, p);
		tlob_place_sched(p, tlob_place_boundary(c, p), switch_in_tlob);
		tlob_account_after(p->account, prev->pid, prev->comm);
	}
	raw_spin_unlock(&p->lock);
}

/* @task becomes runnable and does not run here. Under its run queue's lock. */
void tlob_monitor_wakeup(struct task_struct *task)
{
	struct tlob_place *p = tlob_place_find(task);

	if (!p)
		return;
	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, task))
		tlob_place_sched(p, tlob_clock(), wakeup_tlob);
	raw_spin_unlock(&p->lock);
}

/* An irq or softirq begins on this CPU, whose current task has windows. */
void tlob_monitor_enter(struct tlob_cpu *c, unsigned int kind, s32 id,
			const char *name, bool lasting)
{
	struct tlob_place *p = c->place;

	raw_spin_lock(&p->lock);
	if (tlob_place_is_of(p, current) && p->account->state == running_tlob)
		tlob_account_enter(p->account, tlob_place_boundary(c, p), kind, id,
				   name, lasting);
	raw_spin_unlock(&p->lock);
}

void tlob_monitor_leave(struct tlob_cpu *c, unsigned int kind, s32 id)
{
	struct tlob_place *p = c->place;

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

	nmi->ns += ns;
	nmi->count += count;
	if (ns > nmi->max)
		nmi->max = ns;
	WRITE_ONCE(c->nmi_entries, c->nmi_entries + 1);
}
