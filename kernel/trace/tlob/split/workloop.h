/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loops behind workspec.h. Pure C: the same instructions run in the kernel
 * and in user space. The includer first defines
 *
 *	struct tlob_work_env;
 *	static u64  tlob_env_clock(env)		ns of CLOCK_MONOTONIC
 *	static u64  tlob_env_interference(env)	changes when the CPU is disturbed
 *	static void tlob_env_hw(env, ns)	charges ns to the hardware
 *	static bool tlob_env_relax(env)		called every <= 1 us; true ends
 *	static u64  tlob_env_user(env, work)	runs what only user threads can do
 *
 * The compiler must not drop a round. So every result passes through an empty
 * asm that the compiler cannot look into, and is returned as a check sum.
 */
#ifndef _TLOB_WORKLOOP_H
#define _TLOB_WORKLOOP_H

#include "workspec.h"

/*
 * Rounds between two calls of tlob_env_relax(): less than 1 us on slow
 * machines.
 */
#define TLOB_LOOPS_CHUNK	256U
#define TLOB_CHASE_CHUNK	4U	/* a load from memory may take 250 ns */
#define TLOB_STREAM_CHUNK	64U	/* lines */

/*
 * This many more gaps than intervals within the threshold: the clock is slow.
 */
#define TLOB_SPIN_SLOW		64U

/* One round: a linear congruential generator (Knuth's MMIX constants). */
static inline __u64 tlob_loops_round(__u64 x)
{
	x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	asm volatile("" : "+r" (x));
	return x;
}

static inline __u64 tlob_run_loops(struct tlob_work_env *env, __u64 n)
{
	__u64 x = 1;

	while (n) {
		unsigned int chunk = n < TLOB_LOOPS_CHUNK ?
				     (unsigned int)n : TLOB_LOOPS_CHUNK;

		n -= chunk;
		while (chunk--)
			x = tlob_loops_round(x);
		if (tlob_env_relax(env))
			break;
	}
	return x;
}

/*
 * Ends after @ns of own time. An interval between two clock readings of up to
 * @threshold ns is own time; a longer one is a gap. If the interference counter
 * did not change over a gap, nothing that the kernel knows of took the CPU.
 * Then the gap is the hardware's. The counter is read before the first and
 * after the second reading of the clock. Otherwise an interrupt between the two
 * would be blamed on the hardware.
 *
 * Some clocks take longer than @threshold to read: a timer of the chipset in a
 * virtual machine, or a debug kernel. With them the work would never end.
 * Disturbances are never in the majority. So after TLOB_SPIN_SLOW more gaps
 * than intervals within the threshold, the threshold becomes twice the shortest
 * gap. Two readings within one step of the clock are no interval: a clock that
 * steps by more than the threshold has only these and gaps.
 */
static inline __u64 tlob_run_spin(struct tlob_work_env *env, __u64 ns,
				  __u64 threshold)
{
	__u64 before = tlob_env_interference(env);
	__u64 last = tlob_env_clock(env);
	__u64 least = ~0ULL, own = 0;
	unsigned int slow = 0;

	while (own < ns) {
		__u64 next = tlob_env_interference(env);
		__u64 now = tlob_env_clock(env);
		/* the clock may step back by some ns, which is not a gap */
		__u64 gap = now > last ? now - last : 0;

		if (gap <= threshold) {
			own += gap;
			slow -= gap && slow;
		} else {
			if (tlob_env_interference(env) == before)
				tlob_env_hw(env, gap);
			least = gap < least ? gap : least;
			if (++slow == TLOB_SPIN_SLOW) {
				threshold = 2 * least;
				slow = 0;
			}
		}
		before = next;
		last = now;
		if (tlob_env_relax(env))
			break;
	}
	return own;
}

