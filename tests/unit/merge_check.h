/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for the tests that merge results. */
#ifndef MERGE_CHECK_H
#define MERGE_CHECK_H

#include "sample.h"
#include "report/render.h"
#include "result/merge.h"

/* @n windows for each CPU; they differ for each @seed. */
static inline void add_windows(struct result *r, unsigned int n, uint64_t seed)
{
	struct tlob_window w;
	unsigned int k, m;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		for (k = 0; k < n; k++) {
			w = sample_violation((unsigned int)r->cpu[i].cpu, k);
			w.part_ns[TLOB_WORK_ON_CPU] = unit_random(&seed) % 300000;
			w.part_ns[TLOB_WAKE_SCHED] = unit_random(&seed) % 20;
			w.largest.ns = 1 + unit_random(&seed) % 1000;
			w.largest.id = (int)(k % 5);
			w.delayed_by[0] = (char)('a' + k % 7);
			w.missed = k % 3;
			w.errors = k % 2;
			w.clock_steps = 1;
			w.adjusted_ns = k;
			sample_close(&w);
			assert_true(result_window(r, i, &w, true));
		}
		r->cpu[i].lost += seed % 7;
		r->cpu[i].aborted += seed % 5;
		r->cpu[i].warm_up += seed % 3;
		r->cpu[i].warm_up_missed += 1;
		r->cpu[i].warm_up_violations += 2;
		r->cpu[i].inexact += 3;
		r->cpu[i].sum_failures += 4;
		r->cpu[i].overhead_ns += 1000;
	}
	for (m = 0; m < TLOB_NR_METRICS; m++)
		samples_sort(&r->exact[m]);
	result_sum(r);
}

static inline void make_part(struct result *r, size_t ncpus, unsigned int n, uint64_t seed)
{
	sample_empty(r, ncpus);
	/* a longer run is another time: test_episodes adds them up */
	episodes_watch_free(r->watch);
	r->watch = NULL;
	r->host = sample_text("h");
	r->started += (time_t)seed;
	r->duration_ns = seed;
	if (n)
		add_windows(r, n, seed);
	result_sum(r);
}

/* Gives the windows to another CPU. */
static inline void move_cpu(struct result *r, int cpu)
{
	size_t i;

	r->cpu[0].cpu = cpu;
	for (i = 0; i < r->nworst; i++)
		r->worst[i].w.cpu = (uint32_t)cpu;
}

static inline void take_sum(struct merger *m, struct result *r)
{
	assert_int_equal(merger_end(m), 0);
	*r = m->sum;
	m->sum = (struct result){ 0 };
	merger_free(m);
}

/* Adds @b to @a, if that is allowed. */
static inline int merge_two(struct result *a, struct result *b, const char *name)
{
	struct merger m = { .across = false };
	int err;

	assert_int_equal(merger_add(&m, a, "a.json"), 0);
	err = merger_add(&m, b, name);
	take_sum(&m, a);
	return err;
}

static inline void merged(struct result *a, struct result *b)
{
	assert_int_equal(merge_two(a, b, "b.json"), 0);
}

/* One run lacks these. */
static inline void forget_runs(struct result *r)
{
	notes_free(r->run_ids);
	r->run_ids = NULL;
}

static inline void assert_same_result(const struct result *a, const struct result *b)
{
	char *x = sample_render(render_json, a), *y = sample_render(render_json, b);

	assert_string_equal(x, y);
	free(x);
	free(y);
}

static inline bool noted(const struct result *r, const char *part)
{
	char **note;

	for (note = r->notes; note && *note; note++)
		if (strstr(*note, part))
			return true;
	return false;
}

static inline void set_text(char **to, const char *text)
{
	free(*to);
	*to = sample_text(text);
}

#endif /* MERGE_CHECK_H */
