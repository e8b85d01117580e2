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

#endif /* SPLIT_CHECK_H */
