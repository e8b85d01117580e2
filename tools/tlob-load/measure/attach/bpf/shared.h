/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF programs of activations and the tool share one variable, which the tool maps. Nothing
 * in it has a lock.
 *
 * A slot of `task` belongs to programs while WATCH_ON: first to those on the CPU of the task's
 * switches, which the run queue's lock orders. They have irqs off. Wake-ups on other CPUs only
 * leave what they know in a mailbox; the switch that follows takes it. Once WATCH_GONE, the slot
 * belongs to the tool. Between two switches irqs on the task's CPU move the split.
 *
 * `record` is a ring. A program takes the next index if the tool has read that far, writes the
 * record, then says WATCH_READY. So records of a thread stay in order.
 *
 * The tool copies who delays an open activation. @changing says whether a switch has changed that
 * meanwhile.
 *
 * The thread of a region takes a slot itself, at its first start; one that comes later and is chosen,
 * as it leaves a CPU. The slots that are free are in a queue.
 *
 * With --key a window belongs to its key, not to a thread: attach/bpf/key.h.
 *
 * The programs for kernels before 5.18 have no atomics with a result: there the ring is a queue of
 * BPF, and so are the entries that are free, with their numbers plus 1.
 *
 * The stacks of a late activation are in an entry of `late`. A program takes one that is free, its
 * task keeps it until the record says which it is, and then it belongs to the tool, which frees it.
 */
#ifndef TLOB_ATTACH_BPF_SHARED_H
#define TLOB_ATTACH_BPF_SHARED_H

#define TLOB_SPLIT_BPF
#include "split.h"
#include "sleeps.h"
#include "turns.h"
#include "backend/bpf/chain_nodes.h"
#include "backend/bpf/expiry.h"
#include "result/activation.h"

#define WATCH_TASKS	1024		/* a power of two */
#define WATCH_HINTS	4096		/* the same */
#define WATCH_RECORDS	16384		/* the same */
#define WATCH_CPUS	1024		/* the same */
#define WATCH_LATE	128		/* the same */
#define WATCH_OTHERS	64		/* processes that are not watched */
#define WATCH_KEYS	4096		/* windows that are open at a time, with --key */

enum { WATCH_FREE, WATCH_ON, WATCH_GONE };

/* What the last switch has seen of a task. */
enum { WATCH_UNSEEN, WATCH_RESTS, WATCH_SLEEPS, WATCH_WAITS, WATCH_RUNS };

/* What a window has of a stretch of a thread's time: of the split, and of the sleeps in it. */
struct watch_stretch {
	__u64	part[TLOB_SPLIT_PARTS];
	__u32	count[2][TLOB_NR_NOISE];
	struct tlob_noise largest;
	__u64	adjusted;
	__u32	switches, steps, errors, reserved;
	__u64	longest_ns, lock_ns, longest_lock_ns;
	struct tlob_wait_waker longest_waker, lock_waker, lock_holder;
	struct chain_ref longest_chain, lock_chain;
};

