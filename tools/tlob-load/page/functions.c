// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>

#include "page/functions.h"
#include "page/pieces.h"
#include "result/result.h"
#include "util/markup.h"
#include "util/printable.h"

static void name_cell(FILE *f, const char *name)
{
	char text[PRINTABLE_LEN(FUNCTION_NAME)];

	fputs("<td class=\"l\">", f);
	markup_text(f, *name ? printable(text, name, FUNCTION_NAME) : "–");
}

static void set_row(FILE *f, const struct function_set *set, const struct function_total *t)
{
	uint64_t p99 = 0;
	enum quantile known = hist_quantile_missed(&t->hist, 0, 990000, &p99);

	fputs("\n<tr><td class=\"l\">func.", f);
	markup_text(f, set->name);
	fputs("<td class=\"l\">", f);
	markup_text(f, set->words);
	fprintf(f, "<td>%" PRIu64 "<td>%" PRIu64, set->functions, t->calls);
	cell_time(f, t->hist.n, hist_mean(&t->hist));
	cell_resolved(f, known, p99);
	cell_time(f, t->hist.n, t->hist.max);
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
		fputs("<td class=\"l\">func.", f);
		markup_text(f, r->functions->at[i].name);
		fprintf(f, "<td>%" PRIu64, w->at[i].calls);
		cell_time(f, true, function_net_ns(&w->at[i]));
		cell_time(f, w->at[i].max_ns, w->at[i].max_ns);
		name_cell(f, w->at[i].longest);
	}
}

void page_functions(FILE *f, const struct result *r, size_t n)
{
	const struct function_totals *t = r->all.functions;
	size_t i;

	if (!r->functions || !t)
		return;
	fputs("<h2>Time in functions</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"l\">set<th class=\"l\">patterns<th>functions<th>calls<th>mean of a window<th>p99<th>max<th>longest call<th class=\"l\">of",
	      f);
	for (i = 0; i < r->functions->n && i < t->n; i++)
		set_row(f, &r->functions->at[i], &t->at[i]);
	fputs("\n</table></div>\n", f);
	if (r->nworst && n)
		fputs("<div class=\"wide\"><table>\n<tr><th>CPU<th>activation<th>response<th class=\"l\">set<th>calls<th>time<th>longest call<th class=\"l\">of",
		      f);
	for (i = 0; i < r->nworst && i < n; i++)
		window_rows(f, r, i);
	if (r->nworst && n)
		fputs("\n</table></div>\n", f);
	fputs("<p class=\"dim\">Without interrupts, nested calls and calls of other sets. Each call costs its probe, which is in these times.</p>\n",
	      f);
}
