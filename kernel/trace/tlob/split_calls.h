/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of sets of functions in a window, and which of them each ns belongs
 * to. split_cursor.h includes this. BPF programs have none of it.
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
 * `none` is a call, too, so charging has no branch. It has a set of its own behind
 * the others.
 *
 * A call inside of an active call of the same set has no entry: its time is that
 * of the outer one. So recursion takes no room, and its exit is not needed.
 *
 * An exit may never come: the task died, or the tracer lost it. Then a later
 * entry finds its call on a stack that is shorter now, or in a context that has
 * ended, and drops it.
 *
 * Calls stay open from window to window. Callers serialise like those of the
 * split; only a return on another CPU sets TLOB_CALL_LEFT from there.
 */
#ifndef _TLOB_SPLIT_CALLS_H
#define _TLOB_SPLIT_CALLS_H

#define TLOB_CALLS		128
#define TLOB_CALL_LEFT		1ULL	/* of serial: it returned elsewhere */

#ifdef __KERNEL__
#include <linux/thread_info.h>
#define TLOB_CALL_SERIAL(call)	READ_ONCE((call)->serial)
#define TLOB_CALL_STACK		THREAD_SIZE
#else
#define TLOB_CALL_SERIAL(call)	((call)->serial)
#define TLOB_CALL_STACK		16384ULL
#endif

/* The context of a call, as interrupt_context_level() has it. */
enum tlob_call_level {
	TLOB_CALL_TASK,
	TLOB_CALL_SOFTIRQ,
	TLOB_CALL_IRQ,
};

struct tlob_call {
	__u64	serial;			/* even; 0: free */
	__u64	key;			/* tlob_call_key() */
	__u64	sp;			/* at the entry */
	__u64	ns;			/* in `window` */
	struct tlob_function_time *time; /* of its set */
	struct tlob_call *outer;	/* active before it; valid in `epoch` */
	struct tlob_call *older, *newer; /* open ones; older: free ones, too */
	__u64	function;
	__u32	window;			/* the last one that counted it */
	__u32	epoch;
};

struct tlob_calls {
	struct tlob_call *active;	/* never NULL */
	__u32	window;
	__u32	epoch;			/* changes with what runs */
	struct tlob_call *newest, *free;
	__u64	serial;
	__u64	full[TLOB_FUNCTION_SETS]; /* calls without room */
	__u64	lost[TLOB_FUNCTION_SETS]; /* calls whose exit never came */
	struct tlob_call none;
	struct tlob_function_time time[TLOB_FUNCTION_SETS + 1];
	struct tlob_call call[TLOB_CALLS];
};

static inline __u64 tlob_call_key(const struct tlob_split *s, unsigned int level,
				  unsigned int set)
{
	return (__u64)(__u32)s->cur << 32 | level << 8 | set;
}

static inline unsigned int tlob_call_level(const struct tlob_call *call)
{
	return call->key >> 8 & 0xff;
}

static inline bool tlob_call_is_of(const struct tlob_call *call, __s32 pid)
{
	return call->key >> 32 == (__u32)pid;
}

static inline bool tlob_call_is_gone(const struct tlob_call *call)
{
	__u64 serial = TLOB_CALL_SERIAL(call);

	return !serial || serial & TLOB_CALL_LEFT;
}

/*
 * Whether @call has returned, because its task is at @sp now. A function that
 * ends with a jump has the sp of the one that jumped. Other stacks tell nothing.
 */
static inline bool tlob_call_is_over(const struct tlob_call *call, __u64 sp)
{
	return sp > call->sp && (sp ^ call->sp) < TLOB_CALL_STACK;
}

/* @serial: the last one that was ever used. */
static inline void tlob_calls_init(struct tlob_calls *c, __u64 serial)
{
	__u32 i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < TLOB_CALLS; i++) {
		c->call[i].older = c->free;
		c->free = &c->call[i];
	}
	c->serial = serial & ~TLOB_CALL_LEFT;
	c->none.key = ~0ULL;
	c->none.time = &c->time[TLOB_FUNCTION_SETS];
	c->active = &c->none;
}

/* Its place is free from here on. */
static inline void tlob_calls_unlink(struct tlob_calls *c, struct tlob_call *call)
{
	if (call->newer)
		call->newer->older = call->older;
	else
		c->newest = call->older;
	if (call->older)
		call->older->newer = call->newer;
	call->serial = 0;
	call->older = c->free;
	c->free = call;
}

/*
 * Returns the innermost call of @pid if its level is at least @level, or none. All
 * calls of the interrupts that are open are newer than those of tasks.
 */
static inline struct tlob_call *tlob_calls_find(struct tlob_calls *c, __s32 pid,
						unsigned int level)
{
	struct tlob_call *call;

	for (call = c->newest; call; call = call->older) {
		if (tlob_call_is_gone(call))
			continue;
		if (tlob_call_level(call) < level)
			break;
		if (tlob_call_is_of(call, pid))
			return call;
	}
	return &c->none;
}

/* Finds the active call, after the cause of the current time has changed. */
static TLOB_NOINLINE void tlob_calls_choose(struct tlob_calls *c,
					    const struct tlob_split *s)
{
	unsigned int level = TLOB_CALL_TASK;

	c->epoch++;
	if (s->depth)
		level = s->level[s->depth - 1].kind == TLOB_NOISE_SOFTIRQ ?
			TLOB_CALL_SOFTIRQ : TLOB_CALL_IRQ;
	c->active = tlob_calls_find(c, s->cur, level);
	if (c->active == &c->none && s->base == TLOB_WORK_SLEEP && !s->depth)
		c->active = tlob_calls_find(c, s->own, level);
}

