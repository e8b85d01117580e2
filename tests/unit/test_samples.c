// SPDX-License-Identifier: GPL-2.0
/* Every value of a metric is kept and sorted, up to the limit. */
#include "unit.h"
#include "util/samples.h"

/* The smallest value with at least @ppm of all values at or below it. */
static uint64_t naive_quantile(const struct samples *s, unsigned int ppm)
{
	uint64_t best = UINT64_MAX;
	size_t i, k, below;

	for (i = 0; i < s->n; i++) {
		for (k = below = 0; k < s->n; k++)
			below += s->v[k] <= s->v[i];
		if ((uint64_t)below * 1000000 >= (uint64_t)s->n * ppm && s->v[i] < best)
			best = s->v[i];
	}
	return best;
}

static void test_quantile(void **state)
{
	static const unsigned int ppm[] = {
		1, 9999, 10000, 250000, 333333, 333334, 500000, 500001, 900000, 990000,
		999000, 999999, 1000000,
	};
	struct samples s = { .n = 0 };
	uint64_t seed = 3;
	size_t n, i;

	assert_int_equal(samples_quantile(&s, 500000), 0);
	for (n = 1; n <= 120; n++) {
		/* few values, so that some are equal */
		samples_add(&s, unit_random(&seed) % (n % 2 ? 20 : UINT64_MAX));
		samples_sort(&s);
		for (i = 0; i < ARRAY_SIZE(ppm); i++)
			assert_int_equal(samples_quantile(&s, ppm[i]), naive_quantile(&s, ppm[i]));
		assert_int_equal(samples_quantile(&s, 1000000), s.v[n - 1]);
	}
	samples_free(&s);
}

static void test_ranks(void **state)
{
	struct samples s = { .n = 0 };
	unsigned int i;

	for (i = 1; i <= 100; i++)
		samples_add(&s, i);
	samples_sort(&s);
	assert_int_equal(samples_quantile(&s, 500000), 50);
	assert_int_equal(samples_quantile(&s, 500001), 51);
	assert_int_equal(samples_quantile(&s, 990000), 99);
	assert_int_equal(samples_quantile(&s, 999000), 100);
	assert_int_equal(samples_quantile(&s, 1), 1);
	samples_free(&s);
}

static void test_sorted(void **state)
{
	struct samples s = { .n = 0 };
	uint64_t seed = 9, sum = 0, sorted = 0;
	size_t i;

	for (i = 0; i < 5000; i++) {
		samples_add(&s, unit_random(&seed));
		assert_false(s.sorted);
		sum += s.v[i];
	}
	samples_add(&s, UINT64_MAX);
	samples_add(&s, 0);
	samples_sort(&s);
	assert_true(s.sorted);
	assert_int_equal(s.n, 5002);
	assert_int_equal(s.v[0], 0);
	assert_true(s.v[5001] == UINT64_MAX);
	for (i = 1; i < s.n; i++)
		assert_true(s.v[i - 1] <= s.v[i]);
	for (i = 1; i < s.n - 1; i++)
		sorted += s.v[i];
	assert_true(sum == sorted);
	/* one more value must be sorted in */
	samples_add(&s, 1);
	assert_false(s.sorted);
	samples_sort(&s);
	assert_int_equal(s.v[1], 1);
	samples_free(&s);
}

static void test_limit(void **state)
{
	struct samples s = { .n = 0 };
	size_t i;

	for (i = 0; i < SAMPLES_MAX; i++)
		samples_add(&s, i);
	assert_int_equal(s.n, SAMPLES_MAX);
	assert_false(s.full);
	samples_sort(&s);
	assert_int_equal(samples_quantile(&s, 1000000), SAMPLES_MAX - 1);
	samples_add(&s, 0);
	assert_true(s.full);
	assert_int_equal(s.n, 0);
	assert_null(s.v);
	/* it stays full, since the later values are not all */
	samples_add(&s, 7);
	assert_int_equal(s.n, 0);
	assert_int_equal(samples_quantile(&s, 500000), 0);
	samples_sort(&s);
	samples_free(&s);
	assert_false(s.full);
	samples_add(&s, 7);
	assert_int_equal(s.n, 1);
	samples_drop(&s);
	assert_true(s.full && !s.n);
	samples_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
