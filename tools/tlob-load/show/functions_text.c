// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "result/parts.h"
#include "show/functions.h"
#include "show/layout.h"
#include "show/render_parts.h"
#include "util/printable.h"
#include "util/units.h"

#define CPUS_IN_FULL	8
#define NAME_CUT	24	/* of a function, where lines have 80 columns */

uint64_t functions_cost_ns(const struct function_sets *sets, uint64_t calls)
{
	return calls * function_probe_instructions(sets->mechanism);
}

uint64_t window_calls(const struct window_functions *t)
{
	uint64_t calls = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		calls += t->at[i].calls;
	return calls;
}

const char *top_function(char buf[TOP_FUNCTION], const struct function_sets *sets,
			 const struct window_functions *t)
{
	char us[DURATION_LEN];
	uint64_t ns, most = 0;
	size_t i;

	snprintf(buf, TOP_FUNCTION, "-");
	for (i = 0; t && !t->lost && i < t->n && i < sets->n; i++) {
		ns = function_net_ns(&t->at[i]);
		if (ns <= most)
			continue;
		most = ns;
		snprintf(buf, TOP_FUNCTION, "%s %s", sets->at[i].name, duration_us(us, ns));
	}
	return buf;
}

static void function_cell(struct table *t, const char *name, bool cut)
{
	char text[PRINTABLE_LEN(FUNCTION_NAME)];

	printable(text, name, FUNCTION_NAME);
	table_cell(t, "%.*s", cut ? NAME_CUT : (int)strlen(text), *text ? text : "-");
}

static void row(struct table *t, const struct function_set *set, const struct function_total *s,
		bool cut)
{
	table_cell(t, "%s", set->name);
	if (s->hist.n)
		table_cell(t, "%.1f", (double)s->calls / (double)s->hist.n);
	else
		table_cell(t, "-");
	cell_us(t, s->hist.n, hist_mean(&s->hist));
	cell_quantile(t, &s->hist, 0, 990000);
	cell_us(t, s->hist.n, s->hist.max);
	cell_us(t, s->max_ns, s->max_ns);
	function_cell(t, s->longest, cut);
}

static void rows(struct table *t, const struct result *r, const struct result_cpu *c, bool cpus,
		 bool cut)
{
	size_t i;

	for (i = 0; c->functions && i < r->functions->n && i < c->functions->n; i++) {
		if (cpus && !i)
			cell_cpu(t, c);
		else if (cpus)
			table_cell(t, "%s", "");
		row(t, &r->functions->at[i], &c->functions->at[i], cut);
	}
}

/* What is added to the mean window and to the worst one. */
static void render_cost(FILE *f, const struct result *r, unsigned int width)
{
	const struct function_totals *t = r->all.functions;
	uint64_t calls = 0, windows = t->n ? t->at[0].hist.n : 0;
	uint64_t each = function_probe_instructions(r->functions->mechanism);
	struct line l = { .f = f, .indent = 8, .width = width };
	char us[DURATION_LEN];
	size_t i;

	for (i = 0; i < t->n; i++)
		calls += t->at[i].calls;
	if (!each || !windows)
		return;
	l.col = (unsigned int)fprintf(f, "probes  ");
	line_put(&l, "", "%s, %" PRIu64 " instructions a call:", r->functions->mechanism, each);
	line_put(&l, " ", "adds about %sus to a window",
		 duration_us(us, (uint64_t)((double)calls * (double)each / (double)windows)));
	if (r->nworst && r->worst_functions[0] && !r->worst_functions[0]->lost)
		line_put(&l, ", ", "%sus to the worst one",
			 duration_us(us, functions_cost_ns(r->functions,
							   window_calls(r->worst_functions[0]))));
	if (!r->deterministic)
		line_put(&l, " ", "(at 1 ns an instruction; fast CPUs need less)");
	line_end(&l);
}

int render_functions(FILE *f, const struct result *r, unsigned int width, bool each)
{
	struct table t = { .align = "rlrrrrrl", .gap = 2 };
	bool cpus = each && r->ncpus > 1 && r->ncpus <= CPUS_IN_FULL, cut = width < LAYOUT_WIDTH;
	size_t i;
	int err;

	if (!r->functions || !r->all.functions)
		return 0;
	fputs("time in functions, us a window, and the longest call\n", f);
	if (cpus)
		table_cell(&t, "cpu");
	else
		t.align++;
	table_cell(&t, "func.");
	table_cell(&t, "calls");
	table_cell(&t, "avg");
	table_cell(&t, "p99");
	table_cell(&t, "max");
	table_cell(&t, "call");
	table_cell(&t, "function");
	for (i = 0; cpus && i < r->ncpus; i++)
		rows(&t, r, &r->cpu[i], cpus, cut);
	rows(&t, r, &r->all, cpus, cut);
	err = table_print(&t, f);
	if (!err)
		render_cost(f, r, width);
	return err ? err : ferror(f) ? -EIO : 0;
}

/* "wake.sched 12.000, work.on_cpu 7.000" */
static void put_parts(struct line *l, const struct function_time *t)
{
	const char *sep = " in ";
	char us[DURATION_LEN];
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (t->part_ns[i]) {
			line_put(l, sep, "%s %sus", part_name(i), duration_us(us, t->part_ns[i]));
			sep = ", ";
		}
}

int render_window_functions(FILE *f, const struct function_sets *sets,
			    const struct window_functions *t)
{
	struct line l = { .f = f, .indent = 4 };
	char us[DURATION_LEN], name[PRINTABLE_LEN(FUNCTION_NAME)];
	size_t i;

	if (!sets || !t)
		return 0;
	if (t->lost)
		fputs("  functions: the record of this window was lost\n", f);
	for (i = 0; !t->lost && i < sets->n && i < t->n; i++) {
		const struct function_time *s = &t->at[i];

		if (!s->calls)
			continue;
		l.col = (unsigned int)fprintf(f, "  func.%s", sets->at[i].name);
		line_put(&l, "  ", "%sus, %" PRIu64 " call%s", duration_us(us, function_net_ns(s)),
			 s->calls, s->calls == 1 ? "" : "s");
		put_parts(&l, s);
		if (s->max_ns)
			line_put(&l, "; ", "the longest %sus in %s", duration_us(us, s->max_ns),
				 printable(name, s->longest, FUNCTION_NAME));
		if (s->unreturned)
			line_put(&l, "; ", "%" PRIu64 " not returned at its end", s->unreturned);
		line_end(&l);
	}
	if (!t->lost && t->missed)
		fprintf(f, "  calls that were not measured: %" PRIu64 "\n", t->missed);
	return ferror(f) ? -EIO : 0;
}

void render_functions_warnings(FILE *f, const struct result *r)
{
	const struct function_totals *t = r->all.functions;
	size_t i;

	for (i = 0; r->functions && i < r->functions->n; i++) {
		const struct function_set *s = &r->functions->at[i];

		if (s->missed)
			fprintf(f, "warning: func.%s: calls on all CPUs that the probes did not report: %" PRIu64 "; times lack those that lay in windows\n",
				s->name, s->missed);
		if (s->unreturned)
			fprintf(f, "warning: func.%s: calls that were never seen to return: %" PRIu64 "\n",
				s->name, s->unreturned);
	}
	if (r->functions && t && t->lost)
		fprintf(f, "warning: windows without times in functions, whose record was lost: %" PRIu64 "\n",
			t->lost);
}
