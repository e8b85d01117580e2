// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "report/functions_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

#define CPUS_IN_FULL	8
#define SETS_TITLE "time in functions and what probes add, us a window, and the longest call"
#define TABLE_ALIGN	"rlrrrrrrl"
#define NAME_CUT	24	/* of a function, where lines have 80 columns */

static uint64_t window_calls(const struct window_functions *t)
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

static void row(struct table *t, const struct function_sets *sets, size_t at,
		const struct function_total *s, bool cut)
{
	double calls = s->hist.n ? (double)s->calls / (double)s->hist.n : 0;

	if (s->hist.n)
		table_cell(t, "%s\t%.1f", sets->at[at].name, calls);
	else
		table_cell(t, "%s\t-", sets->at[at].name);
	cell_us(t, s->hist.n, hist_mean(&s->hist));
	cell_quantile(t, &s->hist, 0, 990000);
	cell_us(t, s->hist.n, s->hist.max);
	cell_us(t, s->hist.n && sets->probe_ns, (uint64_t)(calls * (double)sets->probe_ns));
	cell_us(t, s->max_ns, s->max_ns);
	function_cell(t, s->longest, cut);
}

static void rows(struct table *t, const struct function_sets *sets,
		 const struct function_totals *totals, const struct result_cpu *cpu, bool cut)
{
	size_t i;

	for (i = 0; totals && i < sets->n && i < totals->n; i++) {
		if (cpu && !i)
			cell_cpu(t, cpu);
		else if (cpu)
			table_cell(t, "%s", "");
		row(t, sets, i, &totals->at[i], cut);
	}
}

/* Prints what the probes add to the mean window and to the worst one. */
static void render_cost(FILE *f, const struct result *r, unsigned int width)
{
	const struct window_functions *worst = r->nworst ? r->worst[0].kept.functions : NULL;
	const struct function_totals *all = r->all.functions;
	const struct function_sets *sets = r->functions;
	struct line l = { .f = f, .indent = 8, .width = width };
	uint64_t calls = 0, windows = all->n ? all->at[0].hist.n : 0;
	char us[DURATION_LEN], probe[DURATION_LEN];
	size_t i;

	for (i = 0; i < all->n; i++)
		calls += all->at[i].calls;
	if (!sets->probe_ns || !windows)
		return;
	duration_us(probe, sets->probe_ns);
	l.col = (unsigned int)fprintf(f, "probes  ");
	line_foreign(&l, "", "", sets->mechanism);
	line_put(&l, ", ", "measured at %sus a call:", probe);
	line_put(&l, " ", "%.1f calls add about %sus to a window",
		 (double)calls / (double)windows,
		 duration_us(us, (uint64_t)((double)calls * (double)sets->probe_ns / (double)windows)));
	if (worst && !worst->lost)
		line_put(&l, ", ", "%" PRIu64 " calls about %sus to the worst one",
			 window_calls(worst),
			 duration_us(us, window_calls(worst) * sets->probe_ns));
	line_end(&l);
}

/* Function names are cut off after NAME_CUT bytes if @cut. @cpus: also a row for each CPU. */
static int sets_table(FILE *f, enum table_form form, const struct result *r, bool cut, bool cpus)
{
	struct table t = {
		.title = form ? SETS_TITLE : NULL, .align = cpus ? TABLE_ALIGN : &TABLE_ALIGN[1],
		.gap = 2, .form = form,
	};
	size_t i;

	if (!form)
		fputs(SETS_TITLE "\n", f);
	table_cell(&t, "%sfunc.\tcalls\tavg\tp99\tmax\tprobes\tcall\tfunction", cpus ? "cpu\t" : "");
	for (i = 0; cpus && i < r->ncpus; i++)
		rows(&t, r->functions, r->cpu[i].functions, &r->cpu[i], cut);
	rows(&t, r->functions, r->all.functions, cpus ? &r->all : NULL, cut);
	return table_print(&t, f);
}

int render_functions(FILE *f, const struct result *r, unsigned int width, bool each)
{
	int err;

	if (!r->functions || !r->all.functions)
		return 0;
	err = sets_table(f, TABLE_TEXT, r, width < LAYOUT_WIDTH,
			 each && r->ncpus > 1 && r->ncpus <= CPUS_IN_FULL);
	if (!err)
		render_cost(f, r, width);
	return err ? err : ferror(f) ? -EIO : 0;
}

int markdown_functions(FILE *f, const struct result *r)
{
	char us[DURATION_LEN];
	int err;

	if (!r->functions || !r->all.functions)
		return 0;
	err = sets_table(f, TABLE_MARKDOWN, r, false, false);
	if (!err && r->functions->probe_ns)
		markdown(f, "\nThe probes of a call were measured: %sus (%s), part of it outside of these times.\n",
			 duration_us(us, r->functions->probe_ns), r->functions->mechanism);
	return err;
}

int page_functions(FILE *f, const struct result *r)
{
	if (!r->functions || !r->all.functions)
		return 0;
	return sets_table(f, TABLE_PAGE, r, false, false);
}

/* "wake.sched 12.000, work.on_cpu 7.000" */
static void put_parts(struct line *l, const struct function_time *t)
{
	const char *sep = " in ";
	char us[DURATION_LEN];
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (t->part_ns[i]) {
			line_put(l, sep, "%s %sus", part_name(i),
				 duration_us(us, t->part_ns[i]));
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
		fputs(sets->of_tasks ? "  functions: not known: the window had not ended, or had no room\n" :
				       "  functions: the record of this window was lost\n", f);
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
		if (sets->probe_ns)
			line_put(&l, "; ", "probes add about %sus to the window",
				 duration_us(us, s->calls * sets->probe_ns));
		if (s->unreturned)
			line_put(&l, "; ", "%" PRIu64 " not returned at its end", s->unreturned);
		line_end(&l);
	}
	if (!t->lost && t->missed)
		fprintf(f, "  calls that were not measured: %" PRIu64 "\n", t->missed);
	return ferror(f) ? -EIO : 0;
}

void render_functions_warnings(FILE *f, const struct function_sets *sets,
			       const struct function_totals *t)
{
	size_t i;

	for (i = 0; sets && i < sets->n; i++) {
		const struct function_set *s = &sets->at[i];

		if (s->missed)
			fprintf(f, "warning: func.%s: calls on all CPUs that the probes did not report: %" PRIu64 "; times lack those that lay in windows\n",
				s->name, s->missed);
		if (s->unreturned)
			fprintf(f, "warning: func.%s: calls that were never seen to return: %" PRIu64 "\n",
				s->name, s->unreturned);
	}
	if (sets && t && t->lost)
		fprintf(f, "warning: windows without times in functions, %s: %" PRIu64 "\n",
			sets->of_tasks ? "because more than 64 were open" : "whose record was lost",
			t->lost);
}
