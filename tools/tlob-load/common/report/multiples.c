// SPDX-License-Identifier: GPL-2.0
/*
 * A plot takes some hundred bytes: its grid, the budget and the curves of all CPUs are
 * drawn once, in the first one, and the coordinates are whole numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "report/curves.h"
#include "report/plot.h"
#include "util/markup.h"
#include "util/units.h"

#define MOST		128U	/* plots */
#define FEW		5U	/* have room for larger plots */
#define WIDTH		320	/* of the view box, twice the size on a screen */
#define HEIGHT		170
#define EDGE		4	/* left and right of the curves */
#define BOTTOM		26	/* for the labels */
#define LABEL_LEAST	80.0	/* units between two labels */

static const enum tlob_metric lines[] = { TLOB_METRIC_WAKE, TLOB_METRIC_RESPONSE };

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

struct small {
	FILE	*f;
	const struct result *r;
	struct axis x;			/* ns, logarithmic */
	double	least;			/* the smallest share, at the top; 1 is at the bottom */
	char	id[32];			/* of what all plots have */
};

static int small_x(const struct small *s, double ns)
{
	double share = log(fmax(ns, s->x.from) / s->x.from) / log(s->x.to / s->x.from);

	return EDGE + (int)lround(fmin(1, share) * (WIDTH - 2 * EDGE));
}

/* @beyond: the share of expiries above a latency. */
static int small_y(const struct small *s, double beyond)
{
	double share = log(fmax(beyond, s->least)) / log(s->least);

	return HEIGHT - BOTTOM - (int)lround(share * (HEIGHT - BOTTOM - EDGE));
}

/* The share of expiries above each step of the histogram, as in curves_quantiles(). */
static void tail(const struct small *s, const struct result_cpu *c, unsigned int metric,
		 const char *class)
{
	const struct tlob_hist *h = &c->hist[metric];
	double missed = (double)result_missed(c, metric), step[CURVES_STEPS];
	double all = (double)h->n + missed, left = (double)h->n;
	int x = small_x(s, (double)h->min), y = small_y(s, 1), to_x, to_y;
	unsigned int k;

	if (!h->n)
		return;
	curves_steps(h, step);
	fprintf(s->f, "<path class=\"line %s\" d=\"M%d %d", class, x, y);
	for (k = 0; k < CURVES_STEPS; k++) {
		if (!(step[k] > 0))
			continue;
		left -= step[k];
		to_x = small_x(s, fmin(curves_step_end(k), (double)h->max));
		to_y = small_y(s, (left > 0.5 ? left + missed : fmax(missed, 1)) / all);
		if (to_x != x)
			fprintf(s->f, "h%d", to_x - x);
		if (to_y != y)
			fprintf(s->f, "v%d", to_y - y);
		x = to_x;
		y = to_y;
	}
	fputs("\"/>", s->f);
}

/* The part that is the same in all plots. */
static void common(const struct small *s)
{
	const int bottom = HEIGHT - BOTTOM;
	double labelled = -LABEL_LEAST;
	char label[DURATION_LEN];
	size_t i;
	int e;

	fprintf(s->f, "<g id=\"%s\">", s->id);
	for (e = 1; pow(10, -e) >= s->least; e++)
		fprintf(s->f, "<path class=\"grid\" d=\"M%d %dH%d\"/>", EDGE,
			small_y(s, pow(10, -e)), WIDTH - EDGE);
	for (e = (int)ceil(log10(s->x.from) - 1e-9); pow(10, e) <= s->x.to; e++) {
		int x = small_x(s, pow(10, e));

		fprintf(s->f, "<path class=\"grid\" d=\"M%d %dV%d\"/>", x, EDGE, bottom);
		if (x - labelled < LABEL_LEAST)
			continue;
		labelled = x;
		fprintf(s->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>", x, HEIGHT - 5,
			x < 40 ? "start" : x > WIDTH - 40 ? "end" : "middle",
			duration_exact(label, (uint64_t)llround(pow(10, e))));
	}
	for (i = 0; i < NR_LINES; i++)
		tail(s, &s->r->all, lines[i], "of-all");
	if (s->r->budget_ns)
		fprintf(s->f, "<path class=\"mark\" d=\"M%d %dV%d\"/>",
			small_x(s, (double)s->r->budget_ns), EDGE, bottom);
	fprintf(s->f, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/></g>", EDGE, EDGE, bottom,
		WIDTH - EDGE);
}

