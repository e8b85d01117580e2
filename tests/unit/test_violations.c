// SPDX-License-Identifier: GPL-2.0
/* The violations that a result of a run with timelines keeps behind the worst windows. */
#include "merge_check.h"
#include "reading.h"
#include "sample.h"

#include "report/render.h"

/*
 * @n windows with lost timelines and random work of at most @most ns; 200 us is the
 * budget. Returns the number of violations.
 */
static unsigned int random_windows(struct result *r, unsigned int n, uint64_t most,
				   uint64_t seed)
{
	struct tlob_window w;
	unsigned int i, late = 0;

	for (i = 0; i < n; i++) {
		w = sample_window(0, i);
		w.part_ns[TLOB_WORK_ON_CPU] = 1000 + unit_random(&seed) % most;
		sample_close(&w);
		w.flags = w.response_ns > w.budget_ns ? TLOB_WINDOW_VIOLATION : 0;
		late += w.response_ns > w.budget_ns;
		assert_true(result_window_timed(r, 0, &w, true, NULL, NULL));
	}
	return late;
}

/* Behind the worst windows there are violations only, and only in a run with timelines. */
TEST(violations_are_kept)
{
	static const uint64_t most[] = { 10000, 300000, 1000000 };
	unsigned int i, k, late, seen = 0;
	struct result r;

	for (i = 0; i < sizeof(most) / sizeof(most[0]) * 2; i++) {
		sample_empty(&r, 1);
		r.timed = i % 2;
		late = random_windows(&r, 100, most[i / 2], i + 1);
		if (!r.timed || late < RESULT_WORST)
			late = RESULT_WORST;
		assert_int_equal(r.nworst, late < RESULT_KEPT ? late : RESULT_KEPT);
		for (k = 1; k < r.nworst; k++)
			assert_true(r.worst[k].w.response_ns <= r.worst[k - 1].w.response_ns);
		seen |= r.nworst == RESULT_WORST ? 1 : r.nworst < RESULT_KEPT ? 2 : 4;
		result_free(&r);
	}
	assert_int_equal(seen, 7);
}

/* Two lists of violations become one of the longest; without timelines there are fewer. */
TEST(violations_merge)
{
	struct result b, sum;
	int timed;
	size_t i;

	for (timed = 0; timed < 2; timed++) {
		sample_empty(&b, 1);
		sample_empty(&sum, 1);
		b.timed = sum.timed = timed;
		b.started = 1;
		random_windows(&b, 60, 1000000, 5);
		random_windows(&sum, 60, 1000000, 6);
		result_sum(&b);
		result_sum(&sum);
		merged(&sum, &b);
		assert_int_equal(sum.nworst, timed ? RESULT_KEPT : RESULT_WORST);
		for (i = 0; i < sum.nworst; i++)
			assert_int_equal(!!sum.worst[i].kept.timeline, timed);
		result_free(&sum);
	}
}

/* The file has them all; one behind the worst that is no violation is refused. */
TEST(violations_in_a_file)
{
	static const char late[] = "\"flags\":[\"violation\"]";
	struct result r, back;
	char *text, *at, *next, *bad;

	sample_empty(&r, 1);
	r.timed = true;
	random_windows(&r, 100, 1000000, 7);
	assert_int_equal(r.nworst, RESULT_KEPT);
	result_sum(&r);
	text = sample_render(render_json, &r);
	memset(&reader, 0, sizeof(reader));
	assert_int_equal(parse(&back, text), 0);
	assert_int_equal(back.nworst, RESULT_KEPT);
	result_free(&back);
	for (at = NULL, next = text; (next = strstr(next + 1, late)); at = next)
		;
	assert_non_null(at);
	assert_true(asprintf(&bad, "%.*s\"flags\":[]%s", (int)(at - text), text, at + strlen(late)) > 0);
	memset(&reader, 0, sizeof(reader));
	assert_true(parse(&back, bad) < 0);
	assert_non_null(strstr(reader.error, "worst[63].flags: not a violation"));
	free(bad);
	free(text);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
