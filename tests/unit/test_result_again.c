// SPDX-License-Identifier: GPL-2.0
/* A result file reads back into memory without a loss. */
#include "reading.h"

/* Written, read, and written again: the same bytes. */
static void check_again(const struct result *r)
{
	char *text = sample_render(render_json, r), *again;
	struct result back;

	if (parse(&back, text))
		fail_msg("%s", reader.error);
	assert_string_equal(reader.error, "");
	assert_int_equal(back.all.hist[TLOB_METRIC_WAKE].step, r->clock_resolution_ns);
	assert_int_equal(back.cpu[0].hist[TLOB_METRIC_WAKE].step, r->clock_resolution_ns);
	again = sample_render(render_json, &back);
	assert_string_equal(text, again);
	result_free(&back);
	free(again);
	free(text);
}

TEST(test_again)
{
	struct tlob_window w;
	struct result r;
	uint64_t seed = 11;
	unsigned int i;

	sample_result(&r, 3, 40);
	check_again(&r);
	for (i = 0; i < 500; i++) {
		w = sample_window(i % 3, i);
		w.part_ns[TLOB_WORK_SLEEP] = unit_random(&seed) >> i % 50 >> 14;
		w.largest.id = (int)(i % 80);
		w.flags |= i % 7 ? 0 : TLOB_WINDOW_INEXACT | TLOB_WINDOW_KTHREAD;
		w.flags |= i % 11 ? 0 : TLOB_WINDOW_LAST | TLOB_WINDOW_STOPPED;
		w.missed = i % 3;
		w.errors = i % 2;
		sample_close(&w);
		assert_true(result_window(&r, i % 3, &w, true));
	}
	r.cpu[0].lost = 1;
	r.cpu[1].aborted = 2;
	r.cpu[1].sum_failures = 3;
	r.cpu[2].warm_up = UINT64_MAX / 2 + 7;
	r.cpu[2].startup = 5;
	r.cpu[2].unaccounted = 4;
	r.cpu[2].due = r.cpu[2].warm_up + r.cpu[2].windows + r.cpu[2].missed + 9;
	for (i = 0; i < 3; i++) {
		r.cpu[i].demand_ns = 102000 + i;
		r.cpu[i].demand_spread_ns = i;
		r.cpu[i].overhead_ns = 5 + i;
	}
	result_sum(&r);
	assert_int_equal(r.noise.n, RESULT_OFFENDERS);
	assert_true(r.noise.evicted > 0);
	check_again(&r);
	result_free(&r);
}

/* No t1, no part, and the counters of the operating system, known or not. */
TEST(test_posix_again)
{
	struct result r;
	unsigned int bit;

	sample_posix(&r, 40);
	check_again(&r);
	for (bit = 1; bit <= OS_GAPS; bit <<= 1) {
		r.cpu[0].os->known &= ~bit;
		result_sum(&r);
		check_again(&r);
	}
	result_free(&r);
}

TEST(test_circumstances_again)
{
	struct result r, back;
	char *text;
	int i;

	sample_result(&r, 2, 3);
	r.host = sample_text("a \"host\"\n");
	r.housekeeping = sample_text("2-3");
	r.tune = sample_text("governor 2");
	r.tune_left_out = sample_text("irq_affinity 1 (Operation not permitted)");
	r.load = sample_text("@cpu + while :; do \x01; done");
	r.load_cpus = sample_text("0-3");
	r.policy_changed = sample_text("other (CPU 1)");
	r.stopped_by = sample_text("--stop-on 'wake>50us'");
	r.stopped = calloc(1, sizeof(*r.stopped));
	assert_non_null(r.stopped);
	r.stopped->w = sample_violation(1, 77);
	r.trace_file = sample_text("/tmp/\xc3\xa4\xff\\x41");
	r.has_seed = true;
	r.seed = UINT64_MAX;
	r.has_phase = true;
	r.phase_ns = 123456;
	r.runs = 7;
	r.align_ns = 10;
	r.started = 0;
	for (i = 0; i < 3; i++)
		assert_int_equal(result_note(&r, "note %d\t\x01 \\x0a", i), 0);
	sample_fact(&r, "governor", "perf\x02ormance");
	sample_fact(&r, "smt", "");
	r.tuning[0].source = sample_text("/sys/\x02");
	check_again(&r);
	text = sample_render(render_json, &r);
	assert_int_equal(parse(&back, text), 0);
	assert_string_equal(back.host, "a \"host\"\n");
	assert_string_equal(back.trace_file, "/tmp/\xc3\xa4\xff\\x41");
	assert_int_equal(back.stopped->w.activation, 77);
	assert_string_equal(back.notes[2], "note 2\t\x01 \\x0a");
	assert_null(back.notes[3]);
	assert_int_equal(back.ntuning, 2);
	assert_string_equal(back.tuning[0].value, "perf\x02ormance");
	assert_string_equal(back.tuning[0].source, "/sys/\x02");
	assert_null(back.tuning[1].source);
	assert_true(back.has_seed && back.seed == UINT64_MAX);
	assert_int_equal(back.started, 0);
	assert_int_equal(back.runs, 7);
	free(text);
	result_free(&back);
	/* as merge leaves them: each CPU has a host, the sum has none */
	free(r.host);
	r.host = NULL;
	r.cpu[0].host = sample_text("a\x7f");
	r.cpu[1].host = sample_text("b");
	check_again(&r);
	result_free(&r);
}

