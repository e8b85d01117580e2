/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The split: charges every nanosecond of a window to exactly one part. Pure C:
 * compiled in the kernel, in the unit tests and, with TLOB_SPLIT_BPF, in BPF
 * programs and the user space that shares their memory.
 *
 * A cursor walks along one CPU. At every boundary, now - last is charged to the
 * cause that held since the last boundary, and last = now. So the parts add up
 * to the window by construction. A running split exists at any moment. No part
 * is computed as the rest of another.
 *
 * The cause is the innermost interruption. Without one it is the base:
 *
 *	before t1	IRQ_DELAY, whatever ran
 *	t1 ... t2	SCHED while idle or the own task is current, else THREAD
 *	t2 ... t3	ON_CPU, THREAD (runnable), SLEEP
 *
 * The cursor is armed before t0, when t0 is already known. Time before t0 is
 * not charged. So an irq or a section with irqs off that runs across t0 is cut
 * exactly there.
 *
 * Interruptions come in two ways:
 *
 * - A source with entry and exit events calls tlob_split_enter() and
 *   tlob_split_exit().
 * - A source that reports only a net duration at the end calls
 *   tlob_split_move(). That takes the duration out of the time charged since
 *   the last context switch, newest first.
 *
 * An nmi always comes as a duration, because its handler cannot touch a cursor
 * that it has interrupted. tlob_split_nmi() hands it to the next boundary.
 *
 * Time that the hypervisor has stolen is known when the next hook reads the steal clock.
 * tlob_split_stolen() hands it to that hook's boundary, which takes it out of the time since
 * the last one. It is part of no interruption, which is net of it. A hook needs to read that
 * clock only after a long stretch, which is never plain, and at t1.
 *
 * A function whose name ends in _plain does the same as the one without. It is
 * for the case that nothing is pending and nothing can be wrong. It tests all
 * of that first and changes nothing if it returns false. A hook calls the
 * _plain function inline, and the full one last and out of line. So the plain
 * case saves no registers.
 *
 * Every repair is counted. errors counts events that cannot follow one another.
 * adjusted sums the ns that were reported but could not be taken. steps counts
 * readings of the clock that went back.
 *
 * Callers serialise: in the kernel by working on their own CPU with irqs off.
 */
#ifndef _TLOB_SPLIT_H
#define _TLOB_SPLIT_H

#include "parts.h"
#include "split_cursor.h"

/*
 * Starts the cursor in the task @own, which waits for @t0. @moves: the source
 * reports durations. Resets everything else in @s.
 */
static inline void tlob_split_arm(struct tlob_split *s, __u64 now, __u64 t0,
				  __s32 own, bool moves)
{
	memset(s, 0, offsetof(struct tlob_split, level));
	/* before t0 only a source that moves durations needs to know how much */
	s->last = moves ? now : t0;
	s->t0 = t0;
	s->short_ns = TLOB_SHORT_ALWAYS;
	s->own = own;
	s->cur = own;
	s->moves = moves;
	if (moves)
		s->slow = TLOB_SLOW_MOVES | TLOB_SLOW_EARLY;
	tlob_split_set_phase(s, TLOB_PHASE_WAKE);
	tlob_split_set_base(s, TLOB_WAKE_IRQ_DELAY);
}

/*
 * Notes that @count nmis have ended since the last boundary. They took @ns
 * after t0; the longest took @max ns.
 */
static inline void tlob_split_nmi(struct tlob_split *s, __u64 ns, __u32 count,
				  __u64 max)
{
	s->nmi_ns += ns;
	if (ns)
		s->slow |= TLOB_SLOW_NMI;
	s->nmi_count += count;
	if (max > s->nmi_max)
		s->nmi_max = max;
}

/* After arming: there is a steal clock. */
static inline void tlob_split_has_steal(struct tlob_split *s)
{
	s->short_ns = TLOB_SHORT_NS;
}

/* Notes that the hypervisor has stolen @ns since the last boundary. */
static inline void tlob_split_stolen(struct tlob_split *s, __u64 ns)
{
	s->stolen_ns += ns;
	if (ns)
		s->slow |= TLOB_SLOW_STEAL;
}

