// SPDX-License-Identifier: GPL-2.0
/* Windows that a thread counts give the same result as windows whose records are read. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "report/render.h"
#include "result/os_counts.h"
#include "result/parts.h"
#include "run/own_count.h"
#include "sample.h"

#define WINDOWS		20000U
#define WARM_UP		6U

static char *text_of(struct result *r)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	result_sum(r);
	assert_int_equal(render_json(f, r), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Of some threads, in bursts, some missed, and some whose parts do not add up. */
static struct tlob_window any_window(uint64_t *seed, uint64_t *n)
{
	bool late = *n / 500 % 3 == 1 && unit_random(seed) % 4 == 0;
	uint64_t missed = late ? unit_random(seed) % 3 : 0;
	struct tlob_window w;

	*n += 1 + missed;
	w = late ? sample_violation(0, *n) : sample_window(0, *n);
	w.missed = missed;
	w.part_ns[TLOB_WAKE_SCHED] += unit_random(seed) % 5000;
	snprintf(w.largest.name, sizeof(w.largest.name), "kworker/0:%u", (unsigned int)(unit_random(seed) % 9));
	sample_close(&w);
	w.response_ns += unit_random(seed) % 1000 == 0;
	w.clock_steps = unit_random(seed) % 300 == 0;
	w.flags |= w.clock_steps ? TLOB_WINDOW_INEXACT : 0;
	return w;
}

struct producer {
	struct own_count *own;
	struct result *by_records;
	_Atomic bool done;
};

static void *produce(void *data)
{
	struct producer *p = data;
	struct tlob_window w;
	uint64_t seed = 1, n = 0;
	unsigned int i;

	for (i = 0; i < WINDOWS; i++) {
		w = any_window(&seed, &n);
		if (i < WARM_UP)
			w.flags |= TLOB_WINDOW_WARM_UP;
		result_window(p->by_records, 0, &w, true);
		own_count_window(p->own, &w, i % 100 ? 0 : i);
		if (unit_random(&seed) % 16 == 0)
			sched_yield();
	}
	atomic_store(&p->done, true);
	return NULL;
}

TEST(test_same_result)
{
	struct result by_records, counted;
	struct producer p = { .by_records = &by_records };
	uint64_t gaps = 0, longest = 0;
	char *expected, *found;
	pthread_t thread;
	unsigned int i;
	bool done;

	sample_empty(&by_records, 1);
	sample_empty(&counted, 1);
	sample_os(&by_records.cpu[0]);
	sample_os(&counted.cpu[0]);
	p.own = own_count_new(&counted, 0, 0);
	assert_non_null(p.own);
	by_records.begin_ns = counted.begin_ns = 5000000000ULL;
	own_count_begin(p.own, &counted);
	assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
	do {
		done = atomic_load(&p.done);
		own_count_take(p.own, &counted, 0, 0);
	} while (!done);
	pthread_join(thread, NULL);
	assert_int_equal(counted.cpu[0].windows, WINDOWS - WARM_UP);
	for (i = 100; i < WINDOWS; i += 100) {
		gaps += i;
		longest = i;
	}
	by_records.cpu[0].os->gap_windows += WINDOWS / 100 - 1;
	by_records.cpu[0].os->gap_ns += gaps;
	if (longest > by_records.cpu[0].os->gap_max_ns)
		by_records.cpu[0].os->gap_max_ns = longest;
	expected = text_of(&by_records);
	found = text_of(&counted);
	assert_string_equal(found, expected);
	free(expected);
	free(found);
	own_count_free(p.own);
	result_free(&by_records);
	result_free(&counted);
}

/* Nobody comes for long: later episodes join, and none of their expiries is lost. */
TEST(test_nobody_takes)
{
	struct own_count *own;
	struct tlob_window w;
	struct result r;
	unsigned int i;

	sample_empty(&r, 1);
	own = own_count_new(&r, 0, 0);
	assert_non_null(own);
	for (i = 0; i < WINDOWS; i++) {
		w = i % 4 ? sample_window(0, i) : sample_violation(0, i);
		own_count_window(own, &w, 0);
	}
	own_count_take(own, &r, 0, 0);
	result_sum(&r);
	assert_int_equal(r.cpu[0].windows, WINDOWS);
	assert_int_equal(r.episodes.over, WINDOWS / 4);
	assert_in_range(r.episodes.at[0].n, 1000, WINDOWS / 4 - 1);
	own_count_free(own);
	result_free(&r);
}

/* SIGCONT came in the longest of two windows, which the thread has counted already. */
TEST(test_stopped)
{
	struct tlob_window w = sample_violation(0, 0), other = sample_violation(0, 1);
	struct own_count *own;
	struct result r;

	sample_empty(&r, 1);
	own = own_count_new(&r, 0, 0);
	assert_non_null(own);
	w.part_ns[TLOB_WAKE_IRQ_DELAY] += 2000000000;
	w.irq_latency_ns += 2000000000;
	w.wake_ns += 2000000000;
	w.response_ns += 2000000000;
	other.t0_ns = w.t0_ns + 3000000000;
	own_count_window(own, &w, 0);
	own_count_window(own, &other, 0);
	own_count_take(own, &r, 0, w.t0_ns + 2000000000);
	assert_true(r.worst[0].w.flags & WINDOW_CONTINUED);
	assert_false(r.worst[1].w.flags & WINDOW_CONTINUED);
	assert_int_equal(r.causes.n, 2);
	assert_true(!strcmp(r.causes.at[0].name, TLOB_STOPPED) != !strcmp(r.causes.at[1].name, TLOB_STOPPED));
	assert_int_equal(r.causes.at[0].windows + r.causes.at[1].windows, 2);
	own_count_free(own);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
