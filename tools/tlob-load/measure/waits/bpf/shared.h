/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF programs of `waits` and the tool share one variable, which the tool maps. Nothing in it
 * has a lock.
 *
 * A slot of `task`, `stack` or `copy` has one owner at a time:
 *
 *	task	programs, from the task's first sleep until they set
 *		TLOB_WAIT_EXITED; then the tool, which frees it
 *	stack	programs in the context of the task; then the tool, with the task
 *	copy	WAIT_COPY_WRITTEN: a program; WAIT_COPY_READY: the tool
 *
 * The tool makes no system call on a map meanwhile. While one is preempted, as it is on
 * PREEMPT_RT, the kernel skips all programs of kprobes on that CPU (bpf_disable_instrumentation()).
 *
 * The tool's reads of others' values may be a few ns apart, as long as programs run.
 */
#ifndef TLOB_WAITS_BPF_SHARED_H
#define TLOB_WAITS_BPF_SHARED_H

#define TLOB_SPLIT_BPF
#include "split.h"
#include "turns.h"
#include "backend/bpf/chain_nodes.h"
#include "backend/bpf/expiry.h"

#define WAIT_BPF_TASKS	8192	/* that exist, or exited since the last reading */
#define WAIT_BPF_STACKS	32768	/* theirs */
#define WAIT_BPF_COPIES	2048	/* that were not read yet */
#define WAIT_BPF_TRACES	8192	/* user stacks whose copy the tool has, or will get */
#define WAIT_BPF_PIDS	32
#define WAIT_BPF_CPUS	1024	/* a power of two */

enum wait_bpf_scope { WAIT_BPF_ALL, WAIT_BPF_LISTED, WAIT_BPF_CGROUP, WAIT_BPF_WATCHED };

/*
 * WAIT_BPF_WATCHED: the programs of attach share their maps `slots`, of watched threads, and
 * `longest_waits`, which has this for each slot. As a wait ends they say whether it is the longest one
 * in the thread's window so far. Then its stack is taken, before the thread runs.
 */
struct wait_bpf_longest {
	__u64	stack;			/* wait_bpf_stack.id; 0: none */
	__u32	wanted;			/* that of the wait that has just ended */
	__u32	reserved;
};

struct wait_bpf_task {
	__u64	id;			/* 0: free */
	__u64	start_ns;
	__u32	tid, tgid;
	__u32	flags;			/* TLOB_WAIT_KTHREAD, TLOB_WAIT_EXITED */
	__u32	longest_nr;		/* how often @longest has changed, times 2; odd while it does */
	__u64	asleep_ns;		/* since when; 0: does not sleep */
	__u64	waking_ns;		/* of the last wake-up */
	struct tlob_wait_waker waker;	/* of that */
	__u64	woken_chain;		/* what came before that, a node; 0: not known, or its own timer woke it */
	struct chain_ref longest;	/* of the longest wait over the threshold that no timer of its own ended */
	struct tlob_wait_total blocked, runnable;
	char	comm[TLOB_NAME_LEN];
};

/* The key of a stack. Two hashes of 64 bits: two stacks of a task never share both by chance. */
struct wait_bpf_key {
	__u64	task;			/* wait_bpf_task.id */
	__u64	kernel, user;		/* hashes of the frames, and of the code words */
};

struct wait_bpf_stack {
	__u64	id;			/* 0: free */
	struct wait_bpf_key key;
	__u32	slot;			/* of the task */
	__u32	copied;			/* the tool has, or will get, its copy */
	__u32	nr_kernel, nr_code;
	struct tlob_wait_total blocked;
	struct tlob_wait_waker waker;	/* of the longest */
	__u64	kernel[TLOB_WAIT_FRAMES];
	__u64	code[TLOB_WAIT_CODE];
};

enum { WAIT_COPY_FREE, WAIT_COPY_WRITTEN, WAIT_COPY_READY };

struct wait_bpf_copy {
	struct tlob_wait_copy copy;
	__u32	state;
	__u32	reserved;
};

/* A ring of slots that the tool gave back. It has room for all of them. */
struct wait_bpf_ring {
	__u64	put;			/* by the tool */
	__u64	taken;			/* by programs */
};

/* For chain.h and timers.h. Written on this CPU only. */
struct wait_bpf_cpu {
	__u64	chain_seq;		/* the number of the last node */
	__s32	in_irq;			/* the number of the irq that is served; of a vector the negative one */
	__u32	in_softirq;		/* the same, plus 1; 0: none, or not known */
	__u32	sent_by;		/* the task whose packet NET_RX has next, or now; 0: none */
	__u32	reserved;
	struct watch_timer expiring[2];	/* [1] in a hard irq, which may come while [0] expires */
	struct tlob_turns turns;	/* the lock of the CPU's run queue orders all access */
};

struct wait_bpf {
	/* Written by the tool before any program is attached; @on also at the end. */
	__u32	on;
	__u32	scope;			/* enum wait_bpf_scope */
	__u64	threshold_ns;
	__u64	schedule_start, schedule_end;	/* of __schedule() */
	__u64	sched_start, sched_end;		/* of all the scheduler's functions; 0: unknown */
	__u64	turns_valid;		/* since when each switch is noted */
	__u32	nr_pids;
	__s32	pid[WAIT_BPF_PIDS];
	/* Written by programs. */
	__u32	next_task, next_stack;	/* slots that were never used begin here */
	__u32	next_copy;
	__u32	claimed;		/* copies; the tool counts in @freed */
	__u64	last_id;
	__u64	lost_tasks, lost_stacks, unreadable, uncopied;
	__u64	unseen;			/* waits whose end the kernel did not report */
	struct wait_bpf_ring free_tasks, free_stacks;
	__u32	free_task[WAIT_BPF_TASKS];
	__u32	free_stack[WAIT_BPF_STACKS];
	struct wait_bpf_task task[WAIT_BPF_TASKS];
	struct wait_bpf_stack stack[WAIT_BPF_STACKS];
	struct wait_bpf_copy copy[WAIT_BPF_COPIES];
	__u64	trace[WAIT_BPF_TRACES];	/* hashes, each at one place: a newer one replaces it */
	__u32	freed;			/* written by the tool */
	__u64	chain_forgot;		/* tasks whose past made room for another one's */
	struct watch_clock clock[WATCH_CLOCKS]; /* any CPU writes them */
	struct wait_bpf_cpu cpu[WAIT_BPF_CPUS];
	/* never written: the verifier adds up the largest offset and the largest length */
	__u8	verifier[TLOB_WAIT_COPY_MAX];
};

#endif /* TLOB_WAITS_BPF_SHARED_H */
