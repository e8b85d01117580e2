// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler's hooks. Every noise source needs them: they report which task
 * runs and which one was woken. They also see the measured task leave its CPU,
 * exec and exit.
 */
#include <linux/binfmts.h>
#include <linux/sched.h>
#include <trace/events/power.h>
#include <trace/events/sched.h>

#include "../base/throttled.h"
#include "../monitor/hooks.h"
#include "../window/extra.h"
#include "../window/late.h"
#include "noise.h"

/*
 * The state of power:cpu_idle at the exit; linux/cpuidle.h calls it
 * PWR_EVENT_EXIT.
 */
#define TLOB_IDLE_EXIT	((unsigned int)-1)

/* The measured task leaves its CPU in its window, and a limit may be why. */
static noinline void tlob_window_throttled(struct tlob_cpu *c, const struct task_struct *prev,
					   const struct task_struct *next)
{
	struct tlob_split *s;

	if (!tlob_throttled(prev, next))
		return;
	tlob_for_each_split(c, s)
		WRITE_ONCE(s->throttled, s->throttled || s->fired);
}

/*
 * Handles a switch before the timer has fired. Such a switch does not belong to the window.
 * Returns false if the general path must handle it, and then has changed nothing.
 */
static __always_inline bool tlob_unfired_switch(struct tlob_cpu *c,
						const struct task_struct *prev,
						const struct task_struct *next)
{
	struct tlob_split *s = c->split;

	if (s->cause != TLOB_WAKE_IRQ_DELAY)
		return false;
	/*
	 * Durations that are reported afterwards make each boundary slow; there
	 * are none yet. What was stolen before t0 must not be found after it.
	 */
	if (unlikely(s->slow) ? c->two || s->track || s->calls : tlob_steal_moved(c))
		return false;
	return tlob_split_switch_unfired(s, prev->pid, next->pid);
}

/*
 * Handles nearly every other switch inline. Returns false for the rest and then
 * has changed nothing. A call in it, also one that is rare, would save registers
 * each time. Nothing becomes slow between the first line and the last: an nmi
 * leaves news.
 */
static __always_inline bool tlob_plain_switch(struct tlob_cpu *c, bool preempt,
					      const struct task_struct *prev,
					      const struct task_struct *next,
					      unsigned int prev_state)
{
	struct tlob_split *s = c->split;
	u64 now, ns;

	/* with two sources the first reports durations, which is slow */
	if (unlikely(!tlob_split_only_base(s, 0)))
		return false;
	/* a limit may be why */
	if (unlikely(prev->pid == s->own && !tlob_blocked(preempt, prev, prev_state)))
		return false;
	if (!tlob_boundary_inline(c, &now))
		return false;
	ns = now - s->last;
	if (unlikely(ns > s->short_ns || s->cur != prev->pid))
		return false;
	tlob_split_switch_base(s, now, ns, prev->pid, prev->comm, true, next->pid);
	tlob_interfere(c);
	return true;
}

/* @prev may leave the CPU to the measured task, which waited too long for it. */
static noinline void tlob_late_switch(void *data, bool preempt,
				      struct task_struct *prev,
				      struct task_struct *next,
				      unsigned int prev_state)
{
	struct tlob_cpu *c = tlob_this_cpu();

	if (next == c->task && prev->pid)
		tlob_late_left(c, tlob_blocked(preempt, prev, prev_state));
}

static noinline void tlob_window_switch(void *data, bool preempt,
					struct task_struct *prev,
					struct task_struct *next,
					unsigned int prev_state)
{
	bool blocked = tlob_blocked(preempt, prev, prev_state);
	struct tlob_cpu *c = tlob_this_cpu();
	struct tlob_split *s;
	u64 now;

	if (unlikely(c->task == prev && !blocked))
		tlob_window_throttled(c, prev, next);
	tlob_interfere(c);
	now = tlob_boundary(c);
	/* the usual case when the source reports durations */
	if (c->two || !tlob_split_switch_moves(c->split, now, prev->pid, prev->comm,
					       blocked, next->pid))
		tlob_for_each_split(c, s)
			tlob_split_switch(s, now, prev->pid, prev->comm,
					  blocked, next->pid);
	/* what it called since sched_process_exit */
	if (unlikely(prev_state & TASK_DEAD))
		tlob_extra_exited(c, prev->pid);
	if (tlob_is_late(c))
		tlob_late_switch(data, preempt, prev, next, prev_state);
	/* the time until here is of @prev */
	if (unlikely(c->split[0].track))
		tlob_track_task(c->split[0].track, next->comm);
}

