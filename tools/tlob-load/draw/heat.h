/* SPDX-License-Identifier: GPL-2.0 */
/* Heat maps: latency in rows of half an octave, against CPUs or time. 0 or -ENOMEM. */
#ifndef TLOB_PAGE_HEAT_H
#define TLOB_PAGE_HEAT_H

#include <stdio.h>

#include "result/result.h"

/* Wake and response of each CPU, with the budget. */
int heat_cpus(FILE *f, const struct result *r);

/* Wake and response over the run, which kept slices, with a row of violations and missed expiries. */
int heat_times(FILE *f, const struct result *r);

/* The time since the begin of the run: "12.8s", "14m20s", "2h54m". Returns @buf. */
const char *heat_since(char *buf, size_t size, uint64_t ns);

#endif /* TLOB_PAGE_HEAT_H */
