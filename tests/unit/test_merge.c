// SPDX-License-Identifier: GPL-2.0
/* Several results become one, or are refused. Refusals print to stderr. */
#include <errno.h>

#include "sample.h"
#include "result/comparable.h"
#include "result/merge.h"
#include "show/render.h"

/* @n windows for each CPU; they differ for each @seed. */
static void add_windows(struct result *r, unsigned int n, uint64_t seed)
{
	struct tlob_window w;
	unsigned int k, m;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		for (k = 0; k < n; k++) {
			w = sample_violation((unsigned int)r->cpu[i].cpu, k);
			w.part_ns[TLOB_WORK_ON_CPU] = unit_random(&seed) % 300000;
			w.part_ns[TLOB_WAKE_SCHED] = unit_random(&seed) % 20;
			w.largest.ns = 1 + unit_random(&seed) % 1000;
			w.largest.id = (int)(k % 5);
			w.delayed_by[0] = (char)('a' + k % 7);
			w.missed = k % 3;
			w.errors = k % 2;
			w.clock_steps = 1;
			w.adjusted_ns = k;
			sample_close(&w);
			assert_true(result_window(r, i, &w, true));
		}
		r->cpu[i].lost += seed % 7;
		r->cpu[i].aborted += seed % 5;
		r->cpu[i].warm_up += seed % 3;
		r->cpu[i].warm_up_missed += 1;
		r->cpu[i].warm_up_violations += 2;
		r->cpu[i].inexact += 3;
		r->cpu[i].sum_failures += 4;
		r->cpu[i].overhead_ns += 1000;
	}
	for (m = 0; m < TLOB_NR_METRICS; m++)
		samples_sort(&r->exact[m]);
	result_sum(r);
}

static void part(struct result *r, size_t ncpus, unsigned int n, uint64_t seed)
{
	sample_empty(r, ncpus);
	r->host = sample_text("h");
	r->started += (time_t)seed;
	r->duration_ns = seed;
	if (n)
		add_windows(r, n, seed);
	result_sum(r);
}

/* Makes the windows those of another CPU. */
static void move_cpu(struct result *r, int cpu)
{
	size_t i;

	r->cpu[0].cpu = cpu;
	for (i = 0; i < r->nworst; i++)
		r->worst[i].cpu = (uint32_t)cpu;
}

static void merged(struct result *a, struct result *b)
{
	assert_int_equal(result_merge(a, b, "b.json"), 0);
	result_free(b);
}

static void assert_same_result(const struct result *a, const struct result *b)
{
	char *x = sample_render(render_json, a), *y = sample_render(render_json, b);

	assert_string_equal(x, y);
	free(x);
	free(y);
}

static bool noted(const struct result *r, const char *part)
{
	char **note;

	for (note = r->notes; note && *note; note++)
		if (strstr(*note, part))
			return true;
	return false;
}

/* Two runs merged equal one longer run, in every byte. */
static void test_exactly_adds(void **state)
{
	struct result a, b, whole;

	part(&a, 2, 300, 17);
	part(&b, 2, 200, 99);
	part(&whole, 2, 300, 17);
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
	assert_same_result(&a, &whole);
	result_free(&a);
	result_free(&whole);
}

/* A result without a window changes no number, on either side. */
static void test_empty_part(void **state)
{
	struct result a, b, c;
	size_t m;

	part(&a, 1, 50, 3);
	part(&b, 1, 0, 0);
	part(&c, 1, 50, 3);
	merged(&b, &a);
	assert_int_equal(b.runs, 2);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		assert_memory_equal(&b.all.hist[m], &c.all.hist[m], sizeof(c.all.hist[m]));
	part(&a, 1, 0, 0);
	merged(&b, &a);
	assert_int_equal(b.runs, 3);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		assert_memory_equal(&b.all.hist[m], &c.all.hist[m], sizeof(c.all.hist[m]));
	assert_int_equal(b.nworst, c.nworst);
	result_free(&b);
	result_free(&c);
}

static void test_other_cpu(void **state)
{
	struct result a, b;
	uint64_t sum;

	part(&a, 1, 30, 5);
	part(&b, 1, 20, 6);
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
static void test_lists(void **state)
{
	struct result a, b;

	part(&a, 1, 2, 5);
	part(&b, 1, 2, 6);
	free(a.cpus);
	a.cpus = sample_text("10");
	free(b.cpus);
	b.cpus = sample_text("0");
	move_cpu(&a, 10);
	merged(&a, &b);
	assert_string_equal(a.cpus, "10 and 0");
	part(&b, 1, 2, 6);
	free(b.cpus);
	b.cpus = sample_text("0");
	merged(&a, &b);
	assert_string_equal(a.cpus, "10 and 0");
	result_free(&a);
}

static void test_hosts(void **state)
{
	struct result a, b;

	part(&a, 1, 10, 5);
	part(&b, 1, 20, 6);
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
	part(&b, 1, 40, 7);
	merged(&a, &b);
	assert_int_equal(a.ncpus, 2);
	assert_int_equal(a.cpu[1].windows, 50);
	/* a file of an older version, without a host */
	part(&b, 1, 3, 8);
	free(b.host);
	b.host = NULL;
	merged(&a, &b);
	assert_int_equal(a.ncpus, 3);
	assert_string_equal(a.cpu[2].host, "unknown");
	assert_int_equal(a.runs, 4);
	assert_int_equal(a.all.windows, 73);
	result_free(&a);
}

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = sample_text(text);
}

