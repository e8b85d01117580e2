/* SPDX-License-Identifier: GPL-2.0 */
/* Where a comparison moved: which part of a window, at which quantile. */
#ifndef TLOB_COMPARE_SHIFT_H
#define TLOB_COMPARE_SHIFT_H

#include <stdbool.h>

#include "compare/campaign.h"

/* How a metric moved from A to B, over all CPUs together. */
struct shift {
	unsigned int metric;
	bool	 known[NR_AT];
	double	 a[NR_AT], by[NR_AT];	/* ns */
};

struct shifts {
	struct shift at[TLOB_NR_METRICS];
	size_t	 n;
	size_t	 pairs;
	bool	 counted;		/* ns are instructions */
	unsigned int where;		/* the quantile that matters: AT_P50 ... */
	unsigned int of;		/* the metric that matters */
};

/*
 * All metrics but those that are 0 on both sides. What moved most is what did so where
 * @statistic looks.
 */
void shifts_find(struct shifts *s, const struct campaign *c,
		 const struct statistic *statistic);

/* What moved most: a part of the metric that matters, unless none of them moved. Or NULL. */
const struct shift *shifts_largest(const struct shifts *s);

/* Whole metrics are always among the @most, and of the parts those that moved most. */
bool shifts_is_among(const struct shifts *s, size_t i, size_t most);

#endif /* TLOB_COMPARE_SHIFT_H */
