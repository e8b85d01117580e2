// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "page/functions.h"
#include "page/pieces.h"
#include "result/attach_result.h"
#include "util/markup.h"
#include "util/printable.h"

static void name_cell(FILE *f, const char *name)
{
	char text[PRINTABLE_LEN(FUNCTION_NAME)];

	fputs("<td class=\"l\">", f);
	markup_text(f, *name ? printable(text, name, FUNCTION_NAME) : "–");
}

static void set_row(FILE *f, const struct function_sets *sets, size_t at,
		    const struct function_total *t)
{
	const struct function_set *set = &sets->at[at];
	uint64_t p99 = 0, probes = 0;
	enum quantile known = hist_quantile_missed(&t->hist, 0, 990000, &p99);

	if (t->hist.n)
		probes = (uint64_t)((double)t->calls * (double)sets->probe_ns / (double)t->hist.n);
	fputs("\n<tr><td class=\"l\">func.", f);
	markup_text(f, set->name);
	fputs("<td class=\"l\">", f);
	markup_text(f, set->words);
	fprintf(f, "<td>%" PRIu64 "<td>%" PRIu64, set->functions, t->calls);
	cell_time(f, t->hist.n, hist_mean(&t->hist));
	cell_resolved(f, known, p99);
	cell_time(f, t->hist.n, t->hist.max);
	cell_time(f, t->hist.n && sets->probe_ns, probes);
	cell_time(f, t->max_ns, t->max_ns);
	name_cell(f, t->longest);
}

static void set_table(FILE *f, const struct function_sets *sets, const struct function_totals *t)
{
	size_t i;

	fputs("<h2>Time in functions</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"l\">set<th class=\"l\">patterns<th>functions<th>calls<th>mean of a window<th>p99<th>max<th>probes add to the window<th>longest call<th class=\"l\">of",
	      f);
	for (i = 0; i < sets->n && i < t->n; i++)
		set_row(f, sets, i, &t->at[i]);
	fputs("\n</table></div>\n", f);
}

#define WINDOW_TITLES	"<th class=\"l\">set<th>calls<th>time<th>probes add to the window<th>longest call<th class=\"l\">of"

/* The cells of one set in a window. */
static void window_cells(FILE *f, const struct function_sets *sets, size_t at,
			 const struct function_time *t)
{
	fputs("<td class=\"l\">func.", f);
	markup_text(f, sets->at[at].name);
	fprintf(f, "<td>%" PRIu64, t->calls);
	cell_time(f, true, function_net_ns(t));
	cell_time(f, sets->probe_ns, t->calls * sets->probe_ns);
	cell_time(f, t->max_ns, t->max_ns);
	name_cell(f, t->longest);
}

static void window_rows(FILE *f, const struct result *r, size_t at)
{
	const struct window_functions *w = r->worst_functions[at];
	size_t i;

	for (i = 0; w && !w->lost && i < w->n && i < r->functions->n; i++) {
		if (!w->at[i].calls)
			continue;
		fprintf(f, "\n<tr><td>%" PRIu32 "<td>%" PRIu64, (uint32_t)r->worst[at].cpu,
			(uint64_t)r->worst[at].activation);
		cell_time(f, true, r->worst[at].response_ns);
		window_cells(f, r->functions, i, &w->at[i]);
	}
}

static void explained(FILE *f, const struct function_sets *sets)
{
	fputs("<p class=\"dim\">Without interrupts, nested calls and calls of other sets. Each call costs its probe in the window. Only what the probe takes between its two readings of the clock is in these times, so the probes of short calls can add more to the window than the set has.", f);
	if (sets->probe_ns)
		fprintf(f, " The probe of a call was measured before the run: %" PRIu64 " ns.", sets->probe_ns);
	fputs("</p>\n", f);
}

void page_functions(FILE *f, const struct result *r, size_t n)
{
	size_t i;

	if (!r->functions || !r->all.functions)
		return;
	set_table(f, r->functions, r->all.functions);
	if (r->nworst && n)
		fputs("<div class=\"wide\"><table>\n<tr><th>CPU<th>activation<th>response" WINDOW_TITLES, f);
	for (i = 0; i < r->nworst && i < n; i++)
		window_rows(f, r, i);
	if (r->nworst && n)
		fputs("\n</table></div>\n", f);
	explained(f, r->functions);
}

static void task_rows(FILE *f, const struct attach_result *a, size_t at)
{
	const struct window_functions *w = a->worst_functions[at];
	char name[PRINTABLE_NAME];
	size_t i;

	for (i = 0; w && !w->lost && i < w->n && i < a->functions->n; i++) {
		if (!w->at[i].calls)
			continue;
		fputs("\n<tr><td>", f);
		markup_text(f, printable(name, a->worst[at].comm, TLOB_NAME_LEN));
		fprintf(f, "/%" PRIu32, a->worst[at].tid);
		cell_time(f, true, a->worst[at].elapsed_ns);
		window_cells(f, a->functions, i, &w->at[i]);
	}
}

void page_attach_functions(FILE *f, const struct attach_result *a, size_t n)
{
	size_t i;

	if (!a->functions || !a->function_totals)
		return;
	set_table(f, a->functions, a->function_totals);
	if (a->nworst && n)
		fputs("<div class=\"wide\"><table>\n<tr><th>task<th>elapsed" WINDOW_TITLES, f);
	for (i = 0; i < a->nworst && i < n; i++)
		task_rows(f, a, i);
	if (a->nworst && n)
		fputs("\n</table></div>\n", f);
	explained(f, a->functions);
}