static noinline __noclone void tlob_both_switch(void *data, bool preempt,
						struct task_struct *prev,
						struct task_struct *next,
						unsigned int prev_state)
{
	tlob_window_switch(data, preempt, prev, next, prev_state);
	tlob_monitor_switch(data, preempt, prev, next, prev_state);
}

/* Takes the arguments of the hook unchanged, so that the hook moves none of them. */
static noinline __noclone void tlob_run_switch(void *data, bool preempt,
					       struct task_struct *prev,
					       struct task_struct *next,
					       unsigned int prev_state)
{
	struct tlob_cpu *c = tlob_this_cpu();

	if (!tlob_plain_switch(c, preempt, prev, next, prev_state))
		tlob_window_switch(data, preempt, prev, next, prev_state);
	else if (c->split->cause == TLOB_WAKE_SCHED && tlob_is_late(c))
		tlob_late_switch(data, preempt, prev, next, prev_state);
}

/* Under the rq's lock, irqs off, on the CPU that switches. */
static void tlob_sched_switch(void *data, bool preempt,
			      struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state)
{
	u32 watched = tlob_watched() | tlob_monitor_in_use();

	if (likely(!watched))
		return;
	if (watched == TLOB_ONLY_ACTIVE) {
		if (!tlob_unfired_switch(tlob_this_cpu(), prev, next))
			tlob_run_switch(data, preempt, prev, next, prev_state);
		return;
	}
	if (tlob_active())
		tlob_both_switch(data, preempt, prev, next, prev_state);
	else
		tlob_monitor_switch(data, preempt, prev, next, prev_state);
}

/*
 * Runs on the waker's CPU. Only the task's own CPU may move the cursor. So
 * another CPU leaves the time in the mailbox, where the first time counts. A
 * task that wakes itself does not sleep, and that path has irqs on.
 */
static noinline void tlob_wakeup(struct tlob_cpu *c)
{
	struct tlob_split *s;
	u64 now;

	if (c->cpu == raw_smp_processor_id()) {
		now = tlob_boundary(c);
		tlob_for_each_split(c, s)
			tlob_split_wakeup(s, now);
	} else {
		cmpxchg(&c->wakeup_ns, 0, tlob_clock());
		/* after the time, so a boundary in between looks once more */
		smp_store_release(&c->news, true);
	}
}

/* The wake-up at every expiry changes nothing, so it does not even call a function. */
static __always_inline bool tlob_wakeup_counts(const struct tlob_cpu *c)
{
	return c->cpu != raw_smp_processor_id() || c->split[0].base == TLOB_WORK_SLEEP;
}

static void tlob_sched_wakeup(void *data, struct task_struct *p)
{
	struct tlob_cpu *c = per_cpu_ptr(&tlob_cpus, task_cpu(p));

	if (unlikely(READ_ONCE(c->active)) && c->task == p && p != current) {
		/* it is not queued, or its group is not */
		if (unlikely(!tlob_rt_prio(p->prio)) && tlob_throttled(p, NULL))
			WRITE_ONCE(c->split[0].throttled, true);
		if (tlob_wakeup_counts(c))
			tlob_wakeup(c);
	}
	if (unlikely(tlob_monitor_in_use()) && p != current)
		tlob_monitor_wakeup(p);
}

/*
 * The task is about to leave its CPU. A CPU that is no longer active pushes its
 * tasks away. That means it goes offline, so it is not a migration.
 */
