/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is compared: a statistic of each run, one number of it. Pure: no I/O.
 *
 *	statistic = pNN[.NNNN] ( metric )		ns, of the worst CPU
 *		| avg ( metric )		ns, of the worst CPU
 *		| miss-rate			the same: share of expiries over budget or missed
 */
#ifndef TLOB_STATISTIC_H
#define TLOB_STATISTIC_H

#include <stdbool.h>

#include "result/result.h"

#define STATISTIC_LEN	48
#define STATISTICS_MAX	8

/*
 * The fewest windows of each CPU for a mean, and for a rate: no miss among so many
 * leaves 3 / n = 1 % open.
 */
#define STATISTIC_FEWEST	300

enum statistic_kind { STATISTIC_QUANTILE, STATISTIC_MEAN, STATISTIC_MISS_RATE };

struct statistic {
	enum statistic_kind kind;
	unsigned int metric;		/* enum tlob_metric; not of a miss rate */
	unsigned int ppm;		/* of a quantile */
	char	 text[STATISTIC_LEN];	/* canonical: "p99.9(response)" */
};

/*
 * 0, or -EINVAL with one line in @err. The extremes are refused: a maximum of n
 * windows grows with n and says nothing of the next run.
 */
int statistic_parse(struct statistic *s, const char *text, char *err,
		  unsigned int size);

/*
 * The number of run @r. 0; -ENODATA with the reason in @err if the run cannot
 * give it: a part that was not measured, or fewer windows on a CPU than a bound
 * of the quantile needs (with 95 % confidence), or STATISTIC_FEWEST.
 */
int statistic_value(const struct statistic *s, const struct result *r,
		  double *value, char *err, unsigned int size);

/*
 * The largest relative error of the number: 0 where every value is kept, 1/64
 * where a histogram rounds up.
 */
double statistic_resolution(const struct statistic *s, const struct result *r);

#endif /* TLOB_STATISTIC_H */
