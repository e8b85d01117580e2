// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/curves.h"
#include "report/plot.h"
#include "util/markup.h"
#include "util/units.h"

#define LEVELS		9	/* of colour, from one window to the most in a cell */
#define TOP		22.0
#define BOTTOM		30.0
#define ROW		13.0
#define WIDEST		30.0	/* column: few CPUs do not fill the width */
#define BUDGET_LABEL	150.0	/* room for its text */
#define STRIP		20.0	/* the row of violations and missed expiries */

/* The content of a column: windows by latency, and what went wrong. */
struct column {
	uint64_t bucket[SLICE_BUCKETS];
	uint64_t violations, missed;
	char	 name[RESULT_HOST + 20];	/* "CPU 3", "12s to 13s" */
	char	 label[DURATION_LEN];	/* at the axis: "3", "12s" */
};

struct heat {
	FILE	*f;
	struct column *at;
	size_t	 n;
	unsigned int from, to;		/* rows: the first, and one behind the last */
	uint64_t most;			/* windows in a cell */
	bool	 strip;
	uint64_t budget_ns;		/* 0: no line */
	const char *metric;
};

static void find_range(struct heat *h)
{
	unsigned int i;
	size_t k;

	h->from = SLICE_BUCKETS;
	h->to = 0;
	for (k = 0; k < h->n; k++) {
		h->strip = h->strip || (h->budget_ns && (h->at[k].violations || h->at[k].missed));
		for (i = 0; i < SLICE_BUCKETS; i++) {
			if (!h->at[k].bucket[i])
				continue;
			if (i < h->from)
				h->from = i;
			if (i >= h->to)
				h->to = i + 1;
			if (h->at[k].bucket[i] > h->most)
				h->most = h->at[k].bucket[i];
		}
	}
	if (h->budget_ns && h->from < h->to && slice_bucket(h->budget_ns) >= h->to)
		h->to = slice_bucket(h->budget_ns) + 1;
	if (h->budget_ns && slice_bucket(h->budget_ns) < h->from)
		h->from = slice_bucket(h->budget_ns);
	if (h->to > SLICE_BUCKETS)
		h->to = SLICE_BUCKETS;
}

static double rows_height(const struct heat *h)
{
	return (h->to - h->from) * ROW;
}

static double cells_top(const struct heat *h)
{
	return TOP + (h->strip ? STRIP : 0);
}

/* The top of row @i: the lowest latency is at the bottom. */
static double row_y(const struct heat *h, unsigned int i)
{
	return cells_top(h) + (h->to - 1 - i) * ROW;
}

static double column_x(const struct heat *h, size_t k)
{
	double width = (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) / (double)h->n;

	return PLOT_LEFT + (double)k * fmin(width, WIDEST);
}

/* Columns that are wide enough have a gap between them. */
static double cell_width(const struct heat *h)
{
	double width = column_x(h, 1) - column_x(h, 0);

	return width > 3 ? width - 0.5 : width;
}

/* One window is seen as well as a million: the colour is the logarithm. */
static int level(const struct heat *h, uint64_t n)
{
	double share = h->most > 1 ? log((double)n) / log((double)h->most) : 1;

	return 1 + (int)(share * (LEVELS - 1) + 0.5);
}

/* The cells of one colour are one path: an element for each would take most of the page. */
static void cells(const struct heat *h, int shade)
{
	double width = cell_width(h);
	bool begun = false;
	unsigned int i;
	size_t k;

	for (k = 0; k < h->n; k++)
		for (i = h->from; i < h->to; i++) {
			if (!h->at[k].bucket[i] || level(h, h->at[k].bucket[i]) != shade)
				continue;
			if (!begun)
				fprintf(h->f, "<path class=\"h%d\" d=\"", shade);
			begun = true;
			fprintf(h->f, "M%.1f %gh%.1fv%gh-%.1fz", column_x(h, k), row_y(h, i),
				width, ROW - 0.5, width);
		}
	if (begun)
		fputs("\"/>\n", h->f);
}

/*
 * The data that the script shows under the pointer: the area of the cells, the name of each column,
 * the edges of the rows from below, and the windows, column by column.
 */
