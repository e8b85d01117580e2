// SPDX-License-Identifier: GPL-2.0
/* A comparison as text for a terminal. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "compare/compare_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "util/printable.h"

#define SCREEN_WIDTH	80	/* without -v */
#define SCREEN_ROWS	6	/* metrics and parts of the table */
#define SCREEN_FEWER	4	/* below several statistics */
#define SCREEN_NOTES	2	/* of each kind */
#define LABEL_WIDTH	9

/* A label, and a text that wraps to its right. Nothing without a text. */
static void render_labelled(FILE *f, const char *label, const char *text)
{
	struct line l = {
		.f = f, .indent = LABEL_WIDTH, .col = LABEL_WIDTH,
		.width = SCREEN_WIDTH,
	};
	char *s = printable_dup(text);

	if (s && *s) {
		fprintf(f, "%-*s", LABEL_WIDTH, label);
		line_words(&l, "", s);
		line_end(&l);
	}
	free(s);
}

/* The kernel's release, which comes first in its name. */
static void render_kernel(FILE *f, const char *label, const char *kernel,
			  bool whole)
{
	char *release = strndup(kernel, strcspn(kernel, " "));

	if (whole)
		render_note(f, label, kernel);
	else
		render_labelled(f, label, release ? release : "");
	free(release);
}

static void render_kernels(FILE *f, const struct campaign *c, bool whole)
{
	const char *a = campaign_a(c, 0)->r.kernel;
	const char *b = campaign_b(c, 0)->r.kernel;
	bool same = !strcmp(a, b);

	/* Two builds of one release differ only in what comes after it. */
	if (!same && strcspn(a, " ") == strcspn(b, " ") &&
	    !strncmp(a, b, strcspn(a, " ")))
		whole = true;
	render_kernel(f, same ? "A and B" : "A", a, whole);
	if (!same)
		render_kernel(f, "B", b, whole);
}

/* Differences of two counts of instructions are instructions. */
static void cell_shift(struct table *t, bool known, bool counted, double ns)
{
	if (!known)
		table_cell(t, "-");
	else if (fabs(ns) < 0.5)	/* neither +0.000 nor -0.000 */
		table_cell(t, "0");
	else if (counted)
		table_cell(t, "%+.0f", ns);
	else
		table_cell(t, "%+.3f", ns / 1000);
}

static int render_shifts(FILE *f, const struct shifts *s, size_t rows)
{
	struct table t = { .align = "lrrrrrr", .gap = 2, .labels = 1,
		.width = layout_width(f, LAYOUT_WIDTH) };
	const struct shift *shift;
	unsigned int at;
	size_t i;

	fprintf(f, "\nB - A in %s, all CPUs together, medians over %zu pair%s\n",
		s->counted ? "instructions (1 = 0.001us)" : "us", s->pairs,
		s->pairs == 1 ? "" : "s");
	table_cell(&t, " \t%s", s->counted ? "A's mean, us" : "A's mean");
	for (at = 0; at < NR_AT; at++)
		table_cell(&t, "%s", campaign_at_names[at]);
	for (i = 0; i < s->n; i++) {
		shift = &s->at[i];
		if (!shifts_is_among(s, i, rows))
			continue;
		if (shift->known[AT_MEAN])
			table_cell(&t, "%s\t%.3f", result_metric_names[shift->metric],
				   shift->a[AT_MEAN] / 1000);
		else
			table_cell(&t, "%s\t-", result_metric_names[shift->metric]);
		for (at = 0; at < NR_AT; at++)
			cell_shift(&t, shift->known[at], s->counted, shift->by[at]);
	}
	return table_print(&t, f);
}

/* The verdict, and the statistics that have it. */
static void render_verdict(FILE *f, const struct comparison *all)
{
	struct line l = { .f = f, .indent = 2, .width = SCREEN_WIDTH };
	char buf[COMPARE_LINE];

	l.col = (unsigned int)fprintf(f, "%s", verdict_name(all->verdict));
	line_words(&l, "  ", compare_headline(buf, all));
	line_end(&l);
}

static int max_of(int a, size_t b)
{
	return a > (int)b ? a : (int)b;
}

