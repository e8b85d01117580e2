// SPDX-License-Identifier: GPL-2.0
/*
 * The time that each task waited: from going to sleep to the wake-up, and
 * from there to running. waits.h has the rules.
 *
 * The hooks have probes of their own, so a system without waits pays nothing. At
 * the switch away a sleeper gets only the time. Whether the wait is worth a stack
 * is known at the switch back: the stack is still there, and is walked then.
 */
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <trace/events/sched.h>

#include "../base/probes.h"
#include "../split/automaton.h"
#include "sleepers.h"
#include "waits.h"

struct tlob_wait_config tlob_wait_config __read_mostly;

static bool tlob_wait_pid_listed(const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < tlob_wait_config.nr_pids; i++)
		if (tlob_wait_config.pid[i] == task->tgid ||
		    tlob_wait_config.pid[i] == task->pid)
			return true;
	return false;
}

/* Returns whether a wait of @task that begins now counts. */
static bool tlob_wait_wanted(struct task_struct *task)
{
	switch (tlob_wait_config.scope) {
	case TLOB_WAIT_ALL:
		return true;
	case TLOB_WAIT_WINDOWS:
		return (tlob_monitor_in_use() && tlob_wait_in_window(task)) ||
		       tlob_wait_in_run(task);
	case TLOB_WAIT_PIDS:
		return tlob_wait_pid_listed(task);
	case TLOB_WAIT_CGROUP:
		return tlob_cgroup_has(tlob_wait_config.cgroup, task);
	}
	return false;
}

static void tlob_wait_begins(struct task_struct *task, u64 now)
{
	struct tlob_wait_shard *shard = tlob_wait_shard(task);
	struct tlob_sleeper *s;

	raw_spin_lock(&shard->lock);
	s = tlob_sleeper_find(shard, task);
	if (s) {
		s->asleep_ns = now;
		/* execve() changes both */
		s->tid = task->pid;
		memcpy(s->comm, task->comm, sizeof(s->comm));
	}
	raw_spin_unlock(&shard->lock);
	if (unlikely(!s))
		tlob_sleeper_make(task, now);
}

/*
 * Ends the wait of @s. Under shard->lock. Returns true if the wait needs a stack, and
 * fills @w. Fills @longest if windows may want to know it.
 *
 * A wake-up may be on its way while its task goes to sleep: then its time is
 * before asleep_ns, or it is missing. Such a wait took no time.
 */
static bool tlob_wait_ends(struct tlob_sleeper *s, u64 now, struct tlob_wait_work *w,
			   struct tlob_longest *longest)
{
	u64 blocked = 0, since = s->asleep_ns;

	s->asleep_ns = 0;
	if (s->waking_ns >= since)
		blocked = s->waking_ns - since;
	else
		memset(&s->waker, 0, sizeof(s->waker));
	since += blocked;
	tlob_wait_total_add(&s->blocked, blocked);
	/* another CPU's clock may be a little ahead of this one's */
	tlob_wait_total_add(&s->runnable, now > since ? now - since : 0);
	if (tlob_monitor_in_use() || tlob_wait_in_run(s->task))
		*longest = (struct tlob_longest){ .ns = blocked, .waker = s->waker };
	if (blocked < tlob_wait_config.threshold_ns)
		return false;
	w->blocked = (struct tlob_wait_total){ 1, blocked, blocked };
	w->waker = s->waker;
	w->key.task = s->id;
	return true;
}

/*
 * Walks the stack of @task, which this CPU is about to run. The user part comes
 * on the task's way to user mode; a task that never goes there gets no stack. Until then
 * the instruction pointer stands for it.
 */
static noinline void
tlob_wait_walk(struct task_struct *task, struct tlob_wait_work *w,
	       struct tlob_longest *longest)
{
	bool user = task->mm && !(task->flags & TLOB_PF_NEVER_USER);
	const struct tlob_wait_work *owed;

