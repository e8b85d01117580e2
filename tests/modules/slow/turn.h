/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_TURN_H
#define TLOB_TURN_H

/* Two instructions a turn, one turn at least. */
static inline void turn(unsigned long turns)
{
#ifdef CONFIG_ARM64
	asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r" (turns) : : "cc");
#else
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
#endif
}

#endif /* TLOB_TURN_H */
