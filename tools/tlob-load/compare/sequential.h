/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparisons that stop as soon as the verdict is certain: docs/explanation/statistics.md.
 * Pure: no I/O.
 *
 * The pairs are looked at after 8, 12, ... 40 of them. Each look spends a part of alpha,
 * so that all together are wrong with a probability of alpha at most.
 */
#ifndef TLOB_COMPARE_SEQUENTIAL_H
#define TLOB_COMPARE_SEQUENTIAL_H

#include "compare/decision.h"

#define SEQUENTIAL_FIRST	8	/* pairs at the first look, */
#define SEQUENTIAL_STEP		4	/* until the next one, */
#define SEQUENTIAL_MOST		40	/* and at the last */
#define SEQUENTIAL_LOOKS	((SEQUENTIAL_MOST - SEQUENTIAL_FIRST) / SEQUENTIAL_STEP + 1)

struct sequential {
	size_t	 pairs;			/* of the look that decided, or of the last one */
	size_t	 next;			/* pairs of the next look; 0: decided, or the end */
};

/* The one-sided level of each look, for @alpha together. 0 < @alpha < 0.5. */
void sequential_levels(double level[SEQUENTIAL_LOOKS], double alpha);

/*
 * decide() at each look that the pairs suffice for, until the verdict of all @n is
 * OK or REGRESSION. That one stands, and @d are its decisions, with as many pairs. With
 * fewer pairs than the first look needs, INCONCLUSIVE. As decide(), and -EINVAL without
 * a named margin.
 */
int decide_sequentially(struct decision d[], size_t n, const struct rule *rule,
			struct sequential *at);

#endif /* TLOB_COMPARE_SEQUENTIAL_H */
