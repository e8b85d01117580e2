// SPDX-License-Identifier: GPL-2.0
/* Results with --functions: conditions, tables, files, sums of results. */
#include <errno.h>

#include "options/option_value.h"
#include "functions_sample.h"
#include "merge_check.h"
#include "options/run_config.h"
#include "reading.h"
#include "report/report.h"
#include "report/render.h"
#include "result/comparable.h"
#include "result/condition.h"

static const char golden_table[] =
	"time in functions and what probes add, us a window, and the longest call\n"
	"cpu  func.  calls    avg    p99    max  probes   call  function\n"
	"  0  lock    49.5  4.950  9.855  9.900  37.026  0.100  rt_spin_lock\n"
	"     alloc    1.0  0.250  0.250  0.250   0.748  0.250  kmem_cache_alloc_noprof\n"
	"  1  lock    49.5  4.950  9.855  9.900  37.026  0.100  rt_spin_lock\n"
	"     alloc    1.0  0.250  0.250  0.250   0.748  0.250  kmem_cache_alloc_noprof\n"
	"all  lock    49.5  4.950  9.855  9.900  37.026  0.100  rt_spin_lock\n"
	"     alloc    1.0  0.250  0.250  0.250   0.748  0.250  kmem_cache_alloc_noprof\n"
	"probes  fprobe, measured at 0.748us a call: 50.5 calls add about 37.774us to a window,\n"
	"        100 calls about 74.800us to the worst one\n";

/* All of the lines have at most @width columns. */
static void check_width(const char *text, size_t width)
{
	const char *line, *end;

	for (line = text; (end = strchr(line, '\n')); line = end + 1)
		if ((size_t)(end - line) > width)
			fail_msg("too wide: %.*s", (int)(end - line), line);
}

TEST(test_tables)
{
	struct result r;
	char *text;

	sample_functions(&r, 2, 100);
	text = sample_render(render_text, &r, true);
	assert_contains(text, golden_table);
	assert_contains(text, "\n  func.lock  9.900us, 99 calls in wake.sched 9.900us; the longest 0.100us in rt_spin_lock;\n    probes add about 74.052us to the window\n");
	assert_contains(text, "irq local_timer (vector 236)  lock 0.400\n");
	assert_lacks(text, "warning: func");
	check_width(text, 100);
	free(text);
	text = sample_render(render_summary, &r);
	assert_contains(text, "\nfunc.  calls    avg    p99    max  probes   call  function\n"
			"lock    49.5  4.950  9.855  9.900  37.026  0.100  rt_spin_lock\n");
	check_width(text, 80);
	free(text);
	text = sample_render(report_markdown, &(struct report){
		.r = &r, .name = (const char *const []){ "a" }, .n = 1 });
	assert_contains(text, "| lock | 49.5 | 4.950 | 9.855 | 9.900 | 37.026 | 0.100 | rt\\_spin\\_lock |\n");
	assert_contains(text, "The probes of a call were measured: 0.748us (fprobe), part of it outside of these times.\n");
	free(text);
	/* where it was not measured */
	r.functions->probe_ns = 0;
	text = sample_render(render_text, &r, true);
	assert_contains(text, "lock    49.5  4.950  9.855  9.900       -  0.100  rt_spin_lock\n");
	assert_lacks(text, "\nprobes  ");
	free(text);
	r.functions->at[0].missed = 3;
	r.functions->at[1].unreturned = 2;
	function_totals_window(r.cpu[0].functions, NULL);
	result_sum(&r);
	assert_shows(sample_render(render_text, &r, true),
		     "warning: func.lock: calls on all CPUs that the probes did not report: 3; times lack those that lay in windows\n",
		     "warning: func.alloc: calls that were never seen to return: 2\n",
		     "warning: windows without times in functions, whose record was lost: 1\n");
	result_free(&r);
}

static enum condition_outcome judge(const char *text, const struct result *r, uint64_t *value)
{
	struct condition e;
	char err[400];
	int cpu;