/* An open call has its first time in this window. */
static TLOB_NOINLINE void tlob_calls_count(struct tlob_calls *c,
					   struct tlob_call *call)
{
	call->window = c->window;
	call->ns = 0;
	call->time->calls++;
}

/* The cursor has charged @ns, not 0, to @cause. */
static inline void tlob_calls_charge(struct tlob_calls *c, unsigned int cause,
				     __u64 ns)
{
	struct tlob_call *call = c->active;

	if (call->window != c->window)
		tlob_calls_count(c, call);
	call->ns += ns;
	call->time->part_ns[cause] += ns;
}

static inline void tlob_calls_max(struct tlob_call *call)
{
	struct tlob_function_time *time = call->time;

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
			call->time->unreturned++;
			tlob_calls_max(call);
		}
		c->lost[call->key & 0xff]++;
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
	c->none.window = c->window;
	memset(c->time, 0, sets * sizeof(c->time[0]));
	s->calls = c;
	s->slow = true;
	tlob_calls_choose(c, s);
}

/*
 * Whether a call with @key at @sp is inside of an active one of its set. It is
 * counted then, and has no entry. Needs no clock.
 */
static inline bool tlob_calls_nested(struct tlob_calls *c, __u64 key, __u64 sp)
{
	struct tlob_call *call = c->active;

	if (call->key != key || tlob_call_is_over(call, sp))
		return false;
	call->time->calls += call->window == c->window;
	return true;
}

/* Drops the newest calls that must have ended: @key and @sp run now. */
static inline void tlob_calls_trim(struct tlob_calls *c, const struct tlob_split *s,
				   __u64 key, __u64 sp)
{
	struct tlob_call *active = c->active, *call;

	while ((call = c->newest)) {
		if (!tlob_call_is_gone(call) &&
		    tlob_call_level(call) <= (key >> 8 & 0xff) &&
		    (call->key >> 8 != key >> 8 || !tlob_call_is_over(call, sp)))
			break;
		tlob_calls_drop(c, call);
	}
	if (active != &c->none && tlob_call_is_gone(active))
		tlob_calls_choose(c, s);
}

/* Takes the calls out that have returned on another CPU. */
static TLOB_NOINLINE void tlob_calls_reclaim(struct tlob_calls *c)
{
	struct tlob_call *call, *older;

	for (call = c->newest; call; call = older) {
		older = call->older;
		if (tlob_call_is_gone(call) && call != c->active)
			tlob_calls_unlink(c, call);
	}
}

/*
 * The cursor is at @now, and a call begins, inside of all others. Returns the
 * call, or NULL without room for it.
 */
static inline struct tlob_call *tlob_calls_enter(struct tlob_calls *c,
						 const struct tlob_split *s,
						 __u64 now, __u64 key, __u64 sp,
						 __u64 function)
{
	struct tlob_call *call;

	if (c->newest)
		tlob_calls_trim(c, s, key, sp);
	if (!c->free)
		tlob_calls_reclaim(c);
	call = c->free;
	if (!call) {
		c->full[key & 0xff]++;
		return NULL;
	}
	c->free = call->older;
	call->older = c->newest;
	call->newer = NULL;
	if (c->newest)
		c->newest->newer = call;
	c->newest = call;
	call->key = key;
	call->sp = sp;
	call->ns = 0;
	call->time = &c->time[key & 0xff];
	call->outer = c->active;
	call->epoch = c->epoch;
	call->function = function;
	/* before t0 it is not of this window yet */
	call->window = c->window - (now < s->t0);
	call->time->calls += now >= s->t0;
	c->serial += 2;
	call->serial = c->serial;
	c->active = call;
	return call;
}

/* The call has returned; the cursor is at the end of it if a window is open. */
static inline void tlob_calls_leave(struct tlob_calls *c, const struct tlob_split *s,
				    struct tlob_call *call)
{
	if (call->window == c->window)
		tlob_calls_max(call);
	tlob_calls_unlink(c, call);
	if (c->active != call)
		return;
	if (call->epoch == c->epoch)
		c->active = call->outer;
	else
		tlob_calls_choose(c, s);
}

/* After a context switch: no irq is open, so no call of one is. */
static inline void tlob_calls_switch(struct tlob_calls *c, const struct tlob_split *s)
{
	struct tlob_call *call;

	while ((call = c->newest)) {
		if (!tlob_call_is_gone(call) &&
		    tlob_call_level(call) == TLOB_CALL_TASK)
			break;
		tlob_calls_drop(c, call);
	}
	tlob_calls_choose(c, s);
}

/* The task @pid is about to die. */
static inline void tlob_calls_exited(struct tlob_calls *c, const struct tlob_split *s,
				     __s32 pid)
{
	struct tlob_call *call, *older;

	for (call = c->newest; call; call = older) {
		older = call->older;
		if (tlob_call_is_of(call, pid))
			tlob_calls_drop(c, call);
	}
	tlob_calls_choose(c, s);
}

/* Returns the number of calls that have not returned. */
static inline __u32 tlob_calls_open(const struct tlob_calls *c)
{
	__u32 i, n = 0;

	/* not the list: it may change meanwhile */
	for (i = 0; i < TLOB_CALLS; i++)
		n += !tlob_call_is_gone(&c->call[i]);
	return n;
}

/*
 * At t3: counts what is still open. From here on nothing changes the times, while
 * calls may still return.
 */
static inline void tlob_calls_end(struct tlob_calls *c)
{
	struct tlob_call *call;

	for (call = c->newest; call; call = call->older) {
		if (tlob_call_is_gone(call) || call->window != c->window)
			continue;
		call->time->unreturned++;
		tlob_calls_max(call);
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