struct watch_task {
	__u32	state;
	__u32	phase;
	__u32	tid;
	__u32	rested;			/* in the last sleep that a signal could end */
	__u32	sleep;			/* that one: enum tlob_sleep */
	__u32	call, call_stack;	/* as in struct tlob_task_activation */
	__u32	lock;			/* the present sleep is for one, inside of an activation */
	__u32	throttled;		/* it can run, but a limit keeps it off the CPU */
	__u32	stopped;		/* enum tlob_kept: the present sleep is no sleep of its own */
	__u64	throttled_ns;		/* throttled_clock() as that began, and then what it has gone on by */
	__u64	came_ns;		/* the last switch to it that was seen */
	__u64	left_ns;		/* the last switch away from it, or when the watch began */
	__u64	moved_ns;		/* the last move to another CPU while it waited for one */
	__u32	away_cpu;		/* for which it waits, and of which @away is, plus 1; 0: none */
	__u32	woken_in;		/* before 5.18: the state in which its last waker met it */
	__u64	away[TLOB_NOISE_THREAD]; /* of tlob_away.ns as the wait began */
	__u64	away_stolen;		/* that CPU's steal clock then */
	struct tlob_noise other;	/* who had that CPU longest; ns 0: nobody, or not known */
	/* the mailbox */
	__u64	waking_ns;		/* of the last wake-up */
	__u64	expiry_ns;		/* of the timer that made it, or 0 */
	__u64	stolen_ns;		/* of the delay of that timer */
	__u64	woken_chain;		/* the node of what came before the last wake-up; 0: not known */
	struct tlob_noise met;		/* the task that made this timer late, as in note_met(); kind 0: none */
	__u32	soft;			/* this timer expires in a softirq */
	__u32	rests;			/* an unseen task rested then */
	__u32	compat;			/* a 32-bit program; the tool's */
	__u32	tgid;			/* the tool's: programs have it in the task */
	struct tlob_wait_waker waking;
	/* the present activation, or the last one */
	__u32	open;
	__u32	ran;
	__u32	changing;		/* odd while a switch changes sleeps or holders */
	__u32	look_cpu;		/* TLOB_LATE_LOOK: the CPU that was asked for an interrupt */
	__u64	nr, wake_ns, timer_ns;
	struct tlob_cycle cycle;
	struct tlob_noise late;		/* @met, with timer_ns; or ns 0 */
	__u32	late_soft;		/* @soft, of the timer that woke it */
	__u64	longest_ns;		/* of its sleeps */
	__u64	lock_ns;		/* the sum of those for locks */
	__u64	longest_lock_ns;	/* of those for locks */
	struct tlob_wait_waker waker, longest_waker, lock_waker;
	struct chain_ref longest_chain, lock_chain;
	struct tlob_wait_waker holder;	/* of the lock of the present sleep; kind UNKNOWN: nobody known */
	struct tlob_wait_waker lock_holder; /* of the lock of the longest sleep for one */
	/* of a region */
	__u32	depth;			/* starts that no stop has met */
	__u32	reserved;
	__u64	sp;			/* the stack pointer of the first of these */
	/* with --key */
	__u32	key;			/* of the window that it began last, and has not left, plus 1; 0: none */
	__u32	anchored;		/* since its last stop it has begun to work: @anchor_ns */
	__u64	key_ns;			/* when that window began */
	__u64	anchor_ns;		/* its last start; or since its last stop it has worked */
	struct watch_stretch before;	/* from then until the present stretch began */
	__u64	elsewhere_ns;		/* of the window that ends: with no thread that is known */
	__u32	begun_by;		/* the thread that began that window */
	__u32	reserved_key;
	__u32	late_entry;		/* where its stacks are, plus 1; 0: nowhere */
	__u32	looked;			/* what it has: 1 << enum tlob_late_moment, TLOB_LATE_LOOK */
	__u64	looked_ns;		/* of the wait that ended at TLOB_LATE_LEFT */
	__u64	least_ns;		/* least time on a CPU of an activation; 0: none has ended */
	struct tlob_split split;
};

/* Written on this CPU only. */
struct watch_cpu {
	__u32	slot;			/* of the watched task that runs here, plus 1; 0: none */
	__u32	busy;			/* a hook with irqs on moves its split */
	__u32	skipped;		/* hooks that found it busy */
	__u32	adding;			/* a hook with irqs on changes turns.away */
	struct watch_timer expiring[2];	/* [1] in a hard irq, which may come while [0] expires */
	__u64	nmi_ns, nmi_max;	/* so far; since the last boundary. Only nmis add */
	__u64	nmi_ns_taken;
	__u32	nmi_count, nmi_count_taken;
	__u32	awaited;		/* a watched task may wait for this CPU; any CPU sets it */
	__u32	awaiter;		/* the tid of the last that began to */
	__u32	awaiting;		/* tasks with this CPU in @away_cpu; any CPU changes it */
	__u32	unseen;			/* irqs and softirqs of a watched task without a window begin or end */
	__u64	steal_at;		/* the address of its steal clock; 0: none */
	__u64	steal;			/* that clock at the last boundary */
	__u64	look_at;		/* from then on an interrupt looks who keeps it waiting */
	__u64	chain_seq;		/* the number of the last node */
	__s32	in_irq;			/* the number of the irq that is served; of a vector the negative one */
	__u32	in_softirq;		/* the same, plus 1; 0: none, or not known */
	__u32	sent_by;		/* the task whose packet NET_RX has next, or now, from a software device; 0: none */
	struct tlob_turns turns;	/* the lock of the CPU's run queue orders all access */
};

