// SPDX-License-Identifier: GPL-2.0
/* The writer of the clock in line: see clock.h. */
#include "clock.h"

#ifdef TLOB_TSC
#include <linux/clocksource.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

struct tlob_tsc tlob_tsc ____cacheline_aligned_in_smp;

static unsigned int tlob_clock_users;

/*
 * Called by each change of the timekeeper, under its lock, irqs off. Also those who
 * register and unregister hold it, so there is one writer.
 */
static void tlob_tsc_set(const struct tlob_tsc_base *b)
{
	struct tlob_tsc *t = &tlob_tsc;

	/* odd: readers use base[1] */
	WRITE_ONCE(t->seq, t->seq + 1);
	/* that before the change of base[0]; all pair with the readers' smp_rmb() */
	smp_wmb();
	t->base[0] = *b;
	/* the change before readers are told of it */
	smp_wmb();
	/* even: readers use base[0] */
	WRITE_ONCE(t->seq, t->seq + 1);
	/* that before the change of base[1] */
	smp_wmb();
	t->base[1] = *b;
	/* and that before the next change makes readers use it */
	smp_wmb();
}

static int tlob_tsc_changed(struct notifier_block *nb, unsigned long was_set,
			    void *timekeeper)
{
	const struct tk_read_base *r =
		&((const struct timekeeper *)timekeeper)->tkr_mono;
	struct tlob_tsc_base b = {};
	unsigned int up;

	/*
	 * The kernel divides by 2^shift and we by 2^32: with mult and xtime 2^up
	 * larger that is the same quotient, rounded alike. mult << up is 2^32 ns in
	 * cycles, and xtime less than 1 s, so limit is seconds away.
	 */
	if (r->clock->vdso_clock_mode == VDSO_CLOCKMODE_TSC &&
	    r->mask == U64_MAX && r->shift <= 32) {
		up = 32 - r->shift;
		b.cycle_last = r->cycle_last;
		b.mult = (u64)r->mult << up;
		b.xtime = r->xtime_nsec << up;
		b.base = ktime_to_ns(r->base);
		b.limit = min(div64_u64(U64_MAX - b.xtime, b.mult),
			      r->clock->max_cycles);
	}
	tlob_tsc_set(&b);
	return NOTIFY_OK;
}

static struct notifier_block tlob_tsc_notifier = {
	.notifier_call = tlob_tsc_changed,
};

void tlob_clock_attach(unsigned int user)
{
	/* it is called at once, with the data of now; this never fails */
	if (!tlob_clock_users)
		pvclock_gtod_register_notifier(&tlob_tsc_notifier);
	tlob_clock_users |= user;
}

void tlob_clock_detach(unsigned int user)
{
	const struct tlob_tsc_base none = {};

	if (!(tlob_clock_users & user))
		return;
	tlob_clock_users &= ~user;
	if (tlob_clock_users)
		return;
	pvclock_gtod_unregister_notifier(&tlob_tsc_notifier);
	/* nobody calls the notifier any more: the only writer is here */
	tlob_tsc_set(&none);
}
#else
void tlob_clock_attach(unsigned int user)
{
}

void tlob_clock_detach(unsigned int user)
{
}
#endif
