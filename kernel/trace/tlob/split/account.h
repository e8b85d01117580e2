/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The account of a task that has windows, on any CPU. Pure C: compiled in the
 * kernel and in the unit tests.
 *
 * It is the work phase of a split (split.h) without a wake phase: t0 = t2 = the
 * start. The automaton's state is its base:
 *
 *	running		TLOB_WORK_ON_CPU, or the irq, softirq or nmi that runs
 *	waiting		TLOB_WORK_THREAD
 *	sleeping	TLOB_WORK_SLEEP
 *
 * TLOB_WORK_STEAL is what the hypervisor took of the time of a CPU that the task ran on or
 * waited for.
 *
 * A task has one account, however many windows are open over it. A window keeps
 * what the sums were at its start. Its own are the differences. So an event
 * costs the same with one window and with hundreds, which the task's user may
 * open.
 *
 * A largest interruption is not a sum. The account keeps the largest since the
 * newest window began. Each older window keeps the largest from its own start to
 * that of the next newer window, and the maximum over it and all newer ones is
 * its result. A window that ends leaves its value to the next older one. When an
 * older window is read, for the first time since a newer one began, the values of
 * the newer ones are folded into it. Hundreds of windows whose budgets end at
 * the same moment are folded once. The newest window needs none of it, so windows
 * that end in the opposite order of their beginnings do not look at each other.
 *
 * Invariants, all tested:
 *
 * - At any moment the parts of each window add up to its elapsed time, to the
 *   nanosecond.
 * - Only a running task can be interrupted. In waiting and sleeping, irqs and
 *   nmis are not events of its windows. What they took of a wait for the CPU is
 *   known at its end.
 * - Only the CPU that the task runs on moves the cursor of a running task. The
 *   budget's timer may fire on any CPU, and any CPU may take a window away. They
 *   read by tlob_account_read() and move nothing. Otherwise an nmi that its CPU
 *   has not yet handed over would find its time already charged.
 * - The first caller that sees elapsed > budget gets FIRST; no other does.
 *
 * Events come from several CPUs in turn. The caller holds the lock of the task's
 * windows and reads the clock under it. A reading behind the cursor charges 0
 * and is counted (split.steps). Events that cannot follow one another are
 * counted (split.errors) and change nothing.
 *
 * An account of zeros has no window. A window of zeros is not open.
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

/* Times in ns. As sums of an account, or as what a window has of them. */
struct tlob_account_sums {
	__u64	part[TLOB_NR_PARTS];
	__u64	adjusted;
	__u32	count[TLOB_NR_NOISE];
	__u32	switches, steps, errors;
};

/*
 * The largest interruption of a time, and the task that had the CPU longest in one wait
 * for it. Not every reader may know other tasks, so they are apart.
 */
struct tlob_account_largest {
	struct tlob_noise noise;
	const char *lasting_name;	/* NULL: in noise.name */
	struct tlob_noise other;
};

struct tlob_account_window {
	struct tlob_account_window *newer, *older;	/* open windows of the task */
	__u64	t0, budget;		/* ns */
	bool	open;
	bool	over;			/* the verdict was given */
	struct tlob_account_sums start;	/* at t0 */
	struct tlob_account_largest largest; /* until newer->t0 */
};

struct tlob_account {
	struct tlob_split split;
	struct tlob_account_window *newest; /* NULL: no window is open */
	__u8	state;			/* enum states_tlob */
	__u8	before;			/* the previous state */
	bool	folded;			/* what windows have as their largest */
	__u8	kept;			/* enum tlob_kept: what it waits or sleeps for */
	__u64	waits_since;		/* ns; on its present CPU. While the state is waiting */
	__u64	away[TLOB_NOISE_THREAD]; /* of tlob_away.ns of the CPU that it waits for, then */
	__u64	away_stolen;		/* that CPU's steal clock then */
	struct tlob_noise other;	/* since the newest window began */
};

/* The sums of a window so far, and its largest interruption. */
struct tlob_account_record {
	__u64	elapsed;		/* ns, the sum of the parts */
	struct tlob_account_sums sums;
	struct tlob_noise largest, other;
};

