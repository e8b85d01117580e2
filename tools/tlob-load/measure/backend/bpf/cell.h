/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The window of one CPU in memory that BPF programs and the measuring thread
 * share. Pure C: compiled for BPF, for the tool and for the unit tests. The
 * includer first defines
 *
 *	static __u64 tlob_cell_clock(void)	ns of CLOCK_MONOTONIC
 *	static __u64 tlob_cell_steal(const struct tlob_cell *)
 *						ns stolen from its CPU so far
 *
 * No lock and no system call: the thread is pinned, so a hook on its CPU runs
 * between two of its instructions, like a signal handler.
 *
 * - The thread arms a cell while `active` is 0. Hooks ignore it then.
 * - While it is 1, only hooks of this CPU move the cursor.
 * - At t2 the thread reads the clock, stores t2, then sets `begun`. The next
 *   hook applies it, or tlob_cell_end() if no hook comes. Hooks may have moved
 *   the cursor between the reading and the store. So what is applied is the
 *   latest of t2, the cursor and the end of the last nmi.
 * - At t3 the thread reads the clock, then clears `active`. The same rule
 *   applies. From there on the thread is alone again.
 *
 * So neither step needs a retry, and both are right if an event comes at any of
 * their instructions.
 *
 * Hooks of irqs have irqs off, and nothing but an nmi interrupts them. Hooks of
 * softirqs have irqs on: they set `busy`, and a hook that finds it set leaves
 * its event in a queue. An nmi only adds to an account of its phase. A wake-up
 * on another CPU leaves its time in a mailbox. The next boundary takes all
 * three.
 *
 * The steal clock only moves while the hypervisor has the CPU. A hook reads it if the last
 * boundary is long ago, and at t1. If it has moved since, its own clock is read once more, until
 * both stand still. The thread cannot read it. Only after a long time without a hook it asks
 * for it at t3.
 */
#ifndef TLOB_BACKEND_BPF_CELL_H
#define TLOB_BACKEND_BPF_CELL_H

#include "backend/bpf/cell_memory.h"
#include "backend/bpf/cell_calls.h"

/*
 * A function of its own. The verifier walks through a global one once, with any
 * cell, instead of once for each path to a call.
 */
#if defined(TLOB_BPF_OLDER) && defined(__bpf__)
/* A global one has no pointers: tlob_cell_here() finds the cell, and the name stands for it. */
#define TLOB_CELL_FUNCTION	static inline
#define TLOB_CELL_GLOBAL	__attribute__((noinline))
static inline struct tlob_cell *tlob_cell_here(void);
#elif defined(__bpf__)
#define TLOB_CELL_FUNCTION	TLOB_BPF_GLOBAL
#else
#define TLOB_CELL_FUNCTION	static __attribute__((noinline, unused))
#endif

/*
 * Splits what was stolen between t2 at @at and the boundary at @now. The way to user mode is
 * short: where all of it fits there, it was there, else the work lasted longer.
 */
static inline __u64 tlob_cell_hold_stolen(struct tlob_split *s, __u64 at, __u64 now)
{
	if (s->stolen_ns <= at - s->last)
		return 0;
	return tlob_split_hold_stolen(s, now > at ? now - at : 0);
}

/*
 * The mailbox. The lock of the CPU's run queue orders all wake-ups of the thread, so nobody writes while
 * somebody else does, and only the CPU itself empties it.
 */
#ifdef TLOB_BPF_OLDER
static inline __u64 tlob_cell_take_wakeup(struct tlob_cell *c)
{
	__u64 at = TLOB_CELL_ONCE(c->wakeup_ns);

	TLOB_CELL_ONCE(c->wakeup_ns) = 0;
	return at;
}

static inline void tlob_cell_put_wakeup(struct tlob_cell *c, __u64 now)
{
	if (!TLOB_CELL_ONCE(c->wakeup_ns))
		TLOB_CELL_ONCE(c->wakeup_ns) = now;
}
#else
static inline __u64 tlob_cell_take_wakeup(struct tlob_cell *c)
{
	return __sync_lock_test_and_set(&c->wakeup_ns, 0);
}

