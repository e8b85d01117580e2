// SPDX-License-Identifier: GPL-2.0
/* JUnit, KTAP and Markdown of run and attach, from simulated results. */
#include "attach_sample.h"
#include "sample.h"
#include "unit.h"
#include "show/render.h"

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
		assert_int_equal(condition_parse_words(&list[n], &attach_words, text[n], why,
						       sizeof(why)), 0);
	return n;
}

static void test_run(void **state)
{
	static const char *const text[] = {
		"missed==0", "max(wake)<1ns", "p99.9999(wake)<1s", NULL,
	};
	struct result r;
	char *s;

	sample_result(&r, 1, 100);
	assert_int_equal(assertions_judge(&r.assertions, list, parse_run(text), &r), 0);
	assert_int_equal(r.assertions.failed, 2);
	s = sample_render(render_as, &r, RENDER_JUNIT);
	assert_contains(s, "tests=\"4\" failures=\"1\" errors=\"1\"");
	assert_contains(s, "name=\"max(wake)&lt;1ns\"");
	assert_contains(s, "<error type=\"no data\" message=\"no data on CPU ");
	free(s);
	s = sample_render(render_as, &r, RENDER_KTAP);
	assert_contains(s, "KTAP version 1\n1..4\n# 100 windows, ");
	assert_contains(s, "\nok 2 missed==0\n");
	assert_contains(s, "\nnot ok 3 max(wake)<1ns\n");
	assert_contains(s, "\nnot ok 4 p99.9999(wake)<1s\n");
	free(s);
	s = sample_render(render_as, &r, RENDER_MARKDOWN);
	assert_contains(s, "## tlob-load: FAILED\n\n- **passed** missed==0: 0\n- **FAILED** max(wake)\\<1ns: ");
	assert_contains(s, "| CPU | windows |");
	free(s);
	result_free(&r);
}

/* Without an assertion there is still one case, and no verdict. */
static void test_none(void **state)
{
	struct result r;
	char *s;

	sample_result(&r, 1, 10);
	s = sample_render(render_as, &r, RENDER_KTAP);
	assert_contains(s, "1..1\n");
	assert_contains(s, "ok 1 windows\n");
	free(s);
	s = sample_render(render_as, &r, RENDER_MARKDOWN);
	assert_contains(s, "## tlob-load: measured\n\n## run");
	free(s);
	s = sample_render(render_json, &r);
	assert_null(strstr(s, "\"assertions\""));
	free(s);
	result_free(&r);
}

static void test_attach(void **state)
{
	static const char *const text[] = {
		"cut==77", "p50(elapsed)<1s", "p99.9999(elapsed)<1s", NULL,
	};
	struct condition_data d;
	struct attach_result r;
	char *s;

	attach_sample(&r);
	d = (struct condition_data){
		.counters = &r, .hist = r.hist, .unavailable = r.unavailable,
	};
	assert_int_equal(assertions_judge_data(&r.assertions, list, parse_attach(text), &d,
					       true), 0);
	s = attach_render(render_as, &r, RENDER_JUNIT);
	assert_contains(s, "<testsuite name=\"tlob-load attach\" tests=\"4\" failures=\"1\" errors=\"1\"");
	free(s);
	s = attach_render(render_as, &r, RENDER_KTAP);
	assert_contains(s, "\nnot ok 2 cut==77\n");
	assert_contains(s, "\nok 3 p50(elapsed)<1s\n");
	free(s);
	s = attach_render(render_as, &r, RENDER_MARKDOWN);
	assert_contains(s, "**FAILED** cut==77: ");
	assert_contains(s, "| elapsed ");
	assert_contains(s, "| sleeping ");
	free(s);
	s = attach_render(render_as, &r, RENDER_JSON);
	assert_contains(s, "\"assertions\":[{\"condition\":\"cut==77\",\"holds\":false,\"value\":");
	free(s);
	attach_result_free(&r);
}

/* Nothing has ended: no assertion holds, not even one that would be true of 0. */
static void test_attach_nothing(void **state)
{
	static const char *const text[] = { "violations==0", NULL };
	struct condition_data d;
	struct attach_result r;

	attach_empty(&r);
	d = (struct condition_data){ .counters = &r, .hist = r.hist };
	assert_int_equal(assertions_judge_data(&r.assertions, list, parse_attach(text), &d,
					       false), 0);
	assert_int_equal(r.assertions.failed, 1);
	assert_contains(r.assertions.at[0].found, "no data: ");
	assert_false(r.assertions.at[0].has_value);
	attach_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_attach_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
