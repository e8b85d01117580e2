// SPDX-License-Identifier: GPL-2.0
/* The threads whose activations are watched: intervals, periods, wakers, and who comes first. */
#include <errno.h>

#include "unit.h"
#include "attach/threads.h"
#include "options/attach_config.h"
#include "report/region.h"
#include "report/render.h"
#include "result/attached.h"
#include "result/result.h"

#define MS	1000000ULL

static void add(struct activations *a, uint32_t tid, uint64_t nr, uint64_t start,
		uint64_t elapsed, bool late)
{
	struct tlob_task_activation w = {
		.window = {
			.tid = tid, .start_ns = start, .elapsed_ns = elapsed, .comm = "servo",
			.flags = TLOB_TASK_ENDED | (late ? TLOB_TASK_VIOLATION : 0),
		},
		.waker.kind = TLOB_WAKER_IRQ, .nr = nr, .wake_ns = 5000, .timer_ns = 700,
	};

	assert_int_equal(activations_add(a, &w), 0);
}

static void clear(struct activations *a)
{
	free(a->thread);
	*a = (struct activations){ .n = 0 };
}

/* The line about skipped periods below the outcome is @wanted; NULL: there is none. */
static void says_skipped(const struct activations *a, const char *wanted)
{
	struct attached attached = { .activations = *a };
	char **lines = NULL;

	assert_int_equal(outcome_limits(&lines, &(struct result){ .attached = &attached }), 0);
	if (wanted)
		assert_string_equal(lines[0], wanted);
	else
		assert_null(lines);
	notes_free(lines);
}

static struct tlob_hist interval;	/* of all threads */

/* 200 cycles of 1 ms. Each 50th is skipped: the period is exact, and 3 are skipped. */
TEST(test_period)
{
	struct activations a = { 0 };
	uint64_t i, nr = 0;

	(void)state;
	memset(&interval, 0, sizeof(interval));
	for (i = 1; i < 200; i++)
		if (i % 50)
			add(&a, 7, ++nr, 1000 + i * MS, 100000, false);
	assert_int_equal(activations_end(&a, &interval), 3);
	assert_int_equal(interval.n, nr - 1);
	assert_int_equal(interval.max, 2 * MS);
	assert_int_equal(a.n, 1);
	assert_int_equal(a.thread[0].period_ns, MS);
	assert_int_equal(a.thread[0].skipped, 3);
	assert_int_equal(a.thread[0].windows, nr);
	assert_int_equal(a.thread[0].gaps, 0);
	assert_int_equal(a.thread[0].wake.n, nr);
	assert_int_equal(a.thread[0].interval.n, nr - 1);
	assert_int_equal(a.thread[0].nwaker, 1);
	assert_string_equal(a.thread[0].waker[0].name, "timer");
	says_skipped(&a, "skipped: no activation began in 3 of 198 periods (2 %)");
	clear(&a);
}

/*
 * A thread that rests at the end: longer than ever before, that is an interval, as long as it lasts; and there
 * are periods without an activation. Not so a thread whose last activation was not measured.
 */
TEST(test_rests)
{
	struct activations a = { 0 };
	uint64_t i;

	(void)state;
	memset(&interval, 0, sizeof(interval));
	for (i = 1; i <= 100; i++)
		add(&a, 7, i, i * MS, 1000, false);
	add(&a, 8, 1, 5 * MS, 1000, false);
	activations_rests(&a, 7, 100 * MS, 101 * MS);
	activations_rests(&a, 7, 99 * MS, 150 * MS);
	activations_rests(&a, 8, 5 * MS, 150 * MS);
	activations_rests(&a, 9, 5 * MS, 150 * MS);
	assert_int_equal(a.thread[0].interval.n, 99);
	activations_rests(&a, 7, 100 * MS, 150 * MS);
	assert_int_equal(activations_end(&a, &interval), 49);
	assert_int_equal(interval.n, 100);
	assert_int_equal(interval.max, 50 * MS);
	assert_int_equal(a.thread[0].period_ns, MS);
	clear(&a);
}