static void one(const struct small *s, const struct result_cpu *c, bool first)
{
	const struct tlob_hist *response = &c->hist[TLOB_METRIC_RESPONSE];
	char max[DURATION_LEN];
	size_t i;

	fputs("<div><span", s->f);
	if (c->violations || result_missed(c, TLOB_METRIC_RESPONSE))
		fputs(" class=\"bad\"", s->f);
	fputc('>', s->f);
	if (c->host) {
		markup_text(s->f, c->host);
		fputc(' ', s->f);
	}
	fprintf(s->f, "CPU %d</span> <span class=\"dim\">max %s</span><svg class=\"cpu\" viewBox=\"0 0 %d %d\" role=\"img\">",
		c->cpu, response->n ? duration_format(max, response->max) : "–", WIDTH, HEIGHT);
	if (first)
		common(s);
	else
		fprintf(s->f, "<use href=\"#%s\"/>", s->id);
	for (i = 0; i < NR_LINES; i++)
		tail(s, c, lines[i], tlob_metric_names[lines[i]]);
	fputs("</svg></div>\n", s->f);
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* The longest response that a CPU needs to be among the MOST. 0 or -ENOMEM. */
static int find_least(const struct result *r, uint64_t *least)
{
	uint64_t *max;
	size_t i;

	*least = 0;
	if (r->ncpus <= MOST)
		return 0;
	max = calloc(r->ncpus, sizeof(*max));
	if (!max)
		return -ENOMEM;
	for (i = 0; i < r->ncpus; i++)
		max[i] = r->cpu[i].hist[TLOB_METRIC_RESPONSE].max;
	qsort(max, r->ncpus, sizeof(*max), descending);
	*least = max[MOST - 1];
	free(max);
	return 0;
}

static struct axis axis_of(const struct result *r)
{
	uint64_t from = UINT64_MAX, to = r->budget_ns;
	size_t i;

	for (i = 0; i < NR_LINES; i++) {
		const struct tlob_hist *h = &r->all.hist[lines[i]];

		if (h->n && h->min < from)
			from = h->min;
		if (h->n && h->max > to)
			to = h->max;
	}
	return axis_of_times(from < 100 ? 100 : from < to ? from : to, to);
}

int multiples_cpus(FILE *f, const struct result *r, size_t number)
{
	struct small s = { .f = f, .r = r, .x = axis_of(r), .least = 0.1 };
	uint64_t longest;
	unsigned int n = 0;
	size_t i;
	int err = find_least(r, &longest);

	if (err)
		return err;
	snprintf(s.id, sizeof(s.id), "cpus%zu", number);
	s.least = fmin(s.least, 1 / fmax(1, (double)result_expiries(&r->all, TLOB_METRIC_RESPONSE)));
	fprintf(f, "<div class=\"cpus%s\">\n", r->ncpus < FEW ? " few" : "");
	for (i = 0; i < r->ncpus && n < MOST; i++)
		if (r->cpu[i].hist[TLOB_METRIC_RESPONSE].max >= longest)
			one(&s, &r->cpu[i], !n++);
	fputs("</div>\n<p class=\"key\">", f);
	for (i = 0; i < NR_LINES; i++)
		plot_key(f, tlob_metric_names[lines[i]], tlob_metric_names[lines[i]]);
	plot_key(f, "of-all", "all CPUs together");
	plot_key(f, "mark", "budget");
	fputs("</p>\n<p class=\"dim\">Which latency against which share of the expiries: the lines across are p90, p99, p99.9 and so on. All on one scale.", f);
	if (n < r->ncpus)
		fprintf(f, " The %u of %zu CPUs with the longest responses.", n, r->ncpus);
	fputs("</p>\n", f);
	return 0;
}