static inline void tlob_cell_put_wakeup(struct tlob_cell *c, __u64 now)
{
	__sync_val_compare_and_swap(&c->wakeup_ns, 0, now);
}
#endif

/* Applies a t2 that is not later than @now. */
TLOB_CELL_FUNCTION int tlob_cell_apply_t2(struct tlob_cell *c, __u64 now)
{
	struct tlob_calls *calls;
	struct tlob_split *s;
	__u64 at, held;

	/* a global function may get NULL, thinks the verifier */
	if (!c)
		return 0;
	s = &c->split;
	calls = TLOB_SPLIT_CALLS(s);
	at = tlob_cell_later(c->t2, s->last);
	at = tlob_cell_later(at, TLOB_CELL_ONCE(c->nmi[0].end));
	if (calls)
		at = tlob_cell_later(at, calls->wake_last);
	if (at > now)
		at = tlob_cell_later(now, s->last);
	tlob_cell_take_nmi(c, false);
	held = tlob_cell_hold_stolen(s, at, now);
	tlob_split_t2(s, at);
	tlob_split_stolen(s, held);
	c->t2 = s->last;
	/* an nmi looks at both: at no moment may it find neither */
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->begun) = 0;
	return 0;
}
#ifdef TLOB_CELL_GLOBAL
TLOB_CELL_GLOBAL int tlob_cell_apply_t2_here(__u64 now)
{
	return tlob_cell_apply_t2(tlob_cell_here(), now);
}
#define tlob_cell_apply_t2(c, now)	tlob_cell_apply_t2_here(now)
#endif

static inline void tlob_cell_apply(struct tlob_cell *c, __u64 now,
				   unsigned int what, unsigned int kind,
				   __s32 id)
{
	struct tlob_split *s = &c->split;

	switch (what) {
	case TLOB_CELL_ENTER:
		tlob_split_enter(s, now, kind, id, NULL, true);
		break;
	case TLOB_CELL_EXIT:
		tlob_split_exit(s, now, kind, id);
		break;
	case TLOB_CELL_T1:
		tlob_split_t1(s, now);
		c->t1 = s->last;
		/* the timer may have been started too late: irq_delay is a guess */
		if (!c->slept_at || c->slept_at > s->t0)
			s->errors++;
		break;
	}
}

/* The same where the kind of event is not known. */
TLOB_CELL_FUNCTION int tlob_cell_apply_any(struct tlob_cell *c, __u64 now, unsigned int what,
					   unsigned int kind, __s32 id)
{
	if (c)
		tlob_cell_apply(c, now, what, kind & (TLOB_NR_NOISE - 1), id);
	return 0;
}
#ifdef TLOB_CELL_GLOBAL
TLOB_CELL_GLOBAL int tlob_cell_apply_any_here(__u64 now, unsigned int what, unsigned int kind, __s32 id)
{
	return tlob_cell_apply_any(tlob_cell_here(), now, what, kind, id);
}
#define tlob_cell_apply_any(c, now, what, kind, id)	tlob_cell_apply_any_here(now, what, kind, id)
#endif

/* Applies the wake-up in the mailbox to a boundary at @now. */
static inline void tlob_cell_apply_wakeup(struct tlob_cell *c, __u64 now)
{
	__u64 wakeup = tlob_cell_take_wakeup(c), held;

	if (wakeup > now)
		wakeup = now;
	held = tlob_split_hold_stolen(&c->split, now - wakeup);
	if (wakeup)
		tlob_split_wakeup(&c->split, wakeup);
	tlob_split_stolen(&c->split, held);
}

