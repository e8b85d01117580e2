/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The account of a window over a task on any CPU. Pure C: compiled in the
 * kernel and in the unit tests.
 *
 * It is the work phase of a split (split.h) without a wake phase: t0 = t2 = the
 * start. The automaton's state is its base:
 *
 *	running		TLOB_WORK_ON_CPU, or the irq, softirq or nmi that runs
 *	waiting		TLOB_WORK_THREAD
 *	sleeping	TLOB_WORK_SLEEP
 *
 * Invariants, all tested:
 *
 * - At any moment the parts add up to the elapsed time, to the nanosecond.
 * - Only a running task can be interrupted. In waiting and sleeping, irqs and
 *   nmis are not events of this window.
 * - Only the CPU that the task runs on moves the cursor of a running task. The
 *   budget's timer may fire on any CPU. It reads by tlob_account_parts() and
 *   moves nothing. Otherwise an nmi that its CPU has not yet handed over would
 *   find its time already charged.
 * - The first caller that sees elapsed > budget gets FIRST; no other does.
 *
 * Events come from several CPUs in turn. The caller holds the window's lock and
 * reads the clock under it. A reading behind the cursor charges 0 and is
 * counted (split.steps). Events that cannot follow one another are counted
 * (split.errors) and change nothing.
 *
 * An account of zeros is a window that is not open.
 */
#ifndef _TLOB_ACCOUNT_H
#define _TLOB_ACCOUNT_H

#include "automaton.h"
#include "split.h"

/*
 * tlob_split.cur: the own task is 0, whatever its pid is. Another task has no calls of
 * functions here.
 */
#define TLOB_ACCOUNT_OTHER	(-1)

struct tlob_account {
	struct tlob_split split;
	__u64	budget;			/* ns */
	__u8	state;			/* enum states_tlob */
	__u8	before;			/* the previous state */
	bool	over;			/* the verdict was given */
};

enum tlob_verdict {
	TLOB_VERDICT_WITHIN,		/* elapsed <= budget */
	TLOB_VERDICT_FIRST,		/* over, found by this call: report */
	TLOB_VERDICT_KNOWN,		/* over, reported before */
};

static inline bool tlob_account_is_open(const struct tlob_account *a)
{
	return a->state != unmonitored_tlob;
}

/*
 * Returns the ns from the start until @now, or until the end of a window that
 * has ended.
 */
static inline __u64 tlob_account_elapsed(const struct tlob_account *a, __u64 now)
{
	const struct tlob_split *s = &a->split;

	return (tlob_account_is_open(a) && now > s->last ? now : s->last) - s->t0;
}

/* Returns the base of a split while the automaton is in @state. */
static inline unsigned int tlob_account_base(unsigned int state)
{
	switch (state) {
	case waiting_tlob:
		return TLOB_WORK_THREAD;
	case sleeping_tlob:
		return TLOB_WORK_SLEEP;
	default:
		return TLOB_WORK_ON_CPU;
	}
}

/* Returns the next state. Counts and returns INVALID_STATE if there is none. */
static inline enum states_tlob tlob_account_next(struct tlob_account *a,
						 enum events_tlob event)
{
	enum states_tlob next = tlob_da_next(a->state, event);

	if (next == INVALID_STATE)
		a->split.errors++;
	return next;
}

/*
 * Opens the window at @now, in its task. @budget: ns. @moves: the source
 * reports durations. Returns false if a window is open, which then goes on.
 */
static inline bool tlob_account_start(struct tlob_account *a, __u64 now,
				      __u64 budget, bool moves)
{
	enum states_tlob next = tlob_account_next(a, start_tlob);
	struct tlob_split *s = &a->split;

	if (next == INVALID_STATE)
		return false;
	tlob_split_arm(s, now, now, 0, moves);
	tlob_split_set_phase(s, TLOB_PHASE_WORK);
	s->fired = true;
	tlob_split_set_base(s, tlob_account_base(next));
	a->budget = budget;
	a->over = false;
	a->state = next;
	return true;
}

/*
 * Handles switch_in, preempt, sleep or wakeup of the task. Returns false if the
 * state does not accept the event.
 */
static inline bool tlob_account_sched(struct tlob_account *a, __u64 now,
				      enum events_tlob event)
{
	enum states_tlob next = tlob_account_next(a, event);
	struct tlob_split *s = &a->split;

	if (next == INVALID_STATE)
		return false;
	/* a needless wakeup, possibly from another CPU */
	if (next == a->state)
		return true;
	tlob_split_charge(s, now);
	if (s->depth)
		tlob_split_unwind(s);
	if (a->state == running_tlob)
		s->switches++;
	s->segments = 0;	/* no irq runs across a switch */
	tlob_split_set_base(s, tlob_account_base(next));
	a->before = a->state;
	a->state = next;
	s->cur = next == running_tlob ? s->own : TLOB_ACCOUNT_OTHER;
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_switch(TLOB_SPLIT_CALLS(s), s);
	return true;
}