	assert_int_equal(condition_parse_result(&e, text, err, sizeof(err)), 0);
	assert_true(condition_bind(&e, "lock", 0) != condition_bind(&e, "alloc", 1));
	return condition_result(&e, r, value, &cpu);
}

TEST(test_assertions)
{
	struct result r;
	uint64_t v;

	sample_functions(&r, 2, 100);
	assert_int_equal(judge("p95(func.lock)<10us", &r, &v), CONDITION_TRUE);
	assert_int_equal(judge("p95(func.lock)<9us", &r, &v), CONDITION_FALSE);
	assert_int_equal(judge("max(func.lock)<9900ns", &r, &v), CONDITION_FALSE);
	assert_int_equal(v, 9900);
	assert_int_equal(judge("avg(func.alloc)==250ns", &r, &v), CONDITION_TRUE);
	assert_int_equal(judge("p99.9(func.lock)<1s", &r, &v), CONDITION_UNDECIDED);
	result_free(&r);
	/* a run without functions has no data, which never passes */
	sample_result(&r, 1, 10);
	assert_int_equal(judge("max(func.lock)<1s", &r, &v), CONDITION_UNDECIDED);
	result_free(&r);
}

TEST(test_stop)
{
	struct window_functions f = sample_times(3, 7000);
	struct tlob_window w = sample_window(0, 1);
	struct condition e;
	char err[400];

	assert_int_equal(condition_parse_window(&e, "func.lock > 20us", err, sizeof(err)), 0);
	assert_false(condition_bind(&e, "alloc", 1));
	assert_true(condition_bind(&e, "lock", 0));
	assert_true(condition_window_functions(&e, &w, &f));
	assert_false(condition_window(&e, &w));
	f.lost = true;
	assert_false(condition_window_functions(&e, &w, &f));
	f = sample_times(2, 7000);
	assert_false(condition_window_functions(&e, &w, &f));
	assert_int_equal(condition_filter(&e, err, sizeof(err)), -EINVAL);
	assert_false(condition_is_blind(&e, ~0U));
	assert_int_equal(condition_parse_result(&e, "func.lock>1us", err, sizeof(err)), -EINVAL);
	assert_contains(err, "needs a statistic");
	assert_int_equal(condition_parse_window(&e, "func.>1us", err, sizeof(err)), -EINVAL);
	assert_int_equal(condition_parse_window(&e, "func.a234567890123456>1us", err, sizeof(err)),
			 -EINVAL);
}

static int options(struct run_config *o, char *err, const char *a, const char *b)
{
	char *argv[] = { "run", (char *)a, (char *)b, NULL };

	return options_parse(&manual_run, o, b ? 3 : 2, argv, err, 400);
}

TEST(test_options)
{
	struct run_config o;
	char err[400];

	assert_int_equal(options(&o, err, "--functions=lock=*mutex*", "--stop-on=func.lock>20us"), 0);
	assert_int_equal(o.functions.n, 1);
	assert_int_equal(o.stop_on[0].metric, TLOB_NR_METRICS);
	assert_int_equal(options(&o, err, "--assert=p99(func.locks)<20us", "--functions=@locks"), 0);
	assert_int_equal(options(&o, err, "--functions=lock=*mutex*", "--stop-on=func.luck>20us"),
			 -EINVAL);
	assert_contains(err, "there is no set luck: give --functions luck=PATTERN");
	assert_int_equal(options(&o, err, "--assert=max(func.lock)<20us", NULL), -EINVAL);
	assert_int_equal(options(&o, err, "--functions=list", NULL), 0);
	assert_true(o.functions.list);
}

/* A file that is read and written again stays the same. */
static void check_round_trip(const struct result *r)
{
	char *text = sample_render(render_json, r), *again;
	struct result back;

	if (parse(&back, text))
		fail_msg("%s", reader.error);
	again = sample_render(render_json, &back);
	assert_string_equal(text, again);
	assert_string_equal(back.function_words, r->function_words);
	assert_int_equal(back.cpu[0].functions->at[0].calls, r->cpu[0].functions->at[0].calls);
	assert_int_equal(back.worst[0].kept.functions->at[0].part_ns[TLOB_WAKE_SCHED],
			 r->worst[0].kept.functions->at[0].part_ns[TLOB_WAKE_SCHED]);
	result_free(&back);
	free(again);
	free(text);
}

