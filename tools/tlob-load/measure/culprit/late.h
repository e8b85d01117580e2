/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ran in the kernel when a window was late already: stacks of the CPU's tasks. Pure C, for BPF
 * and for the tool. A window that is in time has none, because a stack takes longer than a wake-up.
 */
#ifndef TLOB_CULPRIT_LATE_H
#define TLOB_CULPRIT_LATE_H

#include <linux/types.h>

#define TLOB_LATE_FRAMES	32
#define TLOB_LATE_LEAST_NS	50000	/* no window is late before */

enum tlob_late_moment {
	TLOB_LATE_MET,			/* the timer's interrupt came late: what it has met */
	TLOB_LATE_TICK,			/* an interrupt, while the thread waits for the CPU */
	TLOB_LATE_LEFT,			/* a task leaves the CPU to the thread */
	TLOB_NR_LATE,
};

/* Beside 1 << a moment: an interrupt was asked for, for TLOB_LATE_TICK. */
#define TLOB_LATE_LOOK		(1U << TLOB_NR_LATE)

#define TLOB_LATE_IDLE	(-1)

struct tlob_late_stack {
	__s64	size;			/* bytes of @frame; < 0: not known */
	__s64	call;			/* the task's system call; < 0: none, or not known */
	__s32	pid;			/* of the task, or TLOB_LATE_IDLE; 0: this moment has no stack */
	__u32	blocked;		/* it left because it waits for something */
	__u64	frame[TLOB_LATE_FRAMES]; /* the hook first */
};

struct tlob_late {
	struct tlob_late_stack at[TLOB_NR_LATE];
};

#endif /* TLOB_CULPRIT_LATE_H */