static void test_not_the_same(void **state)
{
	static const char * const expected[] = {
		"backend: tlob, but osnoise in x.json",
		"clock: time, but instructions in x.json",
		"workload: user, but kthread in x.json",
		"work: spin:100us, but loops:20000\\x0a in x.json",
		"policy: fifo:95, but other:0 in x.json",
		"noise source: osnoise, but hooks in x.json",
		"period: 1ms, but 2ms in x.json",
		"budget: 200us, but 200001ns in x.json",
		"align: 0ns, but 1us in x.json",
		"hw threshold: 5us, but 6us in x.json",
		"phase: none, but 0ns in x.json",
	};
	struct result a, b, same;
	char **list;
	size_t i;

	part(&a, 1, 10, 5);
	part(&same, 1, 10, 5);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		part(&b, 1, 10, 6);
		list = NULL;
		assert_int_equal(settings_differ(&list, &a, &b, "x.json"), 0);
		assert_null(list);
		switch (i) {
		case 0: set_text(&b.backend, "osnoise"); break;
		case 1: b.deterministic = true; break;
		case 2: set_text(&b.workload, "kthread"); break;
		case 3: set_text(&b.work, "loops:20000\n"); break;
		case 4: set_text(&b.policy, "other:0"); break;
		case 5: set_text(&b.noise_source, "hooks"); break;
		case 6: b.period_ns = 2000000; break;
		case 7: b.budget_ns = 200001; break;
		case 8: b.align_ns = 1000; break;
		case 9: b.hw_threshold_ns = 6000; break;
		case 10: b.has_phase = true; break;
		}
		assert_int_equal(settings_differ(&list, &a, &b, "x.json"), 0);
		assert_non_null(list);
		assert_string_equal(list[0], expected[i]);
		assert_null(list[1]);
		notes_free(list);
		assert_int_equal(result_merge(&a, &b, "x.json"), -EINVAL);
		result_free(&b);
		/* the first result is unchanged */
		assert_same_result(&a, &same);
	}
	result_free(&a);
	result_free(&same);
}

