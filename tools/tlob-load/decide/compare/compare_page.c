// SPDX-License-Identifier: GPL-2.0
/* The page of a comparison. It begins with the verdict; what it rests on follows. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "report/pieces.h"
#include "util/markup.h"
#include "util/units.h"

#define RELEASE_LEN	128

static const char *class_of(enum decision_verdict v)
{
	static const char * const classes[] = {
		[VERDICT_OK] = "good", [VERDICT_REGRESSION] = "bad",
		[VERDICT_INCONCLUSIVE] = "unsure",
	};

	return classes[v];
}

/* A paragraph of foreign text behind @label; nothing without a text. */
static void labelled(FILE *f, const char *label, const char *text)
{
	if (!*text)
		return;
	fputs(strcmp(label, "next") ? "<p>" : "<p class=\"next\">", f);
	if (*label)
		fprintf(f, "<span class=\"dim\">%s</span> ", label);
	markup(f, "%s</p>\n", text);
}

/* The release, which comes first in a kernel's name. */
static const char *release_of(char buf[RELEASE_LEN], const char *kernel)
{
	snprintf(buf, RELEASE_LEN, "%.*s", (int)strcspn(kernel, " "), kernel);
	return buf;
}

static void heading(FILE *f, const struct comparison *all)
{
	const char *a = campaign_a(all->c, 0)->r.kernel;
	const char *b = campaign_b(all->c, 0)->r.kernel;
	const char *work = campaign_a(all->c, 0)->r.work, *other = campaign_b(all->c, 0)->r.work;
	char release[RELEASE_LEN];

	markup(f, "<h1>B against A <span class=\"dim\">%s", work);
	if (work && other && strcmp(work, other))
		markup(f, " in A, %s in B", other);
	markup(f, ", Linux %s", release_of(release, a));
	if (strcmp(a, b))
		markup(f, " in A, %s in B", release_of(release, b));
	fputs("</span></h1>\n", f);
}

/* The same lines as on one screen of the terminal. */
static int verdict(FILE *f, const struct comparison *all, const struct shifts *shifts)
{
	char buf[COMPARE_LINE];
	int err;

	markup(f, "<p class=\"verdict %s\">%s %s</p>\n", class_of(all->verdict),
	       verdict_name(all->verdict), compare_headline(buf, all));
	labelled(f, "because", compare_because(buf, all));
	err = compare_where(buf, all, shifts);
	if (!err)
		labelled(f, "where", buf);
	labelled(f, "also", compare_moved(buf, all));
	labelled(f, "looks", compare_next(buf, all));
	labelled(f, "next", compare_advice(buf, all));
	page_deterministic(f, all->c->run[0].r.deterministic);
	return err;
}

/* One line for each of several statistics. */
static void overview(FILE *f, const struct comparison *all)
{
	char effect[COMPARE_LINE], why[COMPARE_LINE];
	size_t s;

	if (all->c->nstatistics == 1)
		return;
	fputs("<div class=\"wide\"><table>\n<tr><th>verdict<th class=\"l\">", f);
	page_word(f, "metric");
	fputs("<th class=\"l\">", f);
	page_word(f, "effect");
	fputs("<th class=\"l\">because\n", f);
	for (s = 0; s < all->c->nstatistics; s++)
		markup(f, "<tr><td class=\"%s\">%s<td class=\"l\">%s<td class=\"l prose\">%s<td class=\"l prose\">%s\n",
		       class_of(all->d[s].verdict), verdict_name(all->d[s].verdict),
		       all->c->statistic[s].text, compare_effect(effect, all, s),
		       compare_why(why, all, s));
	fputs("</table></div>\n", f);
}

static void statistic(FILE *f, const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	char buf[COMPARE_LINE];

	markup(f, "<h2>%s: <span class=\"%s\">%s</span></h2>\n", all->c->statistic[s].text,
	       class_of(d->verdict), verdict_name(d->verdict));
	labelled(f, "", compare_found(buf, all, s));
	labelled(f, "because", compare_why(buf, all, s));
	labelled(f, "margin", compare_margin(buf, all, s));
	if (all->c->nstatistics > 1)
		labelled(f, "next", compare_settle(buf, all, s));
	if (decision_of_events(&all->d[s]))
		return;
	effects_pairs(f, all, s);
	if (!s)
		fputs("<p class=\"dim\">Each dot is a pair: how much B is above A. The bar is the interval of the effect, and the dot in it the effect. REGRESSION: all of the bar is right of the margin. OK: all of it is left.</p>\n", f);
	if (effects_edges(all, s) & EFFECTS_MISSED)
		fputs("<p class=\"dim\">A red dot at the edge: missed on one side.</p>\n", f);
	if (effects_edges(all, s) & EFFECTS_FAR)
		fputs("<p class=\"dim\">A hollow dot at the edge lies farther out, and a bar that ends there goes on.</p>\n", f);
	if (!effects_have_cpus(all, s))
		return;
	if (!s)
		fputs("<p class=\"dim\">Each CPU: the median of its pairs, in a line from the least of them to the largest, as far as the plot goes.</p>\n", f);
	effects_cpus(f, all, s);
}