/* enum tlob_key; TLOB_KEY_NONE: windows belong to threads. */
struct watch_key_at {
	__u32	start, stop;
};

/* A key of any process: addresses are a process's own. */
struct watch_key_name {
	__u64	value;
	__u32	tgid, reserved;
};

/* A window that is open, of a key. */
struct watch_key {
	__u64	start_ns;		/* 0: it is free */
	__u64	sp;			/* the stack pointer at its start */
	__u64	until_ns;		/* until when its first thread has worked for it; 0: until now */
	__u32	tid, tgid;		/* that thread */
	__u32	slot;			/* of it */
	__u32	depth;			/* starts that no stop has met */
	__u32	rested;			/* that thread has rested since, or went on to something else */
	__u32	reserved;
	struct watch_stretch first;	/* what that thread had until then */
};

enum { WATCH_EMPTY, WATCH_READY };

struct watch_record {
	__u64	state;
	struct tlob_task_activation a;
	struct chain_ref chain;		/* of a.wait */
	__u32	late_entry, looked;	/* as in struct watch_task */
};

/* Whether the owner of a lock can be read, and by the kernel function bpf_rdonly_cast(). */
struct watch_holders {
	_Bool	known, cast;
};

struct watch_late {
	__u64	taken;
	struct tlob_late stacks;
};

/*
 * Which threads take a slot themselves. Of a name: @next has for each character the places of the
 * pattern that it passes, 1 << place; @stars the places of a *, and @end is the last place.
 */
struct watch_chosen {
	_Bool	on, rt, by_name, by_cgroup;
	__u32	own;			/* the tool */
	__u32	tgid;			/* 0: of any process */
	__u32	stars, end;
	__u32	next[256];
};

/* From the places that may come next, to those after the character @c: at first 1, at the end 1 << end. */
#define WATCH_NAME_STEP(chosen, at, c)	(((at) & (chosen).next[c]) << 1 | ((at) & (chosen).stars))

/* What of a region made no window. */
struct watch_region {
	__u64	nested;			/* starts inside of a window, deeper in the stack */
	__u64	left;			/* windows whose thread came to another start first, not deeper */
	__u64	unmatched;		/* stops without a start */
	__u64	before;			/* the same, of threads that may have begun before the watch */
	__u64	no_slot;		/* starts of threads, or of keys, that found none; or threads that did not */
	__u64	others;			/* stops of other processes */
};

struct watch_bpf {
	/* Written by the tool. */
	__u64	budget_ns;
	__u32	nr_until;
	__u32	restart, futex, clock_nanosleep, sched_yield; /* the numbers of these calls */
	__u32	until[TLOB_WATCH_UNTIL];
	__u64	tail;			/* records that were read */
	__u64	turns_valid;		/* since when each switch is noted */
	__u64	late_ns;		/* longer waits, for a CPU or for the timer, are looked at */
	__u64	began_ns;		/* a region: threads that are older may be inside of it */
	__u32	tgid;			/* a region: of this process; 0: of all */
	__u32	births;			/* threads that come take slots: of this process, or 1; 0: no scan has ended */
	/* Written by both. */
	__u32	hint[WATCH_HINTS];	/* watched tasks with this tid, modulo their number */
	/* Written by programs. */
	__u32	epoch, reserved;	/* how often threads came to another cgroup */
	__u64	next;			/* the index of the next record */
	__u64	dropped;
	__u64	unseen;			/* switches of watched tasks that the kernel did not report */
	__u64	next_late;
	__u64	chain_forgot;		/* tasks whose past made room for another one's */
	struct watch_clock clock[WATCH_CLOCKS]; /* any CPU writes them */
	struct watch_region region;
	struct watch_cpu cpu[WATCH_CPUS];
	struct watch_task task[WATCH_TASKS];
	struct watch_late late[WATCH_LATE];
	/* last: programs reach what is far from the begin by more instructions */
	__u32	judged[WATCH_HINTS];	/* threads that were found not to be chosen, by tid */
#ifndef TLOB_BPF_OLDER
	/* Linux 5.10 has no variables of more than 4 MiB; there the ring is a map of its own */
	struct watch_record record[WATCH_RECORDS];
#endif
};

#endif /* TLOB_ATTACH_BPF_SHARED_H */
