// SPDX-License-Identifier: GPL-2.0
/* Several results become one. */
#include <errno.h>

#include "merge_check.h"

/* Two runs merged equal one longer run, in every byte. */
TEST(test_exactly_adds)
{
	struct result a, b, whole;

	make_part(&a, 2, 300, 17);
	make_part(&b, 2, 200, 99);
	make_part(&whole, 2, 300, 17);
	add_windows(&whole, 200, 99);
	whole.duration_ns = 17 + 99;
	whole.runs = 2;
	b.has_seed = true;
	b.has_phase = true;
	b.phase_ns = 5;
	merged(&a, &b);
	assert_int_equal(a.ncpus, 2);
	assert_int_equal(a.all.windows, 1000);
	assert_int_equal(a.nworst, RESULT_WORST);
	forget_runs(&a);
	assert_same_result(&a, &whole);
	result_free(&a);
	result_free(&whole);
}

/* A result without a window changes no number, on either side. */
TEST(test_empty_part)
{
	struct result a, b, c;
	size_t m;

	make_part(&a, 1, 50, 3);
	make_part(&b, 1, 0, 0);
	make_part(&c, 1, 50, 3);
	/* findings of one machine say nothing of the sum */
	sample_findings(&a);
	sample_findings(&b);
	merged(&b, &a);
	assert_null(b.findings);
	assert_int_equal(b.runs, 2);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		assert_memory_equal(&b.all.hist[m], &c.all.hist[m], sizeof(c.all.hist[m]));
	make_part(&a, 1, 0, 0);
	set_text(&a.run_id, "a");
	merged(&b, &a);
	assert_int_equal(b.runs, 3);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		assert_memory_equal(&b.all.hist[m], &c.all.hist[m], sizeof(c.all.hist[m]));
	assert_int_equal(b.nworst, c.nworst);
	result_free(&b);
	result_free(&c);
}

TEST(test_other_cpu)
{
	struct result a, b;
	uint64_t sum;

	make_part(&a, 1, 30, 5);
	make_part(&b, 1, 20, 6);
	move_cpu(&a, 7);
	move_cpu(&b, 2);
	free(a.cpus);
	a.cpus = sample_text("7");
	free(b.cpus);
	b.cpus = sample_text("2");
	sum = a.cpu[0].hist[TLOB_METRIC_WAKE].sum + b.cpu[0].hist[TLOB_METRIC_WAKE].sum;
	merged(&a, &b);
	assert_int_equal(a.ncpus, 2);
	assert_int_equal(a.cpu[0].cpu, 2);
	assert_int_equal(a.cpu[0].windows, 20);
	assert_int_equal(a.cpu[1].cpu, 7);
	assert_int_equal(a.cpu[1].windows, 30);
	assert_null(a.cpu[0].host);
	assert_string_equal(a.host, "h");
	assert_int_equal(a.all.windows, 50);
	assert_int_equal(a.all.hist[TLOB_METRIC_WAKE].sum, sum);
	assert_string_equal(a.cpus, "7 and 2");
	result_free(&a);
}

/* Lists are compared as CPUs, not as texts: "0" is a part of the text "10". */
TEST(test_lists)
{
	struct result a, b;

	make_part(&a, 1, 2, 5);
	make_part(&b, 1, 2, 6);
	free(a.cpus);
	a.cpus = sample_text("10");
	free(b.cpus);
	b.cpus = sample_text("0");
	move_cpu(&a, 10);
	merged(&a, &b);
	assert_string_equal(a.cpus, "10 and 0");
	make_part(&b, 1, 2, 7);
	free(b.cpus);
	b.cpus = sample_text("0");
	merged(&a, &b);
	assert_string_equal(a.cpus, "10 and 0");
	result_free(&a);
}

TEST(test_hosts)
{
	struct result a, b;

	make_part(&a, 1, 10, 5);
	make_part(&b, 1, 20, 6);
	free(b.host);
	b.host = sample_text("g");
	merged(&a, &b);
	assert_null(a.host);
	assert_int_equal(a.ncpus, 2);
	assert_string_equal(a.cpu[0].host, "g");
	assert_int_equal(a.cpu[0].windows, 20);
	assert_string_equal(a.cpu[1].host, "h");
	assert_int_equal(a.cpu[1].windows, 10);
	/* one more result of the same host */
	make_part(&b, 1, 40, 7);
	merged(&a, &b);
	assert_int_equal(a.ncpus, 2);
	assert_int_equal(a.cpu[1].windows, 50);
	/* a file without a host */
	make_part(&b, 1, 3, 8);
	free(b.host);
	b.host = NULL;
	merged(&a, &b);
	assert_int_equal(a.ncpus, 3);
	assert_string_equal(a.cpu[2].host, "unknown");
	assert_int_equal(a.runs, 4);
	assert_int_equal(a.all.windows, 73);
	result_free(&a);
}