static void value_cell(FILE *f, double v)
{
	if (isinf(v))
		fputs("<td class=\"bad\">missed", f);
	else
		cell_time(f, true, (uint64_t)llround(v));
}

static void events_cells(FILE *f, const struct events *a, const struct events *b)
{
	fprintf(f, "<td>%" PRIu64 "<td>%" PRIu64 "<td>%+" PRId64, a->late, b->late,
		(int64_t)(b->late - a->late));
}

/* Its run, or the first of the runs that share its boot. */
static void replicate_cell(FILE *f, const struct campaign *c, size_t side, size_t replicate)
{
	const size_t *of = c->replicate + side * c->n;
	size_t i, first = c->n, others = 0;

	for (i = c->n; i-- > 0;)
		if (of[i] == replicate) {
			others += first < c->n;
			first = i;
		}
	markup(f, "<td class=\"l\">%s", c->run[side * c->n + first].path);
	if (others)
		fprintf(f, " and %zu more of its boot", others);
}

static void pair_row(FILE *f, const struct comparison *all, size_t i)
{
	char effect[EFFECT_LEN];
	size_t s;

	fprintf(f, "<tr><td>%zu", i + 1);
	replicate_cell(f, all->c, 0, i);
	replicate_cell(f, all->c, 1, i);
	for (s = 0; s < all->c->nstatistics; s++) {
		const struct decision *d = &all->d[s];

		if (decision_of_events(d)) {
			events_cells(f, &d->events_a[i], &d->events_b[i]);
			continue;
		}
		value_cell(f, d->a[i]);
		value_cell(f, d->b[i]);
		fprintf(f, "<td>%s", isinf(d->a[i]) && isinf(d->b[i]) ? "–" :
			effect_text(effect, d, decision_effect(d->a[i], d->b[i])));
	}
	fputc('\n', f);
}

static void runs(FILE *f, const struct comparison *all)
{
	size_t i, s;

	fputs("<h2>The runs</h2>\n<div class=\"wide\"><table>\n<tr><th>", f);
	page_word(f, "pair");
	fputs("<th class=\"l\">A<th class=\"l\">B", f);
	for (s = 0; s < all->c->nstatistics; s++) {
		markup(f, "<th>%s of A<th>of B<th>", all->c->statistic[s].text);
		page_word(f, "effect");
	}
	fputc('\n', f);
	/* With --sequential only the pairs of the look that decided count. */
	for (i = 0; i < all->d[0].n; i++)
		pair_row(f, all, i);
	fputs("</table></div>\n", f);
}

static void facts(FILE *f, const char *name, char *const *list)
{
	for (; list && *list; list++)
		fact(f, name, *list);
}

static int circumstances(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	const struct result *r = &c->run[0].r;
	char buf[COMPARE_LINE], *conditions = compare_conditions(c);
	size_t i;

	if (!conditions)
		return -ENOMEM;

	fputs("<h2>How it was compared</h2>\n<dl>\n", f);
	fact(f, "kernel of A", r->kernel);
	fact(f, "kernel of B", campaign_b(c, 0)->r.kernel);
	for (i = 0; i < c->nvaried; i++) {
		snprintf(buf, sizeof(buf), "%.40s: %.120s in A, %.120s in B", c->varied[i].fact,
			 c->varied[i].a, c->varied[i].b);
		fact(f, "varied", buf);
	}
	facts(f, "forced", c->differences);
	facts(f, "but", c->lowered);
	facts(f, "note", c->notes);
	fact(f, "over budget or missed", compare_misses(buf, all));
	snprintf(buf, sizeof(buf), "%g %%", 100 * all->rule.alpha);
	fact(f, "risk of each wrong verdict", buf);
	fact(f, "conditions", conditions);
	free(conditions);
	fact(f, "host", r->host);
	fact(f, "each ran", duration_format(buf, r->duration_ns));
	fputs("</dl>\n", f);
	return 0;
}

static int put_markdown(FILE *f, const void *data)
{
	return compare_markdown(f, data);
}

int page_compare(FILE *f, const struct comparison *all)
{
	struct shifts shifts;
	char title[64];
	size_t s;
	int err;

	shifts_find(&shifts, all->c, &all->c->statistic[compare_deciding(all)]);
	snprintf(title, sizeof(title), "%s %s", verdict_name(all->verdict),
		 all->c->statistic[compare_deciding(all)].text);
	html_begin(f, title);
	heading(f, all);
	err = verdict(f, all, &shifts);
	overview(f, all);
	for (s = 0; s < all->c->nstatistics; s++)
		statistic(f, all, s);
	fputs("<h2>Where it moved: B − A, all CPUs together</h2>\n", f);
	effects_quantiles(f, &shifts);
	effects_parts(f, &shifts);
	fprintf(f, "<p class=\"dim\">Medians over %zu pair%s%s. They show where to look, and decide nothing.</p>\n",
		shifts.pairs, shifts.pairs == 1 ? "" : "s",
		shifts.counted ? ", in instructions: 1 is 1ns" : "");
	if (!err)
		err = compare_functions_list(f, TABLE_PAGE, all->c);
	runs(f, all);
	if (!err)
		err = circumstances(f, all);
	if (!err)
		err = copy_button(f, put_markdown, all);
	return html_end(f, err);
}
