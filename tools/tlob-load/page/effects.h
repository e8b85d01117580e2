/* SPDX-License-Identifier: GPL-2.0 */
/* The plots of a comparison: effects of pairs and of CPUs, and how the parts moved. */
#ifndef TLOB_PAGE_EFFECTS_H
#define TLOB_PAGE_EFFECTS_H

#include <stdio.h>

#include "verdict/compare_render.h"

/* A dot for each pair, the effect with its interval, and the margin, of statistic @s. */
void effects_pairs(FILE *f, const struct comparison *all, size_t s);

/* True if statistic @s has values of several CPUs. */
bool effects_have_cpus(const struct comparison *all, size_t s);

/*
 * A dot for each CPU, the median of its pairs, in a bar from the least of them to the
 * largest. effects_have_cpus() is true.
 */
void effects_cpus(FILE *f, const struct comparison *all, size_t s);

/* Lines of irq, wake and response: the shift at p50, p90, p99 and p99.9. */
void effects_quantiles(FILE *f, const struct shifts *shifts);

/* A bar for each metric and part: its shift where the statistic looks. */
void effects_parts(FILE *f, const struct shifts *shifts);

/* A table of times in functions; nothing if no run has them. 0 or -ENOMEM. */
int effects_functions(FILE *f, const struct campaign *c);

#endif /* TLOB_PAGE_EFFECTS_H */
