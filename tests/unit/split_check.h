/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for the tests of split.h. */
#ifndef SPLIT_CHECK_H
#define SPLIT_CHECK_H

#include "split.h"
#include "unit.h"

#define OWN	100
#define OTHER	200
#define IDLE	0
#define IRQ	TLOB_NOISE_IRQ
#define SOFTIRQ	TLOB_NOISE_SOFTIRQ

/* Armed at 1000 for 2000; the own task sleeps and idle runs. */
static inline void armed(struct tlob_split *s, bool moves)
{
	tlob_split_arm(s, 1000, 2000, OWN, moves);
	tlob_split_switch(s, 1100, OWN, "own", true, IDLE);
}

/* ... and in its work phase at 2500: irq_delay 10, irq 90, sched 400. */
static inline void in_work(struct tlob_split *s)
{
	armed(s, false);
	tlob_split_enter(s, 2010, IRQ, 1, "timer" TLOB_NAME_PAD, true);
	tlob_split_t1(s, 2040);
	tlob_split_exit(s, 2100, IRQ, 1);
	tlob_split_switch(s, 2300, IDLE, "swapper", false, OWN);
	tlob_split_t2(s, 2500);
}

#define SPLIT_EVENTS	9

/*
 * The event @what < SPLIT_EVENTS at @now, of the irq or task @id, an nmi of @ns. At random they
 * may be impossible.
 */
static inline void split_event(struct tlob_split *s, unsigned int what, uint64_t now, int id,
			       uint64_t ns)
{
	static const char task[TLOB_NAME_LEN] __attribute__((aligned(8))) = "kworker/0:1";

	switch (what) {
	case 0: case 1:
		tlob_split_enter(s, now, what ? SOFTIRQ : IRQ, id, "timer" TLOB_NAME_PAD, true);
		break;
	case 2: case 3:
		tlob_split_exit(s, now, what == 3 ? SOFTIRQ : IRQ, id);
		break;
	case 4:
		tlob_split_nmi(s, ns, 1, ns);
		break;
	case 5:
		tlob_split_switch(s, now, s->cur, task, ns % 2, id ? OWN : 7);
		break;
	case 6:
		tlob_split_wakeup(s, now);
		break;
	case 7:
		if (!s->fired)
			tlob_split_t1(s, now);
		else if (s->phase == TLOB_PHASE_WAKE)
			tlob_split_t2(s, now);
		break;
	case 8:
		tlob_split_stolen(s, ns);
		break;
	}
}

#endif /* SPLIT_CHECK_H */