TEST(test_file)
{
	struct result r;

	sample_functions(&r, 2, 20);
	r.stopped = calloc(1, sizeof(*r.stopped));
	assert_non_null(r.stopped);
	r.stopped->w = r.worst[1].w;
	r.stopped->kept.functions = functions_copy(r.worst[1].kept.functions);
	r.worst[2].kept.functions->lost = true;
	r.worst[2].kept.functions->n = 0;
	r.functions->at[1].open = 3;
	r.functions->at[1].missed = 4;
	check_round_trip(&r);
	result_free(&r);
}

/* @from becomes @to, once; then the file is refused, and the error names @why. */
static void check_refused(const char *text, const char *from, const char *to, const char *why)
{
	/* the counters of `all` are not read, a CPU's are */
	const char *at = strstr(*from == '{' ? strstr(text, "\"cpu\":[{") : text, from);
	struct result r;
	char *wrong;

	assert_non_null(at);
	assert_true(asprintf(&wrong, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	assert_int_equal(parse(&r, wrong), -EINVAL);
	assert_contains(reader.error, why);
	free(wrong);
}

TEST(test_hostile)
{
	static const char *const wrong[][3] = {
		{ "\"name\":\"lock\"", "\"name\":\"Lock\"", "functions.sets[0].name: not the name of a set" },
		{ "\"name\":\"lock\"", "\"name\":\"alloc\"", "functions.sets[1].name: stands there twice" },
		{ "\"name\":\"lock\"", "\"name\":\"luck\"", "cpu[0].functions.sets.luck" },
		{ "\"name\":\"lock\"", "\"name\":3", "functions.sets[0].name" },
		{ "\"net_ns\":1900", "\"net_ns\":1901", "worst[0].functions.sets.lock.net_ns: not the sum" },
		{ "\"wake.sched\":1900}", "\"wake.sched\":18446744073709551615,\"work.irq\":2}",
		  "more than 2^64-1" },
		{ "{\"calls\":190,", "{", "functions.sets.lock.calls" },
		{ "\"patterns\":\"@alloc\",", "", "functions.sets[1].patterns" },
	};
	struct result r;
	char *text;
	size_t i;

	sample_functions(&r, 1, 20);
	text = sample_render(render_json, &r);
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		check_refused(text, wrong[i][0], wrong[i][1], wrong[i][2]);
	free(text);
	result_free(&r);
}

TEST(test_merge)
{
	struct merger m = { .across = false };
	struct result a, b;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		sample_functions(&a, 2, 20 + i);
		a.host = sample_text("h");
		a.functions->at[0].missed = 5;
		assert_int_equal(merger_add(&m, &a, "r.json"), 0);
	}
	assert_int_equal(merger_end(&m), 0);
	/* 0 + 1 + ... + 19, and up to 20, on each of two CPUs */
	assert_int_equal(m.sum.all.functions->at[0].calls, 2 * (190 + 210));
	assert_int_equal(m.sum.all.functions->at[0].hist.n, 82);
	assert_int_equal(m.sum.functions->at[0].missed, 10);
	assert_int_equal(m.sum.worst[0].kept.functions->at[0].calls, 19);
	merger_free(&m);
	/* other sets are another measurement: their probes cost something else */
	sample_functions(&a, 1, 5);
	assert_int_equal(merger_add(&m, &a, "a.json"), 0);
	sample_result(&b, 1, 5);
	assert_int_equal(merger_add(&m, &b, "b.json"), -EINVAL);
	merger_free(&m);
}

TEST(test_page)
{
	const char *name[] = { "r.json" };
	struct report rep = { .name = name, .n = 1 };
	struct result r;

	sample_functions(&r, 1, 100);
	rep.r = &r;
	assert_shows(sample_render(page_results, &rep),
		     "\"title\":\"Time in functions", "[\"lock\",\"49.5\",", "\"kmem_cache_alloc_noprof\"");
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
