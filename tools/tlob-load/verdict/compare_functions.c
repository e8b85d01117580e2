// SPDX-License-Identifier: GPL-2.0
/* Time in functions in both sides of a comparison. It is shown, and decides nothing. */
#include <errno.h>
#include <stdlib.h>

#include "show/layout.h"
#include "verdict/compare_render.h"

enum { AVERAGE, P99, NR_VALUES };

/* ns of set @k of a run; false: too few windows. */
static bool value_of(const struct campaign_run *run, size_t k, int value, double *ns)
{
	const struct function_totals *t = run->r.all.functions;
	uint64_t p99;

	if (!t || k >= t->n || !t->at[k].hist.n)
		return false;
	if (value == AVERAGE) {
		*ns = (double)t->at[k].hist.sum / (double)t->at[k].hist.n;
		return true;
	}
	if (hist_quantile_missed(&t->at[k].hist, 0, 990000, &p99) != QUANTILE_KNOWN)
		return false;
	*ns = (double)p99;
	return true;
}

/* The medians over the pairs. @x has room for three values of each. */
static void cells(struct table *t, const struct campaign *c, size_t k, int value, double *x)
{
	double *b = x + c->n, *shift = b + c->n;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (!value_of(campaign_a(c, i), k, value, &x[i]) ||
		    !value_of(campaign_b(c, i), k, value, &b[i])) {
			table_cell(t, "-");
			table_cell(t, "-");
			table_cell(t, "-");
			return;
		}
		shift[i] = b[i] - x[i];
	}
	table_cell(t, "%.3f", stats_median(x, c->n) / 1000);
	table_cell(t, "%.3f", stats_median(b, c->n) / 1000);
	table_cell(t, "%+.3f", stats_median(shift, c->n) / 1000);
}

/* Sets with the names of A; they are the same in B unless the comparison was forced. */
int compare_functions(FILE *f, const struct campaign *c)
{
	const struct function_sets *sets = c->n ? campaign_a(c, 0)->r.functions : NULL;
	struct table t = { .align = "lrrrrrr", .gap = 2 };
	double *x;
	size_t k;
	int err;

	if (!sets)
		return 0;
	x = calloc(3 * c->n, sizeof(*x));
	if (!x)
		return -ENOMEM;
	fprintf(f, "\ntime in functions, us a window, medians over %zu pair%s; they decide nothing\n",
		c->n, c->n == 1 ? "" : "s");
	table_cell(&t, " ");
	table_cell(&t, "A's mean");
	table_cell(&t, "B's mean");
	table_cell(&t, "B - A");
	table_cell(&t, "A's p99");
	table_cell(&t, "B's p99");
	table_cell(&t, "B - A");
	for (k = 0; k < sets->n; k++) {
		table_cell(&t, FUNCTION_PREFIX "%s", sets->at[k].name);
		cells(&t, c, k, AVERAGE, x);
		cells(&t, c, k, P99, x);
	}
	err = table_print(&t, f);
	free(x);
	return err;
}
