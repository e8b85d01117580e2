/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A statistic: the number of each run that a comparison uses. Pure: no I/O.
 *
 *	statistic = pNN[.NNNN] ( metric )		ns, of the worst CPU
 *		| esNN[.NNNN] ( metric )	ns, of the worst CPU: the expected
 *						shortfall, the mean of what is slower
 *						than that quantile
 *		| avg ( metric )		ns, of the worst CPU
 *		| max ( metric )		ns, of the worst CPU: the largest of all windows.
 *						It grows with their number, so both sides
 *						must be equally long (campaign_unequal())
 *		| miss-rate			share of expiries over budget or missed,
 *						of the worst CPU; comparisons count events
 */
#ifndef TLOB_COMPARE_STATISTIC_H
#define TLOB_COMPARE_STATISTIC_H

#include <stdbool.h>

#include "result/result.h"

#define STATISTIC_LEN	48
#define STATISTICS_MAX	8

/*
 * The fewest windows of each CPU for a mean or a rate. No miss among n windows
 * still allows a rate of 3 / n, here 1 %.
 */
#define STATISTIC_FEWEST	300

enum statistic_kind {
	STATISTIC_QUANTILE, STATISTIC_SHORTFALL, STATISTIC_MEAN, STATISTIC_MAX, STATISTIC_MISS_RATE,
};

struct statistic {
	enum statistic_kind kind;
	unsigned int metric;		/* enum tlob_metric; unused for a miss rate */
	unsigned int ppm;		/* of a quantile or shortfall: 999000 is p99.9 */
	char	 text[STATISTIC_LEN];	/* canonical: "p99.9(response)" */
};

/*
 * Parses @text. 0, or -EINVAL with one line in @err.
 */
int statistic_parse(struct statistic *s, const char *text, char *err,
		  unsigned int size);

/*
 * Takes the statistic from run @r: ns, or a share; INFINITY for a quantile among the
 * missed expiries, and for a shortfall or a maximum if there are any. 0; -ENODATA with the reason in
 * @err: the part was not measured, or a CPU has too few windows for a bound of the
 * quantile with 95 % confidence, or fewer than STATISTIC_FEWEST.
 */
int statistic_value(const struct statistic *s, const struct result *r,
		  double *value, char *err, unsigned int size);

/*
 * The standard deviation of ln(value) that the number of windows alone gives a quantile
 * of the worst CPU, if they are independent. 0 for others, and where it is not known.
 */
double statistic_noise(const struct statistic *s, const struct result *r);

/* The same of each CPU, in @value[r->ncpus]. */
int statistic_cpu_values(const struct statistic *s, const struct result *r,
			 double value[], char *err, unsigned int size);

/*
 * The fewest windows of each CPU that statistic_value() takes: quantile_fewest(),
 * shortfall_fewest() or STATISTIC_FEWEST.
 */
uint64_t statistic_fewest(const struct statistic *s);

/*
 * The largest relative error of @value, what statistic_value() has found: 0 if the result
 * keeps every sample, and of a maximum, 1/64 if the value comes from a histogram. A clock with
 * steps of more than a ns adds one of them. A mean averages many windows, so it has neither error.
 */
double statistic_resolution(const struct statistic *s, const struct result *r, double value);

#endif /* TLOB_COMPARE_STATISTIC_H */
