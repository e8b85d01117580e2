// SPDX-License-Identifier: GPL-2.0
/* A result's text, byte for byte. Its JSON: test_render_json.c */
#include <ctype.h>
#include <errno.h>
#include <unistd.h>

#include <json-c/json.h>

#include "sample.h"
#include "report/render.h"

static const char golden_text[] =
	"tlob-load  user workload, work spin:100us, period 1ms, budget 200us, fifo:95\n"
	"           CPUs 0-1, ran 2s, backend tlob, noise source osnoise\n"
	"           Linux 6.12.48-rt #1 SMP PREEMPT_RT, x86_64\n"
	"\n"
	"cpu  windows  violations  missed  lost\n"
	"  0     1000           1       0     0\n"
	"  1     1000           0       2     1\n"
	"all     2000           1       2     1\n"
	"\n"
	"cpu  us              min        avg        p50        p99      p99.9        max\n"
	"  0  irq           1.200      1.200      1.200      1.200      1.200      1.200\n"
	"     wake          3.000      3.000      3.000      3.000      3.000      3.000\n"
	"     response    105.000    105.152    105.471    105.471    105.471    257.251\n"
	"  1  irq           1.200      1.200      1.200      1.200      1.200      1.200\n"
	"     wake          3.000      3.000      3.000      3.000     missed      3.000\n"
	"     response    105.000    105.000    105.000    105.000     missed    105.000\n"
	"all  irq           1.200      1.200      1.200      1.200      1.200      1.200\n"
	"     wake          3.000      3.000      3.000      3.000      3.000      3.000\n"
	"     response    105.000    105.076    105.471    105.471    257.251    257.251\n"
	"missed: this quantile lies among the missed expiries\n"
	"\n"
	"mean   response 105.076us = on_cpu 97.1% + irq 1.2% + irq_delay 0.9% + sched 0.8% + thread 0.1%\n"
	"worst  response 257.251us = thread 58.4% + on_cpu 39.6% + irq 1.3% (wake 0.5, work 0.8) +\n"
	"         irq_delay 0.3% + sched 0.3%\n"
	"\n"
	"largest interruption of each window, by name\n"
	"  kind    name         id          windows  total us   max us\n"
	"  irq     local_timer  vector 236     1999  2598.700    1.300\n"
	"  thread  kworker/0:1  pid 117           1   140.000  140.000\n"
	"\n"
	"who delayed the timer interrupt (irq_delay)\n"
	"  kind    name       id        windows  total us  max us\n"
	"  thread  idle       pid 0        1999  1799.100   0.900\n"
	"  thread  stress-ng  pid 4242        1     0.900   0.900\n"
	"\n"
	"worst window: cpu 0, activation 999, expiry at 5.999000000s; 57.251us over the budget of 200us\n"
	"                                us\n"
	"  wake      irq_delay        0.900  stress-ng (pid 4242) was running\n"
	"            irq              1.300  1x\n"
	"            sched            0.800\n"
	"            = phase          3.000\n"
	"  work      on_cpu         102.000\n"
	"            irq              2.001  1x\n"
	"            thread         150.250  2x, the largest thread kworker/0:1 (pid 117): 140.000us\n"
	"            = phase        254.251\n"
	"  response  = wake + work  257.251\n"
	"\n"
	"next worst windows, us\n"
	"  cpu  activation  response   wake   on_cpu  largest  interruption\n"
	"    0           0   105.000  3.000  102.000    1.300  irq local_timer (vector 236)\n"
	"    0           1   105.000  3.000  102.000    1.300  irq local_timer (vector 236)\n"
	"    0           2   105.000  3.000  102.000    1.300  irq local_timer (vector 236)\n"
	"    0           3   105.000  3.000  102.000    1.300  irq local_timer (vector 236)\n"
	"    0           4   105.000  3.000  102.000    1.300  irq local_timer (vector 236)\n"
	"\n"
	"worst case if the parts' maxima coincide: 257 us on CPU 0\n"
	"over the budget or missed: 3 of 2 002, in 2 episodes, the longest of 2\n"
	"in this run, with 95 % confidence: 870 to 26 000 episodes an hour\n"
	"with the same confidence: less than 0.54 % of the expiries, if no episode has more than 2\n"
	"slowdown  0.750us per window (+0.7%): mean on_cpu - demand 101.250us (calibrated, spread 0.080us)\n"
	"          largest on cpu 0: 1.000us of 101.000us\n"
	"overhead  1.200us per window, outside the measured time; 2001 own timer interrupts, in irq\n"
	"not measured  wake.softirq, work.softirq: softirqs run in threads on PREEMPT_RT\n"
	"note  nmi: without the cost of the entry\n"
	"warning: records lost: 1; worst windows and names are incomplete\n";

