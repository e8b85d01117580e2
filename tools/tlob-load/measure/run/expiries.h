/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that every expiry of a run was counted. A CPU's grid expires at start_ns +
 * A * period_ns, for A = 1, 2, ... Until the CPU's run ends, each expiry is
 *
 *	startup		before the first arming: the thread was not ready, perhaps
 *			until the end
 *	warm_up + warm_up_missed + windows + missed
 *			counted by the kernel, which continues until the CPU closes
 *	unaccounted	neither: the CPU left the run before its end
 *
 * and `due` is their sum.
 */
#ifndef TLOB_RUN_EXPIRIES_H
#define TLOB_RUN_EXPIRIES_H

#include <stdint.h>

struct result_cpu;

struct cpu_grid {
	uint64_t start_ns;		/* CLOCK_MONOTONIC */
	uint64_t period_ns;
	uint64_t first;			/* the first activation that was armed; 0: none */
};

/* The number of expiries before @end_ns. */
uint64_t expiries_before(const struct cpu_grid *g, uint64_t end_ns);

/*
 * Fills due, startup and unaccounted of @c, whose other counters are final.
 * @end_ns: CLOCK_MONOTONIC at the end of the CPU's run, or earlier.
 */
void expiries_account(struct result_cpu *c, const struct cpu_grid *g,
		      uint64_t end_ns);

#endif /* TLOB_RUN_EXPIRIES_H */
