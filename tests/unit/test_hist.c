// SPDX-License-Identifier: GPL-2.0
/* The histogram's buckets (hist.h) and the statistics made of them keep their error bounds. */
#include "unit.h"
#include "result/result.h"

static struct tlob_hist *new_hist(void)
{
	struct tlob_hist *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	return h;
}

/* Buckets are adjacent, and their edges are in them. */
TEST(test_edges)
{
	unsigned int i;

	assert_int_equal(tlob_hist_lower(0), 0);
	for (i = 0; i < TLOB_HIST_BUCKETS; i++) {
		uint64_t lower = tlob_hist_lower(i), upper = tlob_hist_upper(i);

		assert_true(lower <= upper);
		assert_int_equal(tlob_hist_index(lower), i);
		assert_int_equal(tlob_hist_index(upper), i);
		if (i)
			assert_int_equal(lower, tlob_hist_upper(i - 1) + 1);
	}
	assert_int_equal(tlob_hist_upper(TLOB_HIST_BUCKETS - 1), (1ULL << 42) - 1);
}

TEST(test_documented_layout)
{
	assert_int_equal(TLOB_HIST_BUCKETS, 2368);
	assert_int_equal(tlob_hist_index(127), 127);
	assert_int_equal(tlob_hist_index(128), 128);
	assert_int_equal(tlob_hist_index(129), 128);
	assert_int_equal(tlob_hist_index(255), 191);
	assert_int_equal(tlob_hist_index(256), 192);
	assert_int_equal(tlob_hist_index(1ULL << 41), 2304);
	assert_int_equal(tlob_hist_index((1ULL << 42) - 1), 2367);
	/* the last bucket also has all larger values */
	assert_int_equal(tlob_hist_index(1ULL << 42), 2367);
	assert_int_equal(tlob_hist_index(UINT64_MAX), 2367);
}

static void check_error(uint64_t v)
{
	unsigned int i = tlob_hist_index(v);
	uint64_t lower = tlob_hist_lower(i), upper = tlob_hist_upper(i);

	assert_in_range(v, lower, upper);
	/* upper - v <= v / 64, exact for the 128 values with a bucket each */
	assert_true((upper - v) <= v / TLOB_HIST_SUB);
	assert_true((v - lower) <= v / TLOB_HIST_SUB);
}

TEST(test_error_bound)
{
	uint64_t seed = 1;
	unsigned int bit, i;

	for (bit = 0; bit < 42; bit++) {
		check_error((1ULL << bit) - 1);
		check_error(1ULL << bit);
		check_error((1ULL << bit) + 1);
	}
	for (i = 0; i < 200000; i++)
		check_error(unit_random(&seed) >> (22 + i % 42));
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Against the definition, on sorted samples. */
TEST(test_quantiles)
{
	static const unsigned int ppm[] = {
		1, 1000, 10000, 250000, 500000, 500001, 900000, 990000,
		999000, 999900, 999999, 1000000,
	};
	static const unsigned int sizes[] = { 1, 2, 3, 64, 999, 1000, 1001 };
	struct tlob_hist *h = new_hist();
	static uint64_t v[1001];
	uint64_t seed = 7;
	unsigned int s, i, q;

	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		unsigned int n = sizes[s];

		memset(h, 0, sizeof(*h));
		for (i = 0; i < n; i++) {
			v[i] = unit_random(&seed) >> (30 + i % 30);
			tlob_hist_add(h, v[i]);
		}
		qsort(v, n, sizeof(v[0]), compare_u64);
		for (q = 0; q < ARRAY_SIZE(ppm); q++) {
			uint64_t rank = ((uint64_t)n * ppm[q] + 999999) / 1000000;
			uint64_t exact = v[rank - 1];
			uint64_t upper = tlob_hist_upper(tlob_hist_index(exact));

			if (upper > v[n - 1])
				upper = v[n - 1];
			assert_int_equal(hist_quantile(h, ppm[q]), upper);
		}
	}
	free(h);
}

