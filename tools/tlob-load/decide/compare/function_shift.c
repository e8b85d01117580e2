// SPDX-License-Identifier: GPL-2.0
/* Time in functions on both sides of a comparison: medians, and how all outputs show them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "report/layout.h"
#include "result/stats.h"
#include "util/json_write.h"

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

/* The kind of probe of a run, which must have sets. A result may say null. */
static const char *mechanism_of(const struct campaign *c, size_t i)
{
	const char *mechanism = c->run[i].r.functions->mechanism;

	return mechanism ? mechanism : "unknown";
}

/* Why the times of a set are not of the same functions in all runs; NULL: they are. */
static const char *why_not(const struct campaign *c, const char *name)
{
	const struct function_set *first = set_of(c, 0, name), *set;
	size_t i;

	for (i = 0; i < c->nruns; i++) {
		set = set_of(c, i, name);
		if (!first || !set)
			return "not every run has it";
		if (strcmp(first->words, set->words))
			return "its patterns differ";
		if (first->functions != set->functions)
			return "the numbers of functions that match differ";
		if (strcmp(mechanism_of(c, 0), mechanism_of(c, i)))
			return "the kinds of probes differ";
	}
	return NULL;
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

#define VALUE_LEN	32

/* A value as it is shown: calls, or ns as us, with three digits; a shift has its sign. */
struct shown {
	char	a[VALUE_LEN], b[VALUE_LEN], by[VALUE_LEN];
};

static void show_value(char buf[VALUE_LEN], int value, double x, bool is_shift)
{
	double number = value == FUNCTION_CALLS ? x : x / 1000;

	if (!isfinite(x))
		snprintf(buf, VALUE_LEN, "-");
	else if (is_shift && fabs(number) < 0.0005)	/* neither +0.000 nor -0.000 */
		snprintf(buf, VALUE_LEN, "0");
	else
		snprintf(buf, VALUE_LEN, is_shift ? "%+.3f" : "%.3f", number);
}

static struct shown shown(const struct function_shift *s, int value)
{
	struct shown x = { .a = "" };

	show_value(x.a, value, s->a[value], false);
	show_value(x.b, value, s->b[value], false);
	show_value(x.by, value, s->by[value], true);
	return x;
}

/* Why a set is not comparable, and how many calls its numbers lack. "" if neither. */
static const char *note_of(char buf[COMPARE_LINE], const struct function_shift *s)
{
	size_t n = 0;

	*buf = 0;
	if (s->because)
		n = (size_t)snprintf(buf, COMPARE_LINE, FUNCTION_PREFIX "%s is not comparable: %s",
				     s->name, s->because);
	if (s->missed[0] || s->missed[1])
		snprintf(buf + n, COMPARE_LINE - n,
			 "%s" FUNCTION_PREFIX "%s: calls that the probes did not report: %" PRIu64 " in A, %" PRIu64 " in B",
			 n ? "; " : "", s->name, s->missed[0], s->missed[1]);
	return buf;
}

int compare_functions_text(FILE *f, const struct campaign *c)
{
	struct table t = { .align = "lrrrrrr", .gap = 2 };
	struct function_shifts s;
	char line[COMPARE_LINE];
	struct shown mean, p99;
	size_t k;
	int err = function_shifts_find(&s, c);

	if (err || !s.n)
		return err;
	fprintf(f, "\ntime in functions, us a window, medians over %zu pair%s; they decide nothing\n",
		s.pairs, s.pairs == 1 ? "" : "s");
	table_cell(&t, " \tA's mean\tB's mean\tB - A\tA's p99\tB's p99\tB - A");
	for (k = 0; k < s.n; k++) {
		mean = shown(&s.at[k], FUNCTION_MEAN);
		p99 = shown(&s.at[k], FUNCTION_P99);
		table_cell(&t, FUNCTION_PREFIX "%s\t%s\t%s\t%s\t%s\t%s\t%s", s.at[k].name, mean.a, mean.b, mean.by,
			   p99.a, p99.b, p99.by);
	}
	err = table_print(&t, f);
	for (k = 0; k < s.n && !err; k++)
		if (*note_of(line, &s.at[k]))
			fprintf(f, "%s\n", line);
	return err;
}

static void put_values_of(struct builder *b, struct json_object *to, const char *key,
			  const struct function_shift *s, enum function_value value)
{
	struct json_object *side = put_object(b, to, key);

	put_double(b, side, "a", s->a[value]);
	put_double(b, side, "b", s->b[value]);
	put_double(b, side, "shift", s->by[value]);
}

static void put_function_shift(struct builder *b, struct json_object *list,
			       const struct function_shift *s)
{
	struct json_object *o = put_object(b, list, NULL);

	put_text(b, o, "name", s->name);
	put_bool(b, o, "comparable", !s->because);
	put_text(b, o, "because", s->because);
	put_values_of(b, o, "calls", s, FUNCTION_CALLS);
	put_values_of(b, o, "mean_ns", s, FUNCTION_MEAN);
	put_values_of(b, o, "p99_ns", s, FUNCTION_P99);
	put_values_of(b, o, "max_ns", s, FUNCTION_MAX);
	put_u64(b, o, "missed_a", s->missed[0]);
	put_u64(b, o, "missed_b", s->missed[1]);
}

void put_function_shifts(struct builder *b, struct json_object *to, const struct campaign *c)
{
	struct function_shifts s;
	struct json_object *list;
	size_t k;

	if (function_shifts_find(&s, c)) {
		b->err = -ENOMEM;
		return;
	}
	if (!s.n) {
		put_null(b, to, "functions");
		return;
	}
	list = put_array(b, to, "functions");
	for (k = 0; k < s.n; k++)
		put_function_shift(b, list, &s.at[k]);
}

int compare_functions_list(FILE *f, enum table_form form, const struct campaign *c)
{
	struct table t = { .title = "time in functions, us a window", .align = "llrrr", .form = form };
	struct function_shifts s;
	char line[COMPARE_LINE];
	struct shown x;
	size_t k;
	int err = function_shifts_find(&s, c), v;

	if (err || !s.n)
		return err;
	table_cell(&t, "set\tvalue\tA\tB\tB - A");
	for (k = 0; k < s.n; k++)
		for (v = 0; v < NR_FUNCTION_VALUES; v++) {
			x = shown(&s.at[k], v);
			table_cell(&t, FUNCTION_PREFIX "%s\t%s\t%s\t%s\t%s", s.at[k].name,
				   function_value_names[v], x.a, x.b, x.by);
		}
	for (k = 0; k < s.n; k++)
		if (*note_of(line, &s.at[k]))
			table_note(&t, "%s", line);
	table_note(&t, "Medians over %zu pair%s, all CPUs together; of calls their number in a window. They decide nothing.",
		   s.pairs, s.pairs == 1 ? "" : "s");
	return table_print(&t, f);
}