TLOB_CELL_FUNCTION int tlob_cell_apply_queued(struct tlob_cell *c, unsigned int i)
{
	const struct tlob_cell_event *e;

	if (!c)
		return 0;
	e = &TLOB_SPLIT_AT(c->queue, i);
	tlob_cell_take_steal(c, e->steal);
	if (c->nmi[0].end <= e->at && !tlob_split_in_work(&c->split))
		tlob_cell_take_nmi(c, false);
	if (c->begun && e->at >= c->t2)
		tlob_cell_apply_t2(c, e->at);
	if (c->nmi[1].end <= e->at && tlob_split_in_work(&c->split))
		tlob_cell_take_nmi(c, true);
	/* the thread was woken before the event */
	if (c->wakeup_ns && c->wakeup_ns <= e->at)
		tlob_cell_apply_wakeup(c, e->at);
	return tlob_cell_apply_any(c, e->at, e->what, e->kind, e->id);
}
#ifdef TLOB_CELL_GLOBAL
TLOB_CELL_GLOBAL int tlob_cell_apply_queued_here(unsigned int i)
{
	return tlob_cell_apply_queued(tlob_cell_here(), i);
}
#define tlob_cell_apply_queued(c, i)	tlob_cell_apply_queued_here(i)
#endif

/* Hooks may add events meanwhile. What is left then waits for the next round. */
static inline void tlob_cell_drain(struct tlob_cell *c)
{
	unsigned int i;

	for (i = 0; i < TLOB_CELL_QUEUE; i++) {
		if (c->drained == TLOB_CELL_ONCE(c->queued))
			return;
		tlob_cell_apply_queued(c, c->drained);
		TLOB_CELL_ONCE(c->drained) = c->drained + 1;
	}
}

/* Takes all that waits for a boundary but the mailbox, and returns its time. */
TLOB_CELL_FUNCTION __u64 tlob_cell_round(struct tlob_cell *c)
{
	__u64 now, steal;

	if (!c)
		return 0;
	TLOB_CELL_ONCE(c->news) = 0;
	tlob_cell_barrier();
	tlob_cell_drain(c);
	steal = tlob_cell_steal(c);
	tlob_cell_barrier();
	/* an event that was left since has an earlier one: the next round takes both */
	if (c->drained == TLOB_CELL_ONCE(c->queued))
		tlob_cell_take_steal(c, steal);
	now = tlob_cell_clock();
	if (c->begun)
		tlob_cell_apply_t2(c, now);
	tlob_cell_take_nmi(c, tlob_split_in_work(&c->split));
	tlob_cell_barrier();
	return now;
}
#ifdef TLOB_CELL_GLOBAL
TLOB_CELL_GLOBAL __u64 tlob_cell_round_here(void)
{
	return tlob_cell_round(tlob_cell_here());
}
#define tlob_cell_round(c)	tlob_cell_round_here()
#endif

/* Returns the time of a boundary. Reads the clock again if news came meanwhile: they belong before it. */
TLOB_CELL_FUNCTION __u64 tlob_cell_settle(struct tlob_cell *c)
{
	unsigned int i;
	__u64 now = 0;

	if (!c)
		return 0;
	for (i = 0; i < TLOB_CELL_ROUNDS; i++) {
		now = tlob_cell_round(c);
		if (!TLOB_CELL_ONCE(c->news) && !tlob_cell_steal_moved(c))
			break;
	}
	if (i == TLOB_CELL_ROUNDS)
		c->lost++;
	if (c->wakeup_ns)
		tlob_cell_apply_wakeup(c, now);
	return now;
}
#ifdef TLOB_CELL_GLOBAL
TLOB_CELL_GLOBAL __u64 tlob_cell_settle_here(void)
{
	return tlob_cell_settle(tlob_cell_here());
}
#define tlob_cell_settle(c)	tlob_cell_settle_here()
#endif

/* Leaves an event for the hook that is busy, or for the next boundary. */
static inline void tlob_cell_defer(struct tlob_cell *c, __u64 now,
				   unsigned int what, unsigned int kind,
				   __s32 id)
{
	struct tlob_cell_event *e = &TLOB_SPLIT_AT(c->queue, c->queued);

	TLOB_CELL_ONCE(c->news) = 1;
	if (c->queued - c->drained >= TLOB_CELL_QUEUE) {
		c->lost++;
		return;
	}
	e->at = now;
	e->steal = tlob_cell_steal(c);
	e->id = id;
	e->kind = kind;
	e->what = what;
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->queued) = c->queued + 1;
}

