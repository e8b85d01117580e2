/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The storage of the open calls of split_calls.h, which includes this: the list, what
 * refers to a call, and its key. In BPF programs they are indexes, in the kernel and in
 * user space pointers.
 */
#ifndef _TLOB_SPLIT_CALLS_LIST_H
#define _TLOB_SPLIT_CALLS_LIST_H

/*
 * The verifier of BPF programs knows no pointer that comes from memory, and walks
 * through every round of a loop. So there a reference is an index, 0 is `none`, and
 * the list is shorter.
 */
#ifdef TLOB_SPLIT_BPF
#define TLOB_CALLS		32
typedef __u32 tlob_call_ref;
#define TLOB_CALL_TIMES		16
#define TLOB_CALL_NOWHERE	0
#define TLOB_CALL_FIRST		1
#else
#define TLOB_CALLS		128
typedef struct tlob_call *tlob_call_ref;
#define TLOB_CALL_TIMES		(TLOB_FUNCTION_SETS + 1)
#define TLOB_CALL_NOWHERE	NULL
#define TLOB_CALL_FIRST		0
#endif
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
#ifdef TLOB_SPLIT_BPF
	__u32	index;			/* its own */
#else
	struct tlob_function_time *time; /* of its set */
#endif
	tlob_call_ref outer;		/* active before it; valid in `epoch` */
	tlob_call_ref older, newer;	/* open ones; older: also free ones */
	__u64	function;
	__u32	window;			/* the last one that counted it */
	__u32	epoch;
};

struct tlob_calls {
	tlob_call_ref active;		/* never NULL */
	__u32	window;
	__u32	epoch;			/* changes with what runs */
	tlob_call_ref newest, free;
	__u64	serial;
	__u64	full[TLOB_FUNCTION_SETS]; /* calls without room */
	__u64	lost[TLOB_FUNCTION_SETS]; /* calls whose exit never came */
#ifdef TLOB_SPLIT_BPF
	/* A probe does not move the cursor: */
	__u64	last;			/* up to here each ns is charged to its call */
	__u64	wake_last;		/* `last` before t2: t2 is not earlier */
	__u64	nmi_taken[2];		/* [in work], of nmis since the cursor */
	__u64	scratch;
	__u64	unseen[TLOB_FUNCTION_SETS]; /* calls in an nmi or a half-done hook */
#else
	struct tlob_call none;
#endif
	struct tlob_function_time time[TLOB_CALL_TIMES];
	struct tlob_call call[TLOB_CALLS];
};

#ifdef TLOB_SPLIT_BPF
static inline struct tlob_call *tlob_calls_none(struct tlob_calls *c)
{
	return &c->call[0];
}

static inline tlob_call_ref tlob_call_reference(const struct tlob_call *call)
{
	return call->index;
}

/* @ref may be `none`. */
static inline struct tlob_call *tlob_calls_of(struct tlob_calls *c, tlob_call_ref ref)
{
	return &TLOB_SPLIT_AT(c->call, ref);
}

static inline struct tlob_call *tlob_calls_at(struct tlob_calls *c, tlob_call_ref ref)
{
	return ref ? &TLOB_SPLIT_AT(c->call, ref) : NULL;
}

static inline struct tlob_function_time *tlob_call_time(struct tlob_calls *c,
							const struct tlob_call *call)
{
	return &TLOB_SPLIT_AT(c->time, call->key & 0xff);
}

#define TLOB_CALLS_ROUND(round)	((round)++ < TLOB_CALLS)
#else
static inline struct tlob_call *tlob_calls_none(struct tlob_calls *c)
{
	return &c->none;
}

static inline tlob_call_ref tlob_call_reference(struct tlob_call *call)
{
	return call;
}

static inline struct tlob_call *tlob_calls_of(struct tlob_calls *c, tlob_call_ref ref)
{
	(void)c;
	return ref;
}

static inline struct tlob_call *tlob_calls_at(struct tlob_calls *c, tlob_call_ref ref)
{
	(void)c;
	return ref;
}

static inline struct tlob_function_time *tlob_call_time(struct tlob_calls *c,
							const struct tlob_call *call)
{
	(void)c;
	return call->time;
}

#define TLOB_CALLS_ROUND(round)	((void)(round), true)
#endif

static inline struct tlob_call *tlob_calls_active(struct tlob_calls *c)
{
	return tlob_calls_of(c, c->active);
}

/* From the newest to the oldest; @call may be taken out. @next, @round: scratch. */
#define tlob_calls_for_each(c, call, next, round)			\
	for (round = 0, next = (c)->newest;				\
	     (call = tlob_calls_at(c, next)) && TLOB_CALLS_ROUND(round) && \
	     (next = call->older, true);)

/* As long as there is one; the loop takes it out, or ends. */
#define tlob_calls_while_newest(c, call, round)				\
	for (round = 0;							\
	     (call = tlob_calls_at(c, (c)->newest)) && TLOB_CALLS_ROUND(round);)

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
 * Returns whether @call has returned, because its task is at @sp now. A function that
 * ends with a jump has the sp of the one that jumped. Other stacks say nothing.
 */
static inline bool tlob_call_is_over(const struct tlob_call *call, __u64 sp)
{
	return sp > call->sp && (sp ^ call->sp) < TLOB_CALL_STACK;
}

/* @serial: the last one that was ever used. */
static inline void tlob_calls_init(struct tlob_calls *c, __u64 serial)
{
	struct tlob_call *none;
	__u32 i;

	memset(c, 0, sizeof(*c));
	for (i = TLOB_CALL_FIRST; i < TLOB_CALLS; i++) {
#ifdef TLOB_SPLIT_BPF
		c->call[i].index = i;
#endif
		c->call[i].older = c->free;
		c->free = tlob_call_reference(&c->call[i]);
	}
	c->serial = serial & ~TLOB_CALL_LEFT;
	none = tlob_calls_none(c);
	none->serial = 2;	/* never gone */
	none->key = ~0ULL;
#ifndef TLOB_SPLIT_BPF
	none->time = &c->time[TLOB_FUNCTION_SETS];
#endif
	c->active = tlob_call_reference(none);
}

/* Its place is free from here on. */
static inline void tlob_calls_unlink(struct tlob_calls *c, struct tlob_call *call)
{
	struct tlob_call *older = tlob_calls_at(c, call->older);
	struct tlob_call *newer = tlob_calls_at(c, call->newer);

	if (newer)
		newer->older = call->older;
	else
		c->newest = call->older;
	if (older)
		older->newer = call->newer;
	call->serial = 0;
	call->older = c->free;
	c->free = tlob_call_reference(call);
}

#endif /* _TLOB_SPLIT_CALLS_LIST_H */
