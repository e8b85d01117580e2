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

/* @task leaves its CPU for @next. A real-time task makes room for an ordinary one only if it must. */
static inline bool leaves_throttled(const void *task, const void *next)
{
	const struct task_struct___read *p = task, *n = next;

	return (p->prio >= 0 && p->prio < LIMITS_RT_PRIO && n->prio >= LIMITS_RT_PRIO) ||
	       task_throttled(task);
}

#endif /* TLOB_BACKEND_BPF_THROTTLED_H */
