// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "compare/compare_render.h"
#include "report/plot.h"
#include "result/parts.h"
#include "result/stats.h"
#include "util/markup.h"
#include "util/units.h"

#define ROWS_HEIGHT	320.0	/* of all pairs, if they have room in it */
#define ROW_MOST	18.0	/* of one pair */
#define ROW_LEAST	3.0
#define LABEL_EVERY	16.0	/* units between two labels of rows */
#define CPU_WIDEST	40.0
#define CPU_LABEL	30.0	/* units between two labels of CPUs */
#define FLAT		1e-5	/* a range of shares for values that are all the same */

/* Makes room for a share, if it is a number. */
static void take_in(struct axis *a, double share)
{
	if (!isfinite(share))
		return;
	a->from = fmin(a->from, share);
	a->to = fmax(a->to, share);
}

/* On the scale of decision_effect(). */
static double pair_effect(const struct decision *d, size_t i)
{
	return decision_effect(d->a[i], d->b[i]);
}

/* A share has no room beyond -100 %: what is missed on one side only lies at the edge. */
static bool is_at_edge(const struct decision *d, size_t i)
{
	return !isinf(d->a[i]) != !isinf(d->b[i]);
}

/* Cuts @all where it is longer than @main by more than that is long: one outlier would flatten the rest. */
static void cut_axis(struct axis *all, const struct axis *main)
{
	double room = main->to - main->from;

	all->from = fmax(all->from, main->from - room);
	all->to = fmin(all->to, main->to + room);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The margin, the effect, and the pairs without one of eight at each end. */
static struct axis main_of_pairs(const struct decision *d)
{
	struct axis x = { .from = -FLAT, .to = FLAT };
	double at[STATS_MAX_PAIRS] = { 0 };
	size_t i, n = 0;

	take_in(&x, d->margin);
	take_in(&x, decision_shown(d, d->effect));
	for (i = 0; i < d->n && n < STATS_MAX_PAIRS; i++)
		if (isfinite(decision_shown(d, pair_effect(d, i))) && !is_at_edge(d, i))
			at[n++] = decision_shown(d, pair_effect(d, i));
	qsort(at, n, sizeof(*at), ascending);
	for (i = n / 8; i < n - n / 8; i++)
		take_in(&x, at[i]);
	return x;
}

static struct axis axis_of_pairs(const struct decision *d)
{
	const struct axis main = main_of_pairs(d);
	struct axis x = main;
	size_t i;

	take_in(&x, decision_shown(d, d->lower));
	take_in(&x, decision_shown(d, d->upper));
	for (i = 0; i < d->n; i++)
		if (!is_at_edge(d, i))
			take_in(&x, decision_shown(d, pair_effect(d, i)));
	cut_axis(&x, &main);
	axis_widen(&x);
	return x;
}

static void put_pair(struct plot *p, const struct decision *d, size_t i, double row)
{
	char from[DURATION_LEN], to[DURATION_LEN], effect[EFFECT_LEN], title[128];
	double at = decision_shown(d, pair_effect(d, i));
	bool far = at < p->x.from || at > p->x.to;

	if (is_at_edge(d, i))
		at = isinf(d->b[i]) ? p->x.to : p->x.from;
	snprintf(title, sizeof(title), "pair %zu: A %s, B %s, %s", i + 1,
		 quantity_text(from, false, d->a[i]), quantity_text(to, false, d->b[i]),
		 effect_text(effect, d, pair_effect(d, i)));
	plot_dot(p, at, (double)i + 0.5, fmin(5, row / 2.4),
		 is_at_edge(d, i) ? "dot bad" : far ? "dot far" : "dot", title);
}

/* The interval as a bar, and the effect as a dot in it. */
static void put_interval(struct plot *p, const struct comparison *all, size_t s, double at)
{
	const struct decision *d = &all->d[s];
	double lower = decision_shown(d, d->lower), upper = decision_shown(d, d->upper);
	char found[COMPARE_LINE];

	compare_found(found, all, s);
	markup(p->f, "<path class=\"interval\" d=\"M%.1f %.1fH%.1f\"><title>%s</title></path>\n",
	       plot_x(p, isfinite(lower) ? lower : p->x.from), plot_y(p, at),
	       plot_x(p, isfinite(upper) ? upper : p->x.to), found);
	plot_dot(p, decision_shown(d, d->effect), at, 3.5, "dot effect", found);
}

static void row_label(struct plot *p, double at, const char *name, size_t number)
{
	fprintf(p->f, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s", PLOT_LEFT - 8,
		plot_y(p, at) + 4.5, name);
	if (number)
		fprintf(p->f, " %zu", number);
	fputs("</text>\n", p->f);
}

void effects_pairs(FILE *f, const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	double row = fmax(ROW_LEAST, fmin(ROW_MOST, ROWS_HEIGHT / (double)d->n));
	/* in rows: a line for the label above the pairs, and two for the interval below */
	double over = 20 / row, under = 36 / row;
	const struct axis x = axis_of_pairs(d);
	const struct axis y = { .from = (double)d->n + under, .to = -over };
	size_t every = (size_t)ceil(LABEL_EVERY / row), i;
	char margin[EFFECT_LEN], label[48];
	struct plot p;

	plot_begin(&p, f, "pairs", &x, &y,
		   PLOT_TOP + PLOT_BOTTOM + row * ((double)d->n + over + under));
	plot_ticks_share(&p, true);
	fprintf(f, "<path class=\"axis\" d=\"M%.1f %gV%g\"/>", plot_x(&p, 0), PLOT_TOP,
		p.height - PLOT_BOTTOM);
	snprintf(label, sizeof(label), "margin %.30s", share_text(margin, d, d->margin));
	plot_mark_x(&p, d->margin, label, 0);
	for (i = 0; i < d->n; i += every)
		row_label(&p, (double)i + 0.5, "pair", i + 1);
	for (i = 0; i < d->n; i++)
		put_pair(&p, d, i, row);
	row_label(&p, (double)d->n + under / 2, "all", 0);
	put_interval(&p, all, s, (double)d->n + under / 2);
	plot_end(&p);
}

unsigned int effects_edges(const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	const struct axis x = axis_of_pairs(d);
	unsigned int edges = 0;
	double at;
	size_t i;

	if (decision_shown(d, d->lower) < x.from || decision_shown(d, d->upper) > x.to)
		edges |= EFFECTS_FAR;
	for (i = 0; i < d->n; i++) {
		at = decision_shown(d, pair_effect(d, i));
		if (is_at_edge(d, i))
			edges |= EFFECTS_MISSED;
		else if (at < x.from || at > x.to)
			edges |= EFFECTS_FAR;
	}
	return edges;
}

bool effects_have_cpus(const struct comparison *all, size_t s)
{
	return all->d[s].ncpus > 1;
}

/* The effect in the pairs of a CPU, on the scale of decision_effect(). */
struct cpu_effect {
	double	least, most, median;
	bool	known;			/* a CPU without a ratio has no number */
};

static struct cpu_effect cpu_effect(const struct decision *d, size_t k)
{
	struct cpu_effect c = { .least = INFINITY, .most = -INFINITY };
	double x[STATS_MAX_PAIRS];
	size_t i, n = 0;

	for (i = 0; i < d->n && n < STATS_MAX_PAIRS; i++) {
		double v = decision_effect(d->cpu_a[k * d->stride + i],
					   d->cpu_b[k * d->stride + i]);

		if (isnan(v))
			continue;
		x[n++] = v;
		c.least = fmin(c.least, v);
		c.most = fmax(c.most, v);
	}
	c.median = stats_median(x, n);
	c.known = n > 0;
	return c;
}

static struct axis axis_of_cpus(const struct decision *d)
{
	struct axis y = { .from = -FLAT, .to = FLAT }, main;
	size_t k;

	take_in(&y, d->margin);
	for (k = 0; k < d->ncpus; k++)
		take_in(&y, decision_shown(d, cpu_effect(d, k).median));
	main = y;
	for (k = 0; k < d->ncpus; k++) {
		struct cpu_effect c = cpu_effect(d, k);

		if (isfinite(c.least))
			take_in(&y, decision_shown(d, c.least));
		if (isfinite(c.most))
			take_in(&y, decision_shown(d, c.most));
	}
	cut_axis(&y, &main);
	axis_widen(&y);
	return y;
}

static void put_cpu(struct plot *p, const struct decision *d, int number, size_t k)
{
	struct cpu_effect c = cpu_effect(d, k);
	char least[EFFECT_LEN], most[EFFECT_LEN], median[EFFECT_LEN], title[160];
	double at = (double)k + 0.5;

	if (!c.known)
		return;
	snprintf(title, sizeof(title), "CPU %d: median %s, pairs from %s to %s", number,
		 effect_text(median, d, c.median), effect_text(least, d, c.least),
		 effect_text(most, d, c.most));
	fprintf(p->f, "<path class=\"whisker\" d=\"M%.1f %.1fV%.1f\"/>", plot_x(p, at),
		plot_y(p, decision_shown(d, c.least)),
		plot_y(p, decision_shown(d, c.most)));
	plot_dot(p, at, decision_shown(d, c.median), 4.5,
		 decision_shown(d, c.median) > d->margin ? "dot bad" : "dot", title);
}

void effects_cpus(FILE *f, const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	const struct result *r = &all->c->run[0].r;
	double room = PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT;
	double width = fmin(CPU_WIDEST, room / (double)d->ncpus);
	const struct axis x = { .from = 0, .to = room / width };
	const struct axis y = axis_of_cpus(d);
	size_t every = (size_t)ceil(CPU_LABEL / width), k;
	char margin[EFFECT_LEN], label[48];
	struct plot p;

	plot_begin(&p, f, "cpus", &x, &y, 240);
	plot_ticks_share(&p, false);
	fprintf(f, "<path class=\"axis\" d=\"M%g %.1fH%g\"/>", PLOT_LEFT, plot_y(&p, 0),
		PLOT_WIDTH - PLOT_RIGHT);
	snprintf(label, sizeof(label), "margin %.30s", share_text(margin, d, d->margin));
	plot_mark_y(&p, d->margin, label);
	for (k = 0; k < d->ncpus; k++) {
		if (k % every == 0)
			fprintf(f, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%d</text>\n",
				plot_x(&p, (double)k + 0.5), p.height - PLOT_BOTTOM + 20,
				r->cpu[k].cpu);
		put_cpu(&p, d, r->cpu[k].cpu, k);
	}
	plot_end(&p);
}

static const double beyond[NR_AT] = { NAN, 0.5, 0.1, 1e-2, 1e-3 };

/* Returns whether the plot shows the shift: it leaves out parts, and the mean. */
static bool is_shown(const struct shift *s, unsigned int at)
{
	return s->metric < TLOB_METRIC_PARTS && at != AT_MEAN && s->known[at];
}

void effects_quantiles(FILE *f, const struct shifts *shifts)
{
	const struct axis x = { .from = 0.5, .to = 0.8e-3, .log = true };
	struct axis y = { .from = -1, .to = 1 };
	unsigned int at;
	struct plot p;
	size_t i;

	for (i = 0; i < shifts->n; i++)
		for (at = 0; at < NR_AT; at++)
			if (is_shown(&shifts->at[i], at))
				take_in(&y, shifts->at[i].by[at]);
	axis_widen(&y);
	plot_begin(&p, f, "shift", &x, &y, 260);
	plot_ticks_quantile(&p, x.to, true);
	plot_ticks_shift(&p);
	for (i = 0; i < shifts->n && shifts->at[i].metric < TLOB_METRIC_PARTS; i++) {
		const char *name = tlob_metric_names[shifts->at[i].metric];

		plot_line(&p, name, name);
		for (at = 0; at < NR_AT; at++)
			if (is_shown(&shifts->at[i], at))
				plot_point(&p, beyond[at], shifts->at[i].by[at]);
		plot_line_end(&p);
	}
	plot_end(&p);
	fputs("<p class=\"key\">", f);
	for (i = 0; i < shifts->n && shifts->at[i].metric < TLOB_METRIC_PARTS; i++)
		plot_key(f, tlob_metric_names[shifts->at[i].metric],
			 tlob_metric_names[shifts->at[i].metric]);
	fputs("</p>\n", f);
}

static double known_shift(const struct shifts *shifts, size_t i)
{
	const struct shift *s = &shifts->at[i];

	return s->known[shifts->where] ? s->by[shifts->where] : 0;
}

/* A bar from 0 to the left or the right, in the part's colour. */
static void bar_cell(FILE *f, const struct shifts *shifts, size_t i, double least, double most)
{
	unsigned int metric = shifts->at[i].metric;
	double by = known_shift(shifts, i), range = most - least;
	double from = fmin(by, 0) - least;

	fputs("<td class=\"w\"><div class=\"bar\">", f);
	if (range > 0)
		fprintf(f, "<i class=\"%s\" style=\"margin-left:%.3f%%;width:%.3f%%;background:%s\"></i>",
			by < 0 ? "down" : "up", 100 * from / range, 100 * fabs(by) / range,
			metric < TLOB_METRIC_PARTS ? "var(--dim)" :
			part_colour(metric - TLOB_METRIC_PARTS));
	fputs("</div>\n", f);
}

/* Differences of two counts of instructions are instructions. */
static void shift_cell(FILE *f, const struct shifts *shifts, const struct shift *s,
		       unsigned int at)
{
	char text[DURATION_LEN];
	double ns = s->by[at];

	if (!s->known[at])
		fputs("<td class=\"dim\">–", f);
	else if (fabs(ns) < 0.5)
		fputs("<td>0", f);
	else if (shifts->counted)
		fprintf(f, "<td>%s%.0f", ns < 0 ? "−" : "+", fabs(ns));
	else
		fprintf(f, "<td>%s%s", ns < 0 ? "−" : "+",
			duration_format(text, (uint64_t)llround(fabs(ns))));
}

static void part_name_cell(FILE *f, unsigned int metric)
{
	const char *name = tlob_metric_names[metric];
	bool is_part = metric >= TLOB_METRIC_PARTS;

	fputs("<tr><td>", f);
	if (is_part)
		fprintf(f, "<s class=\"part\" style=\"background:%s\"></s><abbr title=\"%s\">%s</abbr>",
			part_colour(metric - TLOB_METRIC_PARTS),
			part_meaning(metric - TLOB_METRIC_PARTS), name);
	else
		fprintf(f, "<b>%s</b>", name);
}

void effects_parts(FILE *f, const struct shifts *shifts)
{
	double least = 0, most = 0;
	char mean[DURATION_LEN];
	unsigned int at;
	size_t i;

	for (i = 0; i < shifts->n; i++) {
		least = fmin(least, known_shift(shifts, i));
		most = fmax(most, known_shift(shifts, i));
	}
	fputs("<div class=\"wide\"><table>\n<tr><th>B − A<th>A's mean", f);
	for (at = 0; at < NR_AT; at++)
		fprintf(f, "<th>%s", campaign_at_names[at]);
	fprintf(f, "<th class=\"l\">at %s\n", campaign_at_names[shifts->where]);
	for (i = 0; i < shifts->n; i++) {
		const struct shift *s = &shifts->at[i];

		part_name_cell(f, s->metric);
		fprintf(f, "<td>%s", s->known[AT_MEAN] ?
			duration_format(mean, (uint64_t)llround(s->a[AT_MEAN])) : "–");
		for (at = 0; at < NR_AT; at++)
			shift_cell(f, shifts, s, at);
		bar_cell(f, shifts, i, least, most);
	}
	fputs("</table></div>\n", f);
}
