// SPDX-License-Identifier: GPL-2.0
/* The writer of the inline clock, and the clock's step. clock.h explains both. */
#include "clock.h"

#ifdef TLOB_CYCLES
#include <linux/clocksource.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

static u32 tlob_resolution;

/* rounded, since a slewed clock has a little more or less */
static void tlob_resolution_set(const struct tk_read_base *r)
{
	WRITE_ONCE(tlob_resolution,
		   max_t(u64, 1, DIV_ROUND_CLOSEST_ULL(r->mult, 1ULL << r->shift)));
}

#ifdef TLOB_INLINE_CLOCK
struct tlob_latch tlob_latch ____cacheline_aligned_in_smp;

static unsigned int tlob_clock_users;

/*
 * Runs at each change of the timekeeper, under its lock, with irqs off.
 * Registering and unregistering also hold that lock. So there is one writer.
 */
static void tlob_latch_set(const struct tlob_clock_base *b)
{
	struct tlob_latch *t = &tlob_latch;

	BUILD_BUG_ON_NOT_POWER_OF_2(TLOB_LATCH_STEP);
	/* odd steps: readers use base[1] */
	WRITE_ONCE(t->seq, t->seq + TLOB_LATCH_STEP);
	/*
	 * Readers must see the odd seq before base[0] changes. All four
	 * barriers pair with the readers' smp_rmb().
	 */
	smp_wmb();
	t->base[0] = *b;
	/* base[0] must be complete before readers see the even seq */
	smp_wmb();
	/* even steps: readers use base[0] */
	WRITE_ONCE(t->seq, t->seq + TLOB_LATCH_STEP);
	/* readers must see the even seq before base[1] changes */
	smp_wmb();
	t->base[1] = *b;
	/* Readers must see base[1] complete before the next odd seq. */
	smp_wmb();
}

static int tlob_clock_changed(struct notifier_block *nb, unsigned long was_set,
			      void *timekeeper)
{
	const struct tk_read_base *r =
		&((const struct timekeeper *)timekeeper)->tkr_mono;
	struct tlob_clock_base b = {};
	unsigned int up;

	tlob_resolution_set(r);
	/*
	 * The kernel divides by 2^shift, this clock by 2^32. With mult and
	 * xtime multiplied by 2^up, the quotient is the same and rounded alike.
	 * mult << up is 2^32 ns in cycles, and xtime is less than 1 s. So limit
	 * is seconds away.
	 */
	if (tlob_is_cycles(r->clock) && r->shift <= 32) {
		up = 32 - r->shift;
		b.cycle_last = r->cycle_last;
		b.mult = (u64)r->mult << up;
		b.xtime = r->xtime_nsec << up;
		b.base = ktime_to_ns(r->base);
		b.limit = min(div64_u64(U64_MAX - b.xtime, b.mult),
			      r->clock->max_cycles);
	}
	tlob_latch_set(&b);
	return NOTIFY_OK;
}

static struct notifier_block tlob_clock_notifier = {
	.notifier_call = tlob_clock_changed,
};

void tlob_clock_attach(unsigned int user)
{
	/* calls the notifier at once with current data; never fails */
	if (!tlob_clock_users)
		pvclock_gtod_register_notifier(&tlob_clock_notifier);
	tlob_clock_users |= user;
}

void tlob_clock_detach(unsigned int user)
{
	const struct tlob_clock_base none = {};

	if (!(tlob_clock_users & user))
		return;
	tlob_clock_users &= ~user;
	if (tlob_clock_users)
		return;
	pvclock_gtod_unregister_notifier(&tlob_clock_notifier);
	/* the notifier no longer runs, so this is the only writer */
	tlob_latch_set(&none);
}
#else
static int tlob_clock_told(struct notifier_block *nb, unsigned long was_set,
			   void *timekeeper)
{
	tlob_resolution_set(&((const struct timekeeper *)timekeeper)->tkr_mono);
	return NOTIFY_OK;
}

static struct notifier_block tlob_clock_notifier = {
	.notifier_call = tlob_clock_told,
};

/* Only for the step: nothing runs at each tick. */
void tlob_clock_attach(unsigned int user)
{
	pvclock_gtod_register_notifier(&tlob_clock_notifier);
	pvclock_gtod_unregister_notifier(&tlob_clock_notifier);
}

void tlob_clock_detach(unsigned int user)
{
}
#endif /* TLOB_INLINE_CLOCK */

u32 tlob_clock_resolution(void)
{
	return READ_ONCE(tlob_resolution);
}
#else
u32 tlob_clock_resolution(void)
{
	return 0;
}

void tlob_clock_attach(unsigned int user)
{
}

void tlob_clock_detach(unsigned int user)
{
}
#endif