static void cell_data(const struct heat *h)
{
	char edge[DURATION_LEN];
	unsigned int i;
	size_t k;

	fprintf(h->f, " data-cells=\"%g %.1f %g %g\" data-metric=\"%s\" data-names=\"", PLOT_LEFT,
		column_x(h, h->n), cells_top(h), cells_top(h) + rows_height(h), h->metric);
	for (k = 0; k < h->n; k++) {
		fputs(k ? "\n" : "", h->f);
		markup_text(h->f, h->at[k].name);
	}
	fputs("\" data-edges=\"", h->f);
	for (i = h->from; i < h->to; i++)
		fprintf(h->f, "%s ", duration_format(edge, slice_bucket_lower(i)));
	fputs(h->to < SLICE_BUCKETS ? duration_format(edge, slice_bucket_lower(h->to)) : "more", h->f);
	fputs("\" data-windows=\"", h->f);
	for (k = 0; k < h->n; k++)
		for (i = h->from; i < h->to; i++) {
			fputs(k || i > h->from ? " " : "", h->f);
			if (h->at[k].bucket[i])
				fprintf(h->f, "%" PRIu64, h->at[k].bucket[i]);
		}
	fputc('"', h->f);
}

static void strip(const struct heat *h)
{
	size_t k;

	fprintf(h->f, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">late</text>\n",
		PLOT_LEFT - 8, TOP + 9);
	for (k = 0; k < h->n; k++) {
		const struct column *c = &h->at[k];

		if (!c->violations && !c->missed)
			continue;
		markup(h->f, "<rect class=\"late\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" height=\"%g\"><title>%s: %" PRIu64 " violations, %" PRIu64 " missed</title></rect>\n",
			column_x(h, k), TOP, cell_width(h), STRIP - 9, c->name, c->violations,
			c->missed);
	}
}

/* The position of a latency, below 0 outside of the rows. In a row the scale is logarithmic. */
static double latency_y(const struct heat *h, uint64_t ns)
{
	unsigned int i = slice_bucket(ns);
	double lower = (double)slice_bucket_lower(i), upper;

	if (i < h->from || i >= h->to || !i || i + 1 >= SLICE_BUCKETS)
		return -1;
	upper = (double)slice_bucket_lower(i + 1);
	return row_y(h, i) + ROW - ROW * log((double)ns / lower) / log(upper / lower);
}

static void row_labels(const struct heat *h)
{
	char label[DURATION_LEN];
	uint64_t ns;
	double y;

	for (ns = 1000; ns <= 10000000000; ns *= 10) {
		y = latency_y(h, ns);
		if (y < 0)
			continue;
		fprintf(h->f, "<path class=\"grid\" d=\"M%g %.1fH%g\"/><text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			PLOT_LEFT - 5, y, column_x(h, h->n), PLOT_LEFT - 8, y + 4,
			duration_exact(label, ns));
	}
}

/* Labels of some of the columns, at least @least units apart. */
static void column_labels(const struct heat *h, double least)
{
	size_t every = 1 + (size_t)(least / (column_x(h, 1) - column_x(h, 0))), k;

	for (k = 0; k < h->n && column_x(h, k) + least < PLOT_WIDTH; k += every)
		fprintf(h->f, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", column_x(h, k),
			cells_top(h) + rows_height(h) + 18, h->at[k].label);
}

/* Its label stands to the right of few columns, and above the last of many. */
static void budget_line(const struct heat *h)
{
	double y = h->budget_ns ? latency_y(h, h->budget_ns) : -1, end = column_x(h, h->n);
	bool beside = end + BUDGET_LABEL < PLOT_WIDTH;
	char label[DURATION_LEN];

	if (y < 0)
		return;
	fprintf(h->f, "<path class=\"mark\" d=\"M%g %.1fH%g\"/><text class=\"mark\" x=\"%g\" y=\"%.1f\" text-anchor=\"%s\">budget %s</text>\n",
		PLOT_LEFT, y, end, beside ? end + 6 : end, beside ? y + 4 : y - 3,
		beside ? "start" : "end", duration_exact(label, h->budget_ns));
}

static void draw(struct heat *h, double least)
{
	int shade;

	find_range(h);
	if (h->from >= h->to)
		return;
	fprintf(h->f, "<p class=\"dim\">%s</p>\n<div class=\"scroll\"><svg class=\"plot heat\" viewBox=\"0 0 %g %g\" role=\"img\"",
		h->metric, PLOT_WIDTH, cells_top(h) + rows_height(h) + BOTTOM);
	cell_data(h);
	fputs(">\n", h->f);
	row_labels(h);
	column_labels(h, least);
	if (h->strip)
		strip(h);
	fputs("<g class=\"cells\">\n", h->f);
	for (shade = 1; shade <= LEVELS; shade++)
		cells(h, shade);
	fputs("</g>\n", h->f);
	budget_line(h);
	fputs("</svg></div>\n", h->f);
}

