/* SPDX-License-Identifier: GPL-2.0 */
/* The curves of one result or several, each with its legend. */
#ifndef TLOB_PAGE_CURVES_H
#define TLOB_PAGE_CURVES_H

#include <stdio.h>

#include "show/report.h"

/* Which latency against which share of the expiries, to the last one: missed are later. */
void curves_quantiles(FILE *f, const struct report *rep);

/* Windows in steps of an eighth of an octave. */
void curves_histogram(FILE *f, const struct report *rep);

/* The second result minus the first, by quantile. */
void curves_shift(FILE *f, const struct report *rep);

#endif /* TLOB_PAGE_CURVES_H */
