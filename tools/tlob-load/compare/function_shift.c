// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "compare/function_shift.h"
#include "result/stats.h"

const char * const function_value_names[NR_FUNCTION_VALUES] = {
	[FUNCTION_CALLS] = "calls", [FUNCTION_MEAN] = "mean", [FUNCTION_P99] = "p99",
	[FUNCTION_MAX] = "max",
};

void function_values_take(struct function_values *v, const struct result *r)
{
	const struct function_totals *t = r->all.functions;
	uint64_t p99;
	size_t k;
	int i;

	for (k = 0; k < FUNCTION_SETS; k++) {
		for (i = 0; i < NR_FUNCTION_VALUES; i++)
			v->at[k][i] = NAN;
		if (!t || k >= t->n || !t->at[k].hist.n)
			continue;
		v->at[k][FUNCTION_CALLS] = (double)t->at[k].calls / (double)t->at[k].hist.n;
		v->at[k][FUNCTION_MEAN] = (double)t->at[k].hist.sum / (double)t->at[k].hist.n;
		v->at[k][FUNCTION_MAX] = (double)t->at[k].hist.max;
		if (hist_quantile_missed(&t->at[k].hist, 0, 990000, &p99) == QUANTILE_KNOWN)
			v->at[k][FUNCTION_P99] = (double)p99;
	}
}

/* The set of run @i, or NULL. */
static const struct function_set *set_of(const struct campaign *c, size_t i, const char *name)
{
	const struct function_sets *sets = c->run[i].r.functions;
	int k = function_set_find(sets, name);

	return k < 0 ? NULL : &sets->at[k];
}

/* Of a run with sets. A result may say null. */
static const char *mechanism_of(const struct campaign *c, size_t i)
{
	const char *mechanism = c->run[i].r.functions->mechanism;

	return mechanism ? mechanism : "unknown";
}

/* Why the functions of two runs differ, or NULL. @other: the runs are of both sides. */
static const char *why_other(const struct campaign *c, size_t first, size_t i, const char *name,
			     bool other)
{
	const struct function_set *a = set_of(c, first, name), *b = set_of(c, i, name);

	if (!a && !b)
		return NULL;
	if (!a)
		return other ? "only B has it" : "not every run of a side has it";
	if (!b)
		return other ? "only A has it" : "not every run of a side has it";
	if (strcmp(a->words, b->words))
		return other ? "its patterns differ in A and B" :
			       "its patterns differ in the runs of a side";
	if (a->functions != b->functions)
		return other ? "A and B do not have the same number of functions that match" :
			       "the runs of a side do not have the same number of functions that match";
	if (strcmp(mechanism_of(c, first), mechanism_of(c, i)))
		return other ? "A and B have other kinds of probes" :
			       "the runs of a side have other kinds of probes";
	return NULL;
}

static const char *why_not(const struct campaign *c, const char *name)
{
	const char *why = why_other(c, 0, c->n, name, true);
	size_t i;

	for (i = 1; i < c->n && !why; i++) {
		why = why_other(c, 0, i, name, false);
		if (!why)
			why = why_other(c, c->n, c->n + i, name, false);
	}
	return why;
}

/* The value of each run of a side. False: a run lacks it. */
static bool values_of(double *x, const struct campaign *c, size_t from, const char *name, int value)
{
	size_t i;
	int k;

	for (i = 0; i < c->n; i++) {
		k = function_set_find(c->run[from + i].r.functions, name);
		x[i] = k < 0 ? NAN : c->run[from + i].function.at[k][value];
		if (isnan(x[i]))
			return false;
	}
	return true;
}

/* @x has room for three values of each pair. */
static void find_values(struct function_shift *s, const struct campaign *c, double *x)
{
	double *b = x + c->n, *shift = b + c->n;
	bool in_a, in_b;
	size_t i;
	int v;

	for (v = 0; v < NR_FUNCTION_VALUES; v++) {
		in_a = values_of(x, c, 0, s->name, v);
		in_b = values_of(b, c, c->n, s->name, v);
		/* before the medians, which sort */
		for (i = 0; in_a && in_b && i < c->n; i++)
			shift[i] = b[i] - x[i];
		s->by[v] = in_a && in_b && !s->because ? stats_median(shift, c->n) : NAN;
		s->a[v] = in_a ? stats_median(x, c->n) : NAN;
		s->b[v] = in_b ? stats_median(b, c->n) : NAN;
	}
}

static uint64_t missed_of(const struct campaign *c, size_t from, const char *name)
{
	const struct function_set *set;
	uint64_t missed = 0;
	size_t i;

	for (i = from; i < from + c->n; i++) {
		set = set_of(c, i, name);
		if (set)
			missed += set->missed;
	}
	return missed;
}

static void add_sets(struct function_shifts *s, const struct campaign *c, size_t run, double *x)
{
	const struct function_sets *sets = c->run[run].r.functions;
	struct function_shift *at;
	size_t k;

	for (k = 0; sets && k < sets->n; k++) {
		if (run && set_of(c, 0, sets->at[k].name))
			continue;
		at = &s->at[s->n++];
		at->name = sets->at[k].name;
		at->because = why_not(c, at->name);
		at->missed[0] = missed_of(c, 0, at->name);
		at->missed[1] = missed_of(c, c->n, at->name);
		find_values(at, c, x);
	}
}

int function_shifts_find(struct function_shifts *s, const struct campaign *c)
{
	double *x;

	*s = (struct function_shifts){ .pairs = c->n };
	if (!c->n)
		return 0;
	x = calloc(3 * c->n, sizeof(*x));
	if (!x)
		return -ENOMEM;
	add_sets(s, c, 0, x);
	add_sets(s, c, c->n, x);
	free(x);
	return 0;
}
