/* SPDX-License-Identifier: GPL-2.0 */
/* What is told of a window: tracepoints, and the reactors of RV in a kernel that has it. */
#ifndef _TLOB_REPORT_H
#define _TLOB_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/tlob.h>

#include "automaton.h"

/* A window that has outlived its budget. Times in ns. */
struct tlob_exceeded {
	unsigned int cpu;
	const char *comm;		/* TASK_COMM_LEN */
	pid_t	pid;
	u64	tag;			/* an activation's number, or the program's */
	bool	monitor;		/* a window of the monitor */
	u64	elapsed;
	u64	threshold;
	u32	switches;
	const char *state;
	u64	part[TLOB_NR_PARTS];	/* so far */
};

/* Once a violation, of either kind of window. Irqs as they are. */
void tlob_report_exceeded(const struct tlob_exceeded *x);

/* A window of the workload has ended. */
void tlob_report_window(const struct tlob_window *w);

/* The monitor's: @w with the global pids. No lock of ours is held. */
void tlob_report_task(const struct tlob_task_window *w);

/* A transition of @task's window, and an event that its state does not accept. */
void tlob_report_event(const struct task_struct *task, unsigned int state,
		       enum events_tlob event, unsigned int next);
void tlob_report_error(const struct task_struct *task, unsigned int state,
		       enum events_tlob event);

/* Which part of a split each enum tlob_task_part is. */
extern const u8 tlob_task_part_of[TLOB_NR_TASK_PARTS];

#endif /* _TLOB_REPORT_H */