/* Irregular intervals, or too few of them, have no period. */
TEST(test_irregular)
{
	struct activations a = { 0 };
	uint64_t i;

	(void)state;
	for (i = 1; i < 200; i++)
		add(&a, 7, i, i * MS + (i % 3) * MS / 4, 1000, false);
	for (i = 1; i < 10; i++)
		add(&a, 8, i, i * MS, 1000, false);
	activations_end(&a, &interval);
	assert_int_equal(a.thread[0].period_ns, 0);
	assert_int_equal(a.thread[0].skipped, 0);
	assert_int_equal(a.thread[1].period_ns, 0);
	says_skipped(&a, NULL);
	clear(&a);
}

/* An interval over lost records is none; they count. A new thread of the same tid begins anew. */
TEST(test_gaps)
{
	struct activations a = { 0 };

	(void)state;
	add(&a, 7, 1, MS, 1000, false);
	add(&a, 7, 2, 2 * MS, 1000, false);
	add(&a, 7, 5, 5 * MS, 1000, false);
	assert_int_equal(a.thread[0].gaps, 2);
	assert_int_equal(a.thread[0].interval.n, 1);
	add(&a, 7, 1, 9 * MS, 1000, false);
	assert_int_equal(a.thread[0].gaps, 2);
	assert_int_equal(a.thread[0].interval.n, 1);
	clear(&a);
}

TEST(test_wakers)
{
	static const char * const names[] = { "a", "b", "a", "c", "d", "e" };
	struct tlob_task_activation w = { .window.tid = 7, .window.flags = TLOB_TASK_CUT };
	struct activations a = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		w.waker.kind = TLOB_WAKER_TASK;
		snprintf(w.waker.comm, sizeof(w.waker.comm), "%s", names[i]);
		assert_int_equal(activations_add(&a, &w), 0);
	}
	assert_int_equal(a.thread[0].nwaker, ACTIVATION_WAKERS);
	assert_string_equal(a.thread[0].waker[0].name, "a");
	assert_int_equal(a.thread[0].waker[0].count, 2);
	assert_int_equal(a.thread[0].other_wakers, 1);
	assert_int_equal(a.thread[0].windows, 0);
	clear(&a);
}

/* Three of ten ended elsewhere: another call, another place, another kind of sleep. */
TEST(test_elsewhere)
{
	static const struct {
		uint32_t tid, call, stack, flags;
	} ends[] = {
		{ 7, 230, 0x1000, 0 }, { 7, 230, 0x1001, 0 }, { 7, 230, 0x1001, 0 }, { 7, 0, 0x1001, 0 },
		/* where it ended is in doubt already, or it has not ended by itself */
		{ 7, 202, 0x900, TLOB_TASK_UNCLEAR }, { 7, 1, 0x900, TLOB_TASK_CUT },
		{ 8, 230, 0x1000, 0 }, { 9, 7, 0x1000, 0 }, { 9, 7, 0x1000, 0 }, { 9, 7, 0x1008, 0 },
	};
	struct tlob_task_activation w = { .nr = 1 };
	struct activations a = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		w.window.tid = ends[i].tid;
		w.call = ends[i].call;
		w.call_stack = ends[i].stack;
		w.window.flags = ends[i].flags ? ends[i].flags : TLOB_TASK_ENDED;
		if (ends[i].flags & TLOB_TASK_UNCLEAR)
			w.window.flags |= TLOB_TASK_ENDED;
		assert_int_equal(activations_add(&a, &w), 0);
	}
	assert_int_equal(activations_elsewhere(&a), 3);
	/* further places than are kept count as elsewhere */
	w.window = (struct tlob_task_window){ .tid = 8, .flags = TLOB_TASK_ENDED };
	for (i = 0; i < 2UL * ACTIVATION_PLACES; i++) {
		w.call_stack = (uint32_t)i;
		assert_int_equal(activations_add(&a, &w), 0);
	}
	assert_int_equal(activations_elsewhere(&a), 3 + 2 * ACTIVATION_PLACES);
	clear(&a);
}

