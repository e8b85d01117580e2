/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics of a comparison: docs/explanation/statistics.md says which rule uses what,
 * and where it comes from. Pure: no I/O, no state.
 */
#ifndef TLOB_STATS_H
#define TLOB_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More pairs than anybody runs; the exact distribution takes n^3 / 2 steps. */
#define STATS_MAX_PAIRS	400

/* The quantile of the standard normal distribution; 0 < @p < 1. */
double stats_normal_quantile(double p);

/* The same of Student's t with @df >= 3 degrees of freedom, within 1 %. */
double stats_t_quantile(double p, double df);

/*
 * P(X <= @k) for X ~ Binomial(@n, @q), 0 < @q < 1: the regularised incomplete
 * beta function I(1-q; n-k, k+1). Relative error below 1e-9 for n to 1e10.
 */
double stats_binomial_cdf(uint64_t k, uint64_t n, double q);

/*
 * Order statistics that enclose the quantile @q of what @n samples were drawn
 * from with a probability of at least 1 - @alpha, equal-tailed, without any
 * assumption but that they are independent (Hahn & Meeker 1991, 5.2).
 * Ranks 1 ... n; a bound that the samples cannot give is 0.
 */
struct rank_interval {
	uint64_t lower, upper;
};

struct rank_interval stats_quantile_ranks(uint64_t n, double q, double alpha);

/*
 * The fewest samples that give a finite one-sided upper bound of the quantile
 * @q with confidence 1 - @alpha: ln alpha / ln q, rounded up.
 */
uint64_t stats_fewest_samples(double q, double alpha);

/*
 * Wilcoxon's signed-rank test by its Walsh averages (d_i + d_j) / 2, i <= j.
 * They are symmetric about the effect if the pairs' differences are.
 */
struct walsh {
	size_t	 n;		/* pairs */
	size_t	 m;		/* averages: n (n + 1) / 2 */
	double	*w;		/* [m], ascending */
	double	*below;		/* [m + 1]: P(T <= t) of the exact null distribution */
};

/* 0, -EINVAL for no pair or more than STATS_MAX_PAIRS, or -ENOMEM. */
int  walsh_init(struct walsh *w, const double d[], size_t n);
void walsh_free(struct walsh *w);

/* Hodges and Lehmann's estimate of the effect: the median of the averages. */
double walsh_estimate(const struct walsh *w);

/*
 * One-sided bounds of confidence 1 - @alpha each: together they are a 1 - 2
 * alpha interval. -INFINITY and INFINITY with too few pairs: 2^-n > alpha.
 */
double walsh_lower(const struct walsh *w, double alpha);
double walsh_upper(const struct walsh *w, double alpha);

/*
 * The one-sided p-value against "the effect is at most @theta": <= alpha if and
 * only if walsh_lower(alpha) > @theta. Ties count against it.
 */
double walsh_p_above(const struct walsh *w, double theta);

/* The fewest pairs whose signed-rank test can reach @alpha: 2^-n <= alpha. */
size_t stats_fewest_pairs(double alpha);

/*
 * The effect that @n pairs with standard deviation @sd tell from none, one-sided
 * at @alpha with @power, and the pairs that tell @effect (0: more than
 * STATS_MAX_PAIRS). By Student's t, and the signed-rank test's efficiency of
 * 3 / pi to it when differences are normal.
 */
double stats_resolved(double sd, size_t n, double alpha, double power);
size_t stats_pairs_for(double effect, double sd, double alpha, double power);

/* Sorts @x; the mean of the middle two of an even number. NAN if @n is 0. */
double stats_median(double x[], size_t n);

/* Root of the mean square: the spread of differences whose mean is 0. */
double stats_rms(const double x[], size_t n);

#endif /* TLOB_STATS_H */
