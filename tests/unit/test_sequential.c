// SPDX-License-Identifier: GPL-2.0
/* Looks that share alpha: their levels, and when they stop. */
#include <errno.h>
#include <math.h>

#include "unit.h"
#include "compare/sequential.h"
#include "result/stats.h"

static const struct rule standard = { .alpha = 0.05, .margin = 0.2 };

/* The levels spend alpha: walks without drift cross a bound as often as it says. */
static void test_levels_spend_alpha(void **state)
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

static void fill(double a[], double b[], size_t n, double ratio)
{
	size_t i;

	for (i = 0; i < n; i++) {
		a[i] = 1000 + (double)(i * 7 % 10);
		b[i] = ratio * (1000 + (double)(i * 3 % 10));
	}
}

static void test_stops(void **state)
{
	double a[SEQUENTIAL_MOST], b[SEQUENTIAL_MOST];
	struct decision d = { .a = a, .b = b, .n = SEQUENTIAL_MOST };
	struct sequential at;

	fill(a, b, SEQUENTIAL_MOST, 2);
	assert_int_equal(decide_sequentially(&d, 1, &standard, &at), 0);
	assert_int_equal(d.verdict, VERDICT_REGRESSION);
	assert_int_equal(at.pairs, SEQUENTIAL_FIRST);
	assert_int_equal(at.next, 0);
	assert_int_equal(d.n, SEQUENTIAL_FIRST);
	/* the first look that decides stands, whatever came later */
	d.n = SEQUENTIAL_MOST;
	fill(a, b, SEQUENTIAL_FIRST, 1);
	assert_int_equal(decide_sequentially(&d, 1, &standard, &at), 0);
	assert_int_equal(d.verdict, VERDICT_OK);
	/* at the margin nothing is certain: it goes on to the end */
	fill(a, b, SEQUENTIAL_MOST, 1.2);
	d.n = 13;
	assert_int_equal(decide_sequentially(&d, 1, &standard, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, 12);
	assert_int_equal(at.next, 16);
	d.n = SEQUENTIAL_MOST;
	assert_int_equal(decide_sequentially(&d, 1, &standard, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.pairs, SEQUENTIAL_MOST);
	assert_int_equal(at.next, 0);
}

static void test_too_few(void **state)
{
	double a[SEQUENTIAL_FIRST], b[SEQUENTIAL_FIRST];
	struct decision d = { .a = a, .b = b, .n = SEQUENTIAL_FIRST - 1 };
	struct rule without = { .alpha = 0.05 };
	struct sequential at;

	fill(a, b, SEQUENTIAL_FIRST, 2);
	assert_int_equal(decide_sequentially(&d, 1, &standard, &at), 0);
	assert_int_equal(d.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(at.next, SEQUENTIAL_FIRST);
	/* a margin from the spread would be another one at each look */
	assert_int_equal(decide_sequentially(&d, 1, &without, &at), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_spend_alpha),
		cmocka_unit_test(test_stops),
		cmocka_unit_test(test_too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
