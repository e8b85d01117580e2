/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a cell holds, and what nmis and the steal clock add to it. cell.h says who may change what,
 * and what its includer defines first.
 */
#ifndef TLOB_BACKEND_BPF_CELL_MEMORY_H
#define TLOB_BACKEND_BPF_CELL_MEMORY_H

#define TLOB_SPLIT_BPF
#include "late_limit.h"
#include "split.h"
#include "backend/bpf/with.h"

#define TLOB_CELL_CPUS		1024	/* CPUs that have a cell */
#define TLOB_CELL_QUEUE		8	/* a power of two */
#define TLOB_CELL_ROUNDS	3	/* readings of the clock, until no event came */
#define TLOB_CELL_STACK		65536	/* the largest kernel stack of a task */

struct tlob_cell;
static inline __u64 tlob_cell_steal(const struct tlob_cell *c);

#define TLOB_CELL_ONCE(x)	(*(volatile __typeof__(x) *)&(x))
#define tlob_cell_barrier()	__asm__ volatile("" : : : "memory")

enum tlob_cell_what { TLOB_CELL_ENTER, TLOB_CELL_EXIT, TLOB_CELL_T1 };

struct tlob_cell_event {
	__u64	at;
	__u64	steal;			/* the steal clock then */
	__s32	id;
	__u8	kind;			/* enum tlob_noise_kind */
	__u8	what;			/* enum tlob_cell_what */
};

/* The nmis of a phase. Only nmis write it, and arming. */
struct tlob_cell_nmi {
	__u64	ns;
	__u64	max;
	__u64	end;			/* of the last one */
	__u32	count;
};

struct tlob_cell {
	__u8	active;			/* armed or in a window */
	__u8	exceeded;		/* the violation was reported */
	__u8	migrated;		/* the thread has left this CPU */
	__u8	met_user;		/* the timer's interrupt was late, in user code */
	/* Anything that the plain path of a hook cannot do. */
	union {
		struct {
			__u8	news;	/* of the queue, an nmi or the mailbox */
			__u8	busy;	/* a hook with irqs on moves the cursor */
			__u8	begun;	/* t2 waits for a hook */
		};
		__u32	special;
	};
	__u32	lost;			/* events that were not accounted for */
	__u32	queued, drained;	/* events since arming; the queue is between */
	__u64	interference;		/* changes at each event */
	__u64	t1, t2;
	__u64	slept_at;		/* the thread's last sleep before t1; 0: awake */
	__u64	wakeup_ns;		/* mailbox; any CPU; 0: empty */
	__u64	deadline;		/* t0 + budget + 1 */
	struct tlob_late_times times;
	__u64	look_at;		/* late_at, or 0: an interrupt was asked for */
	__u64	activation;
	__u64	nmi_ns_taken[2];
	__u32	nmi_count_taken[2];
	struct tlob_cell_nmi nmi[2];	/* [in work] */
	struct tlob_cell_event queue[TLOB_CELL_QUEUE];
	__u32	looked;			/* 1 << enum tlob_late_moment: stacks were taken; TLOB_LATE_LOOK */
	__s32	delayed_by_pid;
	char	delayed_by[TLOB_NAME_LEN];
	/* Not reset: who measures here. */
	__s32	pid;			/* in the initial pid namespace */
	__u64	stack, watch_stack;	/* the thread's kernel stack; the watcher's */
	struct tlob_track *track;	/* where the process has it mapped; NULL: none */
	struct tlob_calls *calls;	/* likewise */
	__u32	sets;			/* of functions */
	__u32	unqueued;		/* violations that found the queue full */
	__u64	steal_at;		/* the address of its CPU's steal clock; 0: none */
	__u64	steal;			/* that clock at the last boundary */
	__u64	steal_asked;		/* that clock when the thread asked for it */
	__u64	late_ns, over_ns;	/* of tlob_late_limit */
	__u64	timer;			/* scratch */
	struct tlob_split split;
} __attribute__((aligned(1024)));

_Static_assert(sizeof(struct tlob_cell) == 1024, "one cell has 1024 bytes");

/* A window over its budget, at the moment when it was: with the split so far. */
struct tlob_cell_violation {
	__u32	cpu;
	__s32	pid;
	__u64	activation;
	__u64	t0_ns, elapsed_ns;
	__u64	part_ns[TLOB_NR_PARTS];
	__u32	switches;
	__u8	base;			/* enum tlob_part */
	__u8	fired;
};

static inline bool tlob_cell_in_work(const struct tlob_cell *c)
{
	return tlob_split_in_work(&c->split) || TLOB_CELL_ONCE(c->begun);
}

/* The thread still waits for the CPU at @now, late. */
static inline bool tlob_cell_is_late(const struct tlob_cell *c, __u64 now)
{
	return c->split.fired && !tlob_cell_in_work(c) &&
	       tlob_late_waits(&c->times, c->split.t0, c->t1, now);
}

static inline __u64 tlob_cell_later(__u64 a, __u64 b)
{
	return a > b ? a : b;
}

/* Hands the nmis of phase @i to the split that the last boundary did not see. */
static inline void tlob_cell_take_nmi(struct tlob_cell *c, bool i)
{
	__u64 ns = TLOB_CELL_ONCE(c->nmi[i].ns);
	__u32 count = TLOB_CELL_ONCE(c->nmi[i].count);

	if (ns == c->nmi_ns_taken[i])
		return;
	/*
	 * The longest of the phase, which may be an earlier one: that one is the
	 * largest already.
	 */
	tlob_split_nmi(&c->split, ns - c->nmi_ns_taken[i],
		       count - c->nmi_count_taken[i],
		       TLOB_CELL_ONCE(c->nmi[i].max));
	c->nmi_ns_taken[i] = ns;
	c->nmi_count_taken[i] = count;
}

/*
 * Returns how far the steal clock is at @now, or was at the last boundary if nothing can have
 * been stolen since.
 */
static inline __u64 tlob_cell_steal_until(const struct tlob_cell *c, __u64 now)
{
	return tlob_split_is_long(&c->split, now) ? tlob_cell_steal(c) : c->steal;
}

static inline bool tlob_cell_steal_moved(const struct tlob_cell *c)
{
	return tlob_cell_steal(c) != c->steal;
}

/* Hands to the split what was stolen since the last boundary until the clock was @steal. */
static inline void tlob_cell_take_steal(struct tlob_cell *c, __u64 steal)
{
	tlob_split_stolen(&c->split, steal - c->steal);
	c->steal = steal;
}

/*
 * The same after t3, which was at @now. What was stolen in the time since then, while the
 * clock was asked for, is not the window's.
 */
static inline void tlob_cell_take_last_steal(struct tlob_cell *c, __u64 now)
{
	__u64 steal = tlob_cell_steal(c), ns = steal - c->steal;
	__u64 most = now > c->split.last ? now - c->split.last : 0;

	c->steal = steal;
	if (ns && tlob_cell_clock() - now < ns)
		tlob_split_stolen(&c->split, ns < most ? ns : most);
}

#endif /* TLOB_BACKEND_BPF_CELL_MEMORY_H */