/* A sample lies between the edges for its rank, which differ by at most 1/64. */
TEST(test_ranks)
{
	enum { N = 5000 };
	struct tlob_hist *h = calloc(1, sizeof(*h));
	uint64_t seed = 11, v[N], rank;
	int i;

	assert_non_null(h);
	for (i = 0; i < N; i++) {
		v[i] = unit_random(&seed) >> (22 + i % 42);
		tlob_hist_add(h, v[i]);
	}
	qsort(v, N, sizeof(v[0]), compare_u64);
	for (rank = 1; rank <= N; rank++) {
		uint64_t x = v[rank - 1];
		uint64_t lower = hist_rank_lower(h, rank);
		uint64_t upper = hist_rank_upper(h, rank);

		assert_true(lower <= x && x <= upper);
		assert_true((upper - lower) / 64.0 <= lower / 64.0 / 64.0);
	}
	assert_int_equal(hist_rank_lower(h, 1), v[0]);
	assert_int_equal(hist_rank_upper(h, N), v[N - 1]);
	assert_int_equal(hist_rank_lower(h, 0), 0);
	assert_int_equal(hist_rank_upper(h, 0), 0);
	free(h);
}

TEST(test_quantile_extremes)
{
	struct tlob_hist *h = new_hist();

	assert_int_equal(hist_quantile(h, 500000), 0);
	assert_int_equal(hist_mean(h), 0);
	/* The last bucket is open: its quantile is the maximum. */
	tlob_hist_add(h, UINT64_MAX);
	assert_int_equal(hist_quantile(h, 500000), UINT64_MAX);
	/* n * ppm would overflow */
	memset(h, 0, sizeof(*h));
	h->n = 1ULL << 62;
	h->bucket[10] = (1ULL << 62) - (1ULL << 50);
	h->bucket[20] = 1ULL << 50;
	h->max = 20;
	assert_int_equal(hist_quantile(h, 999000), 10);
	assert_int_equal(hist_quantile(h, 999900), 20);
	/* A snapshot may have counted n before its buckets. */
	h->n = 5;
	memset(h->bucket, 0, sizeof(h->bucket));
	assert_int_equal(hist_quantile(h, 500000), 20);
	free(h);
}

TEST(test_enough_samples)
{
	static const struct {
		unsigned int ppm;
		uint64_t least;
	} t[] = {
		{ 500000, 2 }, { 990000, 100 }, { 999000, 1000 },
		{ 999999, 1000000 }, { 700000, 4 }, { 1000000, 1 }, { 1, 2 },
	};
	struct tlob_hist *h = new_hist();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		h->n = t[i].least;
		assert_true(hist_has_quantile(h, t[i].ppm));
		h->n--;
		assert_false(hist_has_quantile(h, t[i].ppm));
	}
	free(h);
}

TEST(test_merge)
{
	struct tlob_hist *a = new_hist(), *b = new_hist(), *both = new_hist();
	uint64_t seed = 3;
	unsigned int i;

	hist_merge(a, b);		/* nothing to nothing: no min of 0 */
	assert_int_equal(a->n, 0);
	for (i = 0; i < 1000; i++) {
		uint64_t v = 1 + (unit_random(&seed) >> 40);

		tlob_hist_add(i % 3 ? a : b, v);
		tlob_hist_add(both, v);
	}
	hist_merge(a, b);
	assert_memory_equal(a, both, sizeof(*a));
	memset(b, 0, sizeof(*b));
	hist_merge(a, b);
	assert_memory_equal(a, both, sizeof(*a));
	hist_merge(b, a);
	assert_memory_equal(b, both, sizeof(*b));
	free(a);
	free(b);
	free(both);
}

