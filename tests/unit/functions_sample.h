/* SPDX-License-Identifier: GPL-2.0 */
/* A result with times in functions. */
#ifndef FUNCTIONS_SAMPLE_H
#define FUNCTIONS_SAMPLE_H

#include "sample.h"

static inline void sample_set(struct function_sets *sets, const char *name, const char *words,
			      uint64_t functions)
{
	struct function_set *s = &sets->at[sets->n++];

	snprintf(s->name, sizeof(s->name), "%s", name);
	s->words = sample_text(words);
	s->functions = functions;
}

/* The sets lock and alloc, without a window yet. */
static inline void sample_sets(struct result *r)
{
	r->functions = calloc(1, sizeof(*r->functions));
	assert_non_null(r->functions);
	r->functions->mechanism = sample_text("fprobe");
	r->functions->probe_ns = 748;
	sample_set(r->functions, "lock", "*mutex_lock*,rt_spin_lock", 12);
	sample_set(r->functions, "alloc", "@alloc", 30);
	assert_int_equal(function_sets_describe(r), 0);
	assert_int_equal(result_init_functions(r), 0);
}

/* @n calls of the first set: @ns each, in the wake phase; one of the second in the work. */
static inline struct window_functions sample_times(unsigned int n, uint64_t ns)
{
	struct window_functions f = { .n = 2 };

	f.at[0].calls = n;
	f.at[0].part_ns[TLOB_WAKE_SCHED] = n * ns;
	f.at[0].max_ns = n ? ns : 0;
	snprintf(f.at[0].longest, FUNCTION_NAME, "%s", n ? "rt_spin_lock" : "");
	f.at[1].calls = 1;
	f.at[1].part_ns[TLOB_WORK_ON_CPU] = 250;
	f.at[1].max_ns = 250;
	snprintf(f.at[1].longest, FUNCTION_NAME, "kmem_cache_alloc_noprof");
	return f;
}

/*
 * @ncpus CPUs with @n windows each: window i has i calls of 100 ns in lock. The last window
 * of CPU 0 is a violation.
 */
static inline void sample_functions(struct result *r, size_t ncpus, unsigned int n)
{
	struct window_functions f;
	struct tlob_window w;
	unsigned int k;
	size_t i;

	sample_empty(r, ncpus);
	sample_sets(r);
	for (i = 0; i < ncpus; i++)
		for (k = 0; k < n; k++) {
			w = i || k + 1 < n ? sample_window((unsigned int)i, k) :
					     sample_violation(0, k);
			f = sample_times(k, 100);
			assert_true(result_window_timed(r, i, &w, true, NULL, &f));
		}
	result_sum(r);
}

#endif /* FUNCTIONS_SAMPLE_H */
