// SPDX-License-Identifier: GPL-2.0
/* Conditions: which are accepted, what the messages of others name, what they decide. */
#include <errno.h>

#include "unit.h"
#include "result/condition.h"
#include "result/result.h"

static struct condition window_expr(const char *text)
{
	char err[600];
	struct condition e;

	if (condition_parse_window(&e, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
	return e;
}

static struct condition result_expr(const char *text)
{
	char err[600];
	struct condition e;

	if (condition_parse_result(&e, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
	return e;
}

TEST(test_window_grammar)
{
	static const char spaced[] = " \twake  <=\t 50us ";
	struct condition e = window_expr("wake>50us");

	assert_int_equal(e.metric, TLOB_METRIC_WAKE);
	assert_int_equal(e.counter, -1);
	assert_int_equal(e.stat, STAT_NONE);
	assert_int_equal(e.op, CONDITION_GT);
	assert_int_equal(e.value, 50000);
	e = window_expr(spaced);
	assert_ptr_equal(e.text, spaced);
	assert_int_equal(e.op, CONDITION_LE);
	assert_int_equal(window_expr("work.hw!=0").metric,
			 TLOB_METRIC_PARTS + TLOB_WORK_HW);
	assert_int_equal(window_expr("irq>=1ns").op, CONDITION_GE);
	assert_int_equal(window_expr("response==1ms").op, CONDITION_EQ);
	assert_int_equal(window_expr("response!=1ms").op, CONDITION_NE);
	assert_int_equal(window_expr("response<1ms").op, CONDITION_LT);
	assert_int_equal(window_expr("violations>0").metric, -1);
}

TEST(test_result_grammar)
{
	static const struct {
		const char *text;
		unsigned int ppm;
	} t[] = {
		{ "p50(wake)<1us", 500000 }, { "p99(wake)<1us", 990000 },
		{ "p99.9(wake)<1us", 999000 }, { "p99.9999(wake)<1us", 999999 },
		{ "p100(wake)<1us", 1000000 }, { "p100.0(wake)<1us", 1000000 },
		{ "p0.0001(wake)<1us", 1 },
	};
	struct condition e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		e = result_expr(t[i].text);
		assert_int_equal(e.stat, STAT_QUANTILE);
		assert_int_equal(e.ppm, t[i].ppm);
		assert_int_equal(e.metric, TLOB_METRIC_WAKE);
	}
	e = result_expr("es99.5(wake)<1us");
	assert_int_equal(e.stat, STAT_SHORTFALL);
	assert_int_equal(e.ppm, 995000);
	assert_int_equal(result_expr("min(irq)>0").stat, STAT_MIN);
	assert_int_equal(result_expr("avg( work.irq ) >= 1us").stat, STAT_AVG);
	assert_int_equal(result_expr("max (response) < 1us").stat, STAT_MAX);
	assert_int_equal(result_expr("violations<=5").value, 5);
	assert_int_equal(result_expr("adjusted_ns<1us").value, 1000);
	assert_int_equal(result_expr("windows>=18446744073709551615").value,
			 UINT64_MAX);
}

struct refusal {
	const char *text;
	const char *part[3];		/* what the message must name */
};

static void check_refusals(const struct refusal *t, size_t n,
			   int (*parse)(struct condition *, const char *, char *,
					unsigned int))
{
	char err[600];
	struct condition e;
	size_t i, k;

	for (i = 0; i < n; i++) {
		err[0] = 0;
		if (parse(&e, t[i].text, err, sizeof(err)) != -EINVAL)
			fail_msg("'%s' is accepted", t[i].text);
		for (k = 0; k < ARRAY_SIZE(t[i].part) && t[i].part[k]; k++)
			assert_contains(err, t[i].part[k]);
		assert_lacks(err, "\n");
		/* A short buffer is filled, not overrun. */
		assert_int_equal(parse(&e, t[i].text, err, 10), -EINVAL);
		assert_true(strlen(err) < 10);
	}
}

TEST(test_window_refusals)
{
	static const struct refusal t[] = {
		{ "", { "unknown metric", "irq", "response" } },
		{ "wke>5us", { "'wke'", "wake", "violations" } },
		{ "wake", { "comparison", "<=" } },
		{ "wake=5us", { "'=5us'", "==" } },
		{ "wake=>5us", { "'=>5us'", ">=" } },
		{ "wake>", { "''", "50us" } },
		{ "wake>50", { "50", "50us" } },
		{ "wake>5us x", { "'5us x'" } },
		{ "wake>5us,", { "'5us,'" } },
		{ "wake>-5us", { "'-5us'" } },
		{ "wake>18446744074s", { "584" } },
		{ "Wake>5us", { "'Wake'" } },
		{ "wake.>5us", { "'wake.'" } },
		{ "max(wake)>5us", { "'max('", "wake>50us" } },
		{ "missed>0", { "'missed'", "violations" } },
		{ "violations>5", { "violations>0" } },
		{ "violations>=0", { "violations>0" } },
		{ "violations>5us", { "'5us'", "violations" } },
		{ "wake>111111111111111111111111111111111111111111111111111111111111111111111",
		  { "too long" } },
		{ "wa\nke>5us", { "'" } },
	};

	check_refusals(t, ARRAY_SIZE(t), condition_parse_window);
}

TEST(test_result_refusals)
{
	static const struct refusal t[] = {
		{ "", { "counter", "max(response)", "violations" } },
		{ "wake<5us", { "'wake'", "max(wake)", "p99.9(wake)" } },
		{ "mean(wake)<5us", { "'mean'", "avg", "p99.9" } },
		{ "p(wake)<5us", { "'p'" } }, { "p0(wake)<5us", { "'p0'" } },
		{ "p101(wake)<5us", { "'p101'" } },
		{ "p100.1(wake)<5us", { "'p100.1'" } },
		{ "p99.(wake)<5us", { "'p99.'" } },
		{ "p99.99999(wake)<5us", { "'p99.99999'" } },
		{ "p9x(wake)<5us", { "'p9x'" } },
		{ "p0000050(wake)<5us", { "'p0000050'" } },
		{ "(wake)<5us", { "''", "statistic" } },
		{ "p99<5us", { "'p99' needs a metric, as in p99(response)" } },
		{ "max(wake)", { "no comparison" } },
		{ "max()<5us", { "''", "unknown metric" } },
		{ "max(wke)<5us", { "'wke'", "wake.(", "response" } },
		{ "max(wake<5us", { "')'" } },
		{ "max(wake)", { "comparison" } },
		{ "max(wake)<5", { "5us" } },
		{ "misses==0", { "'misses'", "missed" } },
		{ "missed==0us", { "'0us'", "missed" } },
		{ "missed==", { "''" } },
		{ "missed==18446744073709551616", { "2^64" } },
		{ "adjusted_ns==5", { "5us" } },
	};

	check_refusals(t, ARRAY_SIZE(t), condition_parse_result);
}

static bool holds(const char *text, const struct tlob_window *w)
{
	struct condition e = window_expr(text);

	return condition_window(&e, w);
}

TEST(test_window)
{
	struct tlob_window w = {
		.irq_latency_ns = 1000, .wake_ns = 2000, .response_ns = 3000,
		.unavailable = 1U << TLOB_WORK_NMI,
	};

	w.part_ns[TLOB_WORK_IRQ] = 500;
	assert_true(holds("irq==1us", &w));
	assert_true(holds("wake==2us", &w));
	assert_true(holds("response==3us", &w));
	assert_true(holds("work.irq==500ns", &w));
	assert_false(holds("wake>2us", &w));
	assert_true(holds("wake>=2us", &w));
	assert_true(holds("wake<2001ns", &w));
	assert_true(holds("wake<=2us", &w));
	assert_false(holds("wake<2us", &w));
	assert_true(holds("wake!=1us", &w));
	/* a part that is not measured is neither small nor large */
	assert_false(holds("work.nmi>=0", &w));
	assert_false(holds("violations>0", &w));
	assert_true(holds("violations==0", &w));
	w.flags = TLOB_WINDOW_VIOLATION;
	assert_true(holds("violations>0", &w));
	w.flags = TLOB_WINDOW_VIOLATION | TLOB_WINDOW_WARM_UP;
	assert_false(holds("violations>0", &w));
	assert_false(holds("wake>0", &w));
	w.flags = TLOB_WINDOW_NONE;
	assert_false(holds("wake>0", &w));
}

static bool by_violation(const char *text)
{
	struct condition e = window_expr(text);

	return condition_violation(&e);
}

/* Conditions at which the kernel can stop by itself. */
TEST(test_violation)
{
	assert_true(by_violation("violations>0"));
	assert_true(by_violation("violations!=0"));
	assert_true(by_violation("violations==1"));
	assert_false(by_violation("violations==0"));
	assert_false(by_violation("wake>=0"));
	assert_false(by_violation("response>1us"));
}

TEST(test_filter)
{
	static const struct {
		const char *expr, *filter;
	} t[] = {
		{ "wake>50us", "wake > 50000" },
		{ "irq<=1ns", "irq_latency <= 1" },
		{ "response!=0", "response != 0" },
		{ "work.irq>=10ns", "work_irq >= 10" },
		{ "wake.irq_delay<5ns", "wake_irq_delay < 5" },
		{ "work.on_cpu==5ns", "work_on_cpu == 5" },
		{ "violations>0", "(flags & 2)" },
		{ "violations==0", "!(flags & 2)" },
	};
	char buf[100];
	struct condition e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		e = window_expr(t[i].expr);
		assert_int_equal(condition_filter(&e, buf, sizeof(buf)), 0);
		assert_string_equal(buf, t[i].filter);
	}
	assert_int_equal(condition_filter(&e, buf, 12), -ENOSPC);
	assert_int_equal(condition_filter(&e, buf, 13), 0);
	e = result_expr("missed==0");
	assert_int_equal(condition_filter(&e, buf, sizeof(buf)), -EINVAL);
}

static void add_window(struct result *r, size_t cpu, uint64_t wake)
{
	struct tlob_window w = { .wake_ns = wake, .response_ns = wake };

	w.part_ns[TLOB_WAKE_SCHED] = wake;
	w.unavailable = 1U << TLOB_WORK_NMI;
	assert_true(result_window(r, cpu, &w, true));
}

static void check(const struct result *r, const char *text,
		  enum condition_outcome verdict, uint64_t value, int cpu)
{
	struct condition e = result_expr(text);
	enum condition_outcome got;
	uint64_t v = 0;
	int c = -2;

	got = condition_result(&e, r, &v, &c);
	if (got != verdict || (got != CONDITION_UNDECIDED && v != value) || c != cpu)
		fail_msg("%s: verdict %d value %llu cpu %d", text, got,
			 (unsigned long long)v, c);
}

/* CPU 4: 300 windows of 10 ns. CPU 7: 297 of 10 ns, three of 90 ns. */
TEST(test_result)
{
	static const int cpus[] = { 4, 7 };
	struct condition few = result_expr("es99.5(wake)<1s");
	struct assertions all;
	struct result r;
	int i;

	assert_int_equal(result_init(&r, cpus, 2), 0);
	for (i = 0; i < 300; i++) {
		add_window(&r, 0, 10);
		add_window(&r, 1, i > 2 ? 10 : 90);
	}
	/* cut off by the end of the run: no quantile counts them */
	r.cpu[1].missed = r.cpu[1].aborted = 3;
	result_sum(&r);
	check(&r, "max(wake)<100ns", CONDITION_TRUE, 90, 7);
	check(&r, "max(wake)<=90ns", CONDITION_TRUE, 90, 7);
	check(&r, "max(wake)<90ns", CONDITION_FALSE, 90, 7);
	check(&r, "min(wake)>=10ns", CONDITION_TRUE, 10, 4);
	check(&r, "min(wake)>10ns", CONDITION_FALSE, 10, 4);
	check(&r, "max(wake)>10ns", CONDITION_FALSE, 10, 4);
	check(&r, "max(wake)==90ns", CONDITION_FALSE, 10, 4);
	check(&r, "max(wake)!=90ns", CONDITION_FALSE, 90, 7);
	check(&r, "avg(wake)<=10ns", CONDITION_FALSE, 11, 7);
	check(&r, "p99(wake)<=10ns", CONDITION_TRUE, 10, 4);
	check(&r, "p100(wake)<=10ns", CONDITION_FALSE, 90, 7);
	/* p99.5 needs 598 windows, and no CPU has so many, but both together */
	check(&r, "p99.5(wake)<1s", CONDITION_UNDECIDED, 0, 4);
	assert_int_equal(assertions_judge(&all, &few, 1, &r), 0);
	assert_string_equal(all.at->found, "no data on CPU 4: 300 windows, and es99.5 needs 5990");
	assertions_free(&all);
	/* a failure outranks missing data */
	check(&r, "p99.5(wake)<1ns", CONDITION_FALSE, 10, -1);
	check(&r, "max(work.nmi)<1s", CONDITION_UNDECIDED, 0, 4);
	check(&r, "windows==600", CONDITION_TRUE, 600, -1);
	check(&r, "missed==0", CONDITION_FALSE, 3, -1);
	check(&r, "missed<=3", CONDITION_TRUE, 3, -1);
	check(&r, "violations==0", CONDITION_TRUE, 0, -1);
	check(&r, "lost==0", CONDITION_TRUE, 0, -1);
	check(&r, "adjusted_ns==0", CONDITION_TRUE, 0, -1);
	result_free(&r);
}

/* With a window less than a comparison takes, nothing is decided. A missed expiry counts. */
TEST(test_fewest)
{
	static const struct {
		const char *expr;
		uint64_t fewest;
	} t[] = {
		{ "p99.9(wake)<1us", 2995 }, { "p0.1(wake)<1us", 2995 }, { "p99(wake)<1us", 299 },
		{ "p50(wake)<1us", 5 }, { "p100(wake)<1us", 1 }, { "es99(wake)<1us", 2995 },
		{ "max(wake)<1us", 1 }, { "avg(wake)<1us", 1 }, { "violations==0", 1 },
	};
	static const int cpu0;
	struct condition e;
	struct result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		e = result_expr(t[i].expr);
		if (condition_fewest(&e) != t[i].fewest)
			fail_msg("%s needs %llu", t[i].expr, (unsigned long long)condition_fewest(&e));
	}
	assert_int_equal(result_init(&r, &cpu0, 1), 0);
	for (i = 0; i < 298; i++)
		add_window(&r, 0, 10);
	result_sum(&r);
	check(&r, "p99(wake)<11ns", CONDITION_UNDECIDED, 0, 0);
	check(&r, "p99(wake)<9ns", CONDITION_UNDECIDED, 0, 0);
	check(&r, "max(wake)<11ns", CONDITION_TRUE, 10, 0);
	r.cpu[0].missed = 1;
	result_sum(&r);
	check(&r, "p99(wake)<11ns", CONDITION_TRUE, 10, 0);
	result_free(&r);
}

/* A missed expiry is later than any window. */
TEST(test_missed)
{
	static const int cpu0;
	struct result r;
	int i;

	assert_int_equal(result_init(&r, &cpu0, 1), 0);
	for (i = 0; i < 100; i++)
		add_window(&r, 0, 10);
	r.cpu[0].missed = 20;
	r.cpu[0].aborted = 1;
	result_sum(&r);
	check(&r, "p80(wake)<11ns", CONDITION_TRUE, 10, 0);
	check(&r, "p90(wake)<1s", CONDITION_FALSE, CONDITION_MISSED, 0);
	check(&r, "p100(response)<1s", CONDITION_FALSE, CONDITION_MISSED, 0);
	check(&r, "max(response)<1s", CONDITION_TRUE, 10, 0);
	check(&r, "p90(wake)>1s", CONDITION_TRUE, CONDITION_MISSED, 0);
	check(&r, "avg(wake)<11ns", CONDITION_TRUE, 10, 0);
	check(&r, "p90(irq)<11ns", CONDITION_TRUE, 0, 0);
	result_free(&r);
}

/* Each counter reads its own field. */
TEST(test_counters)
{
	static const int cpu0;
	struct result r;

	assert_int_equal(result_init(&r, &cpu0, 1), 0);
	r.cpu[0].windows = 1;
	r.cpu[0].violations = 2;
	r.cpu[0].missed = 3;
	r.cpu[0].lost = 4;
	r.cpu[0].aborted = 5;
	r.cpu[0].inexact = 6;
	r.cpu[0].errors = 7;
	r.cpu[0].sum_failures = 8;
	r.cpu[0].clock_steps = 9;
	r.cpu[0].adjusted_ns = 10;
	result_sum(&r);
	check(&r, "windows==1", CONDITION_TRUE, 1, -1);
	check(&r, "violations==2", CONDITION_TRUE, 2, -1);
	check(&r, "missed==3", CONDITION_TRUE, 3, -1);
	check(&r, "lost==4", CONDITION_TRUE, 4, -1);
	check(&r, "aborted==5", CONDITION_TRUE, 5, -1);
	check(&r, "inexact==6", CONDITION_TRUE, 6, -1);
	check(&r, "errors==7", CONDITION_TRUE, 7, -1);
	check(&r, "sum_failures==8", CONDITION_TRUE, 8, -1);
	check(&r, "clock_steps==9", CONDITION_TRUE, 9, -1);
	check(&r, "adjusted_ns==10ns", CONDITION_TRUE, 10, -1);
	result_free(&r);
}

/* The bound is compared: a run that is too short to show it fails. */
TEST(test_episodes)
{
	static const int cpu0;
	struct condition e = result_expr("episodes/h < 180");
	char err[600];
	struct result r;

	assert_true(e.episodes);
	assert_int_equal(e.metric, -1);
	assert_int_equal(e.counter, -1);
	assert_int_equal(condition_parse_result(&e, "episodes/h==0", err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "compare it with <, <=, > or >="));
	assert_int_equal(condition_parse_result(&e, "episodes<1", err, sizeof(err)), -EINVAL);
	assert_int_equal(condition_parse_result(&e, "episodes/h<1us", err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "episodes/h with a whole number"));
	assert_int_equal(condition_parse_window(&e, "episodes/h<1", err, sizeof(err)), -EINVAL);

	assert_int_equal(result_init(&r, &cpu0, 1), 0);
	r.period_ns = 1000000;
	r.cpu[0].windows = 60000;
	result_sum(&r);
	check(&r, "episodes/h<1000", CONDITION_UNDECIDED, 0, -1);
	assert_int_equal(result_watch(&r), 0);
	result_sum(&r);
	/* none in a minute: fewer than 179.7 */
	check(&r, "episodes/h<180", CONDITION_TRUE, 180, -1);
	check(&r, "episodes/h<=180", CONDITION_TRUE, 180, -1);
	check(&r, "episodes/h<179", CONDITION_FALSE, 180, -1);
	check(&r, "episodes/h>=1", CONDITION_FALSE, 0, -1);
	/* one: 0.051 to 4.74 of them */
	r.cpu[0].missed = 5;
	result_sum(&r);
	check(&r, "episodes/h<285", CONDITION_TRUE, 285, -1);
	check(&r, "episodes/h<284", CONDITION_FALSE, 285, -1);
	check(&r, "episodes/h>3", CONDITION_TRUE, 3, -1);
	check(&r, "episodes/h>4", CONDITION_FALSE, 3, -1);
	result_free(&r);
}

/* A condition on missing data does not pass. */
TEST(test_no_data)
{
	static const int cpus[] = { 0, 1 };
	struct result r;

	assert_int_equal(result_init(&r, cpus, 0), 0);
	result_sum(&r);
	check(&r, "violations==0", CONDITION_UNDECIDED, 0, -1);
	check(&r, "max(wake)<1s", CONDITION_UNDECIDED, 0, -1);
	result_free(&r);

	assert_int_equal(result_init(&r, cpus, 2), 0);
	add_window(&r, 0, 10);
	result_sum(&r);
	check(&r, "violations==0", CONDITION_UNDECIDED, 0, 1);
	check(&r, "missed>0", CONDITION_FALSE, 0, -1);
	check(&r, "max(wake)<1s", CONDITION_UNDECIDED, 0, 1);
	check(&r, "max(wake)<1ns", CONDITION_FALSE, 10, 0);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
