// SPDX-License-Identifier: GPL-2.0
/* The page of a comparison: its JSON, the lines of the terminal, and the effect on each CPU. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "report/html.h"
#include "result/parts.h"
#include "result/stats.h"

static const char *class_of(enum decision_verdict v)
{
	static const char * const classes[] = {
		[VERDICT_OK] = "good", [VERDICT_REGRESSION] = "bad",
		[VERDICT_INCONCLUSIVE] = "unsure",
	};

	return classes[v];
}

/* [label, text]; nothing without a text. */
static void put_line(struct builder *b, struct json_object *list, const char *label, const char *text)
{
	struct json_object *line;

	if (!text || !*text)
		return;
	line = put_array(b, list, NULL);
	put_text(b, line, NULL, label);
	put_text(b, line, NULL, text);
}

static void put_list(struct builder *b, struct json_object *list, const char *label, char *const *text)
{
	for (; text && *text; text++)
		put_line(b, list, label, *text);
}

/* The least effect in the pairs of a CPU, the median, and the largest, as shares. */
static void put_cpu(struct builder *b, struct json_object *list, const struct decision *d, size_t k, int cpu)
{
	double x[STATS_MAX_PAIRS], least = INFINITY, most = -INFINITY;
	struct json_object *o;
	size_t i, n = 0;

	for (i = 0; i < d->n && n < STATS_MAX_PAIRS; i++) {
		double v = decision_effect(d->cpu_a[k * d->stride + i], d->cpu_b[k * d->stride + i]);

		if (isnan(v))
			continue;
		x[n++] = v;
		least = fmin(least, v);
		most = fmax(most, v);
	}
	if (!n)
		return;
	o = put_array(b, list, NULL);
	put_int(b, o, NULL, cpu);
	put_double(b, o, NULL, decision_shown(d, least));
	put_double(b, o, NULL, decision_shown(d, stats_median(x, n)));
	put_double(b, o, NULL, decision_shown(d, most));
}

/* The events of each pair: [of A, of B]. */
static void put_events(struct builder *b, struct json_object *o, const struct decision *d)
{
	struct json_object *list = put_array(b, o, "events"), *pair;
	size_t i;

	for (i = 0; i < d->n; i++) {
		pair = put_array(b, list, NULL);
		put_u64(b, pair, NULL, d->events_a[i].late);
		put_u64(b, pair, NULL, d->events_b[i].late);
	}
}

static void put_statistic(struct builder *b, struct json_object *to, const struct comparison *all, size_t s)
{
	struct json_object *o = put_object(b, to, NULL), *list = put_array(b, o, "lines");
	const struct result *r = &all->c->run[0].r;
	const struct decision *d = &all->d[s];
	char buf[COMPARE_LINE];
	size_t k;

	put_text(b, o, "class", class_of(d->verdict));
	put_text(b, o, "effect", compare_effect(buf, all, s));
	put_line(b, list, "", compare_found(buf, all, s));
	put_line(b, list, "because", compare_why(buf, all, s));
	put_line(b, list, "margin", compare_margin(buf, all, s));
	if (all->c->nstatistics > 1)
		put_line(b, list, "next", compare_settle(buf, all, s));
	put_u64(b, o, "n", d->n);
	if (decision_of_events(d)) {
		put_events(b, o, d);
		return;
	}
	list = put_array(b, o, "cpus");
	for (k = 0; d->ncpus > 1 && k < d->ncpus; k++)
		put_cpu(b, list, d, k, r->cpu[k].cpu);
}

/* Its run, or the first of the runs that share its boot. */
static void put_replicate(struct builder *b, struct json_object *pair, const struct campaign *c, size_t side,
			  size_t replicate)
{
	const size_t *of = c->replicate + side * c->n;
	size_t i, first = c->n, others = 0;
	char text[4200];

	for (i = c->n; i-- > 0;)
		if (of[i] == replicate) {
			others += first < c->n;
			first = i;
		}
	snprintf(text, sizeof(text), others ? "%s and %zu more of its boot" : "%s",
		 c->run[side * c->n + first].path, others);
	put_text(b, pair, NULL, text);
}

