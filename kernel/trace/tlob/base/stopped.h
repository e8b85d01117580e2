/* SPDX-License-Identifier: GPL-2.0 */
/* Tells a stop, by a signal or a debugger, and a freeze from a sleep of the task's own. */
#ifndef _TLOB_STOPPED_H
#define _TLOB_STOPPED_H

#include <linux/sched.h>

#include "../split/turns.h"

/*
 * Returns enum tlob_kept. @p leaves its CPU in @state. The freezer of a group leaves the task in an
 * interruptible sleep. The kernel also says frozen of tasks that are stopped, and of those that
 * wait for a child of vfork(), which a signal does not wake.
 */
static inline enum tlob_kept tlob_stopped(const struct task_struct *p, unsigned int state)
{
	if (state & (__TASK_STOPPED | __TASK_TRACED))
		return TLOB_KEPT_STOPPED;
#ifdef CONFIG_CGROUPS
	if (p->frozen && state & TASK_INTERRUPTIBLE)
		return TLOB_KEPT_FROZEN;
#endif
	return state & TASK_FROZEN ? TLOB_KEPT_FROZEN : TLOB_KEPT_NOT;
}

#endif /* _TLOB_STOPPED_H */
