// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/functions.h"
#include "result/parts.h"
#include "result/result.h"
#include "result/tables.h"
#include "util/memstream.h"

int function_set_find(const struct function_sets *sets, const char *name)
{
	size_t i;

	for (i = 0; sets && i < sets->n; i++)
		if (!strcmp(sets->at[i].name, name))
			return (int)i;
	return -1;
}

void function_sets_free(struct function_sets *sets)
{
	if (sets)
		record_free(&function_sets_record, sets);
	free(sets);
}

void function_sets_add(struct function_sets *to, const struct function_sets *from)
{
	size_t i;

	if (!to || !from)
		return;
	record_add(&function_sets_record, to, from);
	for (i = 0; i < to->n && i < from->n; i++)
		record_add(&function_set_record, &to->at[i], &from->at[i]);
}

int function_sets_describe(struct result *r)
{
	const struct function_sets *sets = r->functions;
	size_t size, i;
	FILE *f;

	free(r->function_words);
	r->function_words = NULL;
	f = open_memstream(&r->function_words, &size);
	for (i = 0; f && i < sets->n; i++)
		fprintf(f, "%s%s=%s", i ? " " : "", sets->at[i].name, sets->at[i].words);
	return memstream_text(f, &r->function_words) ? 0 : -ENOMEM;
}

uint64_t function_net_ns(const struct function_time *t)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		sum += t->part_ns[i];
	return sum;
}

struct window_functions *functions_copy(const struct window_functions *f)
{
	struct window_functions *copy = calloc(1, sizeof(*copy));

	if (copy && f)
		*copy = *f;
	else if (copy)
		copy->lost = true;
	return copy;
}

struct function_totals *function_totals_new(size_t n)
{
	struct function_totals *t = calloc(1, sizeof(*t) + n * sizeof(t->at[0]));

	if (t)
		t->n = n;
	return t;
}

static void keep_longest(struct function_total *t, uint64_t max_ns, const char *longest)
{
	if (max_ns <= t->max_ns)
		return;
	t->max_ns = max_ns;
	memcpy(t->longest, longest, sizeof(t->longest));
}

void function_totals_window(struct function_totals *t, const struct window_functions *f)
{
	size_t i;

	if (!f || f->lost) {
		t->lost++;
		return;
	}
	t->missed += f->missed;
	for (i = 0; i < t->n && i < f->n; i++) {
		t->at[i].calls += f->at[i].calls;
		t->at[i].unreturned += f->at[i].unreturned;
		keep_longest(&t->at[i], f->at[i].max_ns, f->at[i].longest);
		tlob_hist_add(&t->at[i].hist, function_net_ns(&f->at[i]));
	}
}

void function_totals_set_step(struct function_totals *t, uint64_t step)
{
	size_t i;

	for (i = 0; t && i < t->n; i++)
		hist_set_step(&t->at[i].hist, 1, step);
}

int function_totals_add(struct function_totals **to, const struct function_totals *from)
{
	struct function_totals *t = *to;
	size_t i;

	if (!from || (t && t->n != from->n))
		return 0;
	if (!t)
		t = *to = function_totals_new(from->n);
	if (!t)
		return -ENOMEM;
	record_add(&function_totals_record, t, from);
	for (i = 0; i < t->n; i++) {
		record_add(&function_total_record, &t->at[i], &from->at[i]);
		keep_longest(&t->at[i], from->at[i].max_ns, from->at[i].longest);
		hist_merge(&t->at[i].hist, &from->at[i].hist);
	}
	return 0;
}