/* With --sequential only the pairs of the look that decided count. */
static void put_pairs(struct builder *b, struct json_object *o, const struct comparison *all)
{
	struct json_object *list = put_array(b, o, "pairs"), *pair;
	size_t i;

	for (i = 0; i < all->d[0].n; i++) {
		pair = put_array(b, list, NULL);
		put_replicate(b, pair, all->c, 0, i);
		put_replicate(b, pair, all->c, 1, i);
	}
}

/* The lines of the terminal's one screen. */
static int put_verdict(struct builder *b, struct json_object *o, const struct comparison *all,
		       const struct shifts *shifts)
{
	struct json_object *list;
	char buf[COMPARE_LINE], line[COMPARE_LINE];
	int err = compare_where(buf, all, shifts);

	compare_line(line, "%s %s", verdict_name(all->verdict), compare_headline((char[COMPARE_LINE]){ 0 }, all));
	put_text(b, o, "verdict", line);
	put_text(b, o, "class", class_of(all->verdict));
	list = put_array(b, o, "lines");
	put_line(b, list, "because", compare_because(line, all));
	if (!err)
		put_line(b, list, "where", buf);
	put_line(b, list, "also", compare_moved(line, all));
	put_line(b, list, "looks", compare_next(line, all));
	put_line(b, list, "next", compare_advice(line, all));
	return err;
}

static void put_circumstances(struct builder *b, struct json_object *o, const struct comparison *all)
{
	struct json_object *list = put_array(b, o, "facts");
	const struct campaign *c = all->c;
	const struct result *r = &c->run[0].r;
	char buf[COMPARE_LINE], *conditions = compare_conditions(c);
	size_t i;

	if (!conditions)
		b->err = -ENOMEM;
	put_line(b, list, "kernel of A", r->kernel);
	put_line(b, list, "kernel of B", campaign_b(c, 0)->r.kernel);
	for (i = 0; i < c->nvaried; i++)
		put_line(b, list, "varied", compare_line(buf, "%.40s: %.120s in A, %.120s in B", c->varied[i].fact,
							 c->varied[i].a, c->varied[i].b));
	put_list(b, list, "forced", c->differences);
	put_list(b, list, "but", c->lowered);
	put_list(b, list, "note", c->notes);
	put_line(b, list, "over budget or missed", compare_misses(buf, all));
	put_line(b, list, "risk of each wrong verdict", compare_line(buf, "%g %%", 100 * all->rule.alpha));
	put_line(b, list, "conditions", conditions);
	put_line(b, list, "host", r->host);
	put_line(b, list, "each ran", duration_format((char[DURATION_LEN]){ 0 }, r->duration_ns));
	free(conditions);
}

static int put_says(struct html *p, const struct comparison *all)
{
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { 0 };
	struct shifts shifts;
	size_t s;
	int err;

	shifts_find(&shifts, all->c, &all->c->statistic[compare_deciding(all)]);
	err = put_verdict(&b, o, all, &shifts);
	put_text(&b, o, "work", all->c->run[0].r.work);
	put_text(&b, o, "at", campaign_at_names[shifts.where]);
	list = put_array(&b, o, "metrics");
	for (s = 0; s < all->c->nstatistics; s++)
		put_statistic(&b, list, all, s);
	put_pairs(&b, o, all);
	put_circumstances(&b, o, all);
	if (err)
		json_object_put(o);
	return err ? err : html_put(p, "says", &b, o);
}

static int put_text_of(FILE *f, const void *data)
{
	return compare_text(f, data);
}

static int put_markdown(FILE *f, const void *data)
{
	return compare_markdown(f, data);
}

int page_compare(FILE *f, const struct comparison *all)
{
	struct html p;
	char title[64];
	int err;

	snprintf(title, sizeof(title), "%s %s", verdict_name(all->verdict),
		 all->c->statistic[compare_deciding(all)].text);
	err = html_begin(&p, f, "compare", title, put_text_of, all);
	if (!err)
		err = put_says(&p, all);
	html_key(&p, "comparison");
	if (!err)
		err = compare_json(p.json, all);
	html_key(&p, "tables");
	fputs("[null", p.json);
	if (!err)
		err = compare_functions_list(p.json, TABLE_PAGE, all->c);
	fputs("]", p.json);
	if (!err)
		err = html_markdown(&p, put_markdown, all);
	return html_end(&p, err);
}