enum tlob_verdict {
	TLOB_VERDICT_WITHIN,		/* elapsed <= budget */
	TLOB_VERDICT_FIRST,		/* over, found by this call: report */
	TLOB_VERDICT_KNOWN,		/* over, reported before */
};

/* Returns the ns from the start of @w, which is open, until @now. */
static inline __u64 tlob_account_elapsed(const struct tlob_account *a,
					 const struct tlob_account_window *w,
					 __u64 now)
{
	return (now > a->split.last ? now : a->split.last) - w->t0;
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

/* Drops open levels where none can be open, and chooses the active call anew. */
static inline void tlob_account_unwind(struct tlob_account *a)
{
	struct tlob_split *s = &a->split;

	if (!s->depth)
		return;
	tlob_split_unwind(s);
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_choose(TLOB_SPLIT_CALLS(s), s);
}

/* Does the charging part of a transition to @next. */
static inline void tlob_account_move_to(struct tlob_account *a, __u64 now,
					enum states_tlob next)
{
	struct tlob_split *s = &a->split;

	tlob_split_charge(s, now);
	if (s->depth)
		tlob_split_unwind(s);
	if (a->state == running_tlob)
		s->switches++;
	s->segments = 0;	/* no irq runs across a switch */
	tlob_split_set_base(s, tlob_account_base(next));
	a->before = a->state;
	a->state = next;
	if (next == waiting_tlob)
		a->waits_since = s->last;
	s->cur = next == running_tlob ? s->own : TLOB_ACCOUNT_OTHER;
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_switch(TLOB_SPLIT_CALLS(s), s);
}

/*
 * Handles switch_in, preempt, sleep or wakeup of the task. Returns false if the
 * state does not accept the event.
 */
static inline bool tlob_account_sched(struct tlob_account *a, __u64 now,
				      enum events_tlob event)
{
	enum states_tlob next = tlob_account_next(a, event);

	if (next == INVALID_STATE)
		return false;
	/* a needless wakeup, possibly from another CPU */
	if (next != a->state)
		tlob_account_move_to(a, now, next);
	return true;
}

/*
 * @longest had the CPU that the task waits for from a->waits_since until @now: see turns.h. The
 * wait is over, or continues on another CPU.
 */
static inline void tlob_account_waited(struct tlob_account *a, __u64 now,
				       const struct tlob_noise *longest)
{
	a->waits_since = now;
	if (longest->ns > a->other.ns)
		a->other = *longest;
}

/*
 * The wait that a boundary has just ended was @waited long. Of that the hypervisor took @stolen
 * since it began, and interrupts @ns, by kind: they had the CPU, not a task. They stay where
 * functions have their share of it.
 */
static inline void tlob_account_interrupted(struct tlob_account *a, __u64 waited, __u64 stolen,
					    const __u64 *ns)
{
	struct tlob_split *s = &a->split;
	unsigned int kind;
	__u64 took;

	if (TLOB_SPLIT_CALLS(s))
		return;
	/* some of it may have been stolen before */
	took = stolen < waited ? stolen : waited;
	waited -= took;
	s->part[TLOB_WORK_THREAD] -= took;
	s->part[TLOB_WORK_STEAL] += took;
	for (kind = 0; kind < TLOB_NOISE_THREAD; kind++) {
		took = ns[kind] < waited ? ns[kind] : waited;
		waited -= took;
		s->part[TLOB_WORK_THREAD] -= took;
		s->part[TLOB_WORK_IRQ + kind] += took;
	}
}

/* Starts the sums at @now with the first window of the task, which runs. */
static inline void tlob_account_begin(struct tlob_account *a, __u64 now)
{
	struct tlob_split *s = &a->split;

	tlob_split_arm(s, now, now, 0, false);
	tlob_split_has_steal(s);
	tlob_split_set_phase(s, TLOB_PHASE_WORK);
	s->fired = true;
	a->waits_since = now;
	memset(&a->other, 0, sizeof(a->other));
	a->kept = 0;
	a->state = running_tlob;
	tlob_split_set_base(s, TLOB_WORK_ON_CPU);
}

/* Writes the sums at @now. Those of the wake phase are 0. Moves nothing. */
static inline void tlob_account_sums(const struct tlob_account *a, __u64 now,
				     struct tlob_account_sums *sums)
{
	const struct tlob_split *s = &a->split;
	__u64 ns, nmi;

	memcpy(sums->part, s->part, sizeof(sums->part));
	memcpy(sums->count, s->count[1], sizeof(sums->count));
	sums->adjusted = s->adjusted;
	sums->switches = s->switches;
	sums->steps = s->steps;
	sums->errors = s->errors;
	if (now <= s->last)
		return;
	ns = now - s->last;
	nmi = s->nmi_ns < ns ? s->nmi_ns : ns;
	sums->part[TLOB_WORK_NMI] += nmi;
	sums->part[s->cause] += ns - nmi;
}

/* Moves the largest since the newest window began to @to. */
static inline void tlob_account_take_largest(struct tlob_account *a,
					     struct tlob_account_largest *to)
{
	struct tlob_split *s = &a->split;

	to->noise = s->largest;
	to->lasting_name = s->lasting_name;
	to->other = a->other;
	memset(&s->largest, 0, sizeof(s->largest));
	s->lasting_name = NULL;
	memset(&a->other, 0, sizeof(a->other));
}

/* Makes @w the newest window. It begins at the cursor; @budget: ns; @steps: before it. */
static inline void tlob_account_add(struct tlob_account *a,
				    struct tlob_account_window *w, __u64 budget,
				    __u32 steps)
{
	if (a->newest) {
		tlob_account_take_largest(a, &a->newest->largest);
		a->newest->newer = w;
	}
	w->older = a->newest;
	w->newer = NULL;
	a->newest = w;
	w->t0 = a->split.last;
	w->budget = budget;
	w->over = false;
	w->open = true;
	tlob_account_sums(a, w->t0, &w->start);
	/* a step back at this moment may leave it an nmi from before */
	w->start.steps = steps;
	a->folded = false;
}

/*
 * Opens the window @w at @now, in its task and outside of interrupts. @budget:
 * ns. An account that thinks otherwise has lost an event, which is counted.
 */
static inline void tlob_account_open(struct tlob_account *a,
				     struct tlob_account_window *w, __u64 now,
				     __u64 budget)
{
	struct tlob_split *s = &a->split;
	__u32 steps = a->newest ? s->steps : 0;

	if (!a->newest) {
		tlob_account_begin(a, now);
	} else if (a->state != running_tlob) {
		s->errors++;
		tlob_account_move_to(a, now, running_tlob);
	} else {
		tlob_split_charge(s, now);
		tlob_account_unwind(a);
	}
	tlob_account_add(a, w, budget, steps);
}

/*
 * A timer that expires in a thread may find that this thread has preempted the
 * task. If that happened after the end of the budget, the moment before the
 * preemption counts. Returns the state at that moment and stores its time in
 * *@now.
 */
static inline enum states_tlob tlob_account_due(const struct tlob_account *a,
						const struct tlob_account_window *w,
						__u64 *now)
{
	const struct tlob_split *s = &a->split;

	if (a->state != waiting_tlob || s->last - w->t0 <= w->budget)
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

static inline void tlob_account_nmi(struct tlob_account *a, __u64 ns,
				    __u32 count, __u64 max)
{
	if (tlob_account_runs(a))
		tlob_split_nmi(&a->split, ns, count, max);
}

/*
 * Returns whether the budget of @w is over at @now. The timer and the stop call
 * this; the lock orders them. A timer that comes after the stop finds a window
 * that is not open: it is judged no more.
 */
static inline enum tlob_verdict tlob_account_verdict(const struct tlob_account *a,
						     struct tlob_account_window *w,
						     __u64 now)
{
	if (w->over)
		return TLOB_VERDICT_KNOWN;
	if (!w->open || tlob_account_elapsed(a, w, now) <= w->budget)
		return TLOB_VERDICT_WITHIN;
	w->over = true;
	return TLOB_VERDICT_FIRST;
}

/* Adds @later to what came before it. Of equal ones the first counts, as in a split. */
static inline void tlob_account_add_later(struct tlob_account_largest *to,
					  const struct tlob_account_largest *later)
{
	if (later->noise.ns > to->noise.ns) {
		to->noise = later->noise;
		to->lasting_name = later->lasting_name;
	}
	if (later->other.ns > to->other.ns)
		to->other = later->other;
}

/* So that each window but the newest has all until the newest began. */
static inline void tlob_account_fold(struct tlob_account *a)
{
	struct tlob_account_window *w, *newer;

	/* the newest has no maximum of its own yet */
	for (newer = a->newest->older; newer && newer->older; newer = w) {
		w = newer->older;
		tlob_account_add_later(&w->largest, &newer->largest);
	}
	a->folded = true;
}

/* Finds the largest interruption since @w began, and the other task. */
static inline void tlob_account_find_largest(struct tlob_account *a,
					     const struct tlob_account_window *w,
					     struct tlob_account_record *r)
{
	struct tlob_account_largest now = {
		.noise = a->split.largest, .lasting_name = a->split.lasting_name,
		.other = a->other,
	}, all = now;

	if (w->newer) {
		if (!a->folded)
			tlob_account_fold(a);
		all = w->largest;
		tlob_account_add_later(&all, &now);
	}
	r->largest = all.noise;
	r->other = all.other;
	if (all.lasting_name) {
		memcpy(r->largest.name, all.lasting_name, TLOB_NAME_LEN - 1);
		r->largest.name[TLOB_NAME_LEN - 1] = 0;
	}
}

/*
 * Reads what @w, which is open, has had until @now. Does not move the cursor. The
 * parts add up to the elapsed time.
 */
static inline void tlob_account_read(struct tlob_account *a,
				     const struct tlob_account_window *w,
				     __u64 now, struct tlob_account_record *r)
{
	unsigned int i;

	tlob_account_sums(a, now, &r->sums);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		r->sums.part[i] -= w->start.part[i];
	for (i = 0; i < TLOB_NR_NOISE; i++)
		r->sums.count[i] -= w->start.count[i];
	r->sums.adjusted -= w->start.adjusted;
	r->sums.switches -= w->start.switches;
	r->sums.steps -= w->start.steps;
	r->sums.errors -= w->start.errors;
	r->elapsed = tlob_account_elapsed(a, w, now);
	tlob_account_find_largest(a, w, r);
}

/*
 * The task itself comes to the end of @w at @now. Counts an error and returns
 * false if the account thinks that the task does not run. A window that ends
 * within the budget stays within it: the caller asks for the verdict at @now.
 */
static inline bool tlob_account_stop(struct tlob_account *a, __u64 now)
{
	if (tlob_account_next(a, stop_tlob) == INVALID_STATE)
		return false;
	tlob_split_charge(&a->split, now);
	tlob_account_unwind(a);
	return true;
}

/* Leaves the largest interruption of @w to the next older window. */
static inline void tlob_account_leave_largest(struct tlob_account *a,
					      struct tlob_account_window *w)
{
	struct tlob_account_largest *older = &w->older->largest;
	struct tlob_split *s = &a->split;

	if (w->newer) {
		tlob_account_add_later(older, &w->largest);
		return;
	}
	/* the next older window becomes the newest, whose value the account keeps */
	if (older->noise.ns >= s->largest.ns) {
		s->largest = older->noise;
		s->lasting_name = older->lasting_name;
	}
	if (older->other.ns >= a->other.ns)
		a->other = older->other;
}

/*
 * Closes @w, in any state of its task and on any CPU. The cursor does not move,
 * so the other windows continue as if nothing had happened.
 */
static inline void tlob_account_close(struct tlob_account *a,
				      struct tlob_account_window *w)
{
	if (w->older) {
		tlob_account_leave_largest(a, w);
		w->older->newer = w->newer;
	}
	if (w->newer)
		w->newer->older = w->older;
	else
		a->newest = w->older;
	w->open = false;
	if (a->newest)
		return;
	a->split.phase = TLOB_PHASE_OFF;
	a->state = unmonitored_tlob;
}

#endif /* _TLOB_ACCOUNT_H */