/* A task may call itself anything. */
TEST(test_names_again)
{
	static const char * const names[] = {
		"\x01\xff", "a\\x41", "\\x00", "\\", "\\x", "\xc3\xa4", "\xc3", "\"{[:,", "",
		"0123456789abcde", "\x1b[2J", "\\xff\\x01\\xa0",
	};
	struct result r, back;
	struct tlob_window w;
	char *text;
	size_t i;

	sample_empty(&r, 1);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		w = sample_violation(0, i);
		memset(w.largest.name, 0, sizeof(w.largest.name));
		memset(w.delayed_by, 0, sizeof(w.delayed_by));
		memcpy(w.largest.name, names[i], strlen(names[i]));
		memcpy(w.delayed_by, names[i], strlen(names[i]));
		assert_true(result_window(&r, 0, &w, true));
	}
	result_sum(&r);
	check_again(&r);
	text = sample_render(render_json, &r);
	assert_int_equal(parse(&back, text), 0);
	assert_int_equal(back.noise.n, ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(back.noise.at[i].name, names[i]);
		assert_string_equal(back.delay.at[i].name, names[i]);
		assert_string_equal(back.worst[i].w.delayed_by, names[i]);
	}
	free(text);
	result_free(&back);
	result_free(&r);
}

TEST(test_exact_again)
{
	struct result r, back;
	char *text;

	sample_exact(&r);
	check_again(&r);
	text = sample_render(render_json, &r);
	assert_int_equal(parse(&back, text), 0);
	assert_true(back.keeps_exact);
	assert_true(result_is_exact(&back, TLOB_METRIC_RESPONSE));
	assert_int_equal(back.exact[TLOB_METRIC_RESPONSE].v[1], 105000);
	assert_int_equal(back.exact[TLOB_METRIC_RESPONSE].v[2], 105001);
	assert_false(result_is_exact(&back, TLOB_METRIC_PARTS + TLOB_WAKE_SOFTIRQ));
	free(text);
	result_free(&back);
	/* with a lost record only the histograms remain */
	r.cpu[0].lost = 1;
	result_sum(&r);
	check_again(&r);
	result_free(&r);
}

/* A part that only some windows have is not in the result, in either form. */
TEST(test_part_of_some)
{
	struct tlob_window w = sample_window(0, 3);
	struct result r;

	sample_exact(&r);
	w.part_ns[TLOB_WORK_ON_CPU] += 2;
	sample_close(&w);
	w.unavailable |= 1U << TLOB_WAKE_IRQ_DELAY;
	assert_true(result_window(&r, 0, &w, true));
	result_sum(&r);
	check_again(&r);
	result_free(&r);
}

/* Parts that no window has, and CPUs without a window. */
TEST(test_empty_again)
{
	struct result r;

	sample_empty(&r, 2);
	result_sum(&r);
	check_again(&r);
	r.cpu[0].cpu = 8191;
	r.cpu[1].unavailable = (1U << TLOB_NR_PARTS) - 1;
	result_sum(&r);
	check_again(&r);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
