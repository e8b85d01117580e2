/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The past of tasks, for the chain behind a wait: the BPF programs and the tool share it.
 *
 * A node is a stretch of time of one task. It does not change once it is made, until its place in the
 * ring of its CPU is used again. It has the node of what came before as its parent. A task that wakes
 * another one makes a node of the time since it was woken itself, and this is what came before for
 * the woken task. So the chain of a wait is there when the wait ends, and nothing changes it later.
 */
#ifndef TLOB_BACKEND_BPF_CHAIN_NODES_H
#define TLOB_BACKEND_BPF_CHAIN_NODES_H

#include <linux/tlob.h>

#define CHAIN_NODES	8192		/* of a CPU; a power of two */
#define CHAIN_TASKS	16384		/* whose past is known; the same */
#define CHAIN_CPU_SHIFT	48		/* of the id of a node; below is its number, from 1 on */
#define CHAIN_LEAST_NS	30000		/* a shorter wait for a CPU counts as time on it */

enum {
	CHAIN_RUN,			/* on a CPU */
	CHAIN_WAIT,			/* for a CPU */
	CHAIN_SLEEP,			/* until something else than a task woke it */
	CHAIN_TIMER_LATE,		/* its timer had expired */
	/* no chain leads to these; @parent is what came before */
	CHAIN_CAME,			/* to a CPU, at @to */
	CHAIN_LEFT,			/* its CPU */
};

/* What ended a CHAIN_SLEEP. */
enum {
	CHAIN_BY_TASK,			/* in no node: the task has one */
	CHAIN_BY_TIMER,
	CHAIN_BY_IRQ,			/* @other: its number; 0: not known */
	CHAIN_BY_SOFTIRQ,		/* the same; -1: not known */
	CHAIN_BY_NMI,
	CHAIN_BY_UNSEEN,		/* the kernel reported no wake-up */
};

#define CHAIN_THROTTLED	1		/* a limit kept it from running */
#define CHAIN_BLOCKED	2		/* no signal could end this sleep */
#define CHAIN_READY	4		/* CHAIN_LEFT: it can run */

struct chain_node {
	__u64	id;
	__u64	from, to;		/* ns */
	__u64	parent;			/* the id of the node that ends at @from; 0: not known */
	__u32	pid;
	__u8	type, by, flags, policy;
	__s32	prio;			/* as the kernel has it */
	__s32	other;			/* CHAIN_WAIT: who had the CPU longest */
	__u64	other_ns;		/* for how long; 0: not known who */
	__s32	other_prio;		/* of a task that is not known: CHAIN_NO_PRIO */
	__u32	other_policy;
	char	comm[TLOB_NAME_LEN];
	char	other_comm[TLOB_NAME_LEN];
};

#define CHAIN_NO_PRIO	1000

/* The chain behind a wait from @from until @to begins at the node @head; 0: there is none. */
struct chain_ref {
	__u64	head, from, to;
};

#endif /* TLOB_BACKEND_BPF_CHAIN_NODES_H */
