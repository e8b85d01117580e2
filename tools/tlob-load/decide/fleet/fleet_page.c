// SPDX-License-Identifier: GPL-2.0
/* A fleet as a page: differences, then hosts x quantiles as a heat map, with the worst windows. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/fleet.h"
#include "report/pieces.h"
#include "util/markup.h"
#include "util/units.h"

#define FULL_COLOUR	6.0		/* spreads */

static void put_headline(FILE *out, const void *f)
{
	fleet_headline(out, f);
}

static int verdict(FILE *out, const struct fleet *f)
{
	int err;

	fprintf(out, "<p class=\"verdict %s\">", f->nnamed ? "bad" : f->ndecided ? "good" : "unsure");
	err = put_as_text(out, put_headline, f);
	fprintf(out, "</p>\n<p>%zu host%s, %zu run%s</p>\n", f->nhosts, f->nhosts == 1 ? "" : "s",
		f->nruns, f->nruns == 1 ? "" : "s");
	return err;
}

static void differences(FILE *out, const struct fleet *f)
{
	size_t i, k;

	if (!f->ndifferences)
		return;
	fputs("<h2>Settings that differ</h2>\n<div class=\"wide\"><table>\n<tr><th class=\"l\">fact<th class=\"l\">on most hosts<th>hosts<th class=\"l\">on others\n", out);
	for (i = 0; i < f->ndifferences; i++) {
		const struct fleet_difference *d = &f->difference[i];

		markup(out, "<tr><td class=\"l\">%s<td class=\"l prose\">%s", d->fact, d->usual);
		fprintf(out, "<td>%zu<td class=\"l prose\">", d->nusual);
		for (k = 0; k < f->nhosts; k++) {
			const char *value = fleet_fact_of(&f->host[k], d->fact);

			if (f->host[k].group == d->group && strcmp(value, d->usual))
				markup(out, "%s: %s<br>", f->host[k].name, value);
		}
		fputc('\n', out);
	}
	fputs("</table></div>\n", out);
}

/* Red is slower than the group, blue faster. */
static void cell(FILE *out, const struct fleet *f, const struct fleet_host *h, unsigned int q)
{
	const struct fleet_value *v = &h->at[q];
	double strength = fmin(fabs(v->z) / FULL_COLOUR, 1) * 0.7, ns = exp(v->x);
	char buf[DURATION_LEN];

	if (isnan(v->x)) {
		fputs("<td class=\"dim\">–", out);
		return;
	}
	fputs("<td", out);
	if (!isnan(v->z))
		fprintf(out, " style=\"background:rgba(%s,%.2f)\"", v->z > 0 ? "210,60,40" : "50,110,210", strength);
	if (!isnan(v->z) && isfinite(fleet_ratio(f, h, q)))
		fprintf(out, " title=\"%.2f times the median of the group, %+.1f spreads\"", fleet_ratio(f, h, q), v->z);
	fprintf(out, ">%s", isfinite(ns) ? duration_format(buf, (uint64_t)ns) : "missed");
}

static void worst_cells(FILE *out, const struct fleet_host *h)
{
	const struct fleet_run *worst = fleet_worst_of(h);
	char buf[DURATION_LEN];

	fprintf(out, "<td>%s<td class=\"l prose\">", duration_format(buf, worst->worst_ns));
	if (worst->worst_cpu >= 0)
		fprintf(out, "CPU %d: ", worst->worst_cpu);
	markup(out, "%s", worst->cause ? worst->cause : "");
	fputs("<td class=\"l prose\">", out);
	fleet_apart(out, h);
	fputc('\n', out);
}

static void name_cell(FILE *out, const struct fleet_host *h)
{
	markup(out, h->named ? "<tr><td class=\"l bad\">%s" : "<tr><td class=\"l\">%s", h->name);
}

static void heat_map(FILE *out, const struct fleet *f, size_t group)
{
	unsigned int q;
	size_t i;

	fputs("<div class=\"wide\"><table>\n<tr><th class=\"l\">host", out);
	for (q = 0; q < FLEET_QUANTILES; q++)
		fprintf(out, "<th>%s", fleet_quantile_name(q));
	fputc('\n', out);
	for (i = 0; i < f->nhosts; i++) {
		if (f->host[i].group != group)
			continue;
		name_cell(out, &f->host[i]);
		for (q = 0; q < FLEET_QUANTILES; q++)
			cell(out, f, &f->host[i], q);
		fputc('\n', out);
	}
	fputs("</table></div>\n<p class=\"dim\">A colour says how far a host is from the median of its group: red is slower, blue faster.</p>\n", out);
}

static void worst_windows(FILE *out, const struct fleet *f, size_t group)
{
	size_t i;

	fputs("<h3>Worst windows</h3>\n<div class=\"wide\"><table>\n<tr><th class=\"l\">host<th>runs<th>worst<th class=\"l\">because<th class=\"l\">apart\n", out);
	for (i = 0; i < f->nhosts; i++) {
		if (f->host[i].group != group)
			continue;
		name_cell(out, &f->host[i]);
		fprintf(out, "<td>%zu", f->host[i].nruns);
		worst_cells(out, &f->host[i]);
	}
	fputs("</table></div>\n", out);
}

static int put_group(FILE *out, const struct fleet *f, size_t group)
{
	const struct fleet_group *g = &f->group[group];
	char **text, *conditions = result_conditions(&g->settings);

	if (!conditions)
		return -ENOMEM;
	markup(out, "<h2>%s <span class=\"dim\">%s</span></h2>\n", g->settings.work, g->settings.kernel);
	for (text = g->differs; text && *text; text++)
		markup(out, "<p>%s</p>\n", *text);
	markup(out, "<p class=\"dim\">%s</p>\n", conditions);
	free(conditions);
	for (text = g->lowered; text && *text; text++)
		markup(out, "<p class=\"unsure\">%s</p>\n", *text);
	if (*g->undecidable)
		markup(out, "<p class=\"unsure\">cannot tell: %s</p>\n", g->undecidable);
	else if (!g->decided)
		fprintf(out, "<p class=\"unsure\">cannot tell: fewer than %d hosts have enough windows</p>\n", FLEET_LEAST);
	heat_map(out, f, group);
	worst_windows(out, f, group);
	return 0;
}

int fleet_page(FILE *out, const struct fleet *f)
{
	size_t i;
	int err;

	html_begin(out, "tlob-load fleet");
	fputs("<h1>Fleet</h1>\n", out);
	err = verdict(out, f);
	differences(out, f);
	for (i = 0; i < f->ngroups && !err; i++)
		err = put_group(out, f, i);
	return html_end(out, err);
}