static const char golden_hist[] =
	"# tlob-load histogram, period 1ms, budget 200us\n"
	"# Windows by latency. A row is [us, us + 1), named by the lower edge of its buckets.\n"
	"# Buckets are up to 1/64 of their value wide: above 65 us they are wider than a row,\n"
	"# stand at their lower edge, and the rows between are empty. Empty rows are left out.\n"
	"\n"
	"# index 0: all CPUs\n"
	"# us              irq        wake    response\n"
	"1                2000           0           0\n"
	"2                   0        2000           0\n"
	"104                 0           0        1999\n"
	"256                 0           0           1\n"
	"# min           1.200       3.000     105.000\n"
	"# avg           1.200       3.000     105.076\n"
	"# max           1.200       3.000     257.251\n"
	"\n"
	"\n"
	"# index 1: cpu 0\n"
	"# us              irq        wake    response\n"
	"1                1000           0           0\n"
	"2                   0        1000           0\n"
	"104                 0           0         999\n"
	"256                 0           0           1\n"
	"# min           1.200       3.000     105.000\n"
	"# avg           1.200       3.000     105.152\n"
	"# max           1.200       3.000     257.251\n"
	"\n"
	"\n"
	"# index 2: cpu 1\n"
	"# us              irq        wake    response\n"
	"1                1000           0           0\n"
	"2                   0        1000           0\n"
	"104                 0           0        1000\n"
	"# min           1.200       3.000     105.000\n"
	"# avg           1.200       3.000     105.000\n"
	"# max           1.200       3.000     105.000\n";

static void check_lines(const char *text, size_t width)
{
	const char *line, *end;

	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		if ((size_t)(end - line) > width)
			fail_msg("too wide: %.*s", (int)(end - line), line);
		if (end > line && isspace((unsigned char)end[-1]))
			fail_msg("space at the end: %.*s", (int)(end - line), line);
	}
}

TEST(test_golden)
{
	struct result r;
	char *text;

	sample_golden(&r);
	text = sample_render(render_text, &r, true);
	assert_string_equal(text, golden_text);
	check_lines(text, 100);
	free(text);
	assert_shows(sample_render(render_hist, &r),
		     "# the clock has steps of 16 ns: no time here is finer\n\n# index 0: all CPUs\n");
	result_set_clock(&r, 1);
	assert_prints(sample_render(render_hist, &r), golden_hist);
	result_free(&r);
}

/* The live view has the table and the warnings, but no names. */
TEST(test_without_worst)
{
	struct result r;
	char *text;

	sample_golden(&r);
	text = sample_render(render_text, &r, false);
	assert_contains(text, "p99.9");
	assert_contains(text, "records lost: 1");
	assert_lacks(text, "kworker");
	assert_lacks(text, "worst window:");
	free(text);
	result_free(&r);
}

/* The row of all would repeat the row of the only CPU. */
TEST(test_one_cpu)
{
	struct result r;
	char *text;

	sample_result(&r, 1, 50);
	text = sample_render(render_text, &r, true);
	assert_lacks(text, "all");
	/* 50 windows: p50 is known, p99 and p99.9 are not */
	assert_contains(text, "    105.471          -          -    257.251\n");
	assert_contains(text, "-: too few windows");
	check_lines(text, 100);
	free(text);
	result_free(&r);
}

