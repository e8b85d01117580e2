// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "report/functions_render.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "result/attach_result.h"
#include "util/markup.h"
#include "util/printable.h"

static void name_cell(FILE *f, const char *name)
{
	char text[PRINTABLE_LEN(FUNCTION_NAME)];

	cell_text(f, *name ? printable(text, name, FUNCTION_NAME) : NULL);
}

static void set_row(FILE *f, const struct function_sets *sets, size_t at,
		    const struct function_total *t)
{
	const struct function_set *set = &sets->at[at];
	uint64_t probes = 0;

	if (t->hist.n)
		probes = (uint64_t)((double)t->calls * (double)sets->probe_ns / (double)t->hist.n);
	markup(f, "\n<tr><td class=\"l\">func.%s<td class=\"l\">%s<td>%" PRIu64 "<td>%" PRIu64,
	       set->name, set->words, set->functions, t->calls);
	cell_time(f, t->hist.n, hist_mean(&t->hist));
	cell_quantile_of(f, &t->hist, 0, 990000);
	cell_time(f, t->hist.n, t->hist.max);
	cell_time(f, t->hist.n && sets->probe_ns, probes);
	cell_time(f, t->max_ns, t->max_ns);
	name_cell(f, t->longest);
}

/* The worst windows of a run or of attach; what @name prints of one stands before its sets. */
struct worst {
	const void *r;
	const char *titles;
	const struct function_sets *sets;
	const struct window_functions *(*functions)(const void *r, size_t i);
	size_t n;
	void (*name)(FILE *f, const void *r, size_t i);
};

static void window_rows(FILE *f, const struct worst *of, size_t at)
{
	const struct window_functions *w = of->functions(of->r, at);
	size_t i;

	for (i = 0; w && !w->lost && i < w->n && i < of->sets->n; i++) {
		const struct function_time *t = &w->at[i];

		if (!t->calls)
			continue;
		of->name(f, of->r, at);
		markup(f, "<td class=\"l\">func.%s<td>%" PRIu64, of->sets->at[i].name, t->calls);
		cell_time(f, true, function_net_ns(t));
		cell_time(f, of->sets->probe_ns, t->calls * of->sets->probe_ns);
		cell_time(f, t->max_ns, t->max_ns);
		name_cell(f, t->longest);
	}
}

/* @n: the windows that are shown, at most. */
static void put_page(FILE *f, const struct function_totals *t, const struct worst *of, size_t n)
{
	const struct function_sets *sets = of->sets;
	size_t i;

	if (!sets || !t)
		return;
	fputs("<h2>Time in functions</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"l\">set<th class=\"l\">patterns<th>functions<th>calls<th>mean of a window<th>p99<th>max<th>probes add to the window<th>longest call<th class=\"l\">of",
	      f);
	for (i = 0; i < sets->n && i < t->n; i++)
		set_row(f, sets, i, &t->at[i]);
	fputs("\n</table></div>\n", f);
	if (of->n && n)
		fprintf(f, "<div class=\"wide\"><table>\n<tr>%s<th class=\"l\">set<th>calls<th>time<th>probes add to the window<th>longest call<th class=\"l\">of",
			of->titles);
	for (i = 0; i < of->n && i < n; i++)
		window_rows(f, of, i);
	if (of->n && n)
		fputs("\n</table></div>\n", f);
	fputs("<p class=\"dim\">Without interrupts, nested calls and calls of other sets. Each call costs its probe in the window. Only what the probe takes between its two readings of the clock is in these times, so the probes of short calls can add more to the window than the set has.", f);
	if (sets->probe_ns)
		fprintf(f, " The probe of a call was measured before the run: %" PRIu64 " ns.", sets->probe_ns);
	fputs("</p>\n", f);
}

static const struct window_functions *of_window(const void *data, size_t i)
{
	return ((const struct result *)data)->worst[i].kept.functions;
}

static void name_window(FILE *f, const void *data, size_t i)
{
	const struct tlob_window *w = &((const struct result *)data)->worst[i].w;

	fprintf(f, "\n<tr><td>%" PRIu32 "<td>%" PRIu64, (uint32_t)w->cpu, (uint64_t)w->activation);
	cell_time(f, true, w->response_ns);
}

void page_functions(FILE *f, const struct result *r, size_t n)
{
	const struct worst of = {
		.r = r, .titles = "<th>CPU<th>activation<th>response", .sets = r->functions,
		.functions = of_window, .n = r->nworst, .name = name_window,
	};

	put_page(f, r->all.functions, &of, n);
}

static const struct window_functions *of_task(const void *data, size_t i)
{
	return ((const struct attach_result *)data)->worst[i].kept.functions;
}

static void name_task(FILE *f, const void *data, size_t i)
{
	const struct tlob_task_window *w = &((const struct attach_result *)data)->worst[i].w;
	char task[TASK_TEXT];

	markup(f, "\n<tr><td>%s", task_text(task, w->comm, w->tid));
	cell_time(f, true, w->elapsed_ns);
}

void page_attach_functions(FILE *f, const struct attach_result *a, size_t n)
{
	const struct worst of = {
		.r = a, .titles = "<th>task<th>elapsed", .sets = a->functions,
		.functions = of_task, .n = a->nworst, .name = name_task,
	};

	put_page(f, a->function_totals, &of, n);
}
