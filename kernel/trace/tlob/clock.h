/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one clock: CLOCK_MONOTONIC, as ktime_get_mono_fast_ns() reads it, in every
 * context. That call is 45 to 50 instructions, and a caller saves registers around it.
 * So while the clocksource is the TSC, hooks compute the same number in line.
 *
 * The kernel's data for it come by the notifier that KVM keeps its guests' clocks
 * with: at each change of the timekeeper, so at each tick, each slew and each change of
 * the clocksource. Same formula, same data: the two clocks differ only between the
 * notifier and the kernel's own next step, some hundred instructions, and then by
 * what a change of the slope makes in that time.
 */
#ifndef _TLOB_CLOCK_H
#define _TLOB_CLOCK_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/types.h>

#include "compat.h"

#ifdef TLOB_TSC
#include <asm/tsc.h>

/* now = base + ((TSC - cycle_last) * mult + xtime) / 2^32, all as the kernel's. */
struct tlob_tsc_base {
	u64	cycle_last;
	u64	limit;		/* of TSC - cycle_last; 0: not the clocksource */
	u64	mult;
	u64	xtime;
	u64	base;
} __aligned(64);

/* A latch: base[seq & 1] is valid while the other one changes. */
struct tlob_tsc {
	struct tlob_tsc_base base[2];
	u32	seq;
};

extern struct tlob_tsc tlob_tsc;

/*
 * False: the TSC is not the clocksource, or its data change right now. No call, and
 * nothing to wait for: also right in an nmi that interrupts the change.
 */
static __always_inline bool tlob_clock_inline(u64 *now)
{
	u32 seq = READ_ONCE(tlob_tsc.seq);
	const struct tlob_tsc_base *b = &tlob_tsc.base[seq & 1];
	u64 delta;

	/* the data after seq; pairs with the writer's smp_wmb() */
	smp_rmb();
	/* data_race: what is read during a change is thrown away */
	delta = rdtsc_ordered() - data_race(b->cycle_last);
	/* beyond, also when another CPU's TSC is behind, the kernel knows better */
	if (unlikely(delta >= data_race(b->limit)))
		return false;
	/* data_race: as above */
	*now = data_race(b->base +
			 ((delta * b->mult + b->xtime) >> 32));
	/* one register until its use, instead of four */
	OPTIMIZER_HIDE_VAR(*now);
	/* the data before seq is read again */
	smp_rmb();
	return likely(READ_ONCE(tlob_tsc.seq) == seq);
}
#else
static __always_inline bool tlob_clock_inline(u64 *now)
{
	return false;
}
#endif

static __always_inline u64 tlob_clock(void)
{
	u64 now;

	return tlob_clock_inline(&now) ? now : ktime_get_mono_fast_ns();
}

/*
 * While somebody has a use for it (TLOB_FOR_*) the clock is in line; else, and always
 * on other architectures, it is the kernel's. Under tlob_mutex.
 */
void tlob_clock_attach(unsigned int user);
void tlob_clock_detach(unsigned int user);

#endif /* _TLOB_CLOCK_H */