TEST(test_many_cpus)
{
	struct result r;
	char *text, row[16];
	int i;

	sample_result(&r, 64, 1000);
	r.cpu[17].windows = 1234567;
	r.cpu[17].hist[TLOB_METRIC_RESPONSE].max = 99999999;
	result_sum(&r);
	text = sample_render(render_text, &r, true);
	for (i = 0; i < 64; i++) {
		snprintf(row, sizeof(row), "\n%3d  ", i);
		assert_contains(text, row);
		assert_null(strstr(strstr(text, row) + 1, row));
	}
	assert_contains(text, "\nall  1297567 ");
	assert_contains(text, "\nall  irq ");
	assert_contains(text, "  99999.999\n");
	check_lines(text, 100);
	free(text);
	result_free(&r);
}

TEST(test_eight_cpus_in_full)
{
	struct result r;

	sample_result(&r, 8, 1000);
	assert_shows(sample_render(render_text, &r, false), "\n  7  irq ", "\nall  irq ");
	result_free(&r);
}

/* A value that was not measured is nowhere shown as 0. */
TEST(test_posix)
{
	static const char * const words[] = {
		"backend posix\n", "not tlob: the module is not loaded: modprobe tlob_load\n",
		"mean   response ", "= wake ",
		"not measured  irq, and all parts of wake and response: it does not see",
		"LOC Local timer interrupts", "TIMER ", "391.613", "21234.567", "84.213", "15.236",
	};
	static const char * const absent[] = {
		"0  irq ", "on_cpu", "interruption", "0.000", "noise source",
		"own timer interrupts", "worst window: cpu 0, activation 0", "add up",
	};
	struct result r;
	char *text;
	size_t i;

	sample_posix(&r, 1000);
	text = sample_render(render_text, &r, true);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_contains(text, words[i]);
	for (i = 0; i < ARRAY_SIZE(absent); i++)
		assert_lacks(text, absent[i]);
	free(text);
	result_free(&r);
}

TEST(test_no_data)
{
	struct result r;
	char *text;

	sample_empty(&r, 2);
	result_sum(&r);
	text = sample_render(render_text, &r, true);
	assert_contains(text, "warning: no window was measured");
	assert_lacks(text, "0.000");
	check_lines(text, 100);
	free(text);
	/* gnuplot counts only blocks with rows */
	assert_shows(sample_render(render_hist, &r),
		     "\n0                   0           0           0\n",
		     "# min               -");
	result_free(&r);

	sample_result(&r, 1, 3);
	r.ncpus = 0;		/* only all: still no crash */
	text = sample_render(render_text, &r, true);
	free(text);
	r.ncpus = 1;
	result_free(&r);
}

TEST(test_warnings)
{
	static const char * const words[] = {
		"add up: 11", "missing: 12", "reported 13ns", "backwards: 14",
		"inexact windows: 15 of 2000", "lost: 16", "run: 17",
		"left out: 18", "no window was measured on cpu 1",
		"stopped by  cpu0 activation 7", "trace  t.dat",
		"overhead  not measured", "executed instructions",
	};
	struct result r;
	char *text;
	size_t i;

	sample_result(&r, 2, 1000);
	text = sample_render(render_text, &r, true);
	assert_lacks(text, "warning");
	free(text);
	r.all.sum_failures = 11;
	r.all.errors = 12;
	r.all.adjusted_ns = 13;
	r.all.clock_steps = 14;
	r.all.inexact = 15;
	r.all.lost = 16;
	r.all.aborted = 17;
	r.all.warm_up = 18;
	r.cpu[1].windows = 0;
	r.stopped_by = sample_text("cpu0 activation 7");
	r.trace_file = sample_text("t.dat");
	r.deterministic = true;
	text = sample_render(render_text, &r, true);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		assert_contains(text, words[i]);
	check_lines(text, 100);
	free(text);
	result_free(&r);
}

TEST(test_negative_slowdown)
{
	struct result r;

	sample_result(&r, 1, 10);
	r.cpu[0].demand_ns = 103000;
	result_sum(&r);
	assert_shows(sample_render(render_text, &r, false),
		     "slowdown  -1.000us per window (-1.0%)");
	result_free(&r);
}

