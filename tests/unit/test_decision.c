// SPDX-License-Identifier: GPL-2.0
/* Pairs with known numbers get the right verdict and margin; looks share alpha, and stop in time. */
#include <errno.h>
#include <math.h>

#include "unit.h"
#include "compare/decision.h"
#include "result/stats.h"

#define N 8
#define RANKS (1 - DECISION_GUARD)	/* the share of alpha that the signed ranks have */

static const struct rule standard = {
	.alpha = 0.05, .least_margin = DECISION_LEAST_MARGIN,
	.most_margin = DECISION_MOST_MARGIN,
};

/* Eight pairs with some scatter; B is @ratio times A. */
static struct decision pairs(double ratio, double scatter)
{
	static double a[4][N], b[4][N];
	static unsigned int used;
	unsigned int k = used++ % 4, i;

	for (i = 0; i < N; i++) {
		a[k][i] = 1000 + 10 * i;
		b[k][i] = a[k][i] * ratio * (1 + scatter * ((int)i - 3.5) / 3.5);
	}
	return (struct decision){
		.a = a[k], .b = b[k], .n = N,
	};
}

static enum decision_verdict verdict_of(struct decision *d, struct rule rule)
{
	assert_int_equal(decide(d, 1, &rule), 0);
	assert_true(d->lower <= d->effect && d->effect <= d->upper);
	return d->verdict;
}

TEST(test_three_verdicts)
{
	struct decision same = pairs(1, 0.01), more = pairs(1.5, 0.01);
	struct decision between = pairs(1.05, 0.02);

	assert_int_equal(verdict_of(&same, standard), VERDICT_OK);
	assert_int_equal(verdict_of(&more, standard), VERDICT_REGRESSION);
	assert_int_equal(verdict_of(&between, standard), VERDICT_INCONCLUSIVE);
	assert_true(fabs(decision_shown(&more, more.effect) - 0.5) < 0.01);
	assert_true(same.margin >= DECISION_LEAST_MARGIN);
	/* faster is no regression */
	same = pairs(0.5, 0.01);
	assert_int_equal(verdict_of(&same, standard), VERDICT_OK);
}

TEST(test_too_few_pairs)
{
	struct decision d = pairs(3, 0.001), same = pairs(1, 0.001), two[2];
	struct rule strict = standard;

	strict.alpha = 0.01;
	d.n = 4;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_true(isinf(d.lower) && isinf(d.upper));
	assert_int_equal(d.pairs_fewest, 5);
	d.n = 5;
	assert_int_equal(verdict_of(&d, standard), VERDICT_REGRESSION);
	/* at 1 % seven could be OK, but not show a regression by the ranks, which have 3/4 of it */
	assert_int_equal(verdict_of(&same, strict), VERDICT_OK);
	same.n = 7;
	assert_int_equal(verdict_of(&same, strict), VERDICT_INCONCLUSIVE);
	assert_int_equal(same.pairs_fewest, 8);
	/* Five pairs could never show that one of two metrics got worse, so neither is OK. */
	two[0] = pairs(1, 0.001);
	two[1] = pairs(1, 0.001);
	two[0].n = two[1].n = 5;
	assert_int_equal(decide(two, 2, &standard), 0);
	assert_int_equal(two[0].pairs_fewest, 6);
	assert_int_equal(decide_together(two, 2), VERDICT_INCONCLUSIVE);
	two[0].n = two[1].n = 6;
	assert_int_equal(decide(two, 2, &standard), 0);
	assert_int_equal(decide_together(two, 2), VERDICT_OK);
}

/* The margin from the spread: an effect of twice the margin can be detected. */
TEST(test_margin_from_the_spread)
{
	struct decision d = pairs(1, 0.1), two[2];
	double x;

	verdict_of(&d, standard);
	x = stats_resolved(d.spread, N, RANKS * 0.05, DECISION_POWER_TWICE);
	assert_true(fabs(log((1 + 2 * d.margin) / (1 + d.margin)) - x) < 1e-9);
	assert_false(d.margin_is_least || d.margin_is_most);
	/* of two metrics each is tested at half of alpha, and has its margin for that */
	two[0] = pairs(1, 0.1);
	two[1] = pairs(1, 0.1);
	assert_int_equal(decide(two, 2, &standard), 0);
	x = stats_resolved(d.spread, N, RANKS * 0.025, DECISION_POWER_TWICE);
	assert_true(fabs(log((1 + 2 * two[0].margin) / (1 + two[0].margin)) - x) < 1e-9);
	/* a histogram resolves nothing below two of its buckets */
	d = pairs(1, 0);
	d.resolution = 1.0 / 16;
	verdict_of(&d, standard);
	assert_true(fabs(d.margin - 0.125) < 1e-12);
	assert_true(d.margin_is_least);
}

