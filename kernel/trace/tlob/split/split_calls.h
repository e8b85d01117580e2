/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of sets of functions in a window, and which of them each ns belongs
 * to. split_cursor.h includes this.
 *
 * The cursor charges a part; here the same ns go to the set of the active call.
 * So the times of all sets never add up to more than the part. A split with calls
 * has no plain case, as one with a track.
 *
 * Open calls are a list in the order of their entries, over all tasks and
 * interrupts of the CPU. A task that sleeps in one may return long after others
 * that began later, so any of them can be taken out. The key of a call says whose
 * it is: the task that runs by the cursor, and the level of its context. The active
 * call is the innermost one of what runs now:
 *
 *	in an irq or softirq	the last one that was entered in that context
 *	in a task		the task's last one
 *	measured task sleeps	that of the other task; without one, the call in
 *				which the measured task sleeps
 *	otherwise		none
 *
 * `none` is also a call, so charging has no branch. It has a set of its own behind
 * the others.
 *
 * A call inside of an active call of the same set has no entry: its time is that
 * of the outer one. So recursion takes no room, and its exit is not needed.
 *
 * An exit may never come: the task died, or the tracer lost it. Then a later
 * entry finds its call on a stack that is shorter now, or in a context that has
 * ended, and drops it.
 *
 * Calls stay open from window to window. Callers serialise like the callers of the
 * split; a return on another CPU, or where the lock of the split is taken, only sets
 * TLOB_CALL_LEFT.
 */
#ifndef _TLOB_SPLIT_CALLS_H
#define _TLOB_SPLIT_CALLS_H

#include "split_calls_list.h"

/*
 * Those with a loop that hooks of BPF call. A global function is verified once; but
 * none may be called under a lock, so there they are inline.
 */
#if !defined(__bpf__)
#define TLOB_CALLS_FUNCTION	static TLOB_NOINLINE void
#define TLOB_CALLS_INLINE	static inline void
#define TLOB_CALLS_NOT_NULL(condition)	do { } while (0)
#define TLOB_CALLS_DONE		do { } while (0)
#else
#ifdef TLOB_CALLS_LOCKED
#define TLOB_CALLS_FUNCTION	static inline int
#else
#define TLOB_CALLS_FUNCTION	TLOB_BPF_GLOBAL int
#endif
#define TLOB_CALLS_INLINE	TLOB_CALLS_FUNCTION
/* a global function may get NULL, thinks the verifier */
#define TLOB_CALLS_NOT_NULL(condition)	do { if (!(condition)) return 0; } while (0)
#define TLOB_CALLS_DONE		return 0
#endif

/*
 * Returns the innermost call of @pid if its level is at least @level, or none. All
 * calls of open interrupts are newer than calls of tasks.
 */
static inline struct tlob_call *tlob_calls_find(struct tlob_calls *c, __s32 pid,
						unsigned int level)
{
	struct tlob_call *call;
	tlob_call_ref next;
	__u32 round;

	tlob_calls_for_each(c, call, next, round) {
		if (tlob_call_is_gone(call))
			continue;
		if (tlob_call_level(call) < level)
			break;
		if (tlob_call_is_of(call, pid))
			return call;
	}
	return tlob_calls_none(c);
}

/* Finds the active call, after the cause of the current time has changed. */
TLOB_CALLS_FUNCTION tlob_calls_choose(struct tlob_calls *c,
				      const struct tlob_split *s)
{
	unsigned int level = TLOB_CALL_TASK;
	struct tlob_call *active;

	TLOB_CALLS_NOT_NULL(c && s);
	c->epoch++;
	if (s->depth)
		level = TLOB_SPLIT_AT(s->level, s->depth - 1).kind == TLOB_NOISE_SOFTIRQ ?
			TLOB_CALL_SOFTIRQ : TLOB_CALL_IRQ;
	active = tlob_calls_find(c, s->cur, level);
	if (active == tlob_calls_none(c) && s->base == TLOB_WORK_SLEEP && !s->depth)
		active = tlob_calls_find(c, s->own, level);
	c->active = tlob_call_reference(active);
	TLOB_CALLS_DONE;
}

/* An open call has its first time in this window. */
static TLOB_NOINLINE void tlob_calls_count(struct tlob_calls *c,
					   struct tlob_call *call)
{
	call->window = c->window;
	call->ns = 0;
	tlob_call_time(c, call)->calls++;
}

#ifndef TLOB_SPLIT_BPF
/*
 * The active call has returned, and its exit could not move the cursor: the time since
 * then belongs to the call around it, as that since the cursor does.
 */
static inline void tlob_calls_settle(struct tlob_calls *c, const struct tlob_split *s)
{
	if (tlob_call_is_gone(tlob_calls_active(c)))
		tlob_calls_choose(c, s);
}
#endif

