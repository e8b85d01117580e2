// SPDX-License-Identifier: GPL-2.0
/* The statistics equal their definitions, counted out, and published tables. */
#include <errno.h>
#include <math.h>

#include "unit.h"
#include "result/stats.h"

#define assert_near(a, b, eps) do {					\
	double a_ = (a), b_ = (b);					\
	if (!(fabs(a_ - b_) <= (eps)))					\
		fail_msg("%s is %.12g, not %.12g", #a, a_, b_);		\
} while (0)

static double uniform(uint64_t *seed)
{
	return ((double)(unit_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

/* Tables: Abramowitz & Stegun 26; Student's from R 4.2, qt(). */
TEST(test_quantiles_of_distributions)
{
	static const struct { double p, z; } normal[] = {
		{ 0.5, 0 }, { 0.95, 1.6448536 }, { 0.975, 1.9599640 },
		{ 0.999, 3.0902323 }, { 1e-9, -5.9978070 }, { 0.05, -1.6448536 },
	};
	static const struct { double p, df, t; } student[] = {
		{ 0.95, 3, 2.3533634 }, { 0.95, 9, 1.8331129 },
		{ 0.95, 19, 1.7291328 }, { 0.99, 19, 2.5394832 },
		{ 0.8, 19, 0.8609506 }, { 0.975, 39, 2.0226909 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(normal); i++)
		assert_near(stats_normal_quantile(normal[i].p), normal[i].z, 1e-6);
	for (i = 0; i < ARRAY_SIZE(student); i++)
		assert_near(stats_t_quantile(student[i].p, student[i].df) /
			    student[i].t, 1, 0.01);
}

/* The sum of the terms, by definition. */
static double binomial_cdf(unsigned int k, unsigned int n, double q)
{
	double sum = 0;
	unsigned int i;

	/* by logarithms, since 0.01^300 underflows */
	for (i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) +
			   i * log(q) + (n - i) * log(1 - q));
	return sum;
}

TEST(test_binomial)
{
	static const double q[] = { 0.5, 0.1, 0.9, 0.99 };
	unsigned int n, k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(q); i++)
		for (n = 1; n <= 120; n += 17)
			for (k = 0; k < n; k++)
				assert_near(stats_binomial_cdf(k, n, q[i]),
					    binomial_cdf(k, n, q[i]), 1e-10);
	assert_near(stats_binomial_cdf(7, 7, 0.3), 1, 0);
	/* of a large n, half is below the median */
	assert_near(stats_binomial_cdf(5000000000ULL - 1, 10000000000ULL, 0.5),
		    0.5, 1e-4);
}

/* The ranks by their definition, for all small n. */
static void check_ranks(unsigned int n, double q, double alpha)
{
	struct rank_interval r = stats_quantile_ranks(n, q, alpha);
	unsigned int lower = 0, upper = 0, k;

	for (k = 1; k <= n; k++) {
		if (binomial_cdf(k - 1, n, q) <= alpha / 2)
			lower = k;
		if (!upper && 1 - binomial_cdf(k - 1, n, q) <= alpha / 2)
			upper = k;
	}
	assert_int_equal(r.lower, lower);
	assert_int_equal(r.upper, upper);
}

TEST(test_ranks)
{
	unsigned int n;

	for (n = 1; n <= 300; n++) {
		check_ranks(n, 0.5, 0.05);
		check_ranks(n, 0.9, 0.05);
		check_ranks(n, 0.9, 0.1);
		check_ranks(n, 0.99, 0.05);
	}
	/* the first n with a finite bound of p99.9, equal-tailed */
	assert_int_equal(stats_quantile_ranks(3687, 0.999, 0.05).upper, 0);
	assert_int_equal(stats_quantile_ranks(3688, 0.999, 0.05).upper, 3688);
}

/* Intervals from samples contain the quantile as often as they promise. */
TEST(test_coverage)
{
	enum { N = 400, TRIALS = 4000 };
	struct rank_interval r = stats_quantile_ranks(N, 0.95, 0.05);
	unsigned int held = 0, i, k, below;
	uint64_t seed = 7;

	for (i = 0; i < TRIALS; i++) {
		for (k = 0, below = 0; k < N; k++)
			below += uniform(&seed) <= 0.95;
		/* x_lower <= q < x_upper, by the number of samples up to q */
		held += r.lower <= below && below < r.upper;
	}
	assert_in_range(held, (unsigned int)(0.95 * TRIALS),
			(unsigned int)(0.98 * TRIALS));
}

TEST(test_fewest)
{
	assert_int_equal(stats_fewest_samples(0.999, 0.05), 2995);
	assert_int_equal(stats_fewest_samples(0.9999, 0.05), 29956);
	assert_int_equal(stats_fewest_samples(0.99999, 0.05), 299572);
	assert_int_equal(stats_fewest_pairs(0.05), 5);
	assert_int_equal(stats_fewest_pairs(0.01), 7);
	assert_int_equal(stats_fewest_pairs(0.001), 10);
	assert_int_equal(stats_fewest_pairs(0.0625), 4);
}

/* The null distribution equals the one of all 2^n signs. */
TEST(test_null_distribution)
{
	double d[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	unsigned int n, signs, i, t, count[56];
	struct walsh w;
	double below;

	for (n = 1; n <= 10; n++) {
		memset(count, 0, sizeof(count));
		for (signs = 0; signs < 1U << n; signs++) {
			for (i = 0, t = 0; i < n; i++)
				t += (signs & 1U << i) ? i + 1 : 0;
			count[t]++;
		}
		assert_int_equal(walsh_init(&w, d, n), 0);
		for (t = 0, below = 0; t <= w.m; t++) {
			below += (double)count[t] / (1U << n);
			assert_near(w.below[t], below, 1e-12);
		}
		walsh_free(&w);
	}
}

/* Wilcoxon's statistic by ranks equals the number of Walsh averages above 0. */
TEST(test_walsh_is_signed_rank)
{
	uint64_t seed = 3;
	unsigned int trial, i, k, above, rank_sum, rank;
	struct walsh w;
	double d[15];

	for (trial = 0; trial < 200; trial++) {
		for (i = 0; i < 15; i++)
			d[i] = uniform(&seed) - 0.4;
		for (i = 0, rank_sum = 0; i < 15; i++) {
			for (k = 0, rank = 0; k < 15; k++)
				rank += fabs(d[k]) <= fabs(d[i]);
			rank_sum += d[i] > 0 ? rank : 0;
		}
		assert_int_equal(walsh_init(&w, d, 15), 0);
		for (i = 0, above = 0; i < w.m; i++)
			above += w.w[i] > 0;
		assert_int_equal(above, rank_sum);
		assert_near(walsh_p_above(&w, 0), w.below[w.m - rank_sum], 0);
		walsh_free(&w);
	}
}

/* A bound is beyond a value if and only if the test rejects it. */
TEST(test_bounds_and_p_agree)
{
	static const double alphas[] = { 0.05, 0.025, 0.01, 0.2 };
	uint64_t seed = 5;
	unsigned int trial, i;
	struct walsh w, mirrored;
	double d[12], minus[12], theta, alpha;

	for (trial = 0; trial < 500; trial++) {
		for (i = 0; i < 12; i++) {
			/* coarse, so that there are ties */
			d[i] = floor(10 * uniform(&seed)) / 10;
			minus[i] = -d[i];
		}
		theta = floor(20 * uniform(&seed)) / 20;
		alpha = alphas[trial % 4];
		assert_int_equal(walsh_init(&w, d, 12), 0);
		assert_int_equal(walsh_init(&mirrored, minus, 12), 0);
		assert_int_equal(walsh_lower(&w, alpha) > theta,
				 walsh_p_above(&w, theta) <= alpha);
		assert_near(walsh_upper(&w, alpha),
			    -walsh_lower(&mirrored, alpha), 0);
		assert_near(walsh_estimate(&w), -walsh_estimate(&mirrored), 1e-12);
		walsh_free(&w);
		walsh_free(&mirrored);
	}
}

TEST(test_few_pairs)
{
	double d[] = { 1, 2, 3, 4, 5 }, many[STATS_MAX_PAIRS + 1] = { 0 };
	struct walsh w;

	assert_int_equal(walsh_init(&w, d, 4), 0);
	assert_true(isinf(walsh_lower(&w, 0.05)) && isinf(walsh_upper(&w, 0.05)));
	walsh_free(&w);
	assert_int_equal(walsh_init(&w, d, 5), 0);
	assert_near(walsh_lower(&w, 0.05), 1, 0);
	assert_near(walsh_upper(&w, 0.05), 5, 0);
	assert_near(walsh_p_above(&w, 0), 1.0 / 32, 1e-15);
	walsh_free(&w);
	assert_int_equal(walsh_init(&w, d, 0), -EINVAL);
	assert_int_equal(walsh_init(&w, many, STATS_MAX_PAIRS + 1), -EINVAL);
	assert_int_equal(walsh_init(&w, many, STATS_MAX_PAIRS), 0);
	assert_near(walsh_upper(&w, 0.05), 0, 0);
	walsh_free(&w);
}

TEST(test_resolution)
{
	double effect = stats_resolved(0.24, 20, 0.05, 0.8);

	/* (1.729 + 0.861) 0.24 sqrt(pi / 3 / 20) */
	assert_near(effect, 0.1422, 0.0015);
	assert_int_equal(stats_pairs_for(effect * 1.0001, 0.24, 0.05, 0.8), 20);
	assert_int_equal(stats_pairs_for(effect * 0.9999, 0.24, 0.05, 0.8), 21);
	assert_int_equal(stats_pairs_for(1e-6, 0.24, 0.05, 0.8), 0);
	/* without spread: the fewest pairs that can decide */
	assert_int_equal(stats_pairs_for(0.01, 0, 0.05, 0.8), 5);
}

/* The 2 largest of 4 runs are B's in one of six ways to choose them. */
TEST(test_beyond)
{
	assert_near(stats_beyond(2, 2), 1.0 / 6, 1e-15);
	assert_near(stats_beyond(2, 0), 1, 0);
	/* C(20, 5) / C(40, 5) */
	assert_near(stats_beyond(20, 5), 15504.0 / 658008, 1e-12);
	assert_near(stats_beyond(3, 4), 0, 0);
}

/* erfc(z / sqrt(2)), with z worked out by hand. */
TEST(test_rank_sum)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 }, odd[] = { 1, 3, 5, 7, 9 };
	const double even[] = { 2, 4, 6, 8, 10 }, same[] = { 3, 3, 3, 3, 3 };
	double p;

	assert_int_equal(stats_rank_sum_p(low, 5, high, 5, &p), 0);
	/* 12 / sqrt(25 / 12 * 11) */
	assert_near(p, 0.01218578, 1e-8);
	assert_int_equal(stats_rank_sum_p(high, 5, low, 5, &p), 0);
	assert_near(p, 0.01218578, 1e-8);
	assert_int_equal(stats_rank_sum_p(odd, 5, even, 5, &p), 0);
	assert_near(p, 0.67610331, 1e-8);
	/* ties lower the variance: 12 / sqrt(25 / 12 * (11 - 120 / 90)) */
	assert_int_equal(stats_rank_sum_p(same, 5, high, 5, &p), 0);
	assert_near(p, 0.00749496, 1e-8);
	assert_int_equal(stats_rank_sum_p(same, 5, same, 5, &p), 0);
	assert_near(p, 1, 0);
}

TEST(test_middle)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };

	assert_near(stats_median(odd, 3), 2, 0);
	assert_near(stats_median(even, 4), 2.5, 0);
	assert_true(isnan(stats_median(even, 0)));
}

UNIT_MAIN(NULL, NULL)
