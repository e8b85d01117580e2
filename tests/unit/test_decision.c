// SPDX-License-Identifier: GPL-2.0
/* Pairs with known numbers get the right verdict; looks share alpha, and stop in time. */
#include <errno.h>
#include <math.h>

#include "unit.h"
#include "compare/decision.h"
#include "result/stats.h"

#define N 8
#define RANKS (1 - DECISION_GUARD)	/* the share of alpha that the signed ranks have */

static const struct rule standard = { .alpha = 0.05, .margin = DECISION_MARGIN };

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
	struct decision between = pairs(1.1, 0.02);

	assert_int_equal(verdict_of(&same, standard), VERDICT_OK);
	assert_int_equal(verdict_of(&more, standard), VERDICT_REGRESSION);
	assert_int_equal(verdict_of(&between, standard), VERDICT_INCONCLUSIVE);
	assert_true(fabs(decision_shown(&more, more.effect) - 0.5) < 0.01);
	assert_true(same.margin == DECISION_MARGIN);
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

/* One run that is far off changes the spread little. */
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

/* Twenty pairs; the last @bad of B are terrible. */
static struct decision some_runs(unsigned int bad)
{
	enum { MANY = 20 };
	static double a[MANY], b[MANY];
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		a[i] = 1000 + (i * 7) % MANY;
		b[i] = i >= MANY - bad ? 12000 : 1000 + (i * 3) % MANY;
	}
	return (struct decision){ .n = MANY, .a = a, .b = b };
}

/* Three to five terrible runs of B are never OK, six are a regression. */
TEST(test_some_runs)
{
	static const enum decision_verdict expected[] = {
		VERDICT_OK, VERDICT_OK, VERDICT_OK, VERDICT_INCONCLUSIVE,
		VERDICT_INCONCLUSIVE, VERDICT_INCONCLUSIVE, VERDICT_REGRESSION,
	};
	struct decision d, two[2];
	unsigned int bad;

	for (bad = 0; bad < ARRAY_SIZE(expected); bad++) {
		d = some_runs(bad);
		assert_int_equal(verdict_of(&d, standard), expected[bad]);
		assert_int_equal(d.beyond, bad);
		assert_int_equal(d.by_beyond, bad >= DECISION_SOME);
	}
	/* one of A's runs is as bad: nothing of B is beyond it */
	d = some_runs(3);
	((double *)d.a)[7] = 12000;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
	assert_int_equal(d.beyond, 0);
	/* half of alpha each: six are not enough for one of two metrics */
	two[0] = some_runs(6);
	two[1] = two[0];
	two[1].a = two[1].b;
	assert_int_equal(decide(two, 2, &standard), 0);
	assert_int_equal(decide_together(two, 2), VERDICT_INCONCLUSIVE);
}

/* A run of 20000 expiries with bursts of @length. */
static struct events bursts(unsigned int n, unsigned int length)
{
	struct events e = {
		.expiries = 20000, .late = (uint64_t)n * length,
		.e = { .time_ns = 20000000000, .n = EPISODE_GAPS, .over = (uint64_t)n * length },
	};
	unsigned int i;

	for (i = 0; i < EPISODE_GAPS; i++)
		e.e.at[i] = (struct episode_row){
			.gap_ns = 2000000ULL << 2 * i, .n = n, .longest = n ? length : 0,
			.squares = (uint64_t)n * length * length,
		};
	return e;
}

enum { RUNS = 20 };

/* Every @th run of B has bursts, and of A every @th_a; 0: none has. */
static struct decision with_bursts(unsigned int th_a, unsigned int th, unsigned int n, unsigned int length)
{
	static struct events a[RUNS], b[RUNS];
	unsigned int i;

	for (i = 0; i < RUNS; i++) {
		a[i] = bursts(th_a && i % th_a == 0 ? n : 0, length);
		b[i] = bursts(th && i % th == 0 ? n : 0, length);
	}
	return (struct decision){ .n = RUNS, .events_a = a, .events_b = b };
}

static enum decision_verdict of_events(struct decision d)
{
	assert_int_equal(decide(&d, 1, &standard), 0);
	return d.verdict;
}

