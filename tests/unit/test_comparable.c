// SPDX-License-Identifier: GPL-2.0
/*
 * Results of different settings are refused, and other differences are noted. Refusals
 * print to stderr.
 */
#include <errno.h>

#include "merge_check.h"
#include "result/comparable.h"

TEST(test_not_the_same)
{
	static const char * const expected[] = {
		"backend: tlob, but osnoise in x.json",
		"clock: time, but instructions in x.json",
		"workload: user, but kthread in x.json",
		"work: spin:100us, but loops:20000\\x0a in x.json",
		"policy: fifo:95, but other:0 in x.json",
		"tune: none, but governor 2 in x.json",
		"load: none, but @io + @cpu in x.json",
		"noise_source: osnoise, but hooks in x.json",
		"period: 1ms, but 2ms in x.json",
		"budget: 200us, but 200001ns in x.json",
		"align: 0ns, but 1us in x.json",
		"hw_threshold: 5us, but 6us in x.json",
		"phase: none, but 0ns in x.json",
		"machine: x86_64, but aarch64 in x.json",
	};
	struct result a, b, same;
	char **list;
	size_t i;

	make_part(&a, 1, 10, 5);
	make_part(&same, 1, 10, 5);
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		make_part(&b, 1, 10, 6);
		list = NULL;
		assert_int_equal(settings_differ(&list, &a, &b, "x.json"), 0);
		assert_null(list);
		switch (i) {
		case 0: set_text(&b.backend, "osnoise"); break;
		case 1: b.deterministic = true; break;
		case 2: set_text(&b.workload, "kthread"); break;
		case 3: set_text(&b.work, "loops:20000\n"); break;
		case 4: set_text(&b.policy, "other:0"); break;
		case 5: b.tune = sample_text("governor 2"); break;
		case 6: b.load = sample_text("@io + @cpu"); break;
		case 7: set_text(&b.noise_source, "hooks"); break;
		case 8: b.period_ns = 2000000; break;
		case 9: b.budget_ns = 200001; break;
		case 10: b.align_ns = 1000; break;
		case 11: b.hw_threshold_ns = 6000; break;
		case 12: b.has_phase = true; break;
		case 13: set_text(&b.machine, "aarch64"); break;
		}
		assert_int_equal(settings_differ(&list, &a, &b, "x.json"), 0);
		assert_non_null(list);
		assert_string_equal(list[0], expected[i]);
		assert_null(list[1]);
		notes_free(list);
		assert_int_equal(merge_two(&a, &b, "x.json"), -EINVAL);
		result_free(&b);
		/* the first result is unchanged */
		assert_same_result(&a, &same);
	}
	result_free(&a);
	result_free(&same);
}

