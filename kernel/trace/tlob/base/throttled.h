/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a limit keeps a task that can run off the CPU: the quota of its group, its own runtime
 * as a SCHED_DEADLINE task, RT throttling, or the fair server.
 */
#ifndef _TLOB_THROTTLED_H
#define _TLOB_THROTTLED_H

#include <linux/sched.h>
#include <linux/sched/rt.h>

#include "compat.h"

/* Unlike rt_prio() before 6.12 it excludes SCHED_DEADLINE, whose priority is -1. */
static inline bool tlob_rt_prio(int prio)
{
	return prio >= 0 && prio < MAX_RT_PRIO;
}

/* A group that is throttled is not queued in its parent, with the tasks in it that can run. */
static inline bool tlob_group_throttled(const struct task_struct *p)
{
#ifdef CONFIG_RT_GROUP_SCHED
	const struct sched_rt_entity *rt;
#endif
#ifdef CONFIG_FAIR_GROUP_SCHED
	const struct sched_entity *se;
#endif

#ifdef CONFIG_RT_GROUP_SCHED
	if (tlob_rt_prio(p->prio)) {
		for (rt = p->rt.parent; rt; rt = rt->parent)
			if (!rt->on_rq)
				return true;
		return false;
	}
#endif
	if (p->prio < MAX_RT_PRIO)
		return false;
	if (tlob_task_throttled(p))
		return true;
	/* a task of sched_ext, which no group queues */
	if (!p->se.on_rq)
		return false;
#ifdef CONFIG_FAIR_GROUP_SCHED
	for (se = p->se.parent; se; se = se->parent)
		if (!se->on_rq)
			return true;
#endif
	return false;
}

/*
 * @p can run, and leaves its CPU for @next; NULL: it was woken, and is queued. Under the
 * lock of its run queue.
 * A task that called sched_yield() waits because it asked to, not because of a limit.
 */
static inline bool tlob_throttled(const struct task_struct *p, const struct task_struct *next)
{
	if (p->dl.dl_throttled && !p->dl.dl_yielded)
		return true;
	/* a real-time task makes room for an ordinary one only where it must */
	if (next && tlob_rt_prio(p->prio) && next->prio >= MAX_RT_PRIO)
		return true;
	return tlob_group_throttled(p);
}

#endif /* _TLOB_THROTTLED_H */
