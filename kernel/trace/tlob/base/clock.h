/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only clock: CLOCK_MONOTONIC, as ktime_get_mono_fast_ns() reads it, in
 * every context. That call takes 45 to 50 instructions, and its caller saves
 * registers around it. So with TLOB_LOAD_INLINE_CLOCK, and while the clocksource is
 * the counter that arch.h names (TSC, CNTVCT_EL0), hooks compute the same number
 * inline.
 *
 * The kernel's data for it come by the notifier that KVM uses for the clocks of
 * its guests. It runs at each change of the timekeeper: each tick, each slew
 * and each change of the clocksource. Formula and data are the same. So the two
 * clocks differ only between the notifier and the kernel's own next step, some
 * hundred instructions. The difference is what a change of the slope makes in
 * that time.
 */
#ifndef _TLOB_CLOCK_H
#define _TLOB_CLOCK_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/types.h>

#include "compat.h"
#include "options.h"

#if defined(TLOB_CYCLES) && defined(TLOB_HAS_INLINE_CLOCK)
#define TLOB_INLINE_CLOCK
#endif

#ifdef TLOB_INLINE_CLOCK
/*
 * now = base + ((cycles - cycle_last) * mult + xtime) / 2^32, with the kernel's
 * data.
 */
struct tlob_clock_base {
	u64	cycle_last;
	u64	limit;		/* for cycles - cycle_last; 0: other clocksource */
	u64	mult;
	u64	xtime;
	u64	base;
} __aligned(64);

/*
 * A latch: the entry at @seq & TLOB_LATCH_STEP is valid while the other one changes. @seq counts
 * in bytes, so that no reader has to multiply.
 */
#define TLOB_LATCH_STEP		sizeof(struct tlob_clock_base)

struct tlob_latch {
	struct tlob_clock_base base[2];
	u32	seq;
};

extern struct tlob_latch tlob_latch;

/*
 * Reads the clock into *@now, in ns. Returns false if the counter is not the
 * clocksource or its data change right now. Calls nothing and never waits, so
 * it is also correct in an nmi that interrupts the change.
 */
static __always_inline bool tlob_clock_inline(u64 *now)
{
	u32 seq = READ_ONCE(tlob_latch.seq);
	const struct tlob_clock_base *b =
		(const void *)tlob_latch.base + (seq & TLOB_LATCH_STEP);
	u64 delta;

	/* reads the data after seq; pairs with the writer's smp_wmb() */
	smp_rmb();
	/* data_race: a value read during a change is discarded */
	delta = tlob_cycles() - data_race(b->cycle_last);
	/*
	 * Beyond the limit the kernel's clock is right, also if a TSC is behind
	 * or a counter of less than 64 bits starts again.
	 */
	if (unlikely(delta >= data_race(b->limit)))
		return false;
	/* data_race: a value read during a change is discarded */
	*now = data_race(b->base +
			 ((delta * b->mult + b->xtime) >> 32));
	/* keeps one register until its use instead of four */
	OPTIMIZER_HIDE_VAR(*now);
	/* reads the data before it reads seq again */
	smp_rmb();
	return likely(READ_ONCE(tlob_latch.seq) == seq);
}
#else
/* The kernel's own clock is always right. */
static __always_inline bool tlob_clock_inline(u64 *now)
{
	*now = ktime_get_mono_fast_ns();
	return true;
}
#endif

static __always_inline u64 tlob_clock(void)
{
	u64 now;

	return tlob_clock_inline(&now) ? now : ktime_get_mono_fast_ns();
}

/*
 * While a user (TLOB_FOR_*) needs it, the clock is read inline. Otherwise, and
 * always without that option or on other architectures, it is the kernel's. Under
 * tlob_mutex.
 */
void tlob_clock_attach(unsigned int user);
void tlob_clock_detach(unsigned int user);

/*
 * Returns the step of the clock in ns, at least 1: a TSC's is shorter. 0 if it is not
 * known, as on an architecture without an inline clock. At a first attach the kernel
 * tells it, and again with each clocksource.
 */
u32 tlob_clock_resolution(void);

#endif /* _TLOB_CLOCK_H */