static inline __u64 tlob_run_elapsed(struct tlob_work_env *env, __u64 ns)
{
	__u64 start = tlob_env_clock(env);
	__u64 now = start;

	while (now < start + ns) {
		now = tlob_env_clock(env);
		if (tlob_env_relax(env))
			break;
	}
	return now - start;
}

/*
 * Turns @lines lines at @mem into one cycle that visits each line once in
 * random order (Sattolo's algorithm). The first word of a line is the number of
 * the next line. The same @seed gives the same order.
 */
static inline void tlob_chase_init(void *mem, __u64 lines, __u64 seed)
{
	const unsigned int step = TLOB_WORK_LINE / sizeof(__u64);
	__u64 *word = mem;
	__u64 i;

	for (i = 0; i < lines; i++)
		word[i * step] = i;
	for (i = lines - 1; i > 0; i--) {
		__u64 j, swap;

		seed = tlob_loops_round(seed);
		/* lines <= 2^24, so 40 random bits reach every j < i evenly */
		j = (seed >> 24) % i;
		swap = word[i * step];
		word[i * step] = word[j * step];
		word[j * step] = swap;
#ifdef __KERNEL__
		if (!(i % 1024))
			cond_resched();
#endif
	}
}

/* Does @n dependent loads. Returns the number of the last line. */
static inline __u64 tlob_run_chase(struct tlob_work_env *env, const void *mem,
				   __u64 n)
{
	const unsigned int step = TLOB_WORK_LINE / sizeof(__u64);
	const __u64 *word = mem;
	__u64 at = 0;

	while (n) {
		unsigned int chunk = n < TLOB_CHASE_CHUNK ?
				     (unsigned int)n : TLOB_CHASE_CHUNK;

		n -= chunk;
		while (chunk--) {
			at = word[at * step];
			asm volatile("" : "+r" (at));
		}
		if (tlob_env_relax(env))
			break;
	}
	return at;
}

/* Reads and writes each word of @ws bytes, @n times. Returns a check sum. */
static inline __u64 tlob_run_stream(struct tlob_work_env *env, void *mem,
				    __u64 ws, __u64 n)
{
	const unsigned int step = TLOB_WORK_LINE / sizeof(__u64);
	__u64 lines = ws / TLOB_WORK_LINE;
	__u64 sum = 0;

	while (n--) {
		__u64 *word = mem;
		__u64 left = lines;

		while (left) {
			unsigned int chunk = left < TLOB_STREAM_CHUNK ?
					     (unsigned int)left :
					     TLOB_STREAM_CHUNK;
			const __u64 *end = word + (__u64)chunk * step;

			left -= chunk;
			for (; word < end; word++) {
				*word += 1;
				sum += *word;
			}
			asm volatile("" : "+r" (sum) : : "memory");
			if (tlob_env_relax(env))
				return sum;
		}
	}
	return sum;
}

/*
 * Runs @w. @mem has w->ws bytes; tlob_chase_init() has set it up for chase.
 * Returns a check sum.
 */
static inline __u64 tlob_run_work(struct tlob_work_env *env,
				  const struct tlob_work *w, void *mem,
				  __u64 hw_threshold)
{
	switch (w->type) {
	case TLOB_KIND_SPIN:
		return tlob_run_spin(env, w->amount, hw_threshold);
	case TLOB_KIND_ELAPSED:
		return tlob_run_elapsed(env, w->amount);
	case TLOB_KIND_LOOPS:
		return tlob_run_loops(env, w->amount);
	case TLOB_KIND_CHASE:
		return tlob_run_chase(env, mem, w->amount);
	case TLOB_KIND_STREAM:
		return tlob_run_stream(env, mem, w->ws, w->amount);
	case TLOB_KIND_FPU:
	case TLOB_KIND_SYSCALL:
	case TLOB_KIND_SLEEP:
	case TLOB_KIND_PHASES:
		return tlob_env_user(env, w);
	case TLOB_KIND_NONE:
		break;
	}
	return 0;
}

#endif /* _TLOB_WORKLOOP_H */
