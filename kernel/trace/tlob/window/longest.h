/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest wait of a window. The wait profiler fills it in, and records have it. In
 * windows of the monitor it is under the lock of the window's place.
 */
#ifndef _TLOB_LONGEST_H
#define _TLOB_LONGEST_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/tlob.h>

struct pid_namespace;
struct task_struct;

/* The wait profiler measures; it may change at once. Only the profiler writes it. */
extern bool tlob_waits_on;

static inline bool tlob_waits_are_on(void)
{
	return READ_ONCE(tlob_waits_on);
}

struct tlob_longest {
	u64	ns;			/* 0: none; the rest means nothing then */
	u64	stack;			/* tlob_wait_stack.id; 0: none, or @owed */
	u64	owed;			/* tlob_wait_work.serial of what will have a stack; or 0 */
	struct tlob_wait_waker waker;	/* initial namespace */
};

/*
 * Notes who wakes a task right now, and in @reserved a stamp of that task. Runs in the waker's
 * context, with irqs off. The idle task itself wakes no task: it is on its way out of an irq.
 */
void tlob_waker_note(struct tlob_wait_waker *waker);

/*
 * Writes @longest for a reader in the pid namespace @ns. @tgid: the process of
 * the window, in the initial namespace. @wakers: the reader may know tasks of other
 * processes. In any context.
 */
void tlob_longest_fill(const struct tlob_longest *longest, u32 tgid,
		       struct pid_namespace *ns, bool wakers,
		       struct tlob_window_wait *to);

#endif /* _TLOB_LONGEST_H */