/* Two bursts in B are neither a REGRESSION nor OK. Single misses in each of its runs are a REGRESSION. */
TEST(test_events)
{
	struct decision d = with_bursts(0, 10, 1, 50), two[2];

	assert_int_equal(decide(&d, 1, &standard), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(d.found.b.late, 100);
	assert_int_equal(d.found.b.e.at[d.found.gap].n, 2);
	assert_true(fabs(d.effect - 100.0 / 400000) < 1e-12);
	assert_true(d.margin == EVENTS_LEAST_MARGIN && d.upper > d.margin);
	assert_int_equal(of_events(with_bursts(0, 1, 4, 1)), VERDICT_REGRESSION);
	assert_int_equal(of_events(with_bursts(0, 1, 1, 20)), VERDICT_REGRESSION);
	/* single ones, fewer than the least margin allows, but in each run of B, or in five of them */
	assert_int_equal(of_events(with_bursts(0, 1, 1, 1)), VERDICT_REGRESSION);
	assert_int_equal(of_events(with_bursts(0, 4, 1, 1)), VERDICT_INCONCLUSIVE);
	/* the same on both sides, so many that the bound is within 10 % of them */
	assert_int_equal(of_events(with_bursts(1, 1, 400, 1)), VERDICT_OK);
	/* and so few that it is not */
	assert_int_equal(of_events(with_bursts(1, 1, 4, 20)), VERDICT_INCONCLUSIVE);
	/* one single miss of 400 000 expiries, or fewer than before */
	assert_int_equal(of_events(with_bursts(0, 20, 1, 1)), VERDICT_OK);
	assert_int_equal(of_events(with_bursts(1, 0, 4, 1)), VERDICT_OK);
	/* too few pairs */
	d = with_bursts(0, 1, 40, 1);
	d.n = 4;
	assert_int_equal(of_events(d), VERDICT_INCONCLUSIVE);
	/* nothing on both sides is no test: it leaves all of alpha to the other */
	two[0] = some_runs(6);
	two[1] = with_bursts(0, 0, 1, 1);
	assert_int_equal(decide(two, 2, &standard), 0);
	assert_true(decision_has_none(&two[1]));
	assert_true(fabs(two[1].upper - events_unseen_share(400000, 0.05)) < 1e-15);
	assert_int_equal(two[1].verdict, VERDICT_OK);
	assert_int_equal(two[0].verdict, VERDICT_REGRESSION);
}

/* Of four CPUs one has all misses of B, and another those of A: as many of all expiries, but not of its own. */
TEST(test_events_of_cpus)
{
	enum { CPUS = 4 };
	static struct events a[CPUS][RUNS], b[CPUS][RUNS], all[2][RUNS];
	struct decision d = {
		.n = RUNS, .events_a = all[0], .events_b = all[1], .ncpus = CPUS, .stride = RUNS,
		.cpu_events_a = a[0], .cpu_events_b = b[0],
	};
	unsigned int i, k;

	for (i = 0; i < RUNS; i++) {
		for (k = 0; k < CPUS; k++) {
			a[k][i] = bursts(k == 0, 1);
			b[k][i] = bursts(k == 2, 1);
		}
		all[0][i] = a[0][i];
		all[1][i] = b[2][i];
		all[0][i].expiries = all[1][i].expiries = (uint64_t)CPUS * 20000;
	}
	assert_int_equal(of_events(d), VERDICT_REGRESSION);
	assert_int_equal(decide(&d, 1, &standard), 0);
	assert_int_equal(d.cpus_worse, 1);
	assert_int_equal(d.worst_cpu, 2);
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
	/* of two that do the one that looks worst is named */
	for (i = 0; i < N; i++)
		b[3][i] = i < 2 ? a[3][i] / 2 : 3 * a[3][i];
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_int_equal(d.worst_cpu, 3);
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

/* A clock of which two steps are wider than the margin never permits OK. */
TEST(test_coarse_clock)
{
	struct decision d = pairs(1, 0.01), slower = pairs(4, 0.01);

	d.resolution = slower.resolution = 0.06;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_true(d.refused);
	assert_int_equal(verdict_of(&slower, standard), VERDICT_REGRESSION);
	d.resolution = 0.05;
	assert_int_equal(verdict_of(&d, standard), VERDICT_OK);
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

/* How many pairs are needed is only said. But the margin must be wider than what rounding can do. */
TEST(test_margin)
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

TEST(test_levels_spend_alpha)
{
	double sum = 0;
	unsigned int look;

	for (look = 0; look < SEQUENTIAL_LOOKS; look++)
		sum += sequential_level(look, 0.05);
	assert_true(fabs(sum - 0.05) < 1e-12);
	/* all signs of the first pairs can reach the first level, also of three metrics */
	assert_true(decision_fewest_pairs(sequential_level(0, 0.05) / 3, 1) <= sequential_pairs[0]);
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
	assert_int_equal(at.pairs, sequential_pairs[0]);
	assert_int_equal(at.next, 0);
	assert_int_equal(d.n, sequential_pairs[0]);
	/* the first look that decides stands, whatever came later */
	d.n = SEQUENTIAL_MOST;
	fill_pairs(a, b, sequential_pairs[0], 1);
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_OK);
	/* at the margin nothing is certain: it continues to the end */
	fill_pairs(a, b, SEQUENTIAL_MOST, 1.2);
	d.n = 23;
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, 20);
	assert_int_equal(at.next, 40);
	d.n = SEQUENTIAL_MOST;
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, SEQUENTIAL_MOST);
	assert_int_equal(at.next, 0);
}