/* An irq's event when the case is not plain. */
static inline void tlob_cell_slow(struct tlob_cell *c, unsigned int what, unsigned int kind, __s32 id)
{
	if (c->busy)
		tlob_cell_defer(c, tlob_cell_clock(), what, kind, id);
	else
		tlob_cell_apply_any(c, tlob_cell_settle(c), what, kind, id);
}

/* The stack of the task that leaves the CPU was taken: that time is the task's. */
static inline void tlob_cell_charge_thread(struct tlob_cell *c)
{
	if (!c->busy)
		tlob_split_charge_left(&c->split, tlob_cell_settle(c));
}

/* An irq begins. Irqs are off. */
static inline void tlob_cell_enter(struct tlob_cell *c, unsigned int kind,
				   __s32 id)
{
	__u64 now = tlob_cell_clock();

	c->interference++;
	tlob_cell_barrier();
	if (TLOB_CELL_ONCE(c->special) ||
	    !tlob_split_enter_plain(&c->split, now, kind, id, NULL, true))
		tlob_cell_slow(c, TLOB_CELL_ENTER, kind, id);
}

/* An irq ends. Irqs are off. */
static inline void tlob_cell_exit(struct tlob_cell *c, unsigned int kind,
				  __s32 id)
{
	__u64 now = tlob_cell_clock();

	c->interference++;
	tlob_cell_barrier();
	if (TLOB_CELL_ONCE(c->special) ||
	    !tlob_split_exit_plain(&c->split, now, kind, id))
		tlob_cell_slow(c, TLOB_CELL_EXIT, kind, id);
}

/* Any event with irqs on, and t1, whose irqs are on in a softirq. */
static inline void tlob_cell_open(struct tlob_cell *c, unsigned int what,
				  unsigned int kind, __s32 id)
{
	__u64 now;

	c->interference++;
	if (c->busy) {
		tlob_cell_defer(c, tlob_cell_clock(), what, kind, id);
		return;
	}
	TLOB_CELL_ONCE(c->busy) = 1;
	tlob_cell_barrier();
	now = tlob_cell_clock();
	tlob_cell_barrier();
	/* an event since busy was set is news too; what was stolen before t1 was so until then */
	if (TLOB_CELL_ONCE(c->news) || c->begun ||
	    (what == TLOB_CELL_T1 ? tlob_cell_steal_moved(c) : tlob_split_is_long(&c->split, now)))
		now = tlob_cell_settle(c);
	tlob_cell_apply(c, now, what, kind, id);
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->busy) = 0;
}

/*
 * A context switch. Irqs are off. @prev_name has TLOB_NAME_LEN bytes and is
 * aligned to 8.
 */
static inline void tlob_cell_switch(struct tlob_cell *c, __s32 prev,
				    const char *prev_name, bool blocked,
				    __s32 next)
{
	struct tlob_split *s = &c->split;
	__u64 now;

	c->interference++;
	/* what is not taken here may be taken for something after t0 */
	if (!s->fired && tlob_cell_steal_moved(c) && !c->busy)
		tlob_split_charge(s, tlob_cell_settle(c));
	if (tlob_split_switch_unfired(s, prev, next)) {
		if (prev == s->own || next == s->own)
			c->slept_at = prev == s->own && blocked ?
				      tlob_cell_clock() : 0;
		tlob_cell_calls_switch(c);
		return;
	}
	now = tlob_cell_clock();
	tlob_cell_barrier();
	if (!TLOB_CELL_ONCE(c->special) &&
	    tlob_split_switch_plain(s, now, prev, prev_name, blocked, next))
		return;
	/* a hook with irqs on was preempted: no cursor to move */
	if (c->busy) {
		c->lost++;
		return;
	}
	tlob_split_switch(s, tlob_cell_settle(c), prev, prev_name, blocked, next);
}

/*
 * The thread was woken by another task or an irq. @here: on its own CPU. There the wake-up is a
 * boundary, unless an earlier event still waits for one. Time after it is not sleep.
 */
