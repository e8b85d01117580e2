// SPDX-License-Identifier: GPL-2.0
/* result_window() and result_sum() make a result of records. */
#include "sample.h"

TEST(test_init_and_free)
{
	static const int cpus[] = { 3, 9 };
	struct result r;

	assert_int_equal(result_init(&r, cpus, 2), 0);
	assert_int_equal(r.ncpus, 2);
	assert_int_equal(r.cpu[0].cpu, 3);
	assert_int_equal(r.cpu[1].cpu, 9);
	assert_int_equal(r.all.cpu, -1);
	assert_int_equal(r.cpu[1].hist[TLOB_NR_METRICS - 1].n, 0);
	result_free(&r);
	result_free(&r);		/* a zeroed one */
	assert_int_equal(result_init(&r, cpus, 0), 0);
	result_free(&r);
}

TEST(test_notes)
{
	struct result r;
	int i;

	sample_empty(&r, 1);
	assert_null(r.notes);
	for (i = 0; i < 20; i++)
		assert_int_equal(result_note(&r, "note %d of %s", i, "it"), 0);
	assert_string_equal(r.notes[0], "note 0 of it");
	assert_string_equal(r.notes[19], "note 19 of it");
	assert_null(r.notes[20]);
	result_free(&r);
}

TEST(test_adds_up)
{
	struct tlob_window w = sample_violation(0, 0);

	assert_true(window_adds_up(&w));
	w.part_ns[TLOB_WAKE_NMI]++;
	assert_false(window_adds_up(&w));
	/* a shift between the phases is also an error */
	w.part_ns[TLOB_WORK_ON_CPU]--;
	assert_false(window_adds_up(&w));
	w = sample_violation(0, 0);
	w.response_ns--;
	assert_false(window_adds_up(&w));
	/* wake longer than response: equal only modulo 2^64 */
	memset(&w, 0, sizeof(w));
	w.wake_ns = 2;
	w.response_ns = 1;
	w.part_ns[TLOB_WAKE_SCHED] = 2;
	w.part_ns[TLOB_WORK_ON_CPU] = UINT64_MAX;
	assert_false(window_adds_up(&w));
}

TEST(test_counters)
{
	struct tlob_window w = sample_violation(0, 0);
	struct result r;

	sample_empty(&r, 2);
	w.missed = 3;
	w.adjusted_ns = 7;
	w.clock_steps = 2;
	w.errors = 5;
	w.flags |= TLOB_WINDOW_INEXACT;
	assert_true(result_window(&r, 1, &w, true));
	w.flags = TLOB_WINDOW_NONE;
	w.part_ns[0]++;			/* nothing but cpu is valid in it */
	assert_true(result_window(&r, 1, &w, true));
	assert_int_equal(r.cpu[1].windows, 1);
	assert_int_equal(r.cpu[1].violations, 1);
	assert_int_equal(r.cpu[1].missed, 3);
	assert_int_equal(r.cpu[1].inexact, 1);
	assert_int_equal(r.cpu[1].adjusted_ns, 7);
	assert_int_equal(r.cpu[1].clock_steps, 2);
	assert_int_equal(r.cpu[1].errors, 5);
	assert_int_equal(r.cpu[1].sum_failures, 0);
	assert_int_equal(r.cpu[1].unavailable, w.unavailable);
	assert_int_equal(r.cpu[1].hist[TLOB_METRIC_RESPONSE].n, 1);
	assert_int_equal(r.cpu[0].windows, 0);
	result_free(&r);
}

/* windows + missed equal the expiries after the warm-up. */
TEST(test_warm_up)
{
	struct tlob_window w = sample_violation(0, 0);
	struct result r;

	sample_empty(&r, 1);
	w.flags |= TLOB_WINDOW_WARM_UP;
	w.missed = 4;
	assert_true(result_window(&r, 0, &w, true));
	assert_int_equal(r.cpu[0].warm_up, 1);
	assert_int_equal(r.cpu[0].warm_up_missed, 4);
	assert_int_equal(r.cpu[0].warm_up_violations, 1);
	assert_int_equal(r.cpu[0].windows, 0);
	assert_int_equal(r.cpu[0].missed, 0);
	assert_int_equal(r.cpu[0].violations, 0);
	assert_int_equal(r.cpu[0].hist[TLOB_METRIC_RESPONSE].n, 0);
	assert_int_equal(r.nworst, 0);
	assert_int_equal(r.noise.n, 0);
	result_free(&r);
}

