// SPDX-License-Identifier: GPL-2.0
/* The verdict of a validation, on phases whose windows are known, and its reports. */
#include <stdlib.h>

#include "options/command.h"
#include "result/parts.h"
#include "result/result.h"
#include "sample.h"
#include "validate/validate.h"

#define WINDOWS	1000U

/* The validation of the test that runs. */
static struct validate v;

/* Gives a phase a result of some CPUs, with so many windows over the budget and missed on the last. */
static void measure_cpus(size_t i, unsigned int ncpus, unsigned int over, unsigned int missed, uint64_t longest_ns)
{
	struct validate_phase *p = &v.phase[i];
	struct tlob_window w;
	unsigned int cpu, n;

	sample_empty(&p->r, ncpus);
	for (cpu = 0; cpu < ncpus; cpu++)
		for (n = 0; n < WINDOWS; n++) {
			w = sample_window(cpu, n);
			w.budget_ns = v.budget_ns;
			if (cpu + 1 == ncpus && n < over) {
				w.part_ns[TLOB_WORK_IRQ] = 900000;
				w.largest.ns = 900000;
				w.largest.in_work = 1;
				strcpy(w.largest.name, "eth0");
			} else if (cpu + 1 == ncpus && n == over && longest_ns) {
				w.part_ns[TLOB_WORK_THREAD] += longest_ns - w.response_ns;
			}
			sample_close(&w);
			assert_true(result_window(&p->r, cpu, &w, true));
		}
	p->r.cpu[ncpus - 1].missed = missed;
	result_sum(&p->r);
	validate_take(&v, p);
}

static void measure(size_t i, unsigned int over, unsigned int missed, uint64_t longest_ns)
{
	measure_cpus(i, 2, over, missed, longest_ns);
}

static void begin(double miss, unsigned int loads)
{
	static const char * const command[] = { "one", "two", "three", "4", "5", "6", "7", "8" };

	v = (struct validate){ .miss = miss, .dir = "dir", .budget_ns = 500000, .period_ns = 1000000,
			       .duration_ns = 1000000000 };
	for (v.nload = 0; v.nload < loads; v.nload++)
		v.load[v.nload] = command[v.nload];
	assert_int_equal(validate_prepare(&v), 0);
}

static void skip_phase(size_t i, const char *why)
{
	v.phase[i].state = PHASE_SKIPPED;
	v.phase[i].because = strdup(why);
}

TEST(test_phases)
{
	begin(0, 2);
	assert_int_equal(v.n, 4);
	assert_string_equal(v.phase[0].name, "idle");
	assert_string_equal(v.phase[2].name, "two");
	assert_int_equal(v.phase[3].nload, 2);
	assert_string_equal(v.phase[3].file, "dir/4-all.json");
	assert_int_equal(v.phase[3].state, PHASE_MISSING);
	validate_free(&v);
	/* one load alone is all of them */
	begin(0, 1);
	assert_int_equal(v.n, 3);
	assert_int_equal(v.phase[2].state, PHASE_SKIPPED);
	assert_string_equal(v.phase[2].because, "there is only one load");
	validate_free(&v);
}

/* A preset without its program is skipped, and says what to install. */
TEST(test_not_installed)
{
	const char *now = getenv("PATH");
	char *path;

	memset(&v, 0, sizeof(v));
	path = strdup(now ? now : "/bin");
	assert_non_null(path);
	setenv("PATH", "/nowhere", 1);
	v.dir = "dir";
	v.budget_ns = 500000;
	v.load[v.nload++] = "@cpu";
	v.load[v.nload++] = "@fork";
	assert_int_equal(validate_prepare(&v), 0);
	setenv("PATH", path, 1);
	assert_int_equal(v.phase[1].state, PHASE_SKIPPED);
	assert_string_equal(v.phase[1].because, "not installed: stress-ng");
	assert_string_equal(v.phase[2].because, "not installed: stress-ng, else hackbench");
	assert_string_equal(v.phase[3].because, "there is no load");
	/* idle alone says nothing of a machine that works */
	measure(0, 0, 0, 0);
	assert_int_equal(validate_judge(&v), FITNESS_UNDECIDED);
	validate_free(&v);
	free(path);
}

static enum fitness judge(double miss, unsigned int over, unsigned int missed)
{
	enum fitness fit;