/* However wide the spread, 60 % more in every run is worse than the widest margin. */
TEST(test_widest_margin)
{
	struct decision d = pairs(1, 3);
	double a[N], b[N];
	unsigned int i;

	for (i = 0; i < N; i++) {
		a[i] = 1000;
		b[i] = 1000 * exp(i % 2 ? -1 : 1);
	}
	d.a = a;
	d.b = b;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_true(d.margin_is_most);
	assert_true(fabs(d.margin - DECISION_MOST_MARGIN) < 1e-12);
	for (i = 0; i < N; i++)
		b[i] = 1000 * (i % 2 ? 10 : 1.6);
	d.b = b;
	assert_int_equal(verdict_of(&d, standard), VERDICT_REGRESSION);
	assert_true(d.margin_is_most);
}

/* One run that is far off changes the margin little. */
TEST(test_outlier)
{
	struct decision d = { .n = 2 * N };
	double a[2 * N], b[2 * N], sum = 0, calm;
	size_t i;

	for (i = 0; i < 2 * N; i++) {
		a[i] = 1000 + 10 * (double)(i * 7 % (2 * N));
		b[i] = a[i] * exp(0.01 * ((double)i - N + 0.5));
	}
	d.a = a;
	d.b = b;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	calm = d.spread;
	b[3] *= 20;
	for (i = 0; i < 2 * N; i++)
		sum += pow(log(b[i] / a[i]), 2);
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_true(d.spread < 2 * calm);
	assert_true(d.spread < sqrt(sum / (2 * N)) / 5);
}

/* Twenty pairs of rates or times; the last @bad of B are terrible. */
static struct decision some_runs(unsigned int bad, bool absolute)
{
	enum { MANY = 20 };
	static double a[MANY], b[MANY];
	struct decision d = { .absolute = absolute, .n = MANY, .a = a, .b = b,
			      .resolution = absolute ? 1.5 / 10000 : 0 };
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		a[i] = absolute ? 0 : 1000 + (i * 7) % MANY;
		b[i] = absolute ? 0 : 1000 + (i * 3) % MANY;
		if (i >= MANY - bad)
			b[i] = absolute ? 0.5 : 12000;
	}
	return d;
}

/* Three to five terrible runs of B are never OK, six are a regression. */
TEST(test_some_runs)
{
	static const enum decision_verdict expected[] = {
		VERDICT_OK, VERDICT_OK, VERDICT_OK, VERDICT_INCONCLUSIVE,
		VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE, VERDICT_REGRESSION,
	};
	struct decision d, two[2];
	unsigned int bad, absolute;

	for (absolute = 0; absolute < 2; absolute++)
		for (bad = 0; bad < ARRAY_SIZE(expected); bad++) {
			d = some_runs(bad, absolute);
			assert_int_equal(verdict_of(&d, standard), expected[bad]);
			assert_int_equal(d.beyond, bad);
			assert_int_equal(d.by_beyond, bad >= DECISION_SOME);
		}
	/* one of A's runs is as bad: nothing of B is beyond it */
	d = some_runs(3, false);
	((double *)d.a)[7] = 12000;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_int_equal(d.beyond, 0);
	/* half of alpha each: six are not enough for one of two metrics */
	two[0] = some_runs(6, true);
	two[1] = two[0];
	two[1].a = two[1].b;
	assert_int_equal(decide(two, 2, &standard), 0);
	assert_int_equal(decide_together(two, 2), VERDICT_INCONCLUSIVE);
	/* of a rate that is 0 in all runs no test could reject: it leaves all of alpha */
	two[1].a = two[1].b = two[0].a;
	assert_int_equal(decide(two, 2, &standard), 0);
	assert_true(two[1].nothing && !two[0].nothing);
	assert_int_equal(two[1].verdict, VERDICT_OK);
	assert_int_equal(decide_together(two, 2), VERDICT_REGRESSION);
}