static void tlob_sched_migrate_task(void *data, struct task_struct *p,
				    int dest_cpu)
{
	struct tlob_cpu *c = per_cpu_ptr(&tlob_cpus, task_cpu(p));
	bool offline;

	/* not while it is woken: it is not queued, and no lock of a run queue is held */
	if (unlikely(tlob_monitor_in_use()) && READ_ONCE(p->on_rq))
		tlob_monitor_migrates(p);
	if (likely(c->task != p) || dest_cpu == c->cpu)
		return;
	offline = !cpu_active(c->cpu);
	/* before tlob_run_offline(), and before the task can report it */
	if (offline)
		WRITE_ONCE(c->gone, true);
	cmpxchg(&c->abort, TLOB_ABORT_NONE,
		offline ? TLOB_ABORT_DEAD : TLOB_ABORT_MIGRATED);
	WRITE_ONCE(c->active, false);
}

/*
 * Runs in the task that exits. A forked child may hold its file open for ever.
 */
static void tlob_sched_process_exit(TLOB_EXIT_PROTO)
{
	struct tlob_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&tlob_cpus);
	if (c->task == p)
		tlob_window_kill_local(c, TLOB_ABORT_DEAD);
	tlob_extra_exited(c, p->pid);
	local_irq_restore(flags);
	if (unlikely(tlob_monitor_in_use()))
		tlob_monitor_exited();
}

/* The current task, a thread, has got the pid of its leader by execve(). */
static noinline void tlob_window_renamed(pid_t from, pid_t to)
{
	struct tlob_split *s;
	unsigned long flags;
	struct tlob_cpu *c;

	local_irq_save(flags);
	c = tlob_this_cpu();
	if (READ_ONCE(c->active)) {
		tlob_for_each_split(c, s) {
			if (s->cur == from)
				s->cur = to;
			if (s->own == from)
				s->own = to;
		}
	}
	local_irq_restore(flags);
}

/*
 * Almost as perf, which also ends its events where root regains capabilities that it
 * had dropped. Newer kernels do not report that to modules.
 */
static void tlob_sched_process_exec(void *data, struct task_struct *p,
				    pid_t old_pid, struct linux_binprm *bprm)
{
	if (unlikely(old_pid != p->pid))
		tlob_window_renamed(old_pid, p->pid);
	if (unlikely(tlob_monitor_in_use()))
		tlob_monitor_exec(bprm->secureexec || bprm->interp_flags &
				  BINPRM_FLAGS_ENFORCE_NONDUMP);
}

/*
 * The idle state stays after the exit. An irq that ends idling with irqs off
 * runs after cpuidle has reported the exit, but still in the idle task.
 */
static void tlob_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	if (tlob_active() && state != TLOB_IDLE_EXIT)
		tlob_this_cpu()->idle_state = state;
}

static struct tlob_probe tlob_sched_probe[] = {
	TLOB_PROBE(sched_switch, tlob_sched_switch),
	TLOB_PROBE(sched_wakeup, tlob_sched_wakeup),
	TLOB_PROBE(sched_migrate_task, tlob_sched_migrate_task),
	TLOB_PROBE(sched_process_exit, tlob_sched_process_exit),
	TLOB_PROBE(sched_process_exec, tlob_sched_process_exec),
	TLOB_PROBE(cpu_idle, tlob_cpu_idle),
};

struct tlob_probe_set tlob_sched_probes = {
	.probe = tlob_sched_probe,
	.probes = ARRAY_SIZE(tlob_sched_probe),
};

/* Returns 0, or -EOPNOTSUPP if this kernel lacks one of the tracepoints. */
int tlob_sched_check(void)
{
	unsigned int i;

	/* cpu_idle, the last one, is optional: it only gives a name */
	for (i = 0; i + 1 < ARRAY_SIZE(tlob_sched_probe); i++) {
		if (tlob_sched_probe[i].tp)
			continue;
		pr_err("tlob_load: tracepoint %s is not in this kernel\n",
		       tlob_sched_probe[i].name);
		return -EOPNOTSUPP;
	}
	return 0;
}