/*
 * Two boundaries come at once. Leaves to the first what does not fit into the @ns before the
 * second one, and returns the rest, for tlob_split_stolen() after the first.
 */
static inline __u64 tlob_split_hold_stolen(struct tlob_split *s, __u64 ns)
{
	__u64 held = s->stolen_ns < ns ? s->stolen_ns : ns;

	if (ns <= s->short_ns)
		return 0;
	s->stolen_ns -= held;
	return held;
}

/*
 * An irq or softirq begins. @name must live until it ends. @lasting: @name
 * lives for ever and has TLOB_NAME_PAD behind it, like names of vectors and
 * softirqs. The name of an irq action does not last.
 */
static inline void tlob_split_enter(struct tlob_split *s, __u64 now,
				    unsigned int kind, __s32 id,
				    const char *name, bool lasting)
{
	struct tlob_level *l;

	tlob_split_charge(s, now);
	/* softirqs run below irqs and one at a time */
	if (s->depth && kind == TLOB_NOISE_SOFTIRQ)
		tlob_split_unwind(s);
	l = &TLOB_SPLIT_AT(s->level, s->depth);
	if (s->depth &&
	    (s->depth == TLOB_SPLIT_LEVELS ||
	     (TLOB_SPLIT_AT(s->level, s->depth - 1).kind == kind &&
	      TLOB_SPLIT_AT(s->level, s->depth - 1).id == id))) {
		s->errors++;
		return;
	}
	l->kind = kind;
	l->id = id;
	l->name = name;
	l->lasting = lasting;
	l->ns = 0;
	s->depth++;
	tlob_split_set_cause(s);
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_choose(TLOB_SPLIT_CALLS(s), s);
}

/*
 * The open irq turns out to be an IPI of a kind: it gets that name, which lasts.
 * Nothing if no irq is open, as on a CPU that was armed inside of it.
 */
static inline void tlob_split_name_irq(struct tlob_split *s, const char *name)
{
	struct tlob_level *l;

	if (!s->depth)
		return;
	l = &TLOB_SPLIT_AT(s->level, s->depth - 1);
	if (l->kind != TLOB_NOISE_IRQ)
		return;
	l->name = name;
	l->lasting = true;
}

/* Returns the number of levels up to the innermost one of @kind and @id, or 0. */
static inline unsigned int tlob_split_find(const struct tlob_split *s,
					   unsigned int kind, __s32 id)
{
	unsigned int i;
#ifdef TLOB_SPLIT_BPF
	unsigned int n;

	/* the verifier of 6.1 sees no end of the other loop */
	for (i = 0, n = 0; n < TLOB_SPLIT_LEVELS && n < s->depth; n++)
		if (s->level[n].kind == kind && s->level[n].id == id)
			i = n + 1;
#else
	for (i = s->depth; i; i--)
		if (s->level[i - 1].kind == kind && s->level[i - 1].id == id)
			break;
#endif
	return i;
}

static inline void tlob_split_exit(struct tlob_split *s, __u64 now,
				   unsigned int kind, __s32 id)
{
	unsigned int i;

	tlob_split_charge(s, now);
	i = tlob_split_find(s, kind, id);
	if (!i) {
		s->errors++;
		return;
	}
	/* inner levels must have ended before */
	s->errors += s->depth - i;
	s->depth = i - 1;
	tlob_split_set_cause(s);
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_choose(TLOB_SPLIT_CALLS(s), s);
	tlob_split_noise(s, kind, id,
			 TLOB_SPLIT_NAME(TLOB_SPLIT_AT(s->level, i - 1).name),
			 TLOB_SPLIT_AT(s->level, i - 1).lasting,
			 TLOB_SPLIT_AT(s->level, i - 1).ns);
}

/*
 * An irq or softirq that took @ns net has just ended. The time before t0 is
 * taken from there and dropped. @name and @lasting as in tlob_split_enter().
 */