/* CPU 0 is the worst one in every run, and equal. Two of the others are twice as slow. */
TEST(test_other_cpus)
{
	enum { CPUS = 4 };
	static double a[CPUS][N], b[CPUS][N];
	struct decision d = {
		.a = a[0], .b = b[0], .n = N, .cpu_a = a[0], .cpu_b = b[0],
		.ncpus = CPUS, .stride = N,
	};
	unsigned int i, k;

	for (i = 0; i < N; i++)
		for (k = 0; k < CPUS; k++) {
			a[k][i] = (k ? 100 : 1000) + (i * 3 + k) % N;
			b[k][i] = (k ? 100 : 1000) + (i * 5 + k) % N;
		}
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_int_equal(d.cpus_worse, 0);
	for (i = 0; i < N; i++) {
		b[2][i] *= 2;
		b[3][i] *= 3;
	}
	assert_int_equal(verdict_of(&d, standard), VERDICT_REGRESSION);
	assert_int_equal(d.cpus_worse, 2);
	assert_true(d.worst_cpu >= 2);
	assert_true(d.cpu_effect > log(1.8));
	/* six pairs could not show that one of four CPUs got worse, so they are not OK */
	d.n = 6;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_int_equal(d.pairs_fewest, 8);
	/* one looks worse in all pairs but two, which is too few for its test, and too much for OK */
	d.n = N;
	for (i = 0; i < N; i++) {
		b[2][i] = i < 2 ? a[2][i] / 2 : b[2][i];
		b[3][i] = a[3][i];
	}
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_int_equal(d.cpus_worse, 0);
	assert_true(d.cpu_unsure);
	assert_int_equal(d.worst_cpu, 2);
	/* values without a ratio say nothing */
	for (i = 0; i < N; i++)
		a[2][i] = a[3][i] = 0;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
}

/* Missed on both sides says nothing, only in B the largest effect, only in A the smallest. */
TEST(test_missed)
{
	double a[N], b[N];
	struct decision d = { .a = a, .b = b, .n = N };
	unsigned int i;

	for (i = 0; i < N; i++) {
		a[i] = 1000;
		b[i] = INFINITY;
	}
	assert_int_equal(verdict_of(&d, standard), VERDICT_REGRESSION);
	assert_true(isinf(d.effect) && d.effect > 0 && isinf(d.lower));
	d.a = b;
	d.b = a;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_true(isinf(d.upper) && d.upper < 0);
	/* one tie of eight */
	for (i = 0; i < N; i++)
		b[i] = a[i] = i ? 1000 + i : INFINITY;
	d.a = a;
	d.b = b;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_int_equal(d.both_missed, 1);
	assert_int_equal(decision_pairs(&d), N - 1);
	/* A misses it as well: a regression is tested at half of alpha */
	assert_true(d.lower_alpha == RANKS * standard.alpha / 2);
	assert_true(d.upper_alpha == standard.alpha);
	assert_true(fabs(d.effect) < 1e-12);
	/* four ties: the other four cannot decide, though half of all pairs are no ties */
	for (i = 0; i < 4; i++)
		b[i] = a[i] = INFINITY;
	d.a = a;
	d.b = b;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
}

/* A clock whose step is wider than the widest margin never permits OK. */
TEST(test_coarse_clock)
{
	struct decision d = pairs(1, 0.01), slower = pairs(4, 0.01);

	d.resolution = slower.resolution = 0.3;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_true(d.refused && d.margin_is_most && !d.margin_is_least);
	assert_true(d.margin == DECISION_MOST_MARGIN);
	assert_int_equal(verdict_of(&slower, standard), VERDICT_REGRESSION);
	/* with the widest margin in reach it decides */
	d.resolution = 0.2;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_true(d.margin_is_least && d.margin == 0.4);
}

/*
 * As often missed only in A as only in B: the effects average to 0, and say nothing about the size
 * of any. Nor do the pairs that are missed on both sides say that the sides are the same.
 */
TEST(test_missed_now_here_now_there)
{
	double a[40], b[40];
	struct decision d = { .n = 40 };
	unsigned int i;

	for (i = 0; i < 40; i++) {
		a[i] = i % 4 < 2 ? INFINITY : 1000 + i;
		b[i] = i % 4 == 0 || i % 4 == 2 ? INFINITY : 1000 + i;
	}
	d.a = a;
	d.b = b;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_int_equal(d.both_missed, 10);
	assert_true(d.effect == 0);
	assert_true(isinf(d.upper) && d.upper > 0);
}

/*
 * A named margin is tested as it is: how many pairs are needed is only said. But it
 * must be wider than what rounding can do.
 */
