/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A window of attach, as its BPF programs and the result have it: that of a region, or an activation
 * of a thread.
 *
 * An activation begins when the thread is woken from a rest, or at the expiry of the timer in whose
 * sleep it rested. It ends at the next rest. A rest is a sleep that a signal can end, but not for a
 * lock of its program, or the idle sleep of a kernel thread. Other sleeps (for a lock, a disk,
 * stopped, traced, frozen) lie inside of the activation. Which futexes are locks is in sleeps.h. Where
 * it cannot be known, the sleep is a rest, and the window is TLOB_TASK_UNCLEAR. If the thread sleeps
 * in clock_nanosleep() until times at equal distances, only such a sleep is a rest. With --until a
 * sleep in one of its calls is a rest, also for a lock, and no other one is. Of clock_nanosleep() the
 * same holds: then only sleeps until a time.
 */
#ifndef TLOB_RESULT_ACTIVATION_H
#define TLOB_RESULT_ACTIVATION_H

#include <linux/tlob.h>

#define TLOB_WATCH_UNTIL	16	/* calls of --until */

/* Where the key of --key is as a place is reached: the argument of that number, or one of these. */
enum tlob_key { TLOB_KEY_NONE, TLOB_KEY_ARGS = 6, TLOB_KEY_RET, TLOB_KEY_GOROUTINE };

/* tlob_task_window.flags, after the kernel's own */
#define TLOB_TASK_LOCK		(1U << 4)  /* an activation that slept mostly for locks */
#define TLOB_TASK_UNCLEAR	(1U << 5)  /* the sleep that ended it may be for a lock */
#define TLOB_TASK_SOFT_TIMER	(1U << 6)  /* a softirq ran the timer that began it */

/*
 * In a record without TLOB_TASK_ENDED, wake_ns is 0 if the thread has not run yet. What follows
 * @wait is only of windows by BPF. @window.largest may be the task that ran when the
 * interrupt of an activation's own timer came, with the delay of that timer.
 */
struct tlob_task_activation {
	struct tlob_task_window window;
	struct tlob_window_wait wait;
	struct tlob_wait_waker waker;	/* who woke the thread */
	__u64	nr;			/* counts the windows of this thread, from 1 */
	__u64	wake_ns;		/* from window.start_ns until the thread ran */
	/*
	 * From the expiry of the timer in whose sleep the thread was until its wake-up:
	 * TLOB_TASK_PART_TIMER, and what of it is known to be stolen. 0: another wake-up.
	 */
	__u64	timer_ns;
	/*
	 * The number of the system call that the thread was in as it ended (of a 32-bit thread in
	 * the table of these; -1: in none), and the low half of the stack pointer there: it tells
	 * the places of a program apart. Bit 0 of it: the call sleeps until a time. Not of a
	 * thread of the kernel.
	 */
	__u32	call, call_stack;
	/*
	 * Who held the lock of the longest sleep for one, as the thread began to sleep. In a record
	 * without TLOB_TASK_ENDED the present sleep counts, if it is for a lock. Known of a futex
	 * with priority inheritance; else the kind is TLOB_WAKER_UNKNOWN.
	 */
	struct tlob_wait_waker holder;
	/*
	 * With --key: the time in which nobody is known to have worked for it, which is in
	 * TLOB_TASK_PART_SLEEPING; and the tid of the thread that began it, which may have ended it.
	 */
	__u64	elsewhere_ns;
	__u32	begun_by, reserved;
};

#endif /* TLOB_RESULT_ACTIVATION_H */
