// SPDX-License-Identifier: GPL-2.0
/* The order of a comparison's runs is random, balanced and repeatable. */
#include <math.h>

#include "result/stats.h"
#include "unit.h"
#include "util/random.h"

#define BLOCKS 60000U

TEST(test_permutations)
{
	unsigned int order[40 * 9], seen, sides, i;
	size_t b;

	for (sides = 1; sides <= 9; sides++) {
		memset(order, 0xff, sizeof(order));
		random_blocks(order, 40, sides, sides);
		for (b = 0; b < 40; b++) {
			for (i = seen = 0; i < sides; i++) {
				assert_true(order[(size_t)b * sides + i] < sides);
				seen |= 1U << order[(size_t)b * sides + i];
			}
			assert_int_equal(seen, (1U << sides) - 1);
		}
		/* nothing is written behind them */
		if (sides < 9)
			assert_int_equal(order[(size_t)40 * sides], UINT32_MAX);
	}
}

TEST(test_seed)
{
	unsigned int a[64], b[64], seed, other = 0;

	random_blocks(a, 32, 2, 0);
	random_blocks(b, 32, 2, 0);
	assert_memory_equal(a, b, sizeof(a));
	/* a shorter comparison is the beginning of the longer one */
	memset(b, 0, sizeof(b));
	random_blocks(b, 10, 2, 0);
	assert_memory_equal(a, b, 20 * sizeof(*a));
	for (seed = 1; seed <= 100; seed++) {
		random_blocks(b, 32, 2, seed);
		other += !!memcmp(a, b, sizeof(a));
	}
	assert_int_equal(other, 100);
}

/* No side comes always before the first one, or behind it, in as many blocks as compare refuses. */
TEST(test_mixed)
{
	unsigned int order[40 * 9], sides, seed, side, before, block, i;

	assert_int_equal(stats_fewest_pairs(0.05), RANDOM_MIXED);
	for (sides = 2; sides <= 9; sides++)
		for (seed = 0; seed < 300; seed++) {
			random_blocks(order, seed % 2 ? RANDOM_MIXED : 40, sides, seed);
			for (side = 1; side < sides; side++) {
				for (block = before = 0; block < RANDOM_MIXED; block++) {
					for (i = block * sides; order[i] && order[i] != side; i++)
						;
					before += !!order[i];
				}
				assert_in_range(before, 1, RANDOM_MIXED - 1);
			}
		}
	/* fewer are drawn once */
	for (seed = before = 0; seed < 300; seed++) {
		random_blocks(order, 2, 2, seed);
		before += order[0] == order[2];
	}
	assert_in_range(before, 100, 200);
}

/* How often @n equally likely outcomes came: each within 5 sigma. */
static void check_uniform(const unsigned int *count, unsigned int n)
{
	double p = 1.0 / n, sigma = sqrt(BLOCKS * p * (1 - p));
	unsigned int i;

	for (i = 0; i < n; i++)
		if (fabs(count[i] - BLOCKS * p) > 5 * sigma)
			fail_msg("%u of %u came %u times, not %.0f", i, n, count[i], BLOCKS * p);
}

TEST(test_uniform)
{
	static unsigned int order[BLOCKS * 3];
	unsigned int count[27] = { 0 }, pairs[36] = { 0 }, perm[6], last = 0, i, n = 0;
	static const unsigned int number[27] = {
		[0 * 9 + 1 * 3 + 2] = 1, [0 * 9 + 2 * 3 + 1] = 2, [1 * 9 + 0 * 3 + 2] = 3,
		[1 * 9 + 2 * 3 + 0] = 4, [2 * 9 + 0 * 3 + 1] = 5, [2 * 9 + 1 * 3 + 0] = 6,
	};

	random_blocks(order, BLOCKS, 3, 2024);
	for (i = 0; i < BLOCKS; i++) {
		unsigned int *at = &order[(size_t)3 * i], k = at[0] * 9 + at[1] * 3 + at[2];

		assert_true(k < 27 && number[k]);
		count[k]++;
		/* no block predicts the next one */
		pairs[last * 6 + number[k] - 1]++;
		last = number[k] - 1;
	}
	for (i = 0; i < 27; i++)
		if (number[i])
			perm[n++] = count[i];
	assert_int_equal(n, 6);
	check_uniform(perm, 6);
	check_uniform(pairs, 36);
	random_blocks(order, BLOCKS, 2, 7);
	perm[0] = perm[1] = 0;
	for (i = 0; i < BLOCKS; i++)
		perm[order[(size_t)2 * i]]++;
	check_uniform(perm, 2);
}

/* The reference implementation of SplitMix64 with seed 1234567. */
TEST(test_generator)
{
	static const uint64_t expected[] = {
		6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
		4593380528125082431ULL, 16408922859458223821ULL,
	};
	uint64_t s = 1234567;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(random_next(&s) == expected[i]);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(test_derived)
{
	static uint64_t all[64 * 64];
	size_t n = 0, i, k;

	assert_true(random_derived(5, 9) == random_derived(5, 9));
	for (i = 0; i < 64; i++)
		for (k = 0; k < 64; k++)
			all[n++] = random_derived(i, k);
	qsort(all, n, sizeof(*all), ascending);
	for (i = 1; i < n; i++)
		assert_true(all[i - 1] != all[i]);
	/* neighbours differ in about half of their bits */
	for (i = k = 0; i < 1000; i++)
		k += (size_t)__builtin_popcountll(random_derived(1, i) ^ random_derived(1, i + 1));
	assert_true(k > 31000 && k < 33000);
}

TEST(test_nobody_chose)
{
	uint64_t first = random_seed();
	int i, other = 0;

	for (i = 0; i < 20; i++) {
		uint64_t seed = random_seed();

		assert_true(seed <= UINT32_MAX);	/* --seed takes it */
		other += seed != first;
	}
	assert_true(other > 0);
}

UNIT_MAIN(NULL, NULL)