/* @ns, not 0, of @cause belong to the active call. */
static inline void tlob_calls_charge(struct tlob_calls *c, unsigned int cause,
				     __u64 ns)
{
	struct tlob_call *call = tlob_calls_active(c);

	if (call->window != c->window)
		tlob_calls_count(c, call);
	call->ns += ns;
#ifdef TLOB_SPLIT_BPF
	cause = TLOB_SPLIT_MASK(cause, TLOB_SPLIT_PARTS);
	if (cause >= TLOB_NR_PARTS)
		return;
#endif
	tlob_call_time(c, call)->part_ns[cause] += ns;
}

#ifdef TLOB_SPLIT_BPF
/*
 * Charges the time from c->last to @now to @cause, but not the nmis of the phase and the
 * stolen time since the cursor, which took @nmi_ns.
 */
static inline void tlob_calls_until(struct tlob_calls *c, const struct tlob_split *s,
				    unsigned int cause, __u64 now, bool in_work,
				    __u64 nmi_ns)
{
	__u64 from = c->last > s->t0 ? c->last : s->t0, ns, nmi = 0;
	__u64 *taken = in_work ? &c->nmi_taken[1] : &c->nmi_taken[0];

	if (now <= from)
		return;
	ns = now - from;
	c->last = now;
	if (nmi_ns > *taken)
		nmi = nmi_ns - *taken;
	if (nmi > ns)
		nmi = ns;
	*taken += nmi;
	if (ns > nmi)
		tlob_calls_charge(c, cause, ns - nmi);
}

/* The cursor has moved: @ns to its cause, and @nmi_ns to nmis and the hypervisor. */
static inline void tlob_calls_moved(struct tlob_calls *c, const struct tlob_split *s,
				    __u64 ns, __u64 nmi_ns)
{
	(void)ns;
	tlob_calls_until(c, s, s->cause, s->last, tlob_split_in_work(s), nmi_ns);
	if (tlob_split_in_work(s))
		c->nmi_taken[1] = 0;
	else
		c->nmi_taken[0] = 0;
}
#else
/* The cursor has charged @ns to its cause. */
static inline void tlob_calls_moved(struct tlob_calls *c, const struct tlob_split *s,
				    __u64 ns, __u64 nmi_ns)
{
	(void)nmi_ns;
	tlob_calls_settle(c, s);
	if (ns)
		tlob_calls_charge(c, s->cause, ns);
}
#endif

static inline void tlob_calls_max(struct tlob_calls *c, const struct tlob_call *call)
{
	struct tlob_function_time *time = tlob_call_time(c, call);

	if (call->ns < time->max_ns)
		return;
	time->max_ns = call->ns;
	time->max_function = call->function;
}

/* Its exit does not come any more, or came on another CPU. */
static inline void tlob_calls_drop(struct tlob_calls *c, struct tlob_call *call)
{
	if (!tlob_call_is_gone(call)) {
		if (call->window == c->window) {
			tlob_call_time(c, call)->unreturned++;
			tlob_calls_max(c, call);
		}
		TLOB_SPLIT_AT(c->lost, call->key & 0xff)++;
	}
	tlob_calls_unlink(c, call);
}

/*
 * Starts a window in the cursor that was just armed, with the @sets first sets.
 * Calls that are open stay so.
 */
static inline void tlob_calls_begin(struct tlob_calls *c, struct tlob_split *s,
				    unsigned int sets)
{
	c->window++;
	tlob_calls_none(c)->window = c->window;
	memset(c->time, 0, sets * sizeof(c->time[0]));
#ifdef TLOB_SPLIT_BPF
	c->last = s->t0;
	c->wake_last = s->t0;
	c->nmi_taken[0] = 0;
	c->nmi_taken[1] = 0;
#endif
	s->calls = c;
	s->slow |= TLOB_SLOW_CALLS;
	tlob_calls_choose(c, s);
}

/*
 * Returns whether a call with @key at @sp is inside of an active one of its set. It is
 * counted then, and has no entry. Needs no clock.
 */
static inline bool tlob_calls_nested(struct tlob_calls *c, __u64 key, __u64 sp)
{
	struct tlob_call *call = tlob_calls_active(c);

	if (call->key != key || tlob_call_is_gone(call) || tlob_call_is_over(call, sp))
		return false;
	tlob_call_time(c, call)->calls += call->window == c->window;
	return true;
}

/* Drops the newest calls that must have ended: @key and @sp run now. */
static inline void tlob_calls_trim(struct tlob_calls *c, const struct tlob_split *s,
				   __u64 key, __u64 sp)
{
	struct tlob_call *active = tlob_calls_active(c), *call;
	__u32 round;

	tlob_calls_while_newest(c, call, round) {
		if (!tlob_call_is_gone(call) &&
		    tlob_call_level(call) <= (key >> 8 & 0xff) &&
		    (call->key >> 8 != key >> 8 || !tlob_call_is_over(call, sp)))
			break;
		tlob_calls_drop(c, call);
	}
	if (tlob_call_is_gone(active))
		tlob_calls_choose(c, s);
}

