// SPDX-License-Identifier: GPL-2.0
/* Time in functions in both sides of a comparison, as text, JSON and Markdown. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "compare/compare_render.h"
#include "report/layout.h"
#include "util/json_write.h"
#include "util/markup.h"

const char *function_value_text(char buf[FUNCTION_VALUE], int value, double x, bool is_shift)
{
	double shown = value == FUNCTION_CALLS ? x : x / 1000;

	if (!isfinite(x))
		snprintf(buf, FUNCTION_VALUE, "-");
	else if (is_shift && fabs(shown) < 0.0005)	/* neither +0.000 nor -0.000 */
		snprintf(buf, FUNCTION_VALUE, "0");
	else
		snprintf(buf, FUNCTION_VALUE, is_shift ? "%+.3f" : "%.3f", shown);
	return buf;
}

/* A, B and their difference, of two values. */
static int text_table(FILE *f, const struct function_shifts *s, int first, int second)
{
	struct table t = { .align = "lrrrrrr", .gap = 2 };
	const int value[2] = { first, second };
	char a[FUNCTION_VALUE], b[FUNCTION_VALUE], by[FUNCTION_VALUE];
	size_t k, i;

	table_cell(&t, " ");
	for (i = 0; i < 2; i++)
		table_cell(&t, "A's %s\tB's %s\tB - A", function_value_names[value[i]],
			   function_value_names[value[i]]);
	for (k = 0; k < s->n; k++) {
		const struct function_shift *at = &s->at[k];

		table_cell(&t, FUNCTION_PREFIX "%s", at->name);
		for (i = 0; i < 2; i++)
			table_cell(&t, "%s\t%s\t%s",
				   function_value_text(a, value[i], at->a[value[i]], false),
				   function_value_text(b, value[i], at->b[value[i]], false),
				   function_value_text(by, value[i], at->by[value[i]], true));
	}
	return table_print(&t, f);
}

int compare_functions_text(FILE *f, const struct campaign *c, bool whole)
{
	char line[COMPARE_LINE];
	struct function_shifts s;
	size_t k;
	int err = function_shifts_find(&s, c);

	if (err || !s.n)
		return err;
	fprintf(f, "\ntime in functions, us a window, medians over %zu pair%s; they decide nothing\n",
		s.pairs, s.pairs == 1 ? "" : "s");
	err = text_table(f, &s, FUNCTION_MEAN, FUNCTION_P99);
	if (!err && whole) {
		fputs("\nthe worst window, us, and calls a window\n", f);
		err = text_table(f, &s, FUNCTION_MAX, FUNCTION_CALLS);
	}
	for (k = 0; k < s.n && !err; k++)
		if (*function_shift_note(line, &s.at[k]))
			fprintf(f, "%s\n", line);
	return err;
}

const char *function_shift_note(char buf[COMPARE_LINE], const struct function_shift *s)
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

int compare_functions_markdown(FILE *f, const struct campaign *c)
{
	char a[FUNCTION_VALUE], b[FUNCTION_VALUE], by[FUNCTION_VALUE], line[COMPARE_LINE];
	struct function_shifts s;
	size_t k;
	int err = function_shifts_find(&s, c), v;

	if (err || !s.n)
		return err;
	fputs("\n| Time in functions, us a window | | A | B | B - A |\n|---|---|---:|---:|---:|\n", f);
	for (k = 0; k < s.n; k++)
		for (v = 0; v < NR_FUNCTION_VALUES; v++) {
			markdown(f, "| " FUNCTION_PREFIX "%s | %s | %s | %s | %s |\n",
				 s.at[k].name, function_value_names[v],
				 function_value_text(a, v, s.at[k].a[v], false),
				 function_value_text(b, v, s.at[k].b[v], false),
				 function_value_text(by, v, s.at[k].by[v], true));
		}
	fputs("\nTimes in functions decide nothing.\n", f);
	for (k = 0; k < s.n; k++)
		if (*function_shift_note(line, &s.at[k]))
			markdown(f, "\n> %s\n", line);
	return 0;
}
