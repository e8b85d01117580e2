/* SPDX-License-Identifier: GPL-2.0 */
/* Refuses series of runs that no comparison could decide, before the first run. */
#ifndef TLOB_COMPARE_DECIDABLE_H
#define TLOB_COMPARE_DECIDABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/statistic.h"
#include "options/option_value.h"

struct run_config;

/* Reads an option --metric into @s. 0 or -EINVAL. */
int add_statistic(const struct value *v, struct statistic s[STATISTICS_MAX], unsigned int *n);

/* The statistics of compare without --metric. @counted: instructions instead of time. */
unsigned int default_statistics(struct statistic s[STATISTICS_MAX], bool counted);

#define DEFAULT_ALPHA	0.05		/* of compare and gate */

/*
 * Checks that @pairs pairs of runs with these options can have a verdict on each of the
 * statistics. 0, or -EINVAL with the numbers that could in @v->err.
 */
int check_decidable(const struct value *v, uint64_t pairs,
		    const struct statistic s[], unsigned int n,
		    const struct run_config *run);

#endif /* TLOB_COMPARE_DECIDABLE_H */