	begin(miss, 1);
	measure(0, 0, 0, 0);
	measure(1, over, missed, 0);
	fit = validate_judge(&v);
	validate_free(&v);
	return fit;
}

/*
 * Without --miss a single one decides. With it the bounds do: none of 1000 is below 50 * 3.00 / 1000
 * with 95 % confidence, if no episode is longer than 50. Two CPUs in two phases share 5 %: an episode
 * of 3 is above 3 * 0.01258 / 1000.
 */
TEST(test_verdict)
{
	assert_int_equal(judge(0, 0, 0), FITNESS_FIT);
	assert_int_equal(judge(0, 1, 0), FITNESS_NOT);
	assert_int_equal(judge(0, 0, 1), FITNESS_NOT);
	assert_int_equal(judge(0.150, 0, 0), FITNESS_FIT);
	assert_int_equal(judge(0.149, 0, 0), FITNESS_UNDECIDED);
	assert_int_equal(judge(0.16, 3, 0), FITNESS_FIT);
	assert_int_equal(judge(0.15, 3, 0), FITNESS_UNDECIDED);
	assert_int_equal(judge(3.78e-5, 3, 0), FITNESS_UNDECIDED);
	assert_int_equal(judge(3.77e-5, 3, 0), FITNESS_NOT);
	/* a run that is mostly over is one episode, and no accident */
	assert_int_equal(judge(0.01, 505, 0), FITNESS_NOT);
	assert_int_equal(judge(0.5, 749, 0), FITNESS_UNDECIDED);
	assert_int_equal(judge(0.5, 750, 0), FITNESS_NOT);
}

/* The last of @cpus in the last of @loads + 2 phases has an episode of 3 expiries: lower bounds. */
static enum fitness judge_many(double miss, unsigned int loads, unsigned int cpus)
{
	enum fitness fit;
	size_t i;

	begin(miss, loads);
	for (i = 0; i < v.n; i++)
		measure_cpus(i, cpus, i + 1 == v.n ? 3 : 0, 0, 0);
	fit = validate_judge(&v);
	validate_free(&v);
	return fit;
}

/* Of 160 tests at 5 % eight are wrong: all of a machine share it, except those that were skipped. */
TEST(test_shared)
{
	/* 3 * -ln(1 - 0.05 / tests) / 1000 */
	assert_int_equal(judge_many(1.538e-4, 0, 1), FITNESS_NOT);
	assert_int_equal(judge_many(1.540e-4, 0, 1), FITNESS_UNDECIDED);
	assert_int_equal(judge_many(9.374e-7, 8, 16), FITNESS_NOT);
	assert_int_equal(judge_many(9.377e-7, 8, 16), FITNESS_UNDECIDED);
	begin(1.3e-6, 3);
	skip_phase(3, "not installed: x");
	skip_phase(4, "there is only one load");
	assert_int_equal(validate_tests(&v, 16), 48);
	validate_free(&v);
}

TEST(test_fewest)
{
	assert_int_equal(validate_windows(0), 1);
	/* -50 ln 0.05 / miss */
	assert_int_equal(validate_windows(0.01), 14979);
	assert_int_equal(validate_windows(1e-4), 1497867);
	/* 26 episodes or fewer of 36.08 / 2 in the mean come in 97 %, and 26 are fewer than 36.08 with 95 % confidence */
	assert_int_equal(validate_windows_half(0.01, 1, 50), 180384);
	/* all of many must be kept, and a longer episode takes longer in proportion */
	assert_in_range(validate_windows_half(0.01, 160, 50), 377000, 378000);
	assert_in_range(validate_windows_half(0.01, 160, 500), 3770000, 3780000);
	assert_in_range(validate_windows_half(0.01, 1, 1), 33000, 33200);
}

/* A CPU that is over by itself is not hidden by another, and lost windows count. */
TEST(test_each_cpu)
{
	begin(0.0001, 1);
	measure(0, 2, 0, 0);
	assert_false(v.phase[0].kept);
	assert_int_equal(v.phase[0].cpu, 1);
	assert_int_equal(v.phase[0].over, 2);
	assert_int_equal(v.phase[0].of, WINDOWS);
	v.phase[0].r.cpu[0].lost = 50;
	validate_take(&v, &v.phase[0]);
	assert_int_equal(v.phase[0].cpu, 0);
	assert_int_equal(v.phase[0].over, 50);
	assert_int_equal(v.phase[0].of, WINDOWS + 50);
	validate_free(&v);
}

