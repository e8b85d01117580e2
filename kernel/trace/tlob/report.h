/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reports of windows: tracepoints, and the reactors of RV if the kernel has it.
 */
#ifndef _TLOB_REPORT_H
#define _TLOB_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/tlob.h>

#include "automaton.h"

/* A window that has exceeded its budget. Times in ns. */
struct tlob_exceeded {
	unsigned int cpu;
	const char *comm;		/* TASK_COMM_LEN */
	pid_t	pid;
	u64	tag;			/* an activation's number, or the program's */
	bool	monitor;		/* is a window of the monitor */
	u64	elapsed;
	u64	threshold;
	u32	switches;
	const char *state;
	u64	part[TLOB_NR_PARTS];	/* so far */
};

/*
 * Reports a violation of either kind of window; called once per violation. Irqs
 * on or off.
 */
void tlob_report_exceeded(const struct tlob_exceeded *x);

/* Reports a window of the workload that has ended. */
void tlob_report_window(const struct tlob_window *w);

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

#endif /* _TLOB_REPORT_H */
