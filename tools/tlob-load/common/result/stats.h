/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mathematics of a comparison. docs/explanation/statistics.md explains where each method is
 * used and gives its source. Pure: no I/O, no state.
 */
#ifndef TLOB_RESULT_STATS_H
#define TLOB_RESULT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The exact distribution takes n^3 / 2 steps, so the number of pairs is limited. */
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
 * @n events were counted of a Poisson process. The bounds of their expected number, each with
 * confidence 1 - @alpha (Garwood 1936). The lower one is 0 without an event.
 */
double stats_rate_lower(double n, double alpha);
double stats_rate_upper(double n, double alpha);

/*
 * The same for a sum of weights: each of the Poisson events adds its own. @sum: of the weights;
 * @squares: of their squares; @largest: the largest weight that an event may have. The gamma
 * interval of Fay & Feuer (Statistics in Medicine 16, 1997, 791-801).
 */
double stats_weighted_lower(double sum, double squares, double alpha);
double stats_weighted_upper(double sum, double squares, double largest, double alpha);

/*
 * The ranks of the two of @n samples that enclose the true quantile @q with
 * probability 1 - @alpha or more, equal-tailed. It assumes independent samples and
 * nothing else (Hahn & Meeker 1991, 5.2). Ranks are 1 ... n; 0: too few samples.
 */
struct rank_interval {
	uint64_t lower, upper;
};

struct rank_interval stats_quantile_ranks(uint64_t n, double q, double alpha);

/*
 * The fewest samples with a finite one-sided upper bound of the quantile @q, with
 * confidence 1 - @alpha: ln alpha / ln q, rounded up.
 */
uint64_t stats_fewest_samples(double q, double alpha);

/*
 * Wilcoxon's signed-rank test by its Walsh averages (d_i + d_j) / 2, i <= j. It
 * assumes that the differences are symmetric around the effect.
 */
struct walsh {
	size_t	 n;		/* pairs */
	size_t	 m;		/* averages: n (n + 1) / 2 */
	double	*w;		/* [m], ascending */
	double	*below;		/* [m + 1]: P(T <= t) of the exact null distribution */
};

/* @d: the differences of the pairs. 0; -EINVAL: no pair, or more than STATS_MAX_PAIRS; -ENOMEM. */
int  walsh_init(struct walsh *w, const double d[], size_t n);
void walsh_free(struct walsh *w);

/* Hodges and Lehmann's estimate of the effect: the median of the averages. */
double walsh_estimate(const struct walsh *w);

/*
 * One-sided bounds with confidence 1 - @alpha each; together an interval with
 * confidence 1 - 2 alpha. -INFINITY and INFINITY with too few pairs (2^-n > alpha).
 */
double walsh_lower(const struct walsh *w, double alpha);
double walsh_upper(const struct walsh *w, double alpha);

/*
 * The one-sided p-value of "the effect is at most @theta". It is <= alpha if and
 * only if walsh_lower(alpha) > @theta. Ties raise it.
 */
double walsh_p_above(const struct walsh *w, double theta);

/*
 * The standard deviation of the differences, from the width of the effect's interval:
 * the interval of normal differences would be as wide. One run that is far off moves it
 * little, while a root mean square would follow it. INFINITY with fewer pairs than the
 * interval needs.
 */
double walsh_spread(const struct walsh *w);

/* The fewest pairs whose signed-rank test can reach @alpha: 2^-n <= alpha. */
size_t stats_fewest_pairs(double alpha);

/*
 * The probability that the @k largest of 2 @n runs all belong to B, if which @n runs
 * are B's is chance: C(n, k) / C(2 n, k).
 */
double stats_beyond(size_t n, size_t k);

/*
 * The effect that @n pairs with standard deviation @sd detect, one-sided at @alpha
 * with @power; and the number of pairs that detect @effect (0: more than
 * STATS_MAX_PAIRS). Uses Student's t and the efficiency 3 / pi of the signed-rank
 * test for normal differences.
 */
double stats_resolved(double sd, size_t n, double alpha, double power);
size_t stats_pairs_for(double effect, double sd, double alpha, double power);

/*
 * The two-sided p-value of "@a and @b have one distribution", by the rank sum (Wilcoxon 1945; Mann
 * & Whitney 1947) with the normal approximation, corrected for continuity and for ties (Lehmann,
 * Nonparametrics, 1975, 1.4). 0 or -ENOMEM.
 */
int stats_rank_sum_p(const double a[], size_t na, const double b[], size_t nb, double *p);

/* The median; sorts @x. NAN if @n is 0. */
double stats_median(double x[], size_t n);

/* Likewise of at most STATS_MAX_PAIRS values, which stay in their order. */
double stats_median_of(const double x[], size_t n);

#endif /* TLOB_RESULT_STATS_H */