/* A run is known by its id, or its numbers, also when it came in a sum. */
TEST(test_run_in_common)
{
	struct result a, b;

	make_part(&a, 1, 10, 5);
	make_part(&b, 1, 10, 6);
	set_text(&b.run_id, "b");
	merged(&a, &b);
	assert_null(a.run_id);
	assert_string_equal(a.run_ids[1], "b");
	assert_null(a.run_ids[2]);
	/* equal numbers, and another id */
	make_part(&b, 1, 10, 6);
	set_text(&b.run_id, "c");
	merged(&a, &b);
	assert_int_equal(a.runs, 3);
	make_part(&b, 1, 10, 7);
	set_text(&b.run_id, "b");
	assert_int_equal(merge_two(&a, &b, "b.json"), -EINVAL);
	make_part(&b, 1, 10, 5);
	assert_int_equal(merge_two(&a, &b, "a.json"), -EINVAL);
	assert_int_equal(a.runs, 3);
	assert_int_equal(a.cpu[0].windows, 30);
	result_free(&a);
}

/* Nothing could read a sum with more CPUs, and each takes memory. A CPU that is there stays welcome. */
TEST(test_most_cpus)
{
	struct merger m = { .across = false };
	struct result r;

	make_part(&r, 1, 10, 5);
	assert_int_equal(merger_add(&m, &r, "a.json"), 0);
	m.sum.ncpus = RESULT_CPUS;
	make_part(&r, 1, 10, 6);
	assert_int_equal(merger_add(&m, &r, "b.json"), 0);
	make_part(&r, 1, 10, 7);
	set_text(&r.host, "g");
	assert_int_equal(merger_add(&m, &r, "c.json"), -E2BIG);
	merger_free(&m);
}

/* Steps of the clock are a lower limit of buckets in quantiles: the longer one holds for the sum. */
TEST(test_clocks)
{
	struct result a, b;

	make_part(&a, 1, 10, 5);
	make_part(&b, 1, 10, 6);
	result_set_clock(&a, 1);
	result_set_clock(&b, 100);
	merged(&a, &b);
	assert_int_equal(a.clock_resolution_ns, 100);
	assert_int_equal(a.cpu[0].hist[TLOB_METRIC_WAKE].step, 100);
	assert_int_equal(a.all.hist[TLOB_METRIC_WAKE].step, 100);
	result_free(&a);
}

/* The numbers of two hosts across are those of one host with both runs. */
TEST(test_across)
{
	struct result sum, a, b;
	struct merger m = { .across = true };
	size_t i;

	make_part(&sum, 2, 10, 5);
	make_part(&b, 2, 20, 6);
	merged(&sum, &b);
	make_part(&a, 2, 10, 5);
	make_part(&b, 2, 20, 6);
	set_text(&b.host, "g");
	assert_int_equal(merger_add(&m, &a, "a.json"), 0);
	assert_int_equal(merger_add(&m, &b, "b.json"), 0);
	take_sum(&m, &a);
	assert_null(a.host);
	assert_int_equal(a.ncpus, 2);
	for (i = 0; i < 2; i++) {
		assert_null(a.cpu[i].host);
		assert_int_equal(a.cpu[i].windows, sum.cpu[i].windows);
		assert_memory_equal(a.cpu[i].hist, sum.cpu[i].hist, TLOB_NR_METRICS * sizeof(*a.cpu[i].hist));
		assert_memory_equal(&a.cpu[i].episodes, &sum.cpu[i].episodes, sizeof(a.cpu[i].episodes));
		assert_int_equal(!a.cpu[i].slices, !sum.cpu[i].slices);
		if (a.cpu[i].slices)
			assert_memory_equal(a.cpu[i].slices, sum.cpu[i].slices, sizeof(*a.cpu[i].slices));
	}
	result_free(&a);
	result_free(&sum);
}