static inline void tlob_split_move(struct tlob_split *s, __u64 now,
				   unsigned int kind, __s32 id,
				   const char *name, bool lasting, __u64 ns)
{
	__u8 part = tlob_split_part(s, kind);
	__s64 last = tlob_split_charge_moves(s, now, part, ns);
	__u64 inside = 0;
	unsigned int i;

	if (last < 0) {
		tlob_split_charge(s, now);
	} else {
		ns -= last;
		inside = last;
	}
	for (i = s->segments; i && ns; i--) {
		struct tlob_segment *seg = &s->segment[i - 1];
		__u64 take = seg->ns < ns ? seg->ns : ns;

		seg->ns -= take;
		ns -= take;
		s->part[seg->cause] -= take;
		if (seg->cause == TLOB_SPLIT_OUTSIDE)
			continue;
		s->part[part] += take;
		inside += take;
	}
	s->adjusted += ns;
	tlob_split_noise(s, kind, id, name, lasting, inside);
}

/* Does the switch itself, with no level open. */
static inline void tlob_split_switched(struct tlob_split *s, __s32 prev,
				       bool blocked, __s32 next)
{
	s->cur = next;
	if (s->phase == TLOB_PHASE_WAKE) {
		if (!s->fired)
			return;
		s->base = !next || next == s->own ? TLOB_WAKE_SCHED :
						    TLOB_WAKE_THREAD;
	} else if (next == s->own) {
		s->base = TLOB_WORK_ON_CPU;
	} else if (prev == s->own) {
		s->switches++;
		s->base = blocked ? TLOB_WORK_SLEEP : TLOB_WORK_THREAD;
	}
	s->cause = s->base;
}

#ifdef __KERNEL__
#include <linux/sched.h>
#define TLOB_SPLIT_EXECS	(current->in_execve || current->exit_state)
#else
#define TLOB_SPLIT_EXECS	false
#endif

/*
 * The task that leaves the CPU is in execve(), where a thread takes the pid of its leader,
 * or is that leader, which has exited and gets the thread's. Of the own task that is an
 * error: its time is found by its pid.
 */
static inline bool tlob_split_renamed(const struct tlob_split *s)
{
	return TLOB_SPLIT_EXECS && s->cur != s->own;
}

/*
 * A context switch. @blocked: @prev went to sleep instead of being preempted.
 * @prev_name need not outlive the call.
 */
static inline void tlob_split_switch(struct tlob_split *s, __u64 now,
				     __s32 prev, const char *prev_name,
				     bool blocked, __s32 next)
{
	__u64 thread;

	tlob_split_charge(s, now);
	if (s->depth)
		tlob_split_unwind(s);
	if (prev != s->cur && !tlob_split_renamed(s))
		s->errors++;
	/* idle is not noise: the own task was woken but not yet picked */
	thread = s->part[TLOB_WAKE_THREAD] + s->part[TLOB_WORK_THREAD];
	if (prev)
		tlob_split_noise(s, TLOB_NOISE_THREAD, prev, prev_name, false,
				 thread - s->thread_ns);
	s->thread_ns = thread;
	s->segments = 0;	/* no irq runs across a switch */
	tlob_split_switched(s, prev, blocked, next);
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_switch(TLOB_SPLIT_CALLS(s), s);
}

/*
 * The own task became runnable at @at. Another CPU may have read that clock, so
 * @at may be behind the cursor, by a few ns at most.
 */
static inline void tlob_split_wakeup(struct tlob_split *s, __u64 at)
{
	__u64 fits = at > s->last ? at - s->last : 0, later = 0;

	if (s->base != TLOB_WORK_SLEEP)
		return;
	/* an nmi that does not fit before the wake-up came after it */
	if (s->nmi_ns > fits) {
		later = s->nmi_ns - fits;
		s->nmi_ns = fits;
	}
	if (at >= s->last)
		tlob_split_charge(s, at);
	else
		s->adjusted += s->last - at;
	s->nmi_ns += later;
	if (later)
		s->slow |= TLOB_SLOW_NMI;
	tlob_split_set_base(s, TLOB_WORK_THREAD);
	if (TLOB_SPLIT_CALLS(s))
		tlob_calls_choose(TLOB_SPLIT_CALLS(s), s);
}

