/* SPDX-License-Identifier: GPL-2.0 */
/* The numbers of a screen, taken while the run continues. A paused screen keeps them. */
#ifndef TLOB_REPORT_SNAPSHOT_H
#define TLOB_REPORT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#include "result/causes.h"
#include "result/functions.h"

struct result;
struct tlob_hist;

#define WATCH_WORST	8

struct watch_window {
	struct tlob_window w;
	struct kernel_place place;	/* that made it late; may be unknown */
};

/* The windows of a CPU that only a screen shows: a result keeps the worst of all CPUs together. */
struct watch_cpu {
	/* The last violation; before the first one, the longest response. */
	struct watch_window last;
	bool	violated;
	size_t	nworst;			/* largest response first */
	struct watch_window worst[WATCH_WORST];
};

/* Values of a quantile that are not ns. */
#define SNAPSHOT_FEW	(UINT64_MAX - 1)	/* too few windows */
#define SNAPSHOT_MISSED	UINT64_MAX		/* the expiry was missed */

struct snapshot_latency {
	uint64_t p50, p999;		/* ns, SNAPSHOT_FEW or SNAPSHOT_MISSED */
	uint64_t max;			/* ns, or SNAPSHOT_FEW without a window */
};

/* One set of --functions. */
struct snapshot_function {
	uint64_t windows, calls;
	uint64_t sum_ns, max_ns;	/* in all windows; in one */
};

struct snapshot_cpu {
	int	 cpu;			/* -1: all */
	uint64_t windows, violations, missed;
	struct snapshot_latency wake, response;
	uint32_t unavailable;		/* 1 << enum tlob_part */
	uint64_t wake_sum, response_sum; /* ns, of all windows */
	uint64_t part_sum[TLOB_NR_PARTS], part_max[TLOB_NR_PARTS];
	struct watch_cpu watch;
	struct snapshot_function function[FUNCTION_SETS];
};

struct snapshot {
	uint64_t elapsed_ns;
	uint64_t duration_ns;		/* that was asked for; 0: no limit */
	uint64_t period_ns, budget_ns, clock_ns;
	const struct function_sets *sets; /* of the result; NULL: none */
	size_t	 n;
	struct snapshot_cpu *cpu;	/* [n] */
	struct snapshot_cpu all;	/* valid if n > 1 */
	struct watch_cpu *watch;	/* [n]: the windows until now, also while the rest stays */
	struct tlob_hist *scratch;	/* [2]: wake and response of all */
};

/* 0 or -ENOMEM. snapshot_free() also takes a zeroed one. */
int  snapshot_init(struct snapshot *s, size_t ncpus);
void snapshot_free(struct snapshot *s);

/* Takes window @record, late at @place, of the CPU with index @i. Ignores windows of the warm-up. */
void snapshot_window(struct snapshot *s, size_t i, const struct tlob_window *record,
		     const struct kernel_place *place);

/* A quantile of a screen: ns, SNAPSHOT_FEW or SNAPSHOT_MISSED. */
uint64_t snapshot_quantile(const struct tlob_hist *h, uint64_t missed, unsigned int ppm);

/* Takes the numbers of @r, of as many CPUs as @s has. */
void snapshot_take(struct snapshot *s, const struct result *r, uint64_t elapsed_ns);

#endif /* TLOB_REPORT_SNAPSHOT_H */