TEST(test_sum_failure)
{
	struct tlob_window w = sample_window(0, 0);
	struct result r;

	sample_empty(&r, 1);
	w.part_ns[TLOB_WORK_NMI]++;
	assert_false(result_window(&r, 0, &w, false));
	assert_int_equal(r.cpu[0].sum_failures, 0);	/* the kernel's to count */
	assert_int_equal(r.cpu[0].hist[TLOB_METRIC_RESPONSE].n, 0);
	assert_int_equal(r.cpu[0].windows, 1);
	assert_false(result_window(&r, 0, &w, true));
	assert_int_equal(r.cpu[0].sum_failures, 1);
	assert_int_equal(r.cpu[0].hist[TLOB_METRIC_RESPONSE].n, 1);
	result_free(&r);
}

static int compare_down(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

TEST(test_worst)
{
	static uint64_t all[500];
	uint64_t seed = 5;
	struct tlob_window w;
	struct result r;
	size_t i;

	sample_empty(&r, 1);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		w = sample_window(0, i);
		w.part_ns[TLOB_WORK_SLEEP] = unit_random(&seed) % 100;
		sample_close(&w);
		all[i] = w.response_ns;
		result_window(&r, 0, &w, false);
		assert_int_equal(r.nworst, i < RESULT_WORST ? i + 1 : RESULT_WORST);
	}
	qsort(all, ARRAY_SIZE(all), sizeof(all[0]), compare_down);
	for (i = 0; i < RESULT_WORST; i++) {
		assert_int_equal(r.worst[i].w.response_ns, all[i]);
		assert_true(window_adds_up(&r.worst[i].w));
		/* of equal windows the earlier comes first */
		if (i && all[i] == all[i - 1])
			assert_true(r.worst[i].w.activation > r.worst[i - 1].w.activation);
	}
	result_free(&r);
}

static struct tlob_window noise(unsigned int kind, int id, const char *name,
				uint64_t ns)
{
	struct tlob_window w = sample_window(0, 0);

	w.largest = (struct tlob_noise){ .kind = (uint8_t)kind, .id = id, .ns = ns };
	memcpy(w.largest.name, name, strlen(name));
	return w;
}

TEST(test_offender_keys)
{
	struct tlob_window w[] = {
		noise(TLOB_NOISE_THREAD, 10, "kworker/0:1", 5),
		noise(TLOB_NOISE_THREAD, 11, "kworker/0:1", 7),
		noise(TLOB_NOISE_THREAD, 11, "kworker/0:1H", 1),
		noise(TLOB_NOISE_IRQ, 10, "eth0", 2),
		noise(TLOB_NOISE_IRQ, 11, "eth0", 3),
		noise(TLOB_NOISE_IRQ, 11, "usb", 4),
		noise(TLOB_NOISE_SOFTIRQ, 11, "eth0", 9),
		noise(TLOB_NOISE_IRQ, 0, "nothing", 0),
		/* all 16 bytes without a NUL: cut, not read beyond */
		noise(TLOB_NOISE_NMI, 0, "0123456789abcdef", 1),
	};
	struct result r;
	size_t i;

	sample_empty(&r, 1);
	for (i = 0; i < ARRAY_SIZE(w); i++)
		result_window(&r, 0, &w[i], false);
	assert_int_equal(r.noise.n, 7);
	assert_string_equal(r.noise.at[0].name, "kworker/0:1");
	assert_int_equal(r.noise.at[0].id, 11);
	assert_int_equal(r.noise.at[0].windows, 2);
	assert_int_equal(r.noise.at[0].total_ns, 12);
	assert_int_equal(r.noise.at[0].max_ns, 7);
	assert_string_equal(r.noise.at[6].name, "0123456789abcde");
	assert_int_equal(r.noise.evicted, 0);
	result_free(&r);
}