TEST(test_mean_rounds)
{
	struct tlob_hist *h = new_hist();

	tlob_hist_add(h, 1);
	tlob_hist_add(h, 2);
	assert_int_equal(hist_mean(h), 2);
	tlob_hist_add(h, 1);
	assert_int_equal(hist_mean(h), 1);
	free(h);
}

/* An unavailable part has no sample, not even 0. */
TEST(test_window)
{
	struct tlob_hist *h = calloc(TLOB_NR_METRICS, sizeof(*h));
	struct tlob_window w = {
		.irq_latency_ns = 1, .wake_ns = 2, .response_ns = 3,
		.unavailable = 1U << TLOB_WAKE_SOFTIRQ,
	};
	unsigned int m;

	assert_non_null(h);
	w.part_ns[TLOB_WORK_ON_CPU] = 77;
	tlob_hist_window(h, &w);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		assert_int_equal(h[m].n, m != TLOB_METRIC_PARTS + TLOB_WAKE_SOFTIRQ);
	assert_int_equal(h[TLOB_METRIC_IRQ].max, 1);
	assert_int_equal(h[TLOB_METRIC_WAKE].max, 2);
	assert_int_equal(h[TLOB_METRIC_RESPONSE].max, 3);
	assert_int_equal(h[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU].sum, 77);
	assert_string_equal(tlob_metric_names[TLOB_METRIC_PARTS + TLOB_WORK_HW],
			    "work.hw");
	free(h);
}

/* Parts that are 0 are not counted, and found again. */
TEST(test_zeros)
{
	struct tlob_hist *all = calloc(TLOB_NR_METRICS, sizeof(*all));
	struct tlob_hist *some = calloc(TLOB_NR_METRICS, sizeof(*some));
	struct tlob_hist *kernel[TLOB_NR_METRICS];
	struct tlob_window w = { .unavailable = 1U << TLOB_WORK_NMI };
	unsigned int m, i;

	assert_non_null(all);
	assert_non_null(some);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		kernel[m] = m == TLOB_METRIC_PARTS + TLOB_WORK_NMI ? NULL : &some[m];
	for (i = 0; i < 100; i++) {
		w.wake_ns = i % 2;
		w.response_ns = i;
		w.part_ns[TLOB_WORK_ON_CPU] = i % 3;
		w.part_ns[TLOB_WORK_NMI] = i;
		tlob_hist_window(all, &w);
		tlob_hist_window_nonzero(kernel, &w);
	}
	for (m = 0; m < TLOB_NR_METRICS; m++) {
		__u64 zeros = kernel[m] ? tlob_hist_zeros(kernel[TLOB_METRIC_RESPONSE], m, some[m].n) : 0;

		some[m].n += zeros;
		some[m].bucket[0] += zeros;
		some[m].min = zeros ? 0 : some[m].min;
		assert_memory_equal(&some[m], &all[m], sizeof(*all));
	}
	assert_int_equal(all[TLOB_METRIC_PARTS + TLOB_WORK_SLEEP].bucket[0], 100);
	assert_int_equal(all[TLOB_METRIC_PARTS + TLOB_WORK_NMI].n, 0);
	free(all);
	free(some);
}