TEST(test_named_margin)
{
	struct rule rule = standard;
	struct decision d = pairs(1, 0.05);

	rule.margin = 0.02;
	assert_int_equal(verdict_of(&d, rule), VERDICT_INCONCLUSIVE);
	assert_true(!d.refused && d.pairs_needed > N);
	assert_true(stats_resolved(d.spread, d.pairs_needed, 0.05,
				   DECISION_POWER) <= log1p(0.02));
	/* by luck all pairs are better */
	d = pairs(0.9, 0.01);
	assert_int_equal(verdict_of(&d, rule), VERDICT_OK);
	d = pairs(2, 0.05);
	assert_int_equal(verdict_of(&d, rule), VERDICT_REGRESSION);
	/* no number of pairs is enough */
	rule.margin = 0.0005;
	d = pairs(1, 0.3);
	verdict_of(&d, rule);
	assert_int_equal(d.pairs_needed, 0);
	/* less than two buckets of the histogram */
	rule.margin = 0.03;
	d = pairs(1, 0);
	d.resolution = 1.0 / 64;
	assert_int_equal(verdict_of(&d, rule), VERDICT_INCONCLUSIVE);
	assert_true(d.refused);
}

TEST(test_rates)
{
	double none[N] = { 0 }, some[N];
	struct decision d = {
		.absolute = true, .a = none, .b = none, .n = N,
		.resolution = 1.5 / 10000,
	};
	unsigned int i;

	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_true(fabs(d.margin - 3.0 / 10000) < 1e-12);
	for (i = 0; i < N; i++)
		some[i] = 0.001;
	d.b = some;
	assert_int_equal(verdict_of(&d, standard), VERDICT_REGRESSION);
	assert_true(fabs(d.effect - 0.001) < 1e-12);
}

/* Holm: one clear regression among several leaves the next more alpha. */
TEST(test_holm)
{
	struct decision d[3] = {
		pairs(1, 0.001), pairs(2, 0.001), pairs(1.5, 0.001),
	};

	assert_int_equal(decide(d, 3, &standard), 0);
	assert_int_equal(d[0].verdict, VERDICT_OK);
	assert_int_equal(d[1].verdict, VERDICT_REGRESSION);
	assert_int_equal(d[2].verdict, VERDICT_REGRESSION);
	assert_true(fabs(d[1].lower_alpha - RANKS * 0.05 / 3) < 1e-12);
	assert_true(fabs(d[2].lower_alpha - RANKS * 0.05 / 2) < 1e-12);
	assert_true(fabs(d[0].lower_alpha - RANKS * 0.05) < 1e-12);
	assert_int_equal(decide_together(d, 3), VERDICT_REGRESSION);
	assert_int_equal(decide_together(d, 1), VERDICT_OK);
	/* without a regression, all stay at the first level */
	d[1] = pairs(1, 0.001);
	d[2] = pairs(1, 0.001);
	assert_int_equal(decide(d, 3, &standard), 0);
	assert_true(fabs(d[2].lower_alpha - RANKS * 0.05 / 3) < 1e-12);
	assert_int_equal(decide_together(d, 3), VERDICT_OK);
	d[2].verdict = VERDICT_INCONCLUSIVE;
	assert_int_equal(decide_together(d, 3), VERDICT_INCONCLUSIVE);
}

TEST(test_no_logarithm)
{
	struct decision d = pairs(0, 0.01);

	assert_int_equal(decide(&d, 1, &standard), -EINVAL);
	d = pairs(1, 0);
	d.n = 0;
	assert_int_equal(decide(&d, 1, &standard), -EINVAL);
}

static const struct rule sequential_rule = { .alpha = 0.05, .margin = 0.2 };

/* The levels spend alpha: walks without drift cross a bound as often as it says. */
TEST(test_levels_spend_alpha)
{
	enum { WALKS = 40000 };
	double level[SEQUENTIAL_LOOKS], bound[SEQUENTIAL_LOOKS];
	uint64_t seed = 7;
	unsigned int walk, look, pair, crossed = 0;

	sequential_levels(level, 0.05);
	for (look = 0; look < SEQUENTIAL_LOOKS; look++) {
		assert_true(level[look] > 0 && level[look] < 0.05);
		assert_true(!look || level[look] > level[look - 1]);
		bound[look] = -stats_normal_quantile(level[look]);
	}
	/* all signs of the first eight pairs can reach it */
	assert_true(level[0] >= exp2(-SEQUENTIAL_FIRST));
	for (walk = 0; walk < WALKS; walk++) {
		double sum = 0;
		bool out = false;

		for (pair = 1, look = 0; pair <= SEQUENTIAL_MOST; pair++) {
			unsigned int k;

			for (k = 0; k < 12; k++)	/* nearly normal, variance 1 */
				sum += (double)(unit_random(&seed) >> 11) / 9007199254740992.0;
			sum -= 6;
			if (pair == SEQUENTIAL_FIRST + look * SEQUENTIAL_STEP)
				out |= sum / sqrt(pair) > bound[look++];
		}
		crossed += out;
	}
	/* 5 % within three standard errors of 0.11 % */
	assert_true(fabs((double)crossed / WALKS - 0.05) < 0.0033);
}

