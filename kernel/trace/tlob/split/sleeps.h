/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sleeping thread waits for, by its system call: its next activation, or a lock in the
 * middle of one. Pure C: compiled in the kernel, in BPF programs and in the unit tests.
 *
 * The kernel does not know what a futex is to its program. Its operation and the value that
 * it expects in the word say it:
 *
 *	LOCK_PI			a mutex with priority inheritance
 *	2			a mutex that others wait for: glibc, Rust, Go's runtime
 *	WAITERS and a tid	a robust mutex; musl: also other mutexes, where 16 or the
 *				number of waiters may stand for the tid
 *	3, CLOCK_REALTIME	the readers of glibc's rwlock
 *	0x7fffffff		the readers of Rust's rwlock
 *
 * A private condition variable of musl expects 2 as well, in a word on the stack of the
 * thread that waits, at most 236 bytes from its end.
 *
 * WAIT_BITSET with any other value is a condition variable, a semaphore or the end of a
 * thread in glibc, and a condition variable or park() in Rust. WAIT is a semaphore with
 * 0, WAITERS or -1; the rest is known to its program only.
 */
#ifndef _TLOB_SLEEPS_H
#define _TLOB_SLEEPS_H

#include <linux/types.h>

enum tlob_sleep {
	TLOB_SLEEP_NEXT,	/* for the next activation */
	TLOB_SLEEP_LOCK,
	TLOB_SLEEP_UNCLEAR,	/* for one of both */
};

/* A system call of a 64-bit thread that sleeps in it. */
struct tlob_sleep_call {
	__u32	nr;
	__u32	op, value;		/* of futex */
	__u64	word;			/* its address */
	__u64	stack;			/* the thread's stack pointer */
};

/* These calls wait for whatever the program asks for. New calls have one number everywhere. */
#define TLOB_NR_IO_URING_ENTER	426
#define TLOB_NR_FUTEX_WAITV	449
#define TLOB_NR_FUTEX_WAIT	455

/* <linux/futex.h>, which BPF programs do not have */
#define TLOB_FUTEX_WAIT		0U
#define TLOB_FUTEX_LOCK_PI	6U
#define TLOB_FUTEX_WAIT_BITSET	9U
#define TLOB_FUTEX_REQUEUE_PI	11U	/* a condition variable */
#define TLOB_FUTEX_LOCK_PI2	13U
#define TLOB_FUTEX_COMMAND	0x7fU
#define TLOB_FUTEX_REALTIME	0x100U
#define TLOB_FUTEX_WAITERS	0x80000000U
#define TLOB_FUTEX_TID		0x3fffffffU
#define TLOB_FUTEX_TID_MAX	0x400000U	/* PID_MAX_LIMIT */
#define TLOB_FUTEX_OWN_STACK	512U

static inline bool tlob_futex_is_lock(const struct tlob_sleep_call *c, __u32 command)
{
	__u32 tid = c->value & TLOB_FUTEX_TID;

	if (c->value == 2)
		return true;
	if (c->value & TLOB_FUTEX_WAITERS)
		return tid && tid <= TLOB_FUTEX_TID_MAX;
	return command == TLOB_FUTEX_WAIT_BITSET &&
	       (c->op & TLOB_FUTEX_REALTIME ? c->value == 3 : c->value == 0x7fffffff);
}

static inline enum tlob_sleep tlob_futex_sleep(const struct tlob_sleep_call *c)
{
	__u32 command = c->op & TLOB_FUTEX_COMMAND;

	if (command == TLOB_FUTEX_LOCK_PI || command == TLOB_FUTEX_LOCK_PI2)
		return TLOB_SLEEP_LOCK;
	if (command == TLOB_FUTEX_REQUEUE_PI)
		return TLOB_SLEEP_NEXT;
	if (command != TLOB_FUTEX_WAIT && command != TLOB_FUTEX_WAIT_BITSET)
		return TLOB_SLEEP_UNCLEAR;
	if (c->value == 2 && c->word - c->stack < TLOB_FUTEX_OWN_STACK)
		return TLOB_SLEEP_NEXT;
	if (tlob_futex_is_lock(c, command))
		return TLOB_SLEEP_LOCK;
	if (command == TLOB_FUTEX_WAIT_BITSET || !(c->value & ~TLOB_FUTEX_WAITERS) ||
	    c->value == ~0U)
		return TLOB_SLEEP_NEXT;
	return TLOB_SLEEP_UNCLEAR;
}

/* @futex: the number of futex() here. */
static inline enum tlob_sleep tlob_sleep_for(const struct tlob_sleep_call *c, __u32 futex)
{
	if (c->nr == futex)
		return tlob_futex_sleep(c);
	return c->nr == TLOB_NR_IO_URING_ENTER || c->nr == TLOB_NR_FUTEX_WAITV ||
	       c->nr == TLOB_NR_FUTEX_WAIT ? TLOB_SLEEP_UNCLEAR : TLOB_SLEEP_NEXT;
}

#endif /* _TLOB_SLEEPS_H */
