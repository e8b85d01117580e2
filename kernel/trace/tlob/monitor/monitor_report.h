/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of windows over tasks: tracepoints, and the reactors of RV if the kernel has
 * it.
 */
#ifndef _TLOB_MONITOR_REPORT_H
#define _TLOB_MONITOR_REPORT_H

#include <linux/sched.h>
#include <linux/tlob.h>

#include "../split/automaton.h"

/*
 * Reports a violation of the monitor. @w has global pids. The caller holds no
 * lock of tlob-load.
 */
void tlob_report_task(const struct tlob_task_window *w);

/*
 * Report a transition of @task's window, and an event that its state does not
 * accept.
 */
void tlob_report_event(const struct task_struct *task, unsigned int state,
		       enum events_tlob event, unsigned int next);
void tlob_report_error(const struct task_struct *task, unsigned int state,
		       enum events_tlob event);

/* Maps enum tlob_task_part to the part of a split. */
extern const u8 tlob_task_part_of[TLOB_NR_TASK_PARTS];

#endif /* _TLOB_MONITOR_REPORT_H */
