// SPDX-License-Identifier: GPL-2.0
/* Every value of a metric is kept and sorted, up to the limit. */
#include "unit.h"
#include "util/samples.h"

TEST(test_sorted)
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

TEST(test_limit)
{
	struct samples s = { .n = 0 };
	size_t i;

	for (i = 0; i < SAMPLES_MAX; i++)
		samples_add(&s, i);
	assert_int_equal(s.n, SAMPLES_MAX);
	assert_false(s.full);
	samples_sort(&s);
	assert_int_equal(s.v[SAMPLES_MAX - 1], SAMPLES_MAX - 1);
	samples_add(&s, 0);
	assert_true(s.full);
	assert_int_equal(s.n, 0);
	assert_null(s.v);
	/* it stays full, since the later values are not all */
	samples_add(&s, 7);
	assert_int_equal(s.n, 0);
	samples_sort(&s);
	samples_free(&s);
	assert_false(s.full);
	samples_add(&s, 7);
	assert_int_equal(s.n, 1);
	samples_drop(&s);
	assert_true(s.full && !s.n);
	samples_free(&s);
}

UNIT_MAIN(NULL, NULL)
