/* SPDX-License-Identifier: GPL-2.0 */
/* What the clocks say about the machine: whether it was suspended, how exact its timers are. */
#ifndef TLOB_MACHINE_CLOCKS_H
#define TLOB_MACHINE_CLOCKS_H

#include <stdint.h>

#define SUSPENDED	"a suspend of the machine"

/*
 * By how many ns CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC: at least and at most, because
 * they cannot be read at once. Only a suspend changes it.
 */
struct boot_ahead {
	int64_t least, most;
};

/* @before and @after: CLOCK_MONOTONIC, read around CLOCK_BOOTTIME. */
static inline struct boot_ahead boot_ahead(int64_t before, int64_t boot, int64_t after)
{
	return (struct boot_ahead){ .least = boot - after, .most = boot - before };
}

/* Returns for how many ns at least the machine was suspended since @then; 0: it was not. */
static inline uint64_t suspended_ns(const struct boot_ahead *then, const struct boot_ahead *now)
{
	return now->least > then->most ? (uint64_t)(now->least - then->most) : 0;
}

/* Reads both clocks. */
struct boot_ahead boot_ahead_read(void);

/* Prints why a measurement that began at @then ends here. 0; -ECANCELED: there was a suspend. */
int suspend_check(const struct boot_ahead *then);

#define TIMERS_COARSE	"timers wait for a tick, each %s (highres=off, or no clock event device for single shots): no wake-up is more exact. Boot without highres=off; tlob-load doctor --why timer_resolution has more"

/* Timers of high resolution have steps of 1 ns, others of a tick. */
#define TIMERS_EXACT	1000

/* The ns between two ticks that timers wait for; 0: they are exact. */
uint64_t timers_resolution(void);

#endif /* TLOB_MACHINE_CLOCKS_H */