	w->user = tlob_task_user(task);
	w->key.nr_kernel = tlob_stack_of(task, (unsigned long *)w->key.frame,
					 TLOB_WAIT_FRAMES);
	w->key.nr_code = user;
	if (user) {
		w->key.frame[w->key.nr_kernel] =
			instruction_pointer(task_pt_regs(task));
		owed = tlob_wait_owe(task, w);
		if (owed) {
			longest->owed = owed->serial;
			return;
		}
		atomic64_inc(&tlob_wait_count.unreadable);
	}
	tlob_wait_stack_note(w, NULL, false);
	longest->stack = w->id;
}

static void tlob_wait_runs(struct task_struct *task, u64 now)
{
	struct tlob_wait_shard *shard = tlob_wait_shard(task);
	/* no hook of a switch interrupts another one on its CPU */
	struct tlob_wait_work *w = this_cpu_ptr(tlob_wait_now);
	struct tlob_longest longest;
	struct tlob_sleeper *s;
	bool stack = false;

	longest.ns = 0;		/* the rest means nothing then */
	raw_spin_lock(&shard->lock);
	s = tlob_sleeper_find(shard, task);
	if (s && s->asleep_ns)
		stack = tlob_wait_ends(s, now, w, &longest);
	raw_spin_unlock(&shard->lock);
	if (unlikely(stack))
		tlob_wait_walk(task, w, &longest);
	if (likely(!longest.ns))
		return;
	if (tlob_monitor_in_use())
		tlob_wait_windows_add(task, &longest);
	if (tlob_wait_in_run(task))
		tlob_wait_run_add(&longest);
}

/* Returns whether @task goes to sleep. A dead task leaves its CPU for ever. */
static bool tlob_wait_sleeps(bool preempt, const struct task_struct *task,
			     unsigned int prev_state)
{
	unsigned int state = READ_ONCE(task->__state);

	return !(state & TASK_DEAD) &&
	       tlob_da_switch_out(preempt, prev_state, state) == sleep_tlob;
}

/* Under the run queue's lock, irqs off, on the CPU that switches. */
static void tlob_waits_switch(void *data, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	u64 now = tlob_clock();

	if (tlob_wait_sleeps(preempt, prev, prev_state) &&
	    tlob_wait_wanted(prev))
		tlob_wait_begins(prev, now);
	if (next->pid)
		tlob_wait_runs(next, now);
}

/*
 * In the waker's context, unlike sched_wakeup, and under the lock that
 * serialises wake-ups of @p. The task may still be on its way to sleep.
 */
static void tlob_waits_waking(void *data, struct task_struct *p)
{
	struct tlob_wait_shard *shard = tlob_wait_shard(p);
	struct tlob_sleeper *s;
	unsigned long flags;

	/* irqs are on if a task wakes itself, and then it does not sleep */
	raw_spin_lock_irqsave(&shard->lock, flags);
	s = tlob_sleeper_find(shard, p);
	if (s) {
		s->waking_ns = tlob_clock();
		tlob_waker_note(&s->waker);
	}
	raw_spin_unlock_irqrestore(&shard->lock, flags);
}

/* The last event of a task. Nothing but its statistics remains. */
static void tlob_waits_free_task(void *data, struct task_struct *p)
{
	tlob_sleeper_exits(p);
}

/*
 * The switch makes sleepers and begins waits. So it comes last: it relies on
 * the wake-up, without which a wait were time on the run queue, and on the end,
 * after which the task's address is another task's. It runs after the hooks of runs and of
 * the monitor: the stack that it takes makes no wait longer.
 */
static struct tlob_probe tlob_waits_probe[] = {
	TLOB_PROBE(sched_process_free, tlob_waits_free_task),
	TLOB_PROBE(sched_waking, tlob_waits_waking),
	{ .name = "sched_switch", .fn = TLOB_PROBE_OF(sched_switch, tlob_waits_switch),
	  .last = true },
};

struct tlob_probe_set tlob_waits_probes = {
	.probe = tlob_waits_probe,
	.probes = ARRAY_SIZE(tlob_waits_probe),
};
