// SPDX-License-Identifier: GPL-2.0
/* The page of a search: the bound of the miss rate over the work or the period. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/pieces.h"
#include "report/plot.h"
#include "result/result.h"
#include "util/markup.h"
#include "util/units.h"
#include "validate/search_render.h"

/* A run and where it stands on the x axis: CPU time of the work, or the period. */
struct place {
	double	 at;
	const struct search_run *run;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void ticks_share(struct plot *p, double least)
{
	char label[16];
	int i;

	for (i = 0; pow(10, -i) >= least; i++) {
		snprintf(label, sizeof(label), "%g", pow(10, -i));
		plot_tick_y(p, pow(10, -i), label);
	}
}

/* Probes are too short to stand beside the others. */
static void curve(FILE *f, const struct search *s)
{
	struct place place[SEARCH_RUNS];
	double from = INFINITY, to = 0, least = s->miss / 10;
	struct axis x = { 0 }, y = { 0 };
	char title[160], value[SEARCH_VALUE], share[SHARE_LEN];
	struct plot p;
	size_t n = 0, i;

	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];

		if (r->probe)
			continue;
		place[n] = (struct place){ .at = (double)(s->period ? r->x : r->work_ns), .run = r };
		from = fmin(from, place[n].at);
		to = fmax(to, place[n].at);
		n++;
	}
	if (!n)
		return;
	qsort(place, n, sizeof(place[0]), by_place);
	x = axis_of_times((uint64_t)(from * 0.8), (uint64_t)(to * 1.25));
	y = (struct axis){ .from = least, .to = 1, .log = true };
	fputs("<h2>The bound of the miss rate</h2>\n", f);
	plot_begin(&p, f, "search", &x, &y, PLOT_HEIGHT);
	plot_ticks_time(&p, true);
	ticks_share(&p, least);
	plot_line(&p, "response", "bound");
	for (i = 0; i < n; i++)
		plot_point(&p, place[i].at, fmax(place[i].run->upper, least));
	plot_line_end(&p);
	for (i = 0; i < n; i++) {
		const struct search_run *r = place[i].run;

		snprintf(title, sizeof(title), "%s: %" PRIu64 " of %" PRIu64 ", less than %s",
			 search_value(value, s, r->x), r->over, r->of, share_prose(share, r->upper));
		plot_dot(&p, place[i].at, fmax(r->upper, least), 4, "response", title);
	}
	plot_mark_y(&p, s->miss, "allowed");
	plot_end(&p);
	fprintf(f, "<p class=\"dim\">%s to the right, the upper bound of the share of expiries over the budget or missed, with 95 %% confidence, upwards. A dot is a run.</p>\n",
		s->period ? "The period" : "CPU time of the work");
}

static void rows(FILE *f, const struct search *s)
{
	char value[SEARCH_VALUE], text[DURATION_LEN], share[SHARE_LEN];
	unsigned int i;

	fprintf(f, "<h2>Runs</h2>\n<div class=\"wide\"><table>\n<tr><th>run<th class=\"l\">%s<th>expiries<th>over or missed<th>less than<th>response, us<th>work, us<th class=\"l\">kept\n",
		s->period ? "period" : "work");
	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];

		fprintf(f, "<tr><td>%u<td class=\"l\">%s<td>%" PRIu64 "<td>%" PRIu64 "<td>%s", i + 1,
			search_value(value, s, r->x), r->of, r->over, share_prose(share, r->upper));
		fprintf(f, "<td>%s", r->late_ns ? duration_us(text, r->late_ns) : "missed");
		fprintf(f, "<td>%s<td class=\"l\">%s\n", duration_us(text, r->work_ns),
			r->probe ? "probe" : r->kept ? "yes" : "no");
	}
	fputs("</table></div>\n", f);
	if (s->clock_ns > 1)
		fprintf(f, "<p>" RESULT_CLOCK_STEPS "</p>\n", s->clock_ns);
}

int page_search(FILE *f, const struct search *s)
{
	char *text = search_sentence(s);

	if (!text)
		return -ENOMEM;
	html_begin(f, "search");
	markup(f, "<h1>%s that keeps the budget</h1>\n<p class=\"verdict %s\">%s</p>\n",
	       s->period ? "The shortest period" : "The largest work", s->good ? "good" : "bad", text);
	free(text);
	curve(f, s);
	rows(f, s);
	return html_end(f, 0);

}
