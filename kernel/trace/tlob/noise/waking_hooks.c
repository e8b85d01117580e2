// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks of wake-ups, for watches of the monitor: who is woken, and by which timer.
 *
 * A task that sleeps until a time has a timer of its own, struct hrtimer_sleeper. Its handler
 * wakes the task. The hook of that handler's begin notes the task and the expiry, because
 * the handler clears the task before the wake-up.
 *
 * Only timers of CLOCK_MONOTONIC count. The expiry of another clock's timer is known by the
 * clock as it is now. If somebody has set it, or the machine was suspended, that is not
 * when the sleep was meant to end.
 */
#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <trace/events/sched.h>
#include <trace/events/timer.h>

#include "../monitor/hooks.h"
#include "noise.h"

/*
 * The handlers that run on a CPU, or zeros. A hard irq may come at any time, also between
 * two stores here. Its timers have a place of their own. In each of both contexts a CPU
 * runs one handler at a time.
 */
struct tlob_expiring {
	const struct task_struct *task;	/* only compared */
	const struct task_struct *by;	/* current in the handler; only compared */
	u64	expiry;			/* ns of CLOCK_MONOTONIC */
};

static DEFINE_PER_CPU(struct tlob_expiring, tlob_expiring[2]); /* [in a hard irq] */
/* The handler of all struct hrtimer_sleeper. */
static void *tlob_sleeper_handler __read_mostly;

static struct tlob_expiring *tlob_expiring_here(void)
{
	return raw_cpu_ptr(&tlob_expiring[!!in_hardirq()]);
}

/*
 * Irqs are off, or softirqs. On PREEMPT_RT another task may preempt the thread of softirqs after
 * its wake-up. It may wake the same task, which meanwhile ran elsewhere and sleeps again: the
 * expiry is only for wake-ups by the handler's own task.
 */
static void tlob_hrtimer_entry(void *data, struct hrtimer *hrtimer, TLOB_HRTIMER_NOW now)
{
	struct tlob_expiring *e = tlob_expiring_here();
	const struct hrtimer_sleeper *sleeper;

	if (ACCESS_PRIVATE(hrtimer, function) != tlob_sleeper_handler ||
	    hrtimer->base->clockid != CLOCK_MONOTONIC)
		return;
	sleeper = container_of(hrtimer, struct hrtimer_sleeper, timer);
	/* the task last: a task that preempts this finds all or none */
	WRITE_ONCE(e->by, current);
	WRITE_ONCE(e->expiry, ktime_to_ns(hrtimer_get_softexpires(hrtimer)));
	WRITE_ONCE(e->task, READ_ONCE(sleeper->task));
}

static void tlob_hrtimer_exit(void *data, struct hrtimer *hrtimer)
{
	struct tlob_expiring *e = tlob_expiring_here();

	if (READ_ONCE(e->task))
		WRITE_ONCE(e->task, NULL);
}

/*
 * In the waker's context, under the lock that serialises wake-ups of @p. Irqs are on if a
 * task wakes itself, and then it does not sleep.
 */
static void tlob_sched_waking(void *data, struct task_struct *p)
{
	const struct tlob_expiring *e;

	if (!tlob_may_be_watched(p))
		return;
	e = tlob_expiring_here();
	if (p != current)
		tlob_monitor_waking(p, unlikely(READ_ONCE(e->task) == p) &&
				    READ_ONCE(e->by) == current ?
				    READ_ONCE(e->expiry) : 0);
}

static struct tlob_probe tlob_waking_probe[] = {
	TLOB_PROBE(hrtimer_expire_exit, tlob_hrtimer_exit),
	TLOB_PROBE(hrtimer_expire_entry, tlob_hrtimer_entry),
	TLOB_PROBE(sched_waking, tlob_sched_waking),
};

struct tlob_probe_set tlob_waking_probes = {
	.probe = tlob_waking_probe,
	.probes = ARRAY_SIZE(tlob_waking_probe),
};

int tlob_waking_attach(void)
{
	int cpu;

	if (!tlob_waking_probe[ARRAY_SIZE(tlob_waking_probe) - 1].tp)
		return -EOPNOTSUPP;
	tlob_sleeper_handler = tlob_hrtimer_sleeper_handler();
	/* no probe runs; one that was detached in a handler has left its task here */
	if (!tlob_waking_probes.users)
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(&tlob_expiring[0], cpu), 0, sizeof(tlob_expiring));
	return tlob_probes_attach(&tlob_waking_probes, TLOB_FOR_MONITOR);
}