/* A window whose parts do not add up says so in its description. */
TEST(test_broken_window)
{
	struct result r;

	sample_result(&r, 1, 10);
	r.worst[0].w.part_ns[TLOB_WORK_HW] = 1;
	assert_shows(sample_render(render_text, &r, true), "DO NOT ADD UP");
	result_free(&r);
}

/* Both phases had an irq; the largest is shown in its own phase. */
TEST(test_largest_in_its_phase)
{
	struct tlob_window w = sample_violation(0, 0);
	const char *work, *at;
	struct result r;
	char *text;

	sample_empty(&r, 1);
	w.largest = (struct tlob_noise){
		.ns = 1300, .id = 25, .kind = TLOB_NOISE_IRQ, .name = "eth0",
	};
	result_window(&r, 0, &w, true);
	result_sum(&r);
	text = sample_render(render_text, &r, true);
	at = strstr(text, "the largest irq eth0 (irq 25): 1.300us");
	work = strstr(text, "  work  ");
	assert_non_null(at);
	assert_true(at < work);
	assert_null(strstr(at + 1, "the largest"));
	free(text);
	result_free(&r);
}

/* The open last bucket has its row too. */
TEST(test_hist_last_bucket)
{
	struct result r;

	sample_empty(&r, 1);
	tlob_hist_add(&r.cpu[0].hist[TLOB_METRIC_RESPONSE], UINT64_MAX);
	result_sum(&r);
	assert_shows(sample_render(render_hist, &r),
		     "\n4363686772           0           0           1\n");
	result_free(&r);
}

/* No name of a task makes an escape sequence, a second line or invalid JSON. */
TEST(test_hostile_names)
{
	static const char * const names[] = {
		"\"},{\"\\", "a\nb\tc", "\x1b[2J\x1b[H", "\xff\xfe\x80",
		"\xc3\xa9t\xc3\xa9", "0123456789abcdef", "</script>", "%s%n%d",
	};
	struct json_object *o, *name;
	struct tlob_window w;
	struct result r;
	char *text, *json;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		sample_empty(&r, 1);
		w = sample_violation(0, 0);
		memset(w.largest.name, 0, TLOB_NAME_LEN);
		memset(w.delayed_by, 0, TLOB_NAME_LEN);
		memcpy(w.largest.name, names[i], strlen(names[i]));
		memcpy(w.delayed_by, names[i], strlen(names[i]));
		result_window(&r, 0, &w, true);
		result_sum(&r);
		free(r.command);
		r.command = sample_text(names[i]);
		assert_int_equal(result_note(&r, "%s", names[i]), 0);

		text = sample_render(render_text, &r, true);
		json = sample_render(render_json, &r);
		assert_ptr_equal(strchr(json, '\n'), json + strlen(json) - 1);
		for (k = 0; text[k]; k++)
			assert_true(text[k] == '\n' || (unsigned char)text[k] >= ' ');
		assert_lacks(text, "\xff");
		assert_lacks(json, "\xff");
		o = json_tokener_parse(json);
		assert_non_null(o);
		assert_true(json_object_object_get_ex(o, "command", &name));
		/* a plain name comes back unchanged */
		if (i == 0 || i >= 4)
			assert_string_equal(json_object_get_string(name), names[i]);
		if (i == 1)
			assert_string_equal(json_object_get_string(name), "a\\x0ab\\x09c");
		json_object_put(o);
		free(text);
		free(json);
		result_free(&r);
	}
}

/* A full disk is an error of the run, not a short file. */
TEST(test_write_error)
{
	FILE *f = fopen("/dev/full", "w");
	struct result r;

	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	sample_golden(&r);
	assert_int_equal(render_text(f, &r, true), -EIO);
	clearerr(f);
	assert_int_equal(render_json(f, &r), -EIO);
	clearerr(f);
	assert_int_equal(render_hist(f, &r), -EIO);
	fclose(f);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