TEST(test_sequential_too_few)
{
	double a[SEQUENTIAL_MOST], b[SEQUENTIAL_MOST];
	struct decision d = { .a = a, .b = b, .n = sequential_pairs[0] - 1 };
	struct sequential at;

	fill_pairs(a, b, SEQUENTIAL_MOST, 2);
	assert_int_equal(decide_sequentially(&d, 1, &sequential_rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, sequential_pairs[0] - 1);
	assert_int_equal(at.next, sequential_pairs[0]);
}

/*
 * What is missing is doubted at each look: one run of B takes back an early OK, and none where there
 * are more pairs. A CPU that got worse stays worse.
 */
TEST(test_cut_short)
{
	enum { CPUS = 2 };
	static double a[1 + CPUS][SEQUENTIAL_MOST], b[1 + CPUS][SEQUENTIAL_MOST];
	struct rule rule = { .alpha = 0.05, .margin = 0.1, .cut_short = { 0, 1 } };
	struct decision d = { .a = a[0], .b = b[0], .n = SEQUENTIAL_MOST };
	struct sequential at;
	size_t i, k;

	for (i = 0; i < SEQUENTIAL_MOST; i++)
		for (k = 0; k <= CPUS; k++) {
			a[k][i] = 1000 + (double)(i % 7);
			b[k][i] = 1000 + (double)(i % 5);
		}
	assert_int_equal(decide_sequentially(&d, 1, &rule, &at), 0);
	assert_int_equal(d.verdict, VERDICT_OK);
	assert_true(at.pairs > sequential_pairs[0]);
	d.n = 8;
	assert_int_equal(decide(&d, 1, &rule), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_true(d.cut_short);
	/* one CPU is twice as slow in B, and not the worst one */
	for (i = 0; i < SEQUENTIAL_MOST; i++) {
		a[0][i] = a[1][i] = b[0][i] = b[1][i] = 5000 + (double)(i % 7);
		b[2][i] = 2000;
	}
	d = (struct decision){
		.a = a[0], .b = b[0], .n = 20, .cpu_a = a[1], .cpu_b = b[1], .ncpus = CPUS, .stride = SEQUENTIAL_MOST,
	};
	rule.cut_short[0] = 1;
	assert_int_equal(decide(&d, 1, &rule), 0);
	assert_int_equal(d.verdict, VERDICT_REGRESSION);
	rule.cut_short[0] = 20;
	assert_int_equal(decide(&d, 1, &rule), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_true(d.cut_short);
}

UNIT_MAIN(NULL, NULL)