/* One paragraph for each of several statistics. */
static void render_statistics(FILE *f, const struct comparison *all)
{
	struct line l = { .f = f, .indent = 4, .width = SCREEN_WIDTH };
	int verdict = 0, metric = 0;
	char buf[COMPARE_LINE];
	size_t s;

	if (all->c->nstatistics == 1)
		return;
	for (s = 0; s < all->c->nstatistics; s++) {
		verdict = max_of(verdict, strlen(verdict_name(all->d[s].verdict)));
		metric = max_of(metric, strlen(all->c->statistic[s].text));
	}
	fputc('\n', f);
	for (s = 0; s < all->c->nstatistics; s++) {
		l.col = (unsigned int)fprintf(f, "%-*s  %-*s  ", verdict, verdict_name(all->d[s].verdict),
					      metric, all->c->statistic[s].text);
		line_words(&l, "", compare_effect(buf, all, s));
		line_end(&l);
	}
}

/* With -v: each statistic with its bounds, its reason and its margin. */
static void render_details(FILE *f, const struct comparison *all)
{
	char buf[COMPARE_LINE];
	size_t s;

	for (s = 0; s < all->c->nstatistics; s++) {
		fputc('\n', f);
		render_note(f, verdict_name(all->d[s].verdict),
			    compare_found(buf, all, s));
		render_note(f, "because", compare_why(buf, all, s));
		render_note(f, "margin", compare_margin(buf, all, s));
	}
}

/* Returns how many of the list were left out. */
static size_t render_list(FILE *f, const char *label, char **list, size_t most)
{
	size_t left_out = 0;

	for (; list && *list; list++)
		if (most) {
			render_labelled(f, label, *list);
			most--;
		} else {
			left_out++;
		}
	return left_out;
}

/* Warnings: nobody should read the numbers without them. */
static void render_notes(FILE *f, const struct campaign *c, bool all)
{
	size_t most = all ? SIZE_MAX : SCREEN_NOTES, left_out, i;
	char text[COMPARE_LINE];

	for (i = 0; i < c->nvaried; i++) {
		snprintf(text, sizeof(text), "%s: %s in A, %s in B",
			 c->varied[i].fact, c->varied[i].a, c->varied[i].b);
		render_labelled(f, "varied", text);
	}
	left_out = render_list(f, "FORCED", c->differences, most);
	if (c->run[0].r.deterministic)
		render_labelled(f, "note", "instructions show path length, not caches or devices");
	left_out += render_list(f, "but", c->lowered, most);
	left_out += render_list(f, "note", c->notes, most);
	if (left_out) {
		snprintf(text, sizeof(text), "-v shows %zu more", left_out);
		render_labelled(f, "", text);
	}
}

/* They have a line where a metric is not about them. */
static bool shows_misses(const struct campaign *c)
{
	struct events sum[2];
	size_t s;

	for (s = 0; s < c->nstatistics; s++)
		if (c->statistic[s].kind == STATISTIC_MISS_RATE)
			return false;
	campaign_events(c, sum);
	return sum[0].late || sum[1].late;
}

/* In the order of what a reader asks: the verdict, the numbers, what they hold for, what to do. */
int compare_text(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	bool whole = all->o->verbose;
	struct shifts shifts;
	char buf[COMPARE_LINE], *conditions;
	int err;

	shifts_find(&shifts, c, &c->statistic[compare_deciding(all)]);
	render_verdict(f, all);
	render_statistics(f, all);
	fputc('\n', f);
	render_labelled(f, "because", compare_because(buf, all));
	err = compare_where(buf, all, &shifts);
	if (err)
		return err;
	render_labelled(f, "where", buf);
	render_labelled(f, "also", compare_moved(buf, all));
	if (whole)
		render_details(f, all);
	if (whole || shows_misses(c))
		render_labelled(f, "misses", compare_misses(buf, all));
	err = render_shifts(f, &shifts, whole ? SIZE_MAX : c->nstatistics > 1 ? SCREEN_FEWER : SCREEN_ROWS);
	if (!err)
		err = compare_functions_text(f, c);
	if (err)
		return err;
	fputc('\n', f);
	render_notes(f, c, whole);
	render_kernels(f, c, whole);
	conditions = compare_conditions(c);
	if (!conditions)
		return -ENOMEM;
	render_labelled(f, "under", conditions);
	free(conditions);
	render_labelled(f, "looks", compare_next(buf, all));
	render_labelled(f, "next", compare_advice(buf, all));
	return ferror(f) ? -EIO : 0;
}
