/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of windows: tracepoints. */
#ifndef _TLOB_REPORT_H
#define _TLOB_REPORT_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/tlob.h>

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

#endif /* _TLOB_REPORT_H */
