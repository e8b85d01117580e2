/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a limit keeps a task that can run off the CPU, as in kernel/trace/tlob/base/throttled.h. Here
 * the scheduler's own structs say whether a group is throttled.
 */
#ifndef TLOB_BACKEND_BPF_THROTTLED_H
#define TLOB_BACKEND_BPF_THROTTLED_H

#include <bpf/bpf_core_read.h>

#include "backend/bpf/percpu.h"

#define LIMITS_RT_PRIO	100		/* MAX_RT_PRIO */

/*
 * @task was woken or leaves its CPU, and can run. Since 6.18 a task of a throttled group runs on to
 * user space, where it is taken off: until then the limit does not keep it.
 */
static inline bool task_throttled(const void *task)
{
	const struct task_struct___read *t = task;
	const struct cfs_rq___read *queue = NULL;

	if (BPF_CORE_READ_BITFIELD(t, dl.dl_throttled))
		return !BPF_CORE_READ_BITFIELD(t, dl.dl_yielded);
	/* of another class: a task that has left its group's keeps the mark of it */
	if (t->prio < LIMITS_RT_PRIO)
		return false;
	if (bpf_core_field_exists(t->throttled))
		return t->throttled;
	if (!bpf_core_field_exists(t->se.cfs_rq) ||
	    !bpf_core_field_exists(queue->throttle_count))
		return false;
	queue = t->se.cfs_rq;
	return queue && queue->throttle_count > 0;
}

/*
 * How long the limit of @task's group has kept the group off @task's CPU so far, in ns of which only
 * differences mean something. They are 0 before 6.6, and for limits of other classes.
 */
static inline __u64 throttled_clock(const void *task)
{
	const struct task_struct___read *t = task;
	const struct cfs_rq___read *queue = NULL;
	__u64 ns, since;

	if (!bpf_core_field_exists(queue->throttled_clock_self_time) || t->prio < LIMITS_RT_PRIO)
		return 0;
	queue = t->se.cfs_rq;
	if (!queue)
		return 0;
	ns = queue->throttled_clock_self_time;
	since = queue->throttled_clock_self;
	/* it is kept off right now */
	return since ? ns + queue->rq->clock - since : ns;
}

/*
 * A task was throttled as its wait began at @from; its wait has ended at @now, and the clock above has
 * gone on by @ns. Returns when it could run again: then others had the CPU.
 */
static inline __u64 throttled_until(__u64 from, __u64 now, __u64 ns)
{
	return ns && from + ns < now ? from + ns : now;
}

/* @task leaves its CPU for @next. A real-time task makes room for an ordinary one only if it must. */
static inline bool leaves_throttled(const void *task, const void *next)
{
	const struct task_struct___read *p = task, *n = next;

	return (p->prio >= 0 && p->prio < LIMITS_RT_PRIO && n->prio >= LIMITS_RT_PRIO) ||
	       task_throttled(task);
}

#endif /* TLOB_BACKEND_BPF_THROTTLED_H */
