/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which function of the kernel kept a CPU from the task that waited for it. Pure: from the names
 * of a stack's functions. Most frames say nothing about that: hooks, the scheduler, the code by
 * which the kernel is entered, and helpers that everything calls.
 */
#ifndef TLOB_CULPRIT_TELLING_H
#define TLOB_CULPRIT_TELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAIL_FRAMES	32

/*
 * The names of a stack, innermost first. NULL: an address without a symbol. trail_gap: a function
 * may be missing here.
 */
extern const char trail_gap[];

struct trail {
	const char *name[TRAIL_FRAMES];
	size_t	 n;
	bool	 cut;		/* the outermost frames may be missing */
	long	 call;		/* the number of the task's system call; < 0: none is known */
};

/* Returns whether an interrupt enters the kernel in @name: it came at the next address. */
bool telling_is_interrupt(const char *name);

/* It goes on at the next address, which may be the first one of a function. */
bool telling_is_thunk(const char *name);

/* A tracer has put it in the place of a caller. */
bool telling_is_trampoline(const char *name);

/* The caller of what interrupts by it may have no frame: @link in tlob.h. */
bool telling_hides_caller(const char *name);

/*
 * The function in which a task was until it left its CPU, by its stack then. @blocked: it went to
 * sleep, which says nothing of where it was busy. @tick: its stack at
 * an interrupt before, which says more where the task left at its way to user space; or no frames.
 * NULL: none of them tells, or they contradict each other. *@in: the stack that it is in; NULL:
 * how the kernel was entered is not known either.
 */
const char *telling_kept(const struct trail *left, bool blocked, const struct trail *tick,
			 const struct trail **in);

/*
 * The function that had just enabled interrupts when a late one came. NULL: they may have been on
 * all the time.
 */
const char *telling_enabled(const struct trail *met);

/*
 * The function of softirq @nr, a number of linux/interrupt.h, that @tick has met. NULL: it met something
 * else.
 */
const char *telling_softirq(const struct trail *tick, int32_t nr);

/*
 * Writes to @buf how the kernel was entered where @function of @t ran: "openat()", "page fault",
 * "work NAME", "thread NAME", "softirq", "interrupt", "signal". @function NULL: for the task. @call: the
 * number of the task's system call; < 0: none is known. "": not known.
 */
void telling_entry(char *buf, size_t size, const struct trail *t, const char *function, long call);

#endif /* TLOB_CULPRIT_TELLING_H */