TEST(test_tuning)
{
	struct result a, b;

	make_part(&a, 1, 2, 5);
	make_part(&b, 1, 2, 6);
	sample_fact(&a, "smt", "off");
	sample_fact(&a, "governor", "performance");
	sample_fact(&a, "turbo", "off");
	sample_fact(&a, "thp", "never");
	sample_fact(&b, "thp", "never");
	sample_fact(&b, "governor", "powersave");
	sample_fact(&b, "smt", "off");
	sample_fact(&b, "new", "1");
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

TEST(test_notes)
{
	struct result a, b;
	size_t n;

	make_part(&a, 1, 2, 5);
	make_part(&b, 1, 2, 6);
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

TEST(test_circumstances)
{
	struct result a, b;
	char **list = NULL;
	size_t n;

	make_part(&a, 1, 2, 5);
	make_part(&b, 1, 2, 6);
	sample_fact(&a, "smt", "off");
	sample_fact(&b, "smt", "off");
	sample_fact(&a, "microcode", "0x1");
	sample_fact(&b, "microcode", "0x2");
	assert_int_equal(facts_differ(&list, &a, &b, "x", NULL, false), 0);
	assert_non_null(list);
	assert_string_equal(list[0], "tuning, microcode: 0x1, but 0x2 in x");
	notes_free(list);
	list = NULL;
	snprintf(b.tuning[b.ntuning - 1].value, sizeof("0x1"), "0x1");
	set_text(&b.host, "g");
	set_text(&b.cpus, "3");
	b.housekeeping = sample_text("0");
	sample_fact(&a, "clocksource", "tsc");
	sample_fact(&b, "turbo", "on\n");
	assert_int_equal(facts_differ(&list, &a, &b, "x", NULL, false), 0);
	if (!list) {
		fail();
		return;
	}
	for (n = 0; list[n]; n++)
		;
	assert_int_equal(n, 5);
	assert_string_equal(list[0], "host: h, but g in x");
	assert_string_equal(list[1], "cpus: 0-1, but 3 in x");
	assert_string_equal(list[2], "housekeeping: unknown, but 0 in x");
	assert_string_equal(list[3], "tuning, clocksource: tsc, but unknown in x");
	assert_string_equal(list[4], "tuning, turbo: unknown, but on\\x0a in x");
	notes_free(list);
	/* another kernel lacks facts and has another idle driver, but no other turbo */
	list = NULL;
	set_text(&b.kernel, "6.1.0");
	sample_fact(&a, "idle_driver", "acpi");
	sample_fact(&b, "idle_driver", "intel");
	assert_int_equal(facts_differ(&list, &a, &b, "x", NULL, false), 0);
	for (n = 0; list && list[n]; n++)
		assert_lacks(list[n], "tuning");
	assert_int_equal(n, 3);
	notes_free(list);
	list = NULL;
	sample_fact(&a, "turbo", "off");
	assert_int_equal(facts_differ(&list, &a, &b, "x", NULL, false), 0);
	for (n = 0; list && list[n]; n++)
		;
	assert_int_equal(n, 4);
	notes_free(list);
	result_free(&a);
	result_free(&b);
}

/* A result has a phase only if all of its runs had the same. */
TEST(test_phase)
{
	static const uint64_t phase[] = { 5, 7, 5 };
	struct result r[3], plain;
	char **list = NULL;
	size_t i, first;

	for (first = 0; first < 3; first++) {
		for (i = 0; i < 3; i++) {
			make_part(&r[i], 1, 10, 5 + i);
			r[i].has_seed = true;
			r[i].has_phase = true;
			r[i].phase_ns = phase[i];
		}
		merged(&r[(first + 1) % 3], &r[(first + 2) % 3]);
		assert_int_equal(r[(first + 1) % 3].has_phase, first == 1);
		merged(&r[first], &r[(first + 1) % 3]);
		assert_false(r[first].has_phase);
		/* no phase equals no phase */
		make_part(&plain, 1, 10, 1);
		assert_int_equal(settings_differ(&list, &r[first], &plain, "x"), 0);
		assert_null(list);
		result_free(&plain);
		result_free(&r[first]);
	}
}

/* A reader takes 256 notes: a thousand results must not make more. */
TEST(test_many_notes)
{
	struct result r;
	struct merger m = { .across = false };
	char name[32];
	size_t i, n;

	for (i = 0; i < 300; i++) {
		make_part(&r, 1, 1, 5);
		snprintf(name, sizeof(name), "%zu.json", i);
		r.stopped_by = sample_text("SIGINT");
		set_text(&r.run_id, name);
		if (i)
			r.kernel[0] = '7';
		assert_int_equal(merger_add(&m, &r, name), 0);
	}
	take_sum(&m, &r);
	for (n = 0; r.notes[n]; n++)
		;
	assert_int_equal(n, RESULT_NOTES);
	/* 299 times stopped, and one kernel; all but the first file */
	assert_string_equal(r.notes[n - 1], "45 more notes are left out");
	assert_true(noted(&r, "1.json ran on another kernel"));
	assert_false(noted(&r, "2.json ran on another kernel"));
	assert_int_equal(r.runs, 300);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