static inline void tlob_cell_wakeup(struct tlob_cell *c, bool here)
{
	unsigned int i;
	__u64 now;

	if (c->split.base != TLOB_WORK_SLEEP)
		return;
	here = here && !c->busy && c->drained == TLOB_CELL_ONCE(c->queued) && !c->wakeup_ns;
	/* what was stolen until then must not be found after it */
	for (i = 0; here && i < TLOB_CELL_ROUNDS; i++) {
		tlob_cell_take_steal(c, tlob_cell_steal(c));
		tlob_cell_take_nmi(c, true);
		now = tlob_cell_clock();
		tlob_cell_barrier();
		if (TLOB_CELL_ONCE(c->nmi[1].ns) == c->nmi_ns_taken[1] && !tlob_cell_steal_moved(c)) {
			tlob_split_wakeup(&c->split, now);
			return;
		}
	}
	tlob_cell_put_wakeup(c, tlob_cell_clock());
	TLOB_CELL_ONCE(c->news) = 1;
}

/* An nmi ended. It may have interrupted any of these functions. */
static inline void tlob_cell_nmi(struct tlob_cell *c, __u64 ns, bool count)
{
	__u64 now = tlob_cell_clock(), t0 = c->split.t0;
	struct tlob_cell_nmi *nmi = &c->nmi[tlob_cell_in_work(c)];

	c->interference++;
	if (now <= t0)
		return;
	if (ns > now - t0)
		ns = now - t0;
	nmi->ns += ns;
	nmi->count += count;
	nmi->end = now;
	if (ns > nmi->max)
		nmi->max = ns;
	TLOB_CELL_ONCE(c->news) = 1;
}

/* The measuring thread arms the cell. It must not be active. */
static inline void tlob_cell_arm(struct tlob_cell *c, __u64 t0, __u64 budget,
				 __u64 activation)
{
	memset(c, 0, offsetof(struct tlob_cell, pid));
	c->deadline = t0 + budget + 1;
	tlob_late_arm(&c->times, t0, c->late_ns, c->over_ns);
	c->look_at = c->times.late_at;
	c->activation = activation;
	tlob_split_arm(&c->split, t0, t0, c->pid, false);
	if (c->steal_at)
		tlob_split_has_steal(&c->split);
	if (c->track)
		tlob_split_set_track(&c->split, c->track);
	if (c->calls)
		tlob_calls_begin(c->calls, &c->split, c->sets);
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->active) = 1;
}

/* The measuring thread runs: t2. */
static inline void tlob_cell_begin(struct tlob_cell *c)
{
	TLOB_CELL_ONCE(c->t2) = tlob_cell_clock();
	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->begun) = 1;
}

/*
 * The work is done. Returns t3; c->t1, c->t2 and c->split have the rest.
 */
static inline __u64 tlob_cell_end(struct tlob_cell *c)
{
	struct tlob_split *s = &c->split;
	__u64 now = tlob_cell_clock();

	tlob_cell_barrier();
	TLOB_CELL_ONCE(c->active) = 0;
	tlob_cell_barrier();
	tlob_cell_drain(c);
	tlob_cell_take_last_steal(c, now);
	if (c->begun)
		tlob_cell_apply_t2(c, now);
	tlob_cell_take_nmi(c, true);
	now = tlob_cell_later(now, s->last);
	now = tlob_cell_later(now, c->nmi[1].end);
	if (c->calls)
		now = tlob_cell_later(now, c->calls->last);
	tlob_split_t3(s, now);
	if (c->calls)
		tlob_calls_end(c->calls);
	s->errors += c->lost;
	return now;
}

/*
 * t1 - t0, after tlob_cell_end(). If no hook saw the timer expire, it is the whole wake-up: all of
 * it is irq_delay then, and 0 would pass for the best of latencies.
 */
static inline __u64 tlob_cell_irq_latency(const struct tlob_cell *c)
{
	return (c->split.fired ? c->t1 : c->t2) - c->split.t0;
}

#endif /* TLOB_BACKEND_BPF_CELL_H */
