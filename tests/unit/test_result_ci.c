// SPDX-License-Identifier: GPL-2.0
/* JUnit, KTAP and Markdown of run and attach, from simulated results. */
#include "attach_sample.h"
#include "sample.h"
#include "unit.h"
#include "report/render.h"

static struct condition list[4];

static unsigned int parse_run(const char *const *text)
{
	char why[200];
	unsigned int n;

	for (n = 0; text[n]; n++)
		assert_int_equal(condition_parse_result(&list[n], text[n], why, sizeof(why)), 0);
	return n;
}

static unsigned int parse_attach(const char *const *text)
{
	char why[200];
	unsigned int n;

	for (n = 0; text[n]; n++)
		assert_int_equal(condition_parse_words(&list[n], &condition_attach_words, text[n], why,
						       sizeof(why)), 0);
	return n;
}

TEST(test_run)
{
	static const char *const conditions[] = {
		"missed==0", "max(wake)<1ns", "p99.9999(wake)<1s", NULL,
	};
	struct verdicts v;
	struct result r;

	sample_result(&r, 1, 100);
	assert_int_equal(assertions_judge(&r.assertions, list, parse_run(conditions), &r), 0);
	v = verdicts_of(&r.assertions, &r.said);
	assert_true(v.n == 3 && v.failed == 1 && v.undecided == 1);
	assert_shows(sample_render(render_as, &r, RENDER_JUNIT),
		     "tests=\"4\" failures=\"1\" errors=\"1\"",
		     "<properties>\n<property name=\"conditions\" value=\"fifo:",
		     "<property name=\"lowered\" value=\"a run failed 1 assertion\"/>\n",
		     "name=\"max(wake)&lt;1ns\"",
		     "<error type=\"undecided\" message=\"no data on CPU ");
	assert_shows(sample_render(render_as, &r, RENDER_KTAP),
		     "KTAP version 1\n1..4\n# under: fifo:",
		     "\n# but: a run failed 1 assertion\n# but: a run left 1 assertion undecided\n",
		     "\n# 100 windows, ",
		     "\nok 2 missed==0\n",
		     "\nnot ok 3 max(wake)<1ns\n",
		     "\nnot ok 4 p99.9999(wake)<1s\n");
	assert_shows(sample_render(render_as, &r, RENDER_MARKDOWN),
		     "## tlob-load: FAILED 1 assertion\n\n- **holds** missed==0: 0\n- **FAILED** max(wake)\\<1ns: ",
		     "\n- **UNDECIDED** p99.9999(wake)\\<1s: no data",
		     "| cpu | windows |");
	result_free(&r);
}

/* Without an assertion there is still one case, and no verdict. */
TEST(test_none)
{
	struct result r;
	char *text;

	sample_result(&r, 1, 10);
	assert_shows(sample_render(render_as, &r, RENDER_KTAP), "1..1\n", "ok 1 windows\n");
	assert_shows(sample_render(render_as, &r, RENDER_MARKDOWN),
		     "## tlob-load: measured\n\nUnder: ");
	text = sample_render(render_json, &r);
	assert_lacks(text, "\"assertions\"");
	free(text);
	result_free(&r);
}

TEST(test_attach)
{
	static const char *const conditions[] = {
		"cut==77", "p50(response)<1s", "p99.9999(response)<1s", NULL,
	};
	struct result r;

	attach_sample(&r);
	assert_int_equal(assertions_judge(&r.assertions, list, parse_attach(conditions), &r), 0);
	assert_shows(attach_render(render_as, &r, RENDER_JUNIT),
		     "<testsuite name=\"tlob-load attach\" tests=\"4\" failures=\"1\" errors=\"1\"");
	assert_shows(attach_render(render_as, &r, RENDER_KTAP),
		     "\nnot ok 2 cut==77\n",
		     "\nok 3 p50(response)<1s\n");
	assert_shows(attach_render(render_as, &r, RENDER_MARKDOWN),
		     "**FAILED** cut==77: ",
		     "| response ",
		     "| sleep ");
	assert_shows(attach_render(render_as, &r, RENDER_JSON),
		     "\"assertions\":[{\"condition\":\"cut==77\",\"holds\":false,\"value\":",
		     "{\"condition\":\"p99.9999(response)<1s\",\"holds\":null,\"value\":null,");
	result_free(&r);
}

/* Nothing has ended: no assertion is decided, not even one that would be true of 0. */
TEST(test_attach_nothing)
{
	static const char *const conditions[] = { "violations==0", NULL };
	struct result r;

	attach_empty(&r);
	attach_end(&r);
	assert_int_equal(assertions_judge(&r.assertions, list, parse_attach(conditions), &r), 0);
	assert_int_equal(verdicts_of(&r.assertions, &r.said).undecided, 1);
	assert_contains(r.assertions.at[0].found, "no data: ");
	assert_false(r.assertions.at[0].has_value);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