/* Missed expiries are the largest samples of wake and response. */
TEST(test_missed)
{
	struct tlob_hist *h = calloc(TLOB_NR_METRICS, sizeof(*h));
	struct result_cpu c = { .hist = h, .missed = 12, .aborted = 2 };
	struct tlob_hist *wake = &h[TLOB_METRIC_WAKE];
	uint64_t ns = 0;
	int i;

	assert_non_null(h);
	for (i = 0; i < 90; i++)
		tlob_hist_add(wake, 100);
	assert_int_equal(result_missed(&c, TLOB_METRIC_WAKE), 10);
	assert_int_equal(result_missed(&c, TLOB_METRIC_RESPONSE), 10);
	assert_int_equal(result_missed(&c, TLOB_METRIC_IRQ), 0);
	assert_int_equal(result_expiries(&c, TLOB_METRIC_WAKE), 100);
	assert_int_equal(hist_quantile_missed(wake, 10, 900000, &ns), QUANTILE_KNOWN);
	assert_int_equal(ns, 100);
	assert_int_equal(hist_quantile_missed(wake, 10, 900001, &ns), QUANTILE_MISSED);
	assert_int_equal(hist_quantile_missed(wake, 10, 990000, &ns), QUANTILE_MISSED);
	/* 101 samples are too few for p99.9, and none answered is no quantile */
	assert_int_equal(hist_quantile_missed(wake, 11, 999000, &ns), QUANTILE_FEW);
	assert_int_equal(hist_quantile_missed(&h[TLOB_METRIC_IRQ], 10, 500000, &ns), QUANTILE_FEW);
	assert_int_equal(hist_quantile_missed(wake, UINT64_MAX, 500000, &ns), QUANTILE_MISSED);
	/* the end of a run cut off more than was missed after the warm-up */
	c.aborted = 13;
	assert_int_equal(result_missed(&c, TLOB_METRIC_WAKE), 0);
	free(h);
}

/* With steps of @step ns each bucket has the edges of a cell, and cells are @width wide. */
static void check_cells(uint64_t step, uint64_t width)
{
	struct tlob_hist *h = new_hist();
	uint64_t lower, upper = 0;
	unsigned int i;

	hist_set_step(h, 1, step);
	assert_int_equal(hist_narrowest(step), width);
	assert_true(width >= step && (width == 1 || width / 2 < step));
	assert_true(!hist_lower(h, 0) && !hist_upper(h, 0));
	for (i = 1; i < TLOB_HIST_BUCKETS; i++) {
		lower = hist_lower(h, i);
		/* the cell of the bucket before, or the next one */
		assert_true(lower == upper + 1 || (lower <= upper && hist_upper(h, i) == upper));
		upper = hist_upper(h, i);
		assert_true(lower <= tlob_hist_lower(i) && upper >= tlob_hist_upper(i));
		assert_true(upper - lower + 1 >= width || lower == 1);
		/* wide enough already */
		if (tlob_hist_upper(i) - tlob_hist_lower(i) + 1 >= width)
			assert_true(lower == tlob_hist_lower(i) && upper == tlob_hist_upper(i));
	}
	free(h);
}

/* No bucket is shown that is narrower than a step of the clock. */
TEST(test_steps)
{
	struct tlob_hist *h = new_hist(), *whole = new_hist();
	uint64_t ns;

	check_cells(0, 1);	/* not known */
	check_cells(1, 1);
	check_cells(16, 16);
	check_cells(42, 64);
	check_cells(1000, 1024);
	check_cells(4000000, 1 << 22);

	/* a comb of values: 0, 16, 32 ... 992, 62 of them */
	hist_set_step(h, 1, 16);
	for (ns = 0; ns < 992; ns += 16)
		tlob_hist_add(h, ns);
	assert_int_equal(hist_quantile(h, 1), 0);
	assert_int_equal(hist_quantile(h, 500000), 30 * 16 + 15);
	assert_int_equal(hist_rank_lower(h, 31), 30 * 16);
	assert_int_equal(hist_rank_lower(h, 2), 16);
	assert_int_equal(hist_rank_upper(h, 2), 31);
	/* never beyond what was measured */
	assert_int_equal(hist_quantile(h, 1000000), 976);
	/* the clock with the longer steps decides, and its name survives an empty sum */
	tlob_hist_add(whole, 5);
	hist_merge(whole, h);
	assert_int_equal(hist_quantile(whole, 500000), 30 * 16 + 15);
	hist_set_step(h, 1, 1);
	hist_merge(whole, h);
	assert_int_equal(whole->step, 16);
	assert_int_equal(hist_quantile(h, 500000), 483);
	free(whole);
	free(h);
}

UNIT_MAIN(NULL, NULL)