TEST(test_delay)
{
	struct tlob_window w = sample_window(0, 0);
	struct result r;

	sample_empty(&r, 1);
	strcpy(w.delayed_by, "swapper/0");
	result_window(&r, 0, &w, false);
	w = sample_violation(0, 1);
	result_window(&r, 0, &w, false);
	w.part_ns[TLOB_WAKE_IRQ_DELAY] = 0;
	result_window(&r, 0, &w, false);
	w.part_ns[TLOB_WAKE_IRQ_DELAY] = 1;
	w.unavailable |= 1U << TLOB_WAKE_IRQ_DELAY;
	result_window(&r, 0, &w, false);
	assert_int_equal(r.delay.n, 2);
	assert_string_equal(r.delay.at[0].name, "idle");
	assert_int_equal(r.delay.at[0].id, 0);
	assert_int_equal(r.delay.at[0].total_ns, 900);
	assert_string_equal(r.delay.at[1].name, "stress-ng");
	assert_int_equal(r.delay.at[1].id, 4242);
	assert_int_equal(r.delay.at[1].windows, 1);
	result_free(&r);
}

/* A full table drops its smallest entry, and counts that. */
TEST(test_eviction)
{
	struct tlob_window w;
	struct result r;
	int i;

	sample_empty(&r, 1);
	for (i = 0; i < RESULT_OFFENDERS; i++) {
		w = noise(TLOB_NOISE_IRQ, i, "x", i == 20 ? 5 : 100);
		result_window(&r, 0, &w, false);
	}
	assert_int_equal(r.noise.evicted, 0);
	w = noise(TLOB_NOISE_IRQ, 1000, "x", 50);
	result_window(&r, 0, &w, false);
	assert_int_equal(r.noise.n, RESULT_OFFENDERS);
	assert_int_equal(r.noise.evicted, 1);
	assert_int_equal(r.noise.at[20].id, 1000);
	assert_int_equal(r.noise.at[20].total_ns, 50);
	assert_int_equal(r.noise.at[20].windows, 1);
	result_free(&r);
}

TEST(test_sum)
{
	struct result r;
	struct tlob_hist *hist;

	sample_result(&r, 3, 10);
	hist = r.all.hist;
	r.cpu[0].lost = 1;
	r.cpu[2].lost = 2;
	r.cpu[1].missed = 5;
	r.cpu[1].aborted = 1;
	r.cpu[1].overhead_ns = 9;
	r.cpu[2].unavailable |= 1U << TLOB_WORK_HW;
	result_sum(&r);
	result_sum(&r);			/* anew, not on top */
	assert_ptr_equal(r.all.hist, hist);
	assert_int_equal(r.all.cpu, -1);
	assert_int_equal(r.all.windows, 30);
	assert_int_equal(r.all.violations, 1);
	assert_int_equal(r.all.lost, 3);
	assert_int_equal(r.all.missed, 5);
	assert_int_equal(r.all.aborted, 1);
	assert_int_equal(r.all.overhead_ns, 9);
	assert_int_equal(r.all.unavailable, 1U << TLOB_WAKE_SOFTIRQ |
			 1U << TLOB_WORK_SOFTIRQ | 1U << TLOB_WORK_HW);
	assert_int_equal(hist[TLOB_METRIC_RESPONSE].n, 30);
	assert_int_equal(hist[TLOB_METRIC_RESPONSE].max, 257251);
	assert_int_equal(hist[TLOB_METRIC_RESPONSE].min, 105000);
	result_free(&r);
}

TEST(test_demand)
{
	struct result r;

	sample_result(&r, 2, 10);
	assert_int_equal(r.all.demand_ns, 0);
	r.cpu[0].demand_ns = 100;
	result_sum(&r);
	assert_int_equal(r.all.demand_ns, 0);	/* one CPU has none */
	r.cpu[1].demand_ns = 200;
	r.cpu[1].windows = 30;
	r.cpu[0].demand_spread_ns = 3;
	r.cpu[1].demand_spread_ns = 2;
	result_sum(&r);
	assert_int_equal(r.all.demand_ns, 175);
	assert_int_equal(r.all.demand_spread_ns, 3);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