/* NOT FIT is said of a CPU that has too many, not of one with few episodes and therefore a larger bound. */
TEST(test_names_the_cpu)
{
	struct episode_track t;
	struct episode_piece single = { .count = 1 };

	begin(0.01, 0);
	measure(0, 60, 0, 0);
	assert_int_equal(v.phase[0].cpu, 1);
	assert_false(v.phase[0].exceeds);
	episodes_begin(&t, 1);
	for (; t.e.over < 40; single.from_ns = single.to_ns += 1000000)
		episodes_add(&t, &single);
	t.e.time_ns = single.to_ns;
	v.phase[0].r.cpu[0].violations = 40;
	v.phase[0].r.cpu[0].episodes = t.e;
	validate_take(&v, &v.phase[0]);
	assert_true(v.phase[0].exceeds);
	assert_int_equal(v.phase[0].cpu, 0);
	validate_free(&v);
}

/* A missing phase keeps a machine from being fit, and does not hide that it is not. */
TEST(test_missing)
{
	begin(0, 2);
	assert_null(validate_worst(&v));
	measure(0, 0, 0, 0);
	measure(1, 0, 0, 0);
	skip_phase(3, "not installed: x");
	assert_int_equal(validate_judge(&v), FITNESS_UNDECIDED);
	measure(2, 0, 0, 0);
	assert_int_equal(validate_judge(&v), FITNESS_FIT);
	result_free(&v.phase[0].r);
	result_free(&v.phase[2].r);
	measure(0, 1, 0, 0);
	v.phase[2].state = PHASE_MISSING;
	assert_int_equal(validate_judge(&v), FITNESS_NOT);
	assert_int_equal(validate_exit(FITNESS_FIT), 0);
	assert_int_equal(validate_exit(FITNESS_NOT), 2);
	assert_int_equal(validate_exit(FITNESS_UNDECIDED), 3);
	validate_free(&v);
}

TEST(test_worst)
{
	/* none over: the longest response */
	begin(0, 3);
	measure(0, 0, 0, 300000);
	measure(1, 0, 0, 400000);
	measure(2, 0, 0, 350000);
	assert_ptr_equal(validate_worst(&v), &v.phase[1]);
	/* some over: the larger bound */
	measure(3, 1, 0, 0);
	measure(4, 3, 0, 0);
	assert_ptr_equal(validate_worst(&v), &v.phase[4]);
	validate_free(&v);
}

/* Only rules that were not kept, the likeliest first. */
TEST(test_findings)
{
	struct finding list[] = {
		{ .id = (char *)"smt", .status = STATUS_FINDING }, { .id = (char *)"irqbalance", .status = STATUS_FINDING },
		{ .id = (char *)"workqueues", .status = STATUS_PASS }, { .id = (char *)"irqs", .status = STATUS_FINDING },
	};
	struct examination d = { .at = list, .n = ARRAY_SIZE(list) };
	struct tlob_window w = sample_window(0, 0);
	struct finding found[4];

	strcpy(w.largest.name, "eth0");
	assert_int_equal(validate_findings(&d, &w, TLOB_WORK_IRQ, found, 4), 2);
	assert_string_equal(found[0].id, "irqs");
	assert_string_equal(found[1].id, "irqbalance");
	assert_int_equal(validate_findings(&d, &w, TLOB_WORK_IRQ, found, 1), 1);
	assert_int_equal(validate_findings(&d, &w, TLOB_WORK_ON_CPU, found, 4), 1);
	assert_string_equal(found[0].id, "smt");
	strcpy(w.largest.name, "kworker/u8:1");
	assert_int_equal(validate_findings(&d, &w, TLOB_WORK_THREAD, found, 4), 0);
	/* without parts there is no cause */
	w.unavailable = PARTS_OF_WAKE | PARTS_OF_WORK;
	assert_int_equal(validate_findings(&d, &w, TLOB_WORK_IRQ, found, 4), 0);
}

static void expect_page(const char *class)
{
	char *text = sample_render(page_validate, &v);

	assert_contains(text, class);
	assert_contains(text, "\"phases\":[");
	assert_contains(text, "</html>");
	free(text);
}

static void expect_text(const char *part)
{
	char *text = sample_render(validate_text, &v);

	assert_contains(text, part);
	free(text);
}

