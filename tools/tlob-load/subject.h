/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is compared: a statistic of each run, one number of it. Pure: no I/O.
 *
 *	subject = pNN[.NNNN] ( metric )		ns, of the worst CPU
 *		| avg ( metric )		ns, of the worst CPU
 *		| miss-rate			the same: share of expiries over budget or missed
 */
#ifndef TLOB_SUBJECT_H
#define TLOB_SUBJECT_H

#include <stdbool.h>

#include "result.h"

#define SUBJECT_LEN	48
#define SUBJECTS_MAX	8

/*
 * The fewest windows of each CPU for a mean, and for a rate: no miss among so many
 * leaves 3 / n = 1 % open.
 */
#define SUBJECT_FEWEST	300

enum subject_kind { SUBJECT_QUANTILE, SUBJECT_MEAN, SUBJECT_MISS_RATE };

struct subject {
	enum subject_kind kind;
	unsigned int metric;		/* enum tlob_metric; not of a miss rate */
	unsigned int ppm;		/* of a quantile */
	char	 text[SUBJECT_LEN];	/* canonical: "p99.9(response)" */
};

/*
 * 0, or -EINVAL with one line in @err. The extremes are refused: a maximum of n
 * windows grows with n and says nothing of the next run.
 */
int subject_parse(struct subject *s, const char *text, char *err,
		  unsigned int size);

/*
 * The number of run @r. 0; -ENODATA with the reason in @err if the run cannot
 * give it: a part that was not measured, or fewer windows on a CPU than a bound
 * of the quantile needs (with 95 % confidence), or SUBJECT_FEWEST.
 */
int subject_value(const struct subject *s, const struct result *r,
		  double *value, char *err, unsigned int size);

/*
 * The largest relative error of the number: 0 where every value is kept, 1/64
 * where a histogram rounds up.
 */
double subject_resolution(const struct subject *s, const struct result *r);

#endif /* TLOB_SUBJECT_H */
