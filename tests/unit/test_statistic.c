// SPDX-License-Identifier: GPL-2.0
/* The statistics that are compared: their grammar, and their value for a run. */
#include <errno.h>
#include <math.h>

#include "sample.h"
#include "compare/statistic.h"
#include "result/attached.h"

static char message[600];

static struct statistic statistic(const char *text)
{
	struct statistic s;

	message[0] = 0;
	if (statistic_parse(&s, text, message, sizeof(message)))
		fail_msg("%s: %s", text, message);
	assert_string_equal(message, "");
	return s;
}

TEST(test_good)
{
	static const struct {
		const char *text, *canonical;
		enum statistic_kind kind;
		unsigned int metric, ppm;
	} t[] = {
		{ "p99.9(response)", "p99.9(response)", STATISTIC_QUANTILE,
		  TLOB_METRIC_RESPONSE, 999000 },
		{ "p50(wake)", "p50(wake)", STATISTIC_QUANTILE, TLOB_METRIC_WAKE, 500000 },
		{ " p50.0 ( wake ) ", "p50(wake)", STATISTIC_QUANTILE, TLOB_METRIC_WAKE, 500000 },
		{ "p050(irq)", "p50(irq)", STATISTIC_QUANTILE, TLOB_METRIC_IRQ, 500000 },
		{ "p99.9990(irq)", "p99.999(irq)", STATISTIC_QUANTILE, TLOB_METRIC_IRQ, 999990 },
		{ "p99.9999(irq)", "p99.9999(irq)", STATISTIC_QUANTILE, TLOB_METRIC_IRQ, 999999 },
		{ "p0.0001(irq)", "p0.0001(irq)", STATISTIC_QUANTILE, TLOB_METRIC_IRQ, 1 },
		{ "p10(irq)", "p10(irq)", STATISTIC_QUANTILE, TLOB_METRIC_IRQ, 100000 },
		{ "p5(work.on_cpu)", "p5(work.on_cpu)", STATISTIC_QUANTILE,
		  TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU, 50000 },
		{ "avg(wake.irq_delay)", "avg(wake.irq_delay)", STATISTIC_MEAN,
		  TLOB_METRIC_PARTS + TLOB_WAKE_IRQ_DELAY, 0 },
		{ "avg( response)", "avg(response)", STATISTIC_MEAN, TLOB_METRIC_RESPONSE, 0 },
		{ "es99(wake)", "es99(wake)", STATISTIC_SHORTFALL, TLOB_METRIC_WAKE, 990000 },
		{ "p99(interval)", "p99(interval)", STATISTIC_QUANTILE, RESULT_INTERVAL, 990000 },
		{ " es99.90 ( irq )", "es99.9(irq)", STATISTIC_SHORTFALL, TLOB_METRIC_IRQ, 999000 },
		{ "es5(irq)", "es5(irq)", STATISTIC_SHORTFALL, TLOB_METRIC_IRQ, 50000 },
		{ "miss-rate", "miss-rate", STATISTIC_MISS_RATE, 0, 0 },
	};
	struct statistic s, again;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		s = statistic(t[i].text);
		assert_string_equal(s.text, t[i].canonical);
		assert_int_equal(s.kind, t[i].kind);
		assert_int_equal(s.metric, t[i].metric);
		assert_int_equal(s.ppm, t[i].ppm);
		again = statistic(s.text);
		assert_string_equal(again.text, s.text);
		assert_int_equal(again.ppm, s.ppm);
	}
}