/* A run without the policy that was asked for says nothing about it, however good or bad. */
TEST(test_policy_refused)
{
	size_t i;

	begin(0, 1);
	for (i = 0; i < 2; i++) {
		measure(i, 1, 0, 0);
		free(v.phase[i].r.policy);
		v.phase[i].r.policy = sample_text("other");
		v.phase[i].r.policy_asked = sample_text("fifo:95");
		validate_take(&v, &v.phase[i]);
	}
	assert_int_equal(validate_judge(&v), FITNESS_UNDECIDED);
	expect_text("UNDECIDED: measured with policy other, because fifo:95 was not permitted");
	expect_text("under  policy other, ");
	expect_text("but  policy other, because fifo:95 was not permitted");
	expect_page("UNDECIDED: measured with policy other, because fifo:95");
	/* asked for, it is a condition like others */
	for (i = 0; i < 2; i++) {
		free(v.phase[i].r.policy_asked);
		v.phase[i].r.policy_asked = NULL;
		validate_take(&v, &v.phase[i]);
	}
	assert_int_equal(validate_judge(&v), FITNESS_NOT);
	expect_text("but  policy other, as asked for: any other task may delay the windows");
	validate_free(&v);
}

static void expect_end(double miss, unsigned int over, const char *end)
{
	char *text;
	size_t n;

	begin(miss, 1);
	measure(0, 0, 0, 0);
	measure(1, over, 0, 0);
	text = validate_sentence(&v);
	assert_non_null(text);
	n = strlen(text);
	if (n < strlen(end) || strcmp(text + n - strlen(end), end))
		fail_msg("'%s' does not end with '%s'", text, end);
	free(text);
	validate_free(&v);
}

/* Too short to tell: what is seen says how long it takes. */
TEST(test_longer)
{
	begin(0.1, 1);
	measure(0, 0, 0, 0);
	measure(1, 20, 0, 0);
	expect_text("too short to tell. A machine with 5 % over the budget or missed, in episodes of 20, is fit in 95 % with -d of about 12 s");
	validate_free(&v);
}

/* What is allowed is said once. */
TEST(test_allowed)
{
	expect_end(0, 4, " % of the expiries if no episode is longer than 50 or the longest seen, none allowed");
	expect_end(0.1, 600, " episodes an hour, 10 % allowed");
	expect_end(0.5, 0, " if no episode is longer than 50 or the longest seen, 50 % allowed");
	expect_end(0, 0, " an hour");
}

TEST(test_reports)
{
	char *text;

	begin(0, 3);
	measure(0, 0, 0, 0);
	measure(1, 0, 0, 0);
	measure(2, 4, 0, 0);
	skip_phase(3, "not installed: x");
	v.doctor.cpus = strdup("0-1");
	text = sample_render(validate_text, &v);
	assert_int_equal(strncmp(text, "NOT FIT: 4 of 1 000 expiries of CPU 1 over 500 us or missed under two;", 60), 0);
	assert_contains(text, "missing: all together; cannot be tried here: three (not installed: x)");
	assert_contains(text, "eth0");
	assert_contains(text, "(work.irq)");
	assert_contains(text, "--resume");
	free(text);
	text = sample_render(validate_json, &v);
	assert_contains(text, "\"verdict\":\"not fit\"");
	assert_contains(text, "\"part\":\"work.irq\"");
	assert_contains(text, "\"name\":\"eth0\"");
	free(text);
	expect_page("\"class\":\"bad\"");
	result_free(&v.phase[2].r);
	measure(2, 0, 0, 0);
	expect_page("\"class\":\"unsure\"");
	expect_page("UNDECIDED: 1 of 5 phases is missing");
	measure(4, 0, 0, 0);
	expect_page("\"class\":\"good\"");
	/* a reason that several have is said once */
	result_free(&v.phase[1].r);
	result_free(&v.phase[4].r);
	skip_phase(1, "not installed: x");
	skip_phase(4, "there is only one load");
	text = validate_gaps(&v);
	assert_string_equal(text, "cannot be tried here: one, three (not installed: x); all together (there is only one load)");
	free(text);
	result_free(&v.phase[2].r);
	skip_phase(2, "not installed: y");
	text = sample_render(validate_text, &v);
	assert_contains(text, "UNDECIDED: no load could run");
	assert_contains(text, "next  install what the loads are made of");
	assert_lacks(text, "--resume");
	free(text);
	validate_free(&v);
}

UNIT_MAIN(NULL, NULL)
