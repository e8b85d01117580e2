// SPDX-License-Identifier: GPL-2.0
/* Pairs with known numbers get the right verdict and margin. */
#include <errno.h>
#include <math.h>

#include "unit.h"
#include "compare/decision.h"
#include "compare/stats.h"

#define N 8

static const struct rule standard = {
	.alpha = 0.05, .looks = 1, .least_margin = DECISION_LEAST_MARGIN,
	.most_margin = DECISION_MOST_MARGIN,
};

/* Eight pairs with some scatter; B is @ratio times A. */
static struct decision pairs(double ratio, double scatter)
{
	static double a[4][N], b[4][N], base[4][N];
	static unsigned int used;
	unsigned int k = used++ % 4, i;

	for (i = 0; i < N; i++) {
		a[k][i] = 1000 + 10 * i;
		b[k][i] = a[k][i] * ratio * (1 + scatter * ((int)i - 3.5) / 3.5);
		base[k][i] = scatter * (i % 2 ? 1 : -1);
	}
	return (struct decision){
		.a = a[k], .b = b[k], .base = base[k], .n = N, .nbase = N,
	};
}

static enum decision_verdict verdict_of(struct decision *d, struct rule rule)
{
	assert_int_equal(decide(d, 1, &rule), 0);
	assert_true(d->lower <= d->effect && d->effect <= d->upper);
	return d->verdict;
}

static void test_three_verdicts(void **state)
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

static void test_too_few_pairs(void **state)
{
	struct decision d = pairs(3, 0.001);

	d.n = 4;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_true(d.too_few && isinf(d.lower) && isinf(d.upper));
	d.n = 5;
	assert_int_equal(verdict_of(&d, standard), VERDICT_REGRESSION);
	assert_false(d.too_few);
}

/* Each look costs: five pairs reach 2^-5, below 5 % but not below a fifth of it. */
static void test_looks(void **state)
{
	struct rule rule = standard;
	struct decision d = pairs(3, 0.001);

	rule.margin = 0.1;
	rule.looks = 5;
	d.n = 5;
	assert_int_equal(verdict_of(&d, rule), VERDICT_INCONCLUSIVE);
	assert_true(d.too_few);
	d.n = 7;
	assert_int_equal(verdict_of(&d, rule), VERDICT_REGRESSION);
	assert_true(fabs(d.lower_alpha - 0.01) < 1e-12);
}

/* The margin from the spread: an effect of twice the margin can be detected. */
static void test_margin_from_the_spread(void **state)
{
	struct decision d = pairs(1, 0.1);
	double x;

	verdict_of(&d, standard);
	x = stats_resolved(0.1, N, 0.05, DECISION_POWER_TWICE);
	assert_true(fabs(log((1 + 2 * d.margin) / (1 + d.margin)) - x) < 1e-9);
	assert_true(fabs(d.spread - 0.1) < 1e-12);
	/* a histogram resolves nothing below two of its buckets */
	d = pairs(1, 0);
	d.resolution = 1.0 / 16;
	verdict_of(&d, standard);
	assert_true(fabs(d.margin - 0.125) < 1e-12);
	/* with huge scatter any effect would be OK, so none is */
	d = pairs(1, 3);
	d.b = d.a;
	assert_int_equal(verdict_of(&d, standard), VERDICT_INCONCLUSIVE);
	assert_true(isinf(d.margin) && d.refused);
	/* a baseline without a logarithm has no spread */
	d = pairs(1, 0.01);
	((double *)d.base)[3] = -INFINITY;
	assert_int_equal(decide(&d, 1, &standard), -EINVAL);
}

/* A named margin that the pairs cannot resolve does not pass, but can fail. */
static void test_refused(void **state)
{
	struct rule rule = standard;
	struct decision d = pairs(1, 0.05);

	rule.margin = 0.02;
	d.b = d.a;			/* by luck there is no difference at all */
	assert_int_equal(verdict_of(&d, rule), VERDICT_INCONCLUSIVE);
	assert_true(d.refused && d.pairs_needed > N);
	assert_true(stats_resolved(d.spread, d.pairs_needed, 0.05,
				   DECISION_POWER) <= log1p(0.02));
	d = pairs(2, 0.05);
	assert_int_equal(verdict_of(&d, rule), VERDICT_REGRESSION);
	/* no number of pairs can resolve this margin */
	rule.margin = 0.0005;
	d = pairs(1, 0.3);
	verdict_of(&d, rule);
	assert_true(d.refused && !d.pairs_needed);
	/* less than two buckets of the histogram */
	rule.margin = 0.03;
	d = pairs(1, 0);
	d.resolution = 1.0 / 64;
	assert_int_equal(verdict_of(&d, rule), VERDICT_INCONCLUSIVE);
	assert_true(d.refused && !d.pairs_needed);
}

static void test_rates(void **state)
{
	double none[N] = { 0 }, some[N], base[N] = { 0 };
	struct decision d = {
		.absolute = true, .a = none, .b = none, .base = base, .n = N,
		.nbase = N, .resolution = 1.5 / 10000,
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
static void test_holm(void **state)
{
	struct decision d[3] = {
		pairs(1, 0.001), pairs(2, 0.001), pairs(1.5, 0.001),
	};

	assert_int_equal(decide(d, 3, &standard), 0);
	assert_int_equal(d[0].verdict, VERDICT_OK);
	assert_int_equal(d[1].verdict, VERDICT_REGRESSION);
	assert_int_equal(d[2].verdict, VERDICT_REGRESSION);
	assert_true(fabs(d[1].lower_alpha - 0.05 / 3) < 1e-12);
	assert_true(fabs(d[2].lower_alpha - 0.05 / 2) < 1e-12);
	assert_true(fabs(d[0].lower_alpha - 0.05) < 1e-12);
	assert_int_equal(decide_together(d, 3), VERDICT_REGRESSION);
	assert_int_equal(decide_together(d, 1), VERDICT_OK);
	/* without a regression, all stay at the first level */
	d[1] = pairs(1, 0.001);
	d[2] = pairs(1, 0.001);
	assert_int_equal(decide(d, 3, &standard), 0);
	assert_true(fabs(d[2].lower_alpha - 0.05 / 3) < 1e-12);
	assert_int_equal(decide_together(d, 3), VERDICT_OK);
	d[2].verdict = VERDICT_INCONCLUSIVE;
	assert_int_equal(decide_together(d, 3), VERDICT_INCONCLUSIVE);
}

static void test_no_logarithm(void **state)
{
	struct decision d = pairs(0, 0.01);

	assert_int_equal(decide(&d, 1, &standard), -EINVAL);
	d = pairs(1, 0);
	d.n = 0;
	assert_int_equal(decide(&d, 1, &standard), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_verdicts),
		cmocka_unit_test(test_too_few_pairs),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_margin_from_the_spread),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_no_logarithm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