TEST(test_refused)
{
	static const struct {
		const char *text, *part;
	} t[] = {
		{ "min(wake)", "'min(wake)' is an extreme: give max(METRIC), or a quantile such as p99.9" },
		{ "p100(wake)", "an extreme" },
		{ "p100.0000(wake)", "an extreme" },
		{ "p101(wake)", "unknown statistic" },
		{ "p0(wake)", "unknown statistic" },
		{ "p99.99999(wake)", "unknown statistic" },
		{ "p.5(wake)", "unknown statistic" },
		{ "es100(wake)", "esNN[.NNNN] below es100" },
		{ "es0(wake)", "unknown statistic" },
		{ "es(wake)", "unknown statistic" },
		{ "e99(wake)", "unknown statistic" },
		{ "es99.(wake)", "unknown statistic" },
		{ "violations", "'violations' is a counter" },
		{ "missed", "miss-rate" },
		{ "wake", "'wake' needs a statistic" },
		{ "p99(nope)", "unknown metric 'nope': use irq, wake, response, wake.(irq_delay " },
		{ "p99(violations)", "), work.(on_cpu " },
		{ "p99(wake)<5us", "invalid statistic 'p99(wake)<5us'" },
		{ "p99(wake)==", "invalid statistic" },
		{ "!p99(wake)", "invalid statistic" },
		{ "p99(wake", "missing ')' before '<1'" },
		{ "p99(wake))", "" },
		{ "p99", "" },
		{ "p99()", "" },
		{ "p99(wake) x", "" },
		{ "", "" },
		{ "miss-rate ", "" },
		{ "miss-rat", "" },
		{ "p99(0123456789012345678901234567890123456789012)", "invalid statistic" },
		{ "p99(wake)\n\x1b[2J<", "?" },
		{ "p99(\x01)", "" },
	};
	struct statistic s;
	const char *c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		message[0] = 0;
		if (statistic_parse(&s, t[i].text, message, sizeof(message)) != -EINVAL)
			fail_msg("%s: accepted", t[i].text);
		assert_true(*message);
		assert_contains(message, t[i].part);
		for (c = message; *c; c++)
			assert_true((unsigned char)*c >= ' ' && *c != 127);
	}
	assert_int_equal(statistic_parse(&s, "wake", message, 5), -EINVAL);
	assert_int_equal(strlen(message), 4);
}

static double value(const char *text, const struct result *r)
{
	struct statistic s = statistic(text);
	double v = -1;

	if (statistic_value(&s, r, &v, message, sizeof(message)))
		fail_msg("%s: %s", text, message);
	return v;
}

static const char *no_value(const char *text, const struct result *r)
{
	struct statistic s = statistic(text);
	double v;

	assert_int_equal(statistic_value(&s, r, &v, message, sizeof(message)), -ENODATA);
	assert_null(strchr(message, '\n'));
	return message;
}

/* @n windows of CPU @i, the k-th with on_cpu = base + k. */
static void add_windows(struct result *r, size_t i, uint64_t base, unsigned int n)
{
	struct tlob_window w;
	unsigned int k;

	for (k = 0; k < n; k++) {
		w = sample_window((unsigned int)i, k);
		w.part_ns[TLOB_WORK_ON_CPU] = base + k;
		sample_close(&w);
		assert_true(result_window(r, i, &w, true));
	}
	for (k = 0; k < TLOB_NR_METRICS; k++)
		samples_sort(&r->exact[k]);
	result_sum(r);
}

/* The value is the worst CPU's, not the value of all CPUs together. */
TEST(test_worst_cpu)
{
	struct result r;

	sample_empty(&r, 3);
	add_windows(&r, 0, 100, 300);
	add_windows(&r, 1, 100000, 300);
	add_windows(&r, 2, 1000, 400);
	assert_true(value("avg(work.on_cpu)", &r) == 100149.5);
	assert_true(value("p50(work.on_cpu)", &r) ==
		    (double)hist_quantile(&r.cpu[1].hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU],
					  500000));
	assert_true(value("avg(irq)", &r) == 1200);
	r.cpu[1].hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU].n = 0;
	assert_contains(no_value("avg(work.on_cpu)", &r), "work.on_cpu was not measured on CPU 1");
	result_free(&r);
}