/* Any grouping gives the same result. Demand is a rounded mean, so it is left out. */
static void test_associative(void **state)
{
	struct result r[6];
	size_t i;

	for (i = 0; i < 6; i++) {
		part(&r[i], 1 + i % 3, 40, 50 + i % 3);
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

static void add_fact(struct result *r, const char *name, const char *value)
{
	r->tuning = realloc(r->tuning, (r->ntuning + 1) * sizeof(*r->tuning));
	assert_non_null(r->tuning);
	r->tuning[r->ntuning].name = sample_text(name);
	r->tuning[r->ntuning++].value = sample_text(value);
}

static void test_tuning(void **state)
{
	struct result a, b;

	part(&a, 1, 2, 5);
	part(&b, 1, 2, 6);
	add_fact(&a, "smt", "off");
	add_fact(&a, "governor", "performance");
	add_fact(&a, "turbo", "off");
	add_fact(&a, "thp", "never");
	add_fact(&b, "thp", "never");
	add_fact(&b, "governor", "powersave");
	add_fact(&b, "smt", "off");
	add_fact(&b, "new", "1");
	assert_string_equal(tuning_of(&b, "governor"), "powersave");
	assert_null(tuning_of(&b, "turbo"));
	merged(&a, &b);
	assert_int_equal(a.ntuning, 2);
	assert_string_equal(tuning_of(&a, "smt"), "off");
	assert_string_equal(tuning_of(&a, "thp"), "never");
	assert_true(noted(&a, "governor differs in b.json"));
	assert_true(noted(&a, "turbo differs in b.json"));
	assert_false(noted(&a, "smt"));
	result_free(&a);
}

static void test_notes(void **state)
{
	struct result a, b;
	size_t n;

	part(&a, 1, 2, 5);
	part(&b, 1, 2, 6);
	assert_int_equal(result_note(&a, "both"), 0);
	assert_int_equal(result_note(&b, "both"), 0);
	assert_int_equal(result_note(&b, "only b: 100%%s"), 0);
	b.stopped_by = sample_text("SIGINT");
	set_text(&b.kernel, "6.1.0");
	merged(&a, &b);
	for (n = 0; a.notes[n]; n++)
		;
	assert_int_equal(n, 4);
	assert_true(noted(&a, "only b: 100%s"));
	assert_true(noted(&a, "b.json was stopped by SIGINT"));
	assert_true(noted(&a, "b.json ran on another kernel: 6.1.0"));
	result_free(&a);
}

static void test_circumstances(void **state)
{
	struct result a, b;
	char **list = NULL;
	size_t n;

	part(&a, 1, 2, 5);
	part(&b, 1, 2, 6);
	add_fact(&a, "smt", "off");
	add_fact(&b, "smt", "off");
	assert_int_equal(circumstances_differ(&list, &a, &b, "x"), 0);
	assert_null(list);
	set_text(&b.host, "g");
	set_text(&b.machine, "riscv64");
	set_text(&b.cpus, "3");
	b.housekeeping = sample_text("0");
	add_fact(&a, "clocksource", "tsc");
	add_fact(&b, "turbo", "on\n");
	assert_int_equal(circumstances_differ(&list, &a, &b, "x"), 0);
	if (!list) {
		fail();
		return;
	}
	for (n = 0; list[n]; n++)
		;
	assert_int_equal(n, 6);
	assert_string_equal(list[0], "host: h, but g in x");
	assert_string_equal(list[1], "machine: x86_64, but riscv64 in x");
	assert_string_equal(list[2], "CPUs: 0-1, but 3 in x");
	assert_string_equal(list[3], "housekeeping: unknown, but 0 in x");
	assert_string_equal(list[4], "tuning, clocksource: tsc, but unknown in x");
	assert_string_equal(list[5], "tuning, turbo: unknown, but on\\x0a in x");
	notes_free(list);
	/* another kernel lacks facts and has another idle driver, but no other turbo */
	list = NULL;
	set_text(&b.kernel, "6.1.0");
	add_fact(&a, "idle_driver", "acpi");
	add_fact(&b, "idle_driver", "intel");
	assert_int_equal(circumstances_differ(&list, &a, &b, "x"), 0);
	for (n = 0; list && list[n]; n++)
		assert_lacks(list[n], "tuning");
	assert_int_equal(n, 4);
	notes_free(list);
	list = NULL;
	add_fact(&a, "turbo", "off");
	assert_int_equal(circumstances_differ(&list, &a, &b, "x"), 0);
	for (n = 0; list && list[n]; n++)
		;
	assert_int_equal(n, 5);
	notes_free(list);
	result_free(&a);
	result_free(&b);
}

static void exact_part(struct result *r, unsigned int n, uint64_t seed)
{
	part(r, 1, 0, 0);
	r->deterministic = true;
	r->keeps_exact = true;
	add_windows(r, n, seed);
	r->cpu[0].lost = 0;
	result_sum(r);
}

static void test_exact(void **state)
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
	assert_same_result(&a, &whole);
	/* values of two CPUs cannot be told apart, so they are dropped */
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

static void test_demand(void **state)
{
	struct result a, b;

	part(&a, 1, 1, 5);
	part(&b, 1, 3, 6);
	a.cpu[0].demand_ns = 100;
	a.cpu[0].demand_spread_ns = 9;
	b.cpu[0].demand_ns = 200;
	b.cpu[0].demand_spread_ns = 4;
	merged(&a, &b);
	assert_int_equal(a.cpu[0].demand_ns, 175);
	assert_int_equal(a.cpu[0].demand_spread_ns, 9);
	assert_int_equal(a.all.demand_ns, 175);
	/* the sum needs more than 64 bits */
	part(&b, 1, 4, 7);
	a.cpu[0].demand_ns = b.cpu[0].demand_ns = UINT64_MAX / 2;
	merged(&a, &b);
	assert_int_equal(a.cpu[0].demand_ns, UINT64_MAX / 2);
	/* unknown in one is unknown in both */
	part(&b, 1, 4, 7);
	merged(&a, &b);
	assert_int_equal(a.cpu[0].demand_ns, 0);
	assert_int_equal(a.all.demand_ns, 0);
	result_free(&a);
}

/* A result has a phase only if all of its runs had the same. */
static void test_phase(void **state)
{
	static const uint64_t phase[] = { 5, 7, 5 };
	struct result r[3], plain;
	char **list = NULL;
	size_t i, first;

	for (first = 0; first < 3; first++) {
		for (i = 0; i < 3; i++) {
			part(&r[i], 1, 10, 5 + i);
			r[i].has_seed = true;
			r[i].has_phase = true;
			r[i].phase_ns = phase[i];
		}
		merged(&r[(first + 1) % 3], &r[(first + 2) % 3]);
		assert_int_equal(r[(first + 1) % 3].has_phase, first == 1);
		merged(&r[first], &r[(first + 1) % 3]);
		assert_false(r[first].has_phase);
		/* no phase equals no phase */
		part(&plain, 1, 10, 1);
		assert_int_equal(settings_differ(&list, &r[first], &plain, "x"), 0);
		assert_null(list);
		result_free(&plain);
		result_free(&r[first]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exactly_adds),
		cmocka_unit_test(test_empty_part),
		cmocka_unit_test(test_other_cpu),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_not_the_same),
		cmocka_unit_test(test_associative),
		cmocka_unit_test(test_tuning),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_circumstances),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_phase),
		cmocka_unit_test(test_demand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
