// SPDX-License-Identifier: GPL-2.0
/* The longest waits of windows of a run: kept, printed, written, read and merged. */
#include <stdlib.h>
#include <string.h>

#include "merge_check.h"
#include "reading.h"
#include "report/parts_text.h"
#include "result/attached.h"

static const char * const names[] = { "do_poll", "poll", "reply", "main" };

static struct attach_wait sample_wait(uint64_t ns)
{
	struct attach_wait wait = {
		.ns = ns, .waker = { .kind = TLOB_WAKER_TASK, .tid = 9, .tgid = 8, .comm = "worker" },
	};
	size_t i;

	wait.frame = calloc(4, sizeof(*wait.frame));
	assert_non_null(wait.frame);
	for (i = 0; i < 4; i++, wait.nframe++) {
		wait.frame[i].name = strdup(names[i]);
		wait.frame[i].kernel = !i;
	}
	return wait;
}

/* @n windows from the activation @first on; the one with the largest response has a wait. */
static void sample_waits(struct result *r, uint64_t first, uint64_t n)
{
	struct tlob_window w;
	uint64_t i;

	sample_empty(r, 1);
	r->waits = true;
	for (i = 0; i < n; i++) {
		w = sample_window(0, first + i);
		assert_true(result_window(r, 0, &w, true));
	}
	w = sample_violation(0, first + n);
	w.part_ns[TLOB_WORK_SLEEP] += 700;
	w.part_ns[TLOB_WORK_ON_CPU] -= 700;
	assert_true(result_window(r, 0, &w, true));
	assert_ptr_equal(result_worst_of(r, &w), &r->worst[0]);
	r->worst[0].kept.wait = sample_wait(650);
	result_sum(r);
}

TEST(read_again)
{
	struct result r, back;
	const struct attach_wait *wait;
	char *text, *again;

	sample_waits(&r, 1, 1);
	text = sample_render(render_json, &r);
	assert_contains(text, "\"wait\":null");
	memset(&reader, 0, sizeof(reader));
	assert_int_equal(parse(&back, text), 0);
	assert_true(back.worst[1].kept.waits);
	wait = &back.worst[0].kept.wait;
	assert_int_equal(wait->ns, 650);
	assert_int_equal(wait->nframe, 4);
	assert_string_equal(wait->frame[2].name, "reply");
	assert_true(wait->frame[0].kernel && !wait->frame[1].kernel);
	assert_int_equal(back.worst[1].kept.wait.ns, 0);
	again = sample_render(render_json, &back);
	assert_string_equal(text, again);
	free(text);
	free(again);
	result_free(&back);
	result_free(&r);
}

/* A window that slept and has no wait says something else than one that did not sleep. */
TEST(shown)
{
	struct result r;
	char *text;
	size_t i;

	sample_waits(&r, 1, 2);
	assert_shows(sample_render(render_split, &r),
		     "longest wait: 650ns in do_poll < poll < reply < main, woken by worker/9\n",
		     "the longest wait of each of these\n  cpu 0, activation 1: ");
	attach_wait_clear(&r.worst[0].kept.wait);
	assert_shows(sample_render(render_split, &r), "longest wait: not known\n");
	r.worst[0].w.part_ns[TLOB_WORK_ON_CPU] += r.worst[0].w.part_ns[TLOB_WORK_SLEEP];
	r.worst[0].w.part_ns[TLOB_WORK_SLEEP] = 0;
	assert_shows(sample_render(render_split, &r), "longest wait: none\n");
	for (i = 0; i < r.nworst; i++)
		r.worst[i].kept.waits = false;
	text = sample_render(render_split, &r);
	assert_lacks(text, "longest wait");
	free(text);
	result_free(&r);
}

/* A window that is no longer one of the worst loses its wait: LeakSanitizer looks for it. */
TEST(dropped)
{
	struct tlob_window w, first;
	struct result r;
	uint64_t i;

	sample_waits(&r, 1, 0);
	first = r.worst[0].w;
	assert_non_null(result_worst_of(&r, &first));
	for (i = 0; i < RESULT_WORST; i++) {
		w = sample_violation(0, 10 + i);
		w.part_ns[TLOB_WORK_ON_CPU] += 1000;
		sample_close(&w);
		assert_true(result_window(&r, 0, &w, true));
	}
	assert_null(result_worst_of(&r, &first));
	result_free(&r);
}

/* Waits go with their windows into a sum. */
TEST(merging)
{
	struct result b, sum;
	size_t i;

	sample_waits(&b, 20, 1);
	b.started++;
	set_text(&b.run_id, "b");
	sample_waits(&sum, 1, 1);
	merged(&sum, &b);
	assert_int_equal(sum.nworst, 4);
	for (i = 0; i < 4; i++)
		assert_int_equal(sum.worst[i].kept.wait.ns, i < 2 ? 650 : 0);
	result_free(&sum);
}

UNIT_MAIN(NULL, NULL)