TEST(test_exact_preferred)
{
	struct statistic s = statistic("p50(work.on_cpu)"), mean = statistic("avg(work.on_cpu)"),
		       rate = statistic("miss-rate");
	struct result r;

	sample_empty(&r, 1);
	result_set_clock(&r, 1);
	r.keeps_exact = true;
	add_windows(&r, 0, 100001, 100);
	assert_true(value(s.text, &r) == 100050);
	assert_true(statistic_resolution(&s, &r, 100000) == 0);
	r.keeps_exact = false;
	assert_true(value(s.text, &r) > 100050);
	assert_true(value(s.text, &r) <= 100050 * (1 + 1.0 / 64));
	assert_true(statistic_resolution(&s, &r, 100000) == 1.0 / 64);
	assert_true(statistic_resolution(&mean, &r, 100000) == 0);
	assert_true(statistic_resolution(&rate, &r, 100000) == 0);
	/* a lost record may have had any value, so only the histogram remains */
	r.keeps_exact = true;
	r.cpu[0].lost = 1;
	result_sum(&r);
	assert_true(value(s.text, &r) > 100050);
	assert_true(statistic_resolution(&s, &r, 100000) == 1.0 / 64);
	result_free(&r);
}

/* A step of the clock is part of a large value, and all of a small one. A mean has no steps. */
TEST(test_clock_with_steps)
{
	struct statistic s = statistic("p50(work.on_cpu)"), mean = statistic("avg(work.on_cpu)");
	struct result r;

	sample_empty(&r, 1);
	r.keeps_exact = true;
	result_set_clock(&r, 16);
	add_windows(&r, 0, 100001, 100);
	assert_true(statistic_resolution(&s, &r, 1600) == 0.01);
	assert_true(statistic_resolution(&s, &r, 16) == 1);
	assert_true(statistic_resolution(&s, &r, 0) == 0);
	assert_true(statistic_resolution(&s, &r, INFINITY) == 0);
	assert_true(statistic_resolution(&mean, &r, 1600) == 0);
	r.keeps_exact = false;
	assert_true(statistic_resolution(&s, &r, 1600) == 0.01 + 1.0 / 64);
	/* the bucket of a small value is a step wide */
	assert_true(statistic_resolution(&s, &r, 160) == 0.1 + 15.0 / 160);
	/* a clock of whole ns adds nothing to the error */
	result_set_clock(&r, 1);
	assert_true(statistic_resolution(&s, &r, 1600) == 1.0 / 64);
	result_free(&r);
}

/* The 30 of 3000 values base + k that are beyond p99. */
TEST(test_shortfall)
{
	struct statistic s = statistic("es99(work.on_cpu)"), wake = statistic("es99(wake)");
	struct result r;
	double v;

	sample_empty(&r, 1);
	result_set_clock(&r, 1);
	r.keeps_exact = true;
	add_windows(&r, 0, 100001, 2994);
	assert_string_equal(no_value(s.text, &r),
			    "es99(work.on_cpu) needs 2995 windows, but CPU 0 has 2994");
	add_windows(&r, 0, 100001 + 2994, 6);
	assert_true(value(s.text, &r) == 100001 + 2984.5);
	assert_true(statistic_resolution(&s, &r, 100000) == 0);
	r.keeps_exact = false;
	assert_true(value(s.text, &r) >= 100001 + 2984);
	assert_true(value(s.text, &r) <= (100001 + 2984.5) * (1 + 1.0 / 64));
	assert_true(statistic_resolution(&s, &r, 100000) == 1.0 / 64);
	/* no number stands for a missed expiry; the work of one that was answered is known */
	r.cpu[0].missed = 1;
	assert_int_equal(statistic_value(&wake, &r, &v, message, sizeof(message)), 0);
	assert_true(isinf(v));
	assert_true(isfinite(value(s.text, &r)));
	r.cpu[0].aborted = 1;
	assert_true(isfinite(value(wake.text, &r)));
	result_free(&r);
}

/* 300 windows, each slower by 2 %. */
static void add_steps(struct result *r, size_t i, double base)
{
	unsigned int k;

	for (k = 0; k < 300; k++)
		add_windows(r, i, (uint64_t)(base * pow(1.02, k)), 1);
}