static const struct {
	enum tlob_metric metric;
	enum slice_metric slice;
} maps[] = {
	{ TLOB_METRIC_WAKE, SLICE_WAKE },
	{ TLOB_METRIC_RESPONSE, SLICE_RESPONSE },
};

/* Each bucket of a histogram lies within one of the slices' buckets, but the first ones. */
static void coarse(uint64_t to[SLICE_BUCKETS], const struct tlob_hist *h)
{
	unsigned int i;

	for (i = 0; i < TLOB_HIST_BUCKETS; i++)
		to[slice_bucket(tlob_hist_lower(i))] += h->bucket[i];
}

#define HOSTS_NAMED	16

/* Numbers of CPUs come again with each host, whose name has no room at the axis. */
static void name_hosts(FILE *f, const struct result *r)
{
	const char *sep = "<p class=\"dim\">From left to right: ";
	size_t i, k, hosts = 0;

	for (i = 0; i < r->ncpus; i = k) {
		const char *host = r->cpu[i].host;

		if (!host)
			return;
		for (k = i + 1; k < r->ncpus && r->cpu[k].host && !strcmp(r->cpu[k].host, host); k++)
			;
		if (!i && k == r->ncpus)
			return;
		if (hosts++ == HOSTS_NAMED) {
			fputs(" and more", f);
			break;
		}
		fputs(sep, f);
		markup_text(f, host);
		fprintf(f, ", CPU%s %d", k - i > 1 ? "s" : "", r->cpu[i].cpu);
		if (k - i > 1)
			fprintf(f, " … %d", r->cpu[k - 1].cpu);
		sep = "; ";
	}
	fputs(".</p>\n", f);
}

/* A map of each metric in @maps, of @n columns. @fill: what stands in column @k. */
static int draw_maps(FILE *f, const struct result *r, size_t n, double least,
		     void (*fill)(struct column *to, size_t k, size_t map, const struct result *r))
{
	size_t i, k;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		struct heat h = {
			.f = f, .n = n, .metric = tlob_metric_names[maps[i].metric],
			.budget_ns = maps[i].slice == SLICE_RESPONSE ? r->budget_ns : 0,
		};

		h.at = calloc(n, sizeof(*h.at));
		if (!h.at)
			return -ENOMEM;
		for (k = 0; k < n; k++)
			fill(&h.at[k], k, i, r);
		draw(&h, least);
		free(h.at);
	}
	return 0;
}

static void fill_cpu(struct column *to, size_t k, size_t map, const struct result *r)
{
	const struct result_cpu *c = &r->cpu[k];

	coarse(to->bucket, &c->hist[maps[map].metric]);
	to->violations = c->violations;
	to->missed = c->missed;
	snprintf(to->name, sizeof(to->name), "%.64s%sCPU %d", c->host ? c->host : "",
		 c->host ? " " : "", c->cpu);
	snprintf(to->label, sizeof(to->label), "%d", c->cpu);
}

int heat_cpus(FILE *f, const struct result *r)
{
	int err = draw_maps(f, r, r->ncpus, 25, fill_cpu);

	if (!err && r->ncpus)
		name_hosts(f, r);
	return err;
}

const char *heat_since(char *buf, size_t size, uint64_t ns)
{
	uint64_t s = (ns + 500000000) / 1000000000;

	if (!ns)
		snprintf(buf, size, "0");
	else if (s < 100)
		duration_format(buf, ns);
	else if (s < 6000)
		snprintf(buf, size, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else
		snprintf(buf, size, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s % 3600 / 60);
	return buf;
}

static void fill_time(struct column *to, size_t k, size_t map, const struct result *r)
{
	const struct slices *s = r->all.slices;
	char until[DURATION_LEN];

	memcpy(to->bucket, s->at[k].bucket[maps[map].slice], sizeof(to->bucket));
	to->violations = s->at[k].violations;
	to->missed = s->at[k].missed;
	heat_since(to->label, sizeof(to->label), k * s->slice_ns);
	snprintf(to->name, sizeof(to->name), "%s to %s", to->label,
		 heat_since(until, sizeof(until), (k + 1) * s->slice_ns));
}

int heat_times(FILE *f, const struct result *r)
{
	return draw_maps(f, r, r->all.slices->n, 80, fill_time);
}
