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

#endif /* TLOB_PAGE_HEAT_H */