/* Worst windows and names of several hosts say whose they are; of one they need not. */
TEST(test_whose)
{
	struct result a, b;
	struct tlob_window w;
	char *text;
	size_t i;

	make_part(&a, 1, 10, 5);
	make_part(&b, 1, 10, 6);
	free(b.host);
	b.host = sample_text("g<1>");
	w = sample_violation(0, 99);
	w.part_ns[TLOB_WORK_THREAD] += 1000000;
	w.largest.ns = 1000000;
	sample_close(&w);
	assert_true(result_window(&b, 0, &w, true));
	result_sum(&b);
	merged(&a, &b);
	assert_string_equal(a.worst[0].kept.host, "g<1>");
	assert_int_equal(a.worst[0].w.activation, 99);
	for (i = 1; i < a.nworst; i++)
		assert_true(!strcmp(a.worst[i].kept.host, "h") || !strcmp(a.worst[i].kept.host, "g<1>"));
	for (i = 0; i < a.noise.n; i++)
		if (a.noise.at[i].max_ns == 1000000)
			assert_string_equal(a.noise.at[i].host, "g<1>");
		else
			assert_true(*a.noise.at[i].host);
	for (i = 0; i < a.delay.n; i++)
		assert_true(*a.delay.at[i].host);
	text = sample_render(render_text, &a, true);
	assert_non_null(strstr(text, "\nworst window: cpu 0 of g<1>, activation 99"));
	assert_non_null(strstr(text, "  max us  max on\n"));
	free(text);
	result_free(&a);

	make_part(&a, 1, 10, 5);
	make_part(&b, 1, 10, 6);
	merged(&a, &b);
	for (i = 0; i < a.nworst; i++)
		assert_string_equal(a.worst[i].kept.host, "");
	assert_string_equal(a.noise.at[0].host, "");
	text = sample_render(render_json, &a);
	assert_null(strstr(strstr(text, "\"worst\""), "\"host\""));
	free(text);
	result_free(&a);
}

/* Any grouping gives the same result. Demand is a rounded mean, so it is left out. */
TEST(test_associative)
{
	struct result r[6];
	size_t i;

	for (i = 0; i < 6; i++) {
		make_part(&r[i], 1 + i % 3, 40, 50 + i % 3);
		if (i % 3 == 1)
			set_text(&r[i].host, "g");
	}
	merged(&r[0], &r[1]);
	merged(&r[0], &r[2]);
	merged(&r[4], &r[5]);
	merged(&r[3], &r[4]);
	assert_int_equal(r[0].ncpus, 5);
	assert_int_equal(r[0].runs, 3);
	assert_same_result(&r[0], &r[3]);
	result_free(&r[0]);
	result_free(&r[3]);
}

static void exact_part(struct result *r, unsigned int n, uint64_t seed)
{
	make_part(r, 1, 0, 0);
	r->deterministic = true;
	r->keeps_exact = true;
	add_windows(r, n, seed);
	r->cpu[0].lost = 0;
	result_sum(r);
}

TEST(test_exact)
{
	struct result a, b, whole;
	unsigned int m;

	exact_part(&a, 300, 5);
	exact_part(&b, 200, 6);
	exact_part(&whole, 300, 5);
	add_windows(&whole, 200, 6);
	whole.cpu[0].lost = 0;
	result_sum(&whole);
	whole.runs = 2;
	merged(&a, &b);
	assert_true(result_is_exact(&a, TLOB_METRIC_WAKE));
	assert_int_equal(a.exact[TLOB_METRIC_WAKE].n, 500);
	forget_runs(&a);
	assert_same_result(&a, &whole);
	/* values of two CPUs cannot be separated, so they are dropped */
	exact_part(&b, 10, 7);
	move_cpu(&b, 1);
	merged(&a, &b);
	assert_int_equal(a.ncpus, 2);
	for (m = 0; m < TLOB_NR_METRICS; m++) {
		assert_false(result_is_exact(&a, m));
		assert_int_equal(a.exact[m].n, 0);
	}
	result_free(&a);
	/* nor are values kept that one side lacks */
	exact_part(&b, 10, 7);
	b.keeps_exact = false;
	merged(&whole, &b);
	assert_false(result_is_exact(&whole, TLOB_METRIC_WAKE));
	result_free(&whole);
}

TEST(test_demand)
{
	struct result a, b;

	make_part(&a, 1, 1, 5);
	make_part(&b, 1, 3, 6);
	a.cpu[0].demand_ns = 100;
	a.cpu[0].demand_spread_ns = 9;
	b.cpu[0].demand_ns = 200;
	b.cpu[0].demand_spread_ns = 4;
	merged(&a, &b);
	assert_int_equal(a.cpu[0].demand_ns, 175);
	assert_int_equal(a.cpu[0].demand_spread_ns, 9);
	assert_int_equal(a.all.demand_ns, 175);
	/* the sum needs more than 64 bits */
	make_part(&b, 1, 4, 7);
	a.cpu[0].demand_ns = b.cpu[0].demand_ns = UINT64_MAX / 2;
	merged(&a, &b);
	assert_int_equal(a.cpu[0].demand_ns, UINT64_MAX / 2);
	/* unknown in one is unknown in both */
	make_part(&b, 1, 4, 8);
	merged(&a, &b);
	assert_int_equal(a.cpu[0].demand_ns, 0);
	assert_int_equal(a.all.demand_ns, 0);
	result_free(&a);
}

UNIT_MAIN(NULL, NULL)