/* Takes the calls out that have returned on another CPU. */
static TLOB_NOINLINE void tlob_calls_reclaim(struct tlob_calls *c)
{
	struct tlob_call *call;
	tlob_call_ref next;
	__u32 round;

	tlob_calls_for_each(c, call, next, round)
		if (tlob_call_is_gone(call) && call != tlob_calls_active(c))
			tlob_calls_unlink(c, call);
}

/*
 * The cursor is at @now, and a call begins, inside of all others. Returns the
 * call, or NULL without room for it, or if the measured task waits for its window
 * in it.
 */
static inline struct tlob_call *tlob_calls_enter(struct tlob_calls *c,
						 const struct tlob_split *s,
						 __u64 now, __u64 key, __u64 sp,
						 __u64 function)
{
	struct tlob_call *call, *newest;

	/* how it waits for its window is up to the backend, and belongs to none */
	if (now < s->t0 && s->cur == s->own && (key >> 8 & 0xff) == TLOB_CALL_TASK)
		return NULL;
	if (c->newest)
		tlob_calls_trim(c, s, key, sp);
	if (!c->free)
		tlob_calls_reclaim(c);
	call = tlob_calls_at(c, c->free);
	if (!call) {
		TLOB_SPLIT_AT(c->full, key & 0xff)++;
		return NULL;
	}
	c->free = call->older;
	newest = tlob_calls_at(c, c->newest);
	call->older = c->newest;
	call->newer = TLOB_CALL_NOWHERE;
	if (newest)
		newest->newer = tlob_call_reference(call);
	c->newest = tlob_call_reference(call);
	call->key = key;
	call->sp = sp;
	call->ns = 0;
#ifndef TLOB_SPLIT_BPF
	call->time = &c->time[key & 0xff];
#endif
	call->outer = c->active;
	call->epoch = c->epoch;
	call->function = function;
	/* before t0 it is not of this window yet */
	call->window = c->window - (now < s->t0);
	tlob_call_time(c, call)->calls += now >= s->t0;
	c->serial += 2;
	call->serial = c->serial;
	c->active = tlob_call_reference(call);
	return call;
}

/* The call has returned; the cursor is at the end of it if a window is open. */
static inline void tlob_calls_leave(struct tlob_calls *c, const struct tlob_split *s,
				    struct tlob_call *call)
{
	if (call->window == c->window)
		tlob_calls_max(c, call);
	tlob_calls_unlink(c, call);
	if (c->active != tlob_call_reference(call))
		return;
	/* exits may come in the order of the entries: the fprobes of one function since 6.14 */
	if (call->epoch == c->epoch && !tlob_call_is_gone(tlob_calls_of(c, call->outer)))
		c->active = call->outer;
	else
		tlob_calls_choose(c, s);
}

/* After a context switch: no irq is open, so no call of one is. */
TLOB_CALLS_INLINE tlob_calls_switch(struct tlob_calls *c, const struct tlob_split *s)
{
	struct tlob_call *call;
	__u32 round;

	TLOB_CALLS_NOT_NULL(c && s);
	tlob_calls_while_newest(c, call, round) {
		if (!tlob_call_is_gone(call) &&
		    tlob_call_level(call) == TLOB_CALL_TASK)
			break;
		tlob_calls_drop(c, call);
	}
	tlob_calls_choose(c, s);
	TLOB_CALLS_DONE;
}

/* The task @pid is about to die. */
TLOB_CALLS_INLINE tlob_calls_exited(struct tlob_calls *c, const struct tlob_split *s,
				    __s32 pid)
{
	struct tlob_call *call;
	tlob_call_ref next;
	__u32 round;

	TLOB_CALLS_NOT_NULL(c && s);
	tlob_calls_for_each(c, call, next, round)
		if (tlob_call_is_of(call, pid))
			tlob_calls_drop(c, call);
	tlob_calls_choose(c, s);
	TLOB_CALLS_DONE;
}

/*
 * At t3: counts what is still open. From here on nothing changes the times, while
 * calls may still return.
 */
static inline void tlob_calls_end(struct tlob_calls *c)
{
	struct tlob_call *call;
	tlob_call_ref next;
	__u32 round;

	tlob_calls_for_each(c, call, next, round) {
		if (tlob_call_is_gone(call) || call->window != c->window)
			continue;
		tlob_call_time(c, call)->unreturned++;
		tlob_calls_max(c, call);
	}
	c->window++;
}

/* Copies the times of the @sets first sets of the window that has ended. */
static inline void tlob_calls_copy(struct tlob_functions *to,
				   const struct tlob_calls *c, unsigned int sets)
{
	to->version = TLOB_FUNCTIONS_VERSION;
	to->size = sizeof(*to);
	to->sets = sets;
	memcpy(to->set, c->time, sets * sizeof(to->set[0]));
}

#endif /* _TLOB_SPLIT_CALLS_H */