/* Four times as many windows halve what sampling adds to a quantile. */
TEST(test_noise)
{
	struct statistic s = statistic("p50(work.on_cpu)"), mean = statistic("avg(work.on_cpu)");
	double few, many;
	struct result r;
	unsigned int i;

	sample_empty(&r, 2);
	add_steps(&r, 0, 1000);
	few = statistic_noise(&s, &r);
	/* ranks 142 and 159 of 300, with edges of buckets */
	assert_true(fabs(few - 17 * log(1.02) / 2) < 0.04);
	for (i = 0; i < 3; i++)
		add_steps(&r, 0, 1000);
	many = statistic_noise(&s, &r);
	assert_true(few > 1.5 * many && few < 2.7 * many);
	/* the worst CPU's */
	add_steps(&r, 1, 100000);
	assert_true(fabs(statistic_noise(&s, &r) - few) < 0.02);
	assert_true(statistic_noise(&mean, &r) == 0);
	result_free(&r);
}

/* An upper bound of a quantile needs ln 0.05 / ln q windows, rounded up. */
TEST(test_resolvable)
{
	static const struct {
		const char *text, *needs;
		unsigned int n;
	} t[] = {
		{ "p99.9(response)", "needs 2995 windows", 2995 },
		{ "p99(response)", "needs 299 windows", 299 },
		{ "p95(response)", "needs 59 windows", 59 },
		{ "p50(response)", "needs 5 windows", 5 },
	};
	char error[120];
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		sample_empty(&r, 1);
		add_windows(&r, 0, 1000, t[i].n - 1);
		snprintf(error, sizeof(error), "%s %s, but CPU 0 has %u", t[i].text,
			 t[i].needs, t[i].n - 1);
		assert_string_equal(no_value(t[i].text, &r), error);
		add_windows(&r, 0, 1000, 1);
		assert_true(value(t[i].text, &r) > 0);
		result_free(&r);
	}
	sample_empty(&r, 2);
	add_windows(&r, 0, 1000, 300);
	assert_contains(no_value("p50(response)", &r), "windows, but CPU 1 has 0");
	assert_contains(no_value("avg(response)", &r), "avg(response) needs 300 windows, but CPU 1 has 0");
	assert_contains(no_value("p50(wake.softirq)", &r),
			"wake.softirq was not measured on CPU 0");
	/* of attach: the user does not know the CPU */
	r.attached = calloc(1, sizeof(*r.attached));
	assert_contains(no_value("p99.9(response)", &r), "windows, but the region has 300");
	assert_contains(no_value("p50(wake.softirq)", &r), "wake.softirq was not measured in the region");
	result_free(&r);
}

TEST(test_miss_rate)
{
	struct result r;

	sample_empty(&r, 2);
	result_sum(&r);
	assert_contains(no_value("miss-rate", &r), "needs 300 windows, but CPU 0 has 0");
	add_windows(&r, 0, 1000, 400);
	/* one CPU alone is not both */
	assert_contains(no_value("miss-rate", &r), "windows, but CPU 1 has 0");
	add_windows(&r, 1, 1000, 300);
	assert_true(value("miss-rate", &r) == 0);
	add_windows(&r, 1, 400000, 100);	/* over the budget */
	r.cpu[0].missed = 100;
	result_sum(&r);
	/* of the worst CPU: 100 of 400, not 100 of 500 */
	assert_true(value("miss-rate", &r) == 100.0 / 400);
	result_free(&r);
}

/* The quantile of all expiries: missed ones are the latest. */
TEST(test_missed)
{
	struct statistic s = statistic("p99(response)"), mean = statistic("avg(response)");
	struct result r;
	double before, v;

	sample_result(&r, 1, 1000);
	assert_int_equal(statistic_value(&s, &r, &before, message, sizeof(message)), 0);
	r.cpu[0].missed += r.cpu[0].windows / 50;
	assert_int_equal(statistic_value(&s, &r, &v, message, sizeof(message)), 0);
	assert_true(isinf(v));
	assert_int_equal(statistic_value(&mean, &r, &v, message, sizeof(message)), 0);
	assert_true(isfinite(v));
	/* the end of the run cut them off */
	r.cpu[0].aborted = r.cpu[0].missed;
	assert_int_equal(statistic_value(&s, &r, &v, message, sizeof(message)), 0);
	assert_true(isfinite(v) && isfinite(before));
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