/*
 * A timer that expires in a thread may find that this thread has preempted the
 * task. If that happened after the end of the budget, the moment before the
 * preemption counts. Returns the state at that moment and stores its time in
 * *@now.
 */
static inline enum states_tlob tlob_account_due(const struct tlob_account *a,
						__u64 *now)
{
	const struct tlob_split *s = &a->split;

	if (a->state != waiting_tlob || s->last - s->t0 <= a->budget)
		return a->state;
	*now = s->last;
	return a->before;
}

/*
 * Returns whether the task runs and so can be interrupted. Counts an error
 * otherwise.
 */
static inline bool tlob_account_runs(struct tlob_account *a)
{
	if (a->state == running_tlob)
		return true;
	a->split.errors++;
	return false;
}

/*
 * Interruptions, as in a split. The CPU that the task runs on reports them. The
 * caller hands over the duration of an nmi before the event that follows it.
 */
static inline void tlob_account_enter(struct tlob_account *a, __u64 now,
				      unsigned int kind, __s32 id,
				      const char *name, bool lasting)
{
	if (tlob_account_runs(a))
		tlob_split_enter(&a->split, now, kind, id, name, lasting);
}

static inline void tlob_account_exit(struct tlob_account *a, __u64 now,
				     unsigned int kind, __s32 id)
{
	if (tlob_account_runs(a))
		tlob_split_exit(&a->split, now, kind, id);
}

static inline void tlob_account_move(struct tlob_account *a, __u64 now,
				     unsigned int kind, __s32 id,
				     const char *name, __u64 ns)
{
	if (tlob_account_runs(a))
		tlob_split_move(&a->split, now, kind, id, name, ns);
}

static inline void tlob_account_nmi(struct tlob_account *a, __u64 ns,
				    __u32 count, __u64 max)
{
	if (tlob_account_runs(a))
		tlob_split_nmi(&a->split, ns, count, max);
}

/*
 * Returns whether the budget is over at @now. The timer and the stop call this;
 * the lock orders them. A timer that comes after the stop finds no open window
 * and must test that before it calls this.
 */
static inline enum tlob_verdict tlob_account_verdict(struct tlob_account *a,
						     __u64 now)
{
	if (a->over)
		return TLOB_VERDICT_KNOWN;
	if (tlob_account_elapsed(a, now) <= a->budget ||
	    tlob_account_next(a, budget_expired_tlob) == INVALID_STATE)
		return TLOB_VERDICT_WITHIN;
	a->over = true;
	return TLOB_VERDICT_FIRST;
}

/*
 * Writes the parts so far, in ns, to @part[TLOB_NR_PARTS]. Those of the wake
 * phase are 0. The sum is tlob_account_elapsed() at the same @now. Moves
 * nothing.
 */
static inline void tlob_account_parts(const struct tlob_account *a, __u64 now,
				      __u64 *part)
{
	const struct tlob_split *s = &a->split;
	__u64 ns, nmi;

	memcpy(part, s->part, sizeof(*part) * TLOB_NR_PARTS);
	if (!tlob_account_is_open(a) || now <= s->last)
		return;
	ns = now - s->last;
	nmi = s->nmi_ns < ns ? s->nmi_ns : ns;
	part[TLOB_WORK_NMI] += nmi;
	part[s->cause] += ns - nmi;
}

/* Closes the window in any state. */
static inline void tlob_account_close(struct tlob_account *a, __u64 now)
{
	tlob_split_t3(&a->split, now);
	a->state = unmonitored_tlob;
}

/*
 * The task ends its window at @now, which also decides the verdict. A window
 * that ends within the budget stays within it. Returns false if the task has no
 * window or does not run.
 */
static inline bool tlob_account_stop(struct tlob_account *a, __u64 now,
				     enum tlob_verdict *verdict)
{
	if (tlob_account_next(a, stop_tlob) == INVALID_STATE)
		return false;
	*verdict = tlob_account_verdict(a, now);
	tlob_account_close(a, now);
	return true;
}

/*
 * Takes the window away from its task, in any state and without a new verdict.
 * Any CPU may call this, so an irq may be running on the task's CPU; its exit
 * is not reported. Returns false if there was no window.
 */
static inline bool tlob_account_reset(struct tlob_account *a, __u64 now)
{
	if (!tlob_account_is_open(a))
		return false;
	tlob_split_charge(&a->split, now);
	a->split.depth = 0;
	a->split.cur = a->split.own;
	tlob_split_set_cause(&a->split);
	tlob_account_close(a, now);
	return true;
}

#endif /* _TLOB_ACCOUNT_H */
