// SPDX-License-Identifier: GPL-2.0
/* A comparison as text for a terminal. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/compare_render.h"
#include "show/layout.h"
#include "show/render_parts.h"

static void render_kernels(FILE *f, const struct campaign *c)
{
	const char *a = campaign_a(c, 0)->r.kernel;
	const char *b = campaign_b(c, 0)->r.kernel;

	render_note(f, "A", a);
	render_note(f, "B", strcmp(a, b) ? b : "the same kernel");
}

static void cell_signed_us(struct table *t, bool known, double ns)
{
	if (!known)
		table_cell(t, "-");
	else if (fabs(ns) < 0.5)	/* neither +0.000 nor -0.000 */
		table_cell(t, "0");
	else
		table_cell(t, "%+.3f", ns / 1000);
}

/* False for a part that is 0 on both sides. */
static bool moves(const struct campaign *c, unsigned int metric)
{
	double a, shift;
	unsigned int at;

	for (at = 0; at < NR_AT; at++)
		if (campaign_shift(c, metric, at, &a, &shift) && (a || shift))
			return true;
	return false;
}

static int render_shifts(FILE *f, const struct campaign *c)
{
	struct table t = { .align = "lrrrrrr", .gap = 2 };
	unsigned int m, at;
	bool known;
	double a, shift;

	fputs("\nwhere it moved: B - A in us, all CPUs together, medians over the pairs\n",
	      f);
	table_cell(&t, " ");
	table_cell(&t, "A's mean");
	for (at = 0; at < NR_AT; at++)
		table_cell(&t, "%s", campaign_at_names[at]);
	for (m = 0; m < TLOB_NR_METRICS; m++) {
		if (!moves(c, m))
			continue;
		table_cell(&t, "%s", tlob_metric_names[m]);
		known = campaign_shift(c, m, AT_MEAN, &a, &shift);
		if (known)
			table_cell(&t, "%.3f", a / 1000);
		else
			table_cell(&t, "-");
		for (at = 0; at < NR_AT; at++) {
			known = campaign_shift(c, m, at, &a, &shift);
			cell_signed_us(&t, known, shift);
		}
	}
	return table_print(&t, f);
}

/* The verdict in one line, with the statistics that decided it. */
static void render_deciding(FILE *f, const struct comparison *all)
{
	const char *sep = "  ";
	size_t s;

	fputs(verdict_name(all->verdict), f);
	for (s = 0; s < all->c->nstatistics; s++) {
		if (all->d[s].verdict != all->verdict)
			continue;
		fprintf(f, "%s%s", sep, all->c->statistic[s].text);
		sep = ", ";
	}
	fprintf(f, "; %zu pairs\n", all->c->n);
}

int compare_text(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	char buf[COMPARE_LINE];
	char **at;
	size_t s;
	int err;

	if (c->nstatistics > 1)
		render_deciding(f, all);
	else
		fprintf(f, "%s  %s\n", verdict_name(all->verdict),
			compare_found(buf, all, 0));
	for (s = 0; s < c->nstatistics; s++) {
		fputc('\n', f);
		if (c->nstatistics > 1)
			render_note(f, verdict_name(all->d[s].verdict),
				    compare_found(buf, all, s));
		render_note(f, "because", compare_why(buf, all, s));
		render_note(f, "margin", compare_margin(buf, all, s));
	}
	fputc('\n', f);
	render_note(f, "misses", compare_misses(buf, all));
	fputc('\n', f);
	render_kernels(f, c);
	err = render_shifts(f, c);
	if (err)
		return err;
	if (c->run[0].r.deterministic)
		render_note(f, "note", "times are executed instructions: they show path length, not caches or devices");
	for (at = c->notes; at && *at; at++)
		render_note(f, "note", *at);
	for (at = c->differences; at && *at; at++)
		render_note(f, "FORCED", *at);
	return ferror(f) ? -EIO : 0;
}