/* Most violations first, then the longest window; threads without room are counted. */
TEST(test_order)
{
	size_t order[ACTIVATION_THREADS];
	struct activations a = { 0 };
	uint32_t i;

	(void)state;
	add(&a, 1, 1, MS, 100, false);
	add(&a, 2, 1, MS, 900, false);
	add(&a, 3, 1, MS, 200, true);
	activations_sort(&a, order);
	assert_int_equal(order[0], 2);
	assert_int_equal(order[1], 1);
	assert_int_equal(order[2], 0);
	for (i = 4; i < ACTIVATION_THREADS + 3; i++)
		add(&a, i, 1, MS, 100, false);
	assert_int_equal(a.n, ACTIVATION_THREADS);
	assert_int_equal(a.further, 2);
	clear(&a);
}

/* Spaces between cells are one. */
static void assert_in_table(struct attached *attached, const char *part)
{
	const struct result r = { .attached = attached };
	char *text, *from, *to;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(threads_table(f, TABLE_TEXT, &r), 0);
	assert_int_equal(fclose(f), 0);
	for (from = to = text; *from; from++)
		if (*from != ' ' || to == text || to[-1] != ' ')
			*to++ = *from;
	*to = 0;
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
	free(text);
}

/* Intervals that differ by less than a bucket have a jitter below its width, not 0. */
TEST(test_jitter)
{
	struct attached r = { .activations = { .n = 0 } };
	uint64_t i;

	(void)state;
	for (i = 1; i < 200; i++) {
		add(&r.activations, 7, i, i * MS + i % 2, 1000, false);
		add(&r.activations, 8, i, i * MS, 1000, false);
		add(&r.activations, 9, i, i * MS + i % 2 * 100000, 1000, false);
	}
	activations_end(&r.activations, &interval);
	assert_in_table(&r, "5.000 1000.0 1000.001 1000.001 <15.6 0 timer");
	assert_in_table(&r, "5.000 1000.0 1000.000 1000.000 0.0 0 timer");
	assert_in_table(&r, " 198.9 - timer");
	clear(&r.activations);
}

/* Quantiles of too few activations are dashes, also in the row after one that has them. */
TEST(test_too_few)
{
	struct attached r = { .activations = { .n = 0 } };
	uint64_t i;

	(void)state;
	for (i = 1; i < 200; i++)
		add(&r.activations, 7, i, i * MS, 1000, false);
	add(&r.activations, 8, 1, MS, 1000, false);
	assert_in_table(&r, "servo/8 1 0 1.000 - - 5.000 - - - - - timer 100 %");
	r.activations.thread[1].waker[0].count = 0;
	assert_in_table(&r, "servo/8 1 0 1.000 - - 5.000 - - - - -\n");
	clear(&r.activations);
}

/* A waker with less than 1 % is left out, also the first one. */
TEST(test_rare_waker)
{
	struct tlob_task_activation w = {
		.window = { .tid = 7, .comm = "servo", .flags = TLOB_TASK_ENDED },
		.waker = { .kind = TLOB_WAKER_TASK, .comm = "sh" },
	};
	struct attached r = { .activations = { .n = 0 } };
	uint64_t i;

	(void)state;
	assert_int_equal(activations_add(&r.activations, &w), 0);
	for (i = 1; i < 200; i++)
		add(&r.activations, 7, i, i * MS, 1000, false);
	activations_end(&r.activations, &interval);
	assert_in_table(&r, " 0 timer 100 %");
	clear(&r.activations);
}

TEST(test_until)
{
	uint32_t nr[TLOB_WATCH_UNTIL];
	const char *bad;
	unsigned int n;

	(void)state;
	assert_int_equal(threads_until("read,231,futex", nr, &n, &bad), 0);
	assert_int_equal(n, 3);
	assert_int_equal(nr[1], 231);
	assert_int_equal(threads_until("read,nap", nr, &n, &bad), -EINVAL);
	assert_string_equal(bad, "nap");
	assert_int_equal(threads_until("", nr, &n, &bad), -EINVAL);
	assert_int_equal(threads_until("read,", nr, &n, &bad), -EINVAL);
	assert_int_equal(threads_until("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", nr, &n, &bad),
			 -E2BIG);
}

UNIT_MAIN(NULL, NULL)
