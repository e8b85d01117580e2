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

/*
 * The samples of @h in steps of an eighth of an octave from 1 ns on. Each bucket is spread
 * evenly over the steps that it reaches into. And where step @k ends, in ns.
 */
#define CURVES_OCTAVE	8U
#define CURVES_STEPS	(64U * CURVES_OCTAVE)
void curves_steps(const struct tlob_hist *h, double step[CURVES_STEPS]);
double curves_step_end(unsigned int k);

#endif /* TLOB_PAGE_CURVES_H */