/* The time since the switch belongs to the task that left the CPU, not to the one that gets it. */
static inline void tlob_split_charge_left(struct tlob_split *s, __u64 now)
{
	__u64 before = s->part[TLOB_WAKE_THREAD];

	s->cause = TLOB_WAKE_THREAD;
	tlob_split_charge(s, now);
	tlob_split_set_cause(s);
	s->thread_ns += s->part[TLOB_WAKE_THREAD] - before;
	s->segments = 0;	/* no irq runs across a switch */
}

/* The time since the last boundary belongs to what the open irq has met, if one is. */
static inline void tlob_split_charge_met(struct tlob_split *s, __u64 now)
{
	__u8 depth = s->depth;

	s->depth -= !!depth;
	tlob_split_set_cause(s);
	tlob_split_charge(s, now);
	s->depth = depth;
	tlob_split_set_cause(s);
}

/* Does tlob_split_enter() when only the base is interrupted. */
static __always_inline bool tlob_split_enter_plain(struct tlob_split *s, __u64 now,
						   unsigned int kind, __s32 id,
						   const char *name, bool lasting)
{
	struct tlob_level *l = s->level;
	__u64 ns;

	if (s->slow || s->depth || !tlob_split_since(s, &now, &ns))
		return false;
	TLOB_SPLIT_AT(s->part, s->cause) += ns;
	s->last = now;
	l->ns = 0;
	l->name = name;
	l->id = id;
	l->kind = kind;
	l->lasting = lasting;
	s->depth = 1;
	s->cause = tlob_split_part(s, kind);
	return true;
}

/*
 * Does tlob_split_exit() of the only open level. A name that must be copied is
 * not plain.
 */
static __always_inline bool tlob_split_exit_plain(struct tlob_split *s, __u64 now,
						  unsigned int kind, __s32 id)
{
	const struct tlob_level *l = s->level;
	__u64 last, ns;

	if (s->slow || s->depth != 1 || l->id != id || l->kind != kind ||
	    !tlob_split_since(s, &now, &last))
		return false;
	ns = l->ns + last;
	if (ns > s->largest.ns && !l->lasting)
		return false;
	TLOB_SPLIT_AT(s->part, s->cause) += last;
	s->last = now;
	s->depth = 0;
	s->cause = s->base;
	tlob_split_noise(s, kind, id, l->name, true, ns);
	return true;
}

/*
 * Does tlob_split_switch() before the timer has fired. The time belongs to
 * IRQ_DELAY whatever runs, so this needs no clock. The next boundary charges
 * it.
 */
static __always_inline bool tlob_split_switch_unfired(struct tlob_split *s, __s32 prev,
						      __s32 next)
{
	if (s->cause != TLOB_WAKE_IRQ_DELAY || s->cur != prev)
		return false;
	s->cur = next;
	return true;
}

/*
 * Returns whether no interruption is open and exactly @slow of enum tlob_slow is pending. @slow is
 * a constant: the compiler tests both with one load.
 */
static __always_inline bool tlob_split_only_base(const struct tlob_split *s, unsigned int slow)
{
	return (__u32)(s->slow | s->depth << 8) == slow;
}

/*
 * Does tlob_split_switch() at @now, which is @ns after the last boundary. The caller has found that
 * tlob_split_only_base() is true.
 */
static __always_inline void tlob_split_switch_base(struct tlob_split *s, __u64 now, __u64 ns,
						   __s32 prev, const char *prev_name,
						   bool blocked, __s32 next)
{
	__u64 thread;

	TLOB_SPLIT_AT(s->part, s->base) += ns;
	s->last = now;
	thread = s->part[TLOB_WAKE_THREAD] + s->part[TLOB_WORK_THREAD];
	ns = thread - s->thread_ns;
	if (ns) {
		s->thread_ns = thread;
		if (prev)
			s->count[tlob_split_in_work(s)][TLOB_NOISE_THREAD]++;
		if (prev && ns > s->largest.ns) {
			tlob_split_set_largest(s, TLOB_NOISE_THREAD, prev, ns);
			s->lasting_name = NULL;
			tlob_split_copy_comm(&s->largest, prev_name);
		}
	}
	tlob_split_switched(s, prev, blocked, next);
}

/*
 * Does tlob_split_switch() outside of interruptions. @prev_name has TLOB_NAME_LEN bytes. @slow
 * is what may be pending: 0 or TLOB_SLOW_MOVES.
 */
