/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a window is late, so that stacks are taken of what has its CPU. Each window that is over
 * its budget is, and each wake-up that is longer than most of the worst ones so far: so the
 * windows that a tool keeps have stacks, and few others. Pure C, for the kernel, BPF and the tool.
 */
#ifndef _TLOB_LATE_LIMIT_H
#define _TLOB_LATE_LIMIT_H

#if defined(__KERNEL__)
#include <linux/types.h>
#else
#include <stdbool.h>
#endif
#include <linux/tlob.h>

#define TLOB_LATE_LEAST_NS	50000	/* no window is late before */
#define TLOB_LATE_STACK_NS	50000	/* a stack takes less */
#define TLOB_LATE_COMES_NS	10000	/* an interrupt comes that much too late */
#define TLOB_LATE_WORST		16

/* Beside 1 << enum tlob_late_moment: an interrupt was asked for, for TLOB_LATE_TICK. */
enum tlob_late_look { TLOB_LATE_LOOK = 1 << TLOB_NR_LATE };

/* The limits of a CPU, from what its windows took. */
struct tlob_late_limit {
	__u64	late_ns;		/* longer wake-ups are late */
	__u64	over_ns;		/* longer ones make a violation of any window */
	__u64	work_ns;		/* the shortest rest of a window so far */
	__u64	worst[TLOB_LATE_WORST];	/* the largest wake-ups so far */
};

/* The same limits in one window, as times. */
struct tlob_late_times {
	__u64	late_at, over_at;
};

static inline void tlob_late_begin(struct tlob_late_limit *l, __u64 budget_ns)
{
	*l = (struct tlob_late_limit){ .late_ns = TLOB_LATE_LEAST_NS, .over_ns = budget_ns };
}

static inline __u64 *tlob_late_least(struct tlob_late_limit *l)
{
	__u64 *least = l->worst, *next;

	for (next = l->worst; next < l->worst + TLOB_LATE_WORST; next++)
		if (*next < *least)
			least = next;
	return least;
}

/* The CPU had @w, which was late, or belongs to its warm-up. */
static inline void tlob_late_learn(struct tlob_late_limit *l, const struct tlob_window *w)
{
	__u64 *least = tlob_late_least(l), work = w->response_ns - w->wake_ns;

	if (!l->work_ns || work < l->work_ns)
		l->work_ns = work;
	l->over_ns = w->budget_ns > l->work_ns ? w->budget_ns - l->work_ns : 0;
	if (w->wake_ns > *least && !(w->flags & TLOB_WINDOW_WARM_UP))
		*least = w->wake_ns;
	l->late_ns = *tlob_late_least(l);
	if (l->late_ns > l->over_ns)
		l->late_ns = l->over_ns;
	if (l->late_ns < TLOB_LATE_LEAST_NS)
		l->late_ns = TLOB_LATE_LEAST_NS;
}

static inline void tlob_late_arm(struct tlob_late_times *t, __u64 t0, __u64 late_ns, __u64 over_ns)
{
	t->late_at = t0 + late_ns;
	t->over_at = t0 + over_ns;
}

/* A thread that gets the CPU after @over goes over its budget. A stack at @now does not make it. */
static inline bool tlob_late_may_look(__u64 now, __u64 over)
{
	return now > over || now + TLOB_LATE_STACK_NS < over;
}

/* The window is late at @now, and may be looked at. */
static inline bool tlob_late_is(const struct tlob_late_times *t, __u64 now)
{
	return now > t->late_at && tlob_late_may_look(now, t->over_at);
}

/* The same while the thread waits for the CPU, most of the time since its timer came at @t1. */
static inline bool tlob_late_waits(const struct tlob_late_times *t, __u64 t0, __u64 t1, __u64 now)
{
	return tlob_late_is(t, now) && now - t1 >= t1 - t0;
}

/* Returns the time from @now until that is true, if the thread still waits then. */
static inline __u64 tlob_late_after(const struct tlob_late_times *t, __u64 t0, __u64 now)
{
	__u64 at = t->late_at;

	if (now > t0 && at < now + (now - t0))
		at = now + (now - t0);
	if (at <= t->over_at && at + TLOB_LATE_COMES_NS + TLOB_LATE_STACK_NS >= t->over_at)
		at = t->over_at;
	return at > now ? at - now : 0;
}

/* The task of @tick had most of a wait, and left the CPU before others did. */
static inline void tlob_late_left_before(struct tlob_late_stack *left,
					 const struct tlob_late_stack *tick)
{
	left->pid = tick->pid;
	left->blocked = 1;
	left->size = 0;
	left->call = -1;
	left->link = 0;
}

#endif /* _TLOB_LATE_LIMIT_H */
