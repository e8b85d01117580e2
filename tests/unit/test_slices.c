// SPDX-License-Identifier: GPL-2.0
/* Slices of a run's time: nothing is lost when they double, add up, or go to a file. */

#include "unit.h"
#include "result/slices.h"
#include "sample.h"

TEST(test_buckets)
{
	static const struct { uint64_t ns; unsigned int bucket; } at[] = {
		{ 0, 0 }, { 255, 0 }, { 256, 0 }, { 383, 0 }, { 384, 1 }, { 511, 1 },
		{ 512, 2 }, { 767, 2 }, { 768, 3 }, { 1024, 4 }, { 1536, 5 },
		{ (uint64_t)3 << 31, 49 }, { UINT64_MAX, 49 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++)
		assert_int_equal(slice_bucket(at[i].ns), at[i].bucket);
	assert_int_equal(slice_bucket_lower(0), 0);
	for (i = 1; i < SLICE_BUCKETS; i++) {
		assert_int_equal(slice_bucket(slice_bucket_lower(i)), i);
		assert_int_equal(slice_bucket(slice_bucket_lower(i) - 1), i - 1);
	}
}

static struct tlob_window any_window(uint64_t *seed)
{
	struct tlob_window w = { .missed = (uint32_t)(unit_random(seed) % 3) };

	w.wake_ns = unit_random(seed) >> unit_random(seed) % 64;
	w.response_ns = w.wake_ns + (unit_random(seed) >> 40);
	if (unit_random(seed) % 5 == 0)
		w.flags = TLOB_WINDOW_VIOLATION;
	return w;
}

/* The expected slice [@from, @to) of the windows. */
static void check_slice(const struct slice *got, const struct tlob_window *w,
			const uint64_t *since, unsigned int n, uint64_t from, uint64_t to)
{
	struct slice want;
	unsigned int i;

	memset(&want, 0, sizeof(want));
	for (i = 0; i < n; i++) {
		if (since[i] < from || since[i] >= to)
			continue;
		want.windows++;
		want.missed += w[i].missed;
		want.violations += !!w[i].flags;
		want.bucket[SLICE_WAKE][slice_bucket(w[i].wake_ns)]++;
		want.bucket[SLICE_RESPONSE][slice_bucket(w[i].response_ns)]++;
		if (w[i].wake_ns > want.max_ns[SLICE_WAKE])
			want.max_ns[SLICE_WAKE] = w[i].wake_ns;
		if (w[i].response_ns > want.max_ns[SLICE_RESPONSE])
			want.max_ns[SLICE_RESPONSE] = w[i].response_ns;
	}
	assert_memory_equal(got, &want, sizeof(want));
}

#define WINDOWS	2000

/* Each length of a run: as the windows come, and out of order within a drain. */
TEST(test_doubling)
{
	static struct tlob_window w[WINDOWS];
	static uint64_t since[WINDOWS];
	static struct slices s;
	uint64_t seed = 7, step;
	unsigned int i, k;

	for (step = 1000; step < UINT64_MAX / WINDOWS / 2; step *= 37) {
		memset(&s, 0, sizeof(s));
		for (i = 0; i < WINDOWS; i++) {
			since[i] = i * step + unit_random(&seed) % (5 * step);
			w[i] = any_window(&seed);
			slices_window(&s, since[i], &w[i]);
		}
		assert_int_equal(slices_windows(&s), WINDOWS);
		assert_in_range(s.n, 1, SLICES);
		assert_true(s.n > SLICES / 2 || s.slice_ns == SLICE_FIRST_NS);
		for (k = 0; k < SLICES; k++)
			check_slice(&s.at[k], w, since, WINDOWS, k * s.slice_ns,
				    k + 1 == SLICES ? UINT64_MAX : (k + 1) * s.slice_ns);
	}
}

/* Runs of different lengths, in each order, through a file and without it. */
TEST(test_add)
{
	static struct slices one[4], sum, all, other_order;
	static const uint64_t step[4] = { 1000, 90000000, 0, 4000000 };
	uint64_t seed = 11;
	unsigned int i, k;

	for (k = 0; k < 4; k++)
		for (i = 0; i < 300 && step[k]; i++) {
			struct tlob_window w = any_window(&seed);

			slices_window(&one[k], i * step[k], &w);
			slices_window(&all, i * step[k], &w);
		}
	for (k = 0; k < 4; k++) {
		slices_add(&sum, &one[k]);
		slices_add(&other_order, &one[3 - k]);
	}
	assert_memory_equal(&sum, &all, sizeof(sum));
	assert_memory_equal(&other_order, &all, sizeof(sum));
}

/* 10000 windows, one a millisecond; of those from @from to @to each @every th is slow. */
static bool bursts(struct slices_burst *b, unsigned int from, unsigned int to, unsigned int every)
{
	struct slices *s = calloc(1, sizeof(*s));
	unsigned int i;
	bool found;

	assert_non_null(s);
	for (i = 0; i < 10000; i++) {
		struct tlob_window w = { .response_ns = 100000 };

		if (i >= from && i < to && i % every == 0)
			w.response_ns = 900000;
		slices_window(s, i * 1000000ULL, &w);
	}
	assert_int_equal(s->slice_ns, 160000000);
	assert_int_equal(s->n, 63);
	found = slices_burst(b, s);
	free(s);
	return found;
}

TEST(test_burst)
{
	struct slices_burst b;

	/* 100 in the two seconds from 3.5 s on */
	assert_false(bursts(&b, 3500, 5500, 20));
	/* in a quarter of that: 32, 32, 32 and 4 in slices 25 to 28 */
	assert_true(bursts(&b, 4000, 4500, 5));
	assert_int_equal(b.first, 25);
	assert_int_equal(b.slices, 3);
	/* all over the run */
	assert_false(bursts(&b, 0, 10000, 100));
	/* 40 prove nothing, and more than 2 % are not the slowest */
	assert_false(bursts(&b, 4000, 4200, 5));
	assert_false(bursts(&b, 4000, 4500, 2));
	/* none at all */
	assert_false(bursts(&b, 0, 0, 1));
}

UNIT_MAIN(NULL, NULL)