static __always_inline bool tlob_split_switch_short(struct tlob_split *s, __u64 now,
						    __s32 prev, const char *prev_name,
						    bool blocked, __s32 next,
						    unsigned int slow)
{
	__u64 ns;

	if (!tlob_split_only_base(s, slow) || s->cur != prev ||
	    !tlob_split_since(s, &now, &ns))
		return false;
	if (slow)
		s->segments = 0;
	tlob_split_switch_base(s, now, ns, prev, prev_name, blocked, next);
	return true;
}

static __always_inline bool tlob_split_switch_plain(struct tlob_split *s, __u64 now,
						    __s32 prev, const char *prev_name,
						    bool blocked, __s32 next)
{
	return tlob_split_switch_short(s, now, prev, prev_name, blocked, next, 0);
}

/* Does the same when the source reports durations, and no more is pending. */
static __always_inline bool tlob_split_switch_moves(struct tlob_split *s, __u64 now,
						    __s32 prev, const char *prev_name,
						    bool blocked, __s32 next)
{
	return tlob_split_switch_short(s, now, prev, prev_name, blocked, next,
				       TLOB_SLOW_MOVES);
}

/* The timer's handler runs. */
static inline void tlob_split_t1(struct tlob_split *s, __u64 now)
{
	if (now < s->t0) {
		s->steps++;
		now = s->t0;
	}
	tlob_split_charge(s, now);
	if (s->phase != TLOB_PHASE_WAKE || s->fired) {
		s->errors++;
		return;
	}
	s->fired = true;
	tlob_split_set_base(s, !s->cur || s->cur == s->own ?
			    TLOB_WAKE_SCHED : TLOB_WAKE_THREAD);
}

/* The own task runs in thread context. */
static inline void tlob_split_t2(struct tlob_split *s, __u64 now)
{
	tlob_split_charge(s, now);
	if (s->depth)
		tlob_split_unwind(s);
	if (s->phase != TLOB_PHASE_WAKE || !s->fired || s->cur != s->own)
		s->errors++;
	/* the source did not report the timer's own irq, so it is silent */
	if (s->moves && !s->count[0][TLOB_NOISE_IRQ])
		s->errors++;
	s->segments = 0;
	tlob_split_set_phase(s, TLOB_PHASE_WORK);
	tlob_split_set_base(s, TLOB_WORK_ON_CPU);
}

/* The work is done in thread context. */
static inline void tlob_split_t3(struct tlob_split *s, __u64 now)
{
	tlob_split_charge(s, now);
	if (s->depth)
		tlob_split_unwind(s);
	if (s->phase != TLOB_PHASE_WORK || s->cur != s->own)
		s->errors++;
	if (s->lasting_name) {
		memcpy(s->largest.name, s->lasting_name, TLOB_NAME_LEN - 1);
		s->largest.name[TLOB_NAME_LEN - 1] = 0;
	}
	s->phase = TLOB_PHASE_OFF;
}

/*
 * After t3: moves @ns of the work to HW, a gap of the hardware. What is known to be stolen
 * was such a gap as well.
 */
static inline void tlob_split_hw(struct tlob_split *s, __u64 ns)
{
	ns -= ns < s->part[TLOB_WORK_STEAL] ? ns : s->part[TLOB_WORK_STEAL];
	if (ns > s->part[TLOB_WORK_ON_CPU]) {
		s->adjusted += ns - s->part[TLOB_WORK_ON_CPU];
		ns = s->part[TLOB_WORK_ON_CPU];
	}
	s->part[TLOB_WORK_ON_CPU] -= ns;
	s->part[TLOB_WORK_HW] += ns;
}

/* Returns the sum of a phase's parts. Runs after each window, so it has no loop. */
#define TLOB_PART_ADD(PHASE, NAME, ...)					\
	+ ((TLOB_##PHASE##_##NAME >= TLOB_WORK_ON_CPU) == in_work ?	\
	   part[TLOB_##PHASE##_##NAME] : 0)
static inline __u64 tlob_split_sum(const __u64 *part, bool in_work)
{
	return 0 TLOB_PARTS(TLOB_PART_ADD);
}

#endif /* _TLOB_SPLIT_H */
