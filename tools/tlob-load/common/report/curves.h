/* SPDX-License-Identifier: GPL-2.0 */
/* The plots of a page: curves, heat maps, a small plot for each CPU. */
#ifndef TLOB_REPORT_CURVES_H
#define TLOB_REPORT_CURVES_H

#include <stdio.h>

#include "result/result.h"

struct flames;
struct samples_plot;

#define REPORT_MAX	8		/* results on one page */

/* Results that are shown together. */
struct report {
	struct result *r;		/* [n] */
	const char *const *name;	/* [n]: labels, or file names */
	size_t	 n;
	const struct samples_plot *samples; /* of --samples; NULL: none */
	const struct flames *flames;	/* for a page: report/flames_page.h; NULL: none */
};

/* Latency against the share of expiries that exceed it. Missed expiries are later than all. */
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

/* Wake and response of each CPU, with the budget. 0 or -ENOMEM, as the next one. */
int heat_cpus(FILE *f, const struct result *r);

/*
 * Wake and response over the run, which kept slices, with a row of violations and missed
 * expiries.
 */
int heat_times(FILE *f, const struct result *r);

/* The time since the begin of the run: "12.8s", "14m20s", "2h54m". Returns @buf. */
const char *heat_since(char *buf, size_t size, uint64_t ns);

/*
 * Wake and response of each CPU over the curves of all CPUs. With very many CPUs, only the
 * ones with the longest responses. @number is the number of the result on its page. 0 or -ENOMEM.
 */
int multiples_cpus(FILE *f, const struct result *r, size_t number);

#endif /* TLOB_REPORT_CURVES_H */
