/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a sleeping thread waits for, by its system call: its next activation, or something in the
 * middle of one. Pure C: compiled in BPF programs and in the unit tests.
 *
 * A thread with a fixed rate sleeps in clock_nanosleep() until times at equal distances: there its
 * cycles end. While it does, its other sleeps are in the middle of one. Other threads have no such
 * sign; of their sleeps only locks are known to be in the middle.
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
	__u32	op, value;		/* of futex; op also the flags of clock_nanosleep */
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

/* A mutex with priority inheritance. @futex: the number of futex() here. */
static inline bool tlob_sleep_is_inheriting(const struct tlob_sleep_call *c, __u32 futex)
{
	__u32 command = c->op & TLOB_FUTEX_COMMAND;

	return c->nr == futex &&
	       (command == TLOB_FUTEX_LOCK_PI || command == TLOB_FUTEX_LOCK_PI2);
}

static inline enum tlob_sleep tlob_futex_sleep(const struct tlob_sleep_call *c)
{
	__u32 command = c->op & TLOB_FUTEX_COMMAND;

	if (tlob_sleep_is_inheriting(c, c->nr))
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

/* <time.h> */
#define TLOB_TIMER_ABSTIME	1U

#define TLOB_CYCLE_SKIPS	8U	/* a thread that skips so many has given up its cycle */
#define TLOB_CYCLE_ROUNDING	1000U	/* ns in a period, of programs that calculate in us */

/* The cycle of a thread, as far as it sleeps until times. */
struct tlob_cycle {
	__u64	expiry;			/* of the last such sleep; ns of CLOCK_MONOTONIC */
	__u64	distance;		/* of that from the one before */
	__u64	period;			/* ns; 0: not known */
};

/* @clock_nanosleep: the number of clock_nanosleep() here. */
static inline bool tlob_sleep_is_until(const struct tlob_sleep_call *c, __u32 clock_nanosleep)
{
	return c->nr == clock_nanosleep && c->op & TLOB_TIMER_ABSTIME;
}

static inline bool tlob_cycle_takes(__u64 period, __u64 distance, unsigned int max)
{
	__u64 n;

	for (n = 1; n <= max; n++)
		if (distance + n * TLOB_CYCLE_ROUNDING - n * period <=
		    2 * n * TLOB_CYCLE_ROUNDING)
			return true;
	return false;
}

/* A sleep until a time has ended by its timer, at @expiry. */
static inline void tlob_cycle_expired(struct tlob_cycle *c, __u64 expiry)
{
	__u64 distance = c->expiry ? expiry - c->expiry : 0;

	c->expiry = expiry;
	if (c->period && tlob_cycle_takes(c->period, distance, TLOB_CYCLE_SKIPS))
		return;
	c->period = c->distance && tlob_cycle_takes(c->distance, distance, 1) ? distance : 0;
	c->distance = distance;
}

/* Returns whether a thread that begins to sleep at @now does so in the middle of its cycle. */
static inline bool tlob_cycle_continues(const struct tlob_cycle *c,
					const struct tlob_sleep_call *call,
					__u32 clock_nanosleep, __u64 now)
{
	return c->period && now - c->expiry < TLOB_CYCLE_SKIPS * c->period &&
	       !tlob_sleep_is_until(call, clock_nanosleep);
}

#endif /* _TLOB_SLEEPS_H */