static void fill_pairs(double a[], double b[], size_t n, double ratio)
{
	size_t i;

	for (i = 0; i < n; i++) {
		a[i] = 1000 + (double)(i * 7 % 10);
		b[i] = ratio * (1000 + (double)(i * 3 % 10));
	}
}

TEST(test_sequential_stops)
{
	double a[SEQUENTIAL_MOST], b[SEQUENTIAL_MOST];
	struct decision d = { .a = a, .b = b, .n = SEQUENTIAL_MOST };
	struct sequential at;

	fill_pairs(a, b, SEQUENTIAL_MOST, 2);
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_REGRESSION);
	assert_int_equal(at.pairs, SEQUENTIAL_FIRST);
	assert_int_equal(at.next, 0);
	assert_int_equal(d.n, SEQUENTIAL_FIRST);
	/* the first look that decides stands, whatever came later */
	d.n = SEQUENTIAL_MOST;
	fill_pairs(a, b, SEQUENTIAL_FIRST, 1);
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_OK);
	/* at the margin nothing is certain: it continues to the end */
	fill_pairs(a, b, SEQUENTIAL_MOST, 1.2);
	d.n = 13;
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, 12);
	assert_int_equal(at.next, 16);
	d.n = SEQUENTIAL_MOST;
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, SEQUENTIAL_MOST);
	assert_int_equal(at.next, 0);
}

TEST(test_sequential_too_few)
{
	double a[SEQUENTIAL_FIRST], b[SEQUENTIAL_FIRST];
	struct decision d = { .a = a, .b = b, .n = SEQUENTIAL_FIRST - 1 };
	struct rule without = { .alpha = 0.05 };
	struct sequential at;

	fill_pairs(a, b, SEQUENTIAL_FIRST, 2);
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.next, SEQUENTIAL_FIRST);
	/* a margin from the spread would be another one at each look */
	assert_int_equal(decide_sequentially(&d, 1, &without, &at), -EINVAL);
}

/* Pairs after the first look that differ much more than those before. */
static void fill_later(double b[SEQUENTIAL_MOST])
{
	size_t i;

	for (i = SEQUENTIAL_FIRST; i < SEQUENTIAL_MOST; i++)
		b[i] = i % 2 ? 0.3 : 0;
}

/* The default rate: a named margin is not for it, and all looks have the margin of the first. */
TEST(test_sequential_rate)
{
	double a[SEQUENTIAL_MOST] = { 0 }, b[SEQUENTIAL_MOST], first;
	struct decision d = { .absolute = true, .resolution = 0.5 / 20000 };
	struct rule rate = sequential_rule;
	struct sequential at;
	size_t i;

	for (i = 0; i < SEQUENTIAL_MOST; i++)
		b[i] = (i % 3 ? 0.001 : 0) - 1e-9 * (double)i;
	d.a = a;
	d.b = b;
	d.n = SEQUENTIAL_FIRST;
	assert_int_equal(decide_sequentially(&d, 1, &rate, &at), 0);
	first = d.margin;
	assert_true(!d.margin_named && first > 0.0002 && first < 0.002);
	fill_later(b);
	d.n = SEQUENTIAL_MOST;
	assert_int_equal(decide_sequentially(&d, 1, &rate, &at), 0);
	assert_true(d.n > SEQUENTIAL_FIRST && d.margin == first);
	rate.rate_margin = 0.4;
	d.n = SEQUENTIAL_MOST;
	assert_int_equal(decide_sequentially(&d, 1, &rate, &at), 0);
	assert_true(d.margin_named && d.margin == 0.4);
	assert_int_equal(d.verdict, VERDICT_OK);
}

UNIT_MAIN(NULL, NULL)
