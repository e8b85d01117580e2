// SPDX-License-Identifier: GPL-2.0
/*
 * Data that nmis and other CPUs leave for the cursor of a CPU. An nmi adds to
 * its own account. A wake-up from another CPU leaves its time in a mailbox. The
 * next boundary takes both.
 */
#include "window.h"

/*
 * The handler may have interrupted a half-moved cursor. So it only adds to an
 * account that the next boundary reads. Time before t0 is cut here, where the
 * end is known.
 */
void tlob_nmi_ended(struct tlob_cpu *c, unsigned int i, u64 ns, bool count)
{
	struct tlob_nmi *nmi = &c->nmi[i];
	u64 now = tlob_clock(), t0 = READ_ONCE(c->t0);

	tlob_interfere(c);
	ns = now > t0 ? min(ns, now - t0) : 0;
	if (ns) {
		nmi->ns += ns;
		nmi->count += count;
		if (ns > nmi->max)
			nmi->max = ns;
	}
	WRITE_ONCE(c->nmi_entries, c->nmi_entries + 1);
	WRITE_ONCE(c->news, true);
}

/*
 * Out of line: an nmi ran, another CPU woke the task, or the hypervisor had this
 * CPU since the last boundary. Reads the clock again until none of them came
 * between it and the account. Returns the reading.
 */
u64 __tlob_take_news(struct tlob_cpu *c)
{
	struct tlob_nmi nmi[2];
	unsigned int i;
	struct tlob_split *s;
	u64 wakeup, now, steal, held;
	u32 entries;

	/* must come first: later news wait for the next boundary */
	WRITE_ONCE(c->news, false);
	barrier();
	do {
		entries = READ_ONCE(c->nmi_entries);
		steal = READ_ONCE(*c->steal_at);
		barrier();
		memcpy(nmi, c->nmi, sizeof(nmi));
		now = tlob_clock();
		barrier();
	} while (entries != READ_ONCE(c->nmi_entries) ||
		 steal != READ_ONCE(*c->steal_at));

	for (i = 0; i <= c->two; i++) {
		if (nmi[i].ns == c->nmi_ns_taken[i])
			continue;
		tlob_split_nmi(&c->split[i], nmi[i].ns - c->nmi_ns_taken[i],
			       nmi[i].count - c->nmi_count_taken[i],
			       nmi[i].max);
		c->nmi_ns_taken[i] = nmi[i].ns;
		c->nmi_count_taken[i] = nmi[i].count;
		/* an nmi right here may set a larger value, which stays */
		cmpxchg_local(&c->nmi[i].max, nmi[i].max, 0);
	}

	/* durations of osnoise include it, and do not say how much */
	if (c->hooked)
		tlob_split_stolen(c->hooked, steal - c->steal);
	c->steal = steal;

	wakeup = min(xchg(&c->wakeup_ns, 0), now);
	if (wakeup)
		tlob_for_each_split(c, s) {
			held = tlob_split_hold_stolen(s, now - wakeup);
			tlob_split_wakeup(s, wakeup);
			tlob_split_stolen(s, held);
		}
	return now;
}
