// SPDX-License-Identifier: GPL-2.0
#include <math.h>

#include "report/curves.h"
#include "report/plot.h"
#include "util/markup.h"
#include "util/units.h"

/* 0 at @from, 1 at @to. */
static double share(const struct axis *a, double v)
{
	double s = a->log ? log(v / a->from) / log(a->to / a->from) :
			    (v - a->from) / (a->to - a->from);

	return s > 0 ? s < 1 ? s : 1 : 0;	/* not a number is 0 */
}

double plot_x(const struct plot *p, double x)
{
	return PLOT_LEFT + share(&p->x, x) * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}

double plot_y(const struct plot *p, double y)
{
	return p->height - PLOT_BOTTOM -
	       share(&p->y, y) * (p->height - PLOT_TOP - PLOT_BOTTOM);
}

void plot_begin(struct plot *p, FILE *f, const char *kind, const struct axis *x,
		const struct axis *y, double height)
{
	*p = (struct plot){ .f = f, .x = *x, .y = *y, .height = height };
	fprintf(f, "<div class=\"scroll\"><svg class=\"plot\" data-kind=\"%s\" data-x=\"%g %g %d\" data-y=\"%g %g %d\" data-area=\"%g %g %g %g\" viewBox=\"0 0 %g %g\" role=\"img\">\n",
		kind, x->from, x->to, x->log, y->from, y->to, y->log, PLOT_LEFT,
		PLOT_WIDTH - PLOT_RIGHT, PLOT_TOP, height - PLOT_BOTTOM, PLOT_WIDTH, height);
}

void plot_end(struct plot *p)
{
	fprintf(p->f, "<path class=\"axis\" d=\"M%g %gV%gH%g\"/></svg></div>\n", PLOT_LEFT,
		PLOT_TOP, p->height - PLOT_BOTTOM, PLOT_WIDTH - PLOT_RIGHT);
}

static void plot_tick_x(struct plot *p, double x, const char *label)
{
	double at = plot_x(p, x);

	fprintf(p->f, "<path class=\"grid\" d=\"M%.1f %gV%g\"/>", at, PLOT_TOP,
		p->height - PLOT_BOTTOM);
	if (label)
		fprintf(p->f, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
			at, p->height - PLOT_BOTTOM + 20, label);
}

void plot_tick_y(struct plot *p, double y, const char *label)
{
	double at = plot_y(p, y);

	fprintf(p->f, "<path class=\"grid\" d=\"M%g %.1fH%g\"/>", PLOT_LEFT, at,
		PLOT_WIDTH - PLOT_RIGHT);
	if (label)
		fprintf(p->f, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			PLOT_LEFT - 8, at + 4.5, label);
}

/* 1, 2 and 5 of each decade have a label where there is room, else only 1. */
void plot_ticks_time(struct plot *p, bool is_x)
{
	const struct axis *a = is_x ? &p->x : &p->y;
	double least = a->from < a->to ? a->from : a->to;
	double most = a->from < a->to ? a->to : a->from;
	bool fine = most / least < 150;
	char label[DURATION_LEN];
	int e, i;

	for (e = (int)floor(log10(least)); pow(10, e) <= most; e++)
		for (i = 1; i < 10; i++) {
			double v = pow(10, e) * i;
			bool named = i == 1 || (fine && (i == 2 || i == 5));

			if (v < least * 0.999 || v > most * 1.001)
				continue;
			duration_exact(label, (uint64_t)llround(v));
			if (is_x)
				plot_tick_x(p, v, named ? label : NULL);
			else if (named)
				plot_tick_y(p, v, label);
		}
}

void plot_ticks_quantile(struct plot *p, double least, bool is_x)
{
	static const struct {
		const char *name;
		double beyond;
	} at[] = {
		{ "p50", 0.5 }, { "p90", 0.1 }, { "p99", 1e-2 }, { "p99.9", 1e-3 },
		{ "p99.99", 1e-4 }, { "p99.999", 1e-5 }, { "p99.9999", 1e-6 },
	};
	size_t i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		if (at[i].beyond >= least)
			(is_x ? plot_tick_x : plot_tick_y)(p, at[i].beyond, at[i].name);
}

/* 1, 2 or 5 times a power of ten, at most a fifth of @a's range. */
static double tick_step(const struct axis *a)
{
	double range = fabs(a->to - a->from);
	double decade = pow(10, floor(log10(range / 5)));

	return range / 5 >= 5 * decade ? 5 * decade :
	       range / 5 >= 2 * decade ? 2 * decade : decade;
}

void axis_widen(struct axis *a)
{
	double by = tick_step(a) / 2;

	a->from -= by;
	a->to += by;
}

/* Calls @tick for each step of @a, with its label. */
static void each_step(struct plot *p, const struct axis *a,
		      void (*tick)(struct plot *, double, const char *),
		      const char *(*text)(char *buf, size_t size, double v))
{
	double by = tick_step(a);
	char label[DURATION_LEN + 8];
	long k;

	for (k = lround(ceil(a->from / by)); (double)k * by <= a->to; k++)
		tick(p, (double)k * by, text(label, sizeof(label), (double)k * by));
}

static const char *sign_of(double v)
{
	return v < 0 ? "−" : v > 0 ? "+" : "";
}

static const char *tick_shift(char *buf, size_t size, double ns)
{
	char abs[DURATION_LEN];

	duration_format(abs, (uint64_t)llround(fabs(ns)));
	snprintf(buf, size, "%s%s", sign_of(ns), abs);
	return buf;
}

static const char *tick_share(char *buf, size_t size, double share)
{
	snprintf(buf, size, "%s%g %%", sign_of(share), fabs(100 * share));
	return buf;
}

static const char *tick_since(char *buf, size_t size, double ns)
{
	return heat_since(buf, size, (uint64_t)llround(ns));
}

void plot_ticks_since(struct plot *p)
{
	each_step(p, &p->x, plot_tick_x, tick_since);
}

void plot_ticks_shift(struct plot *p)
{
	each_step(p, &p->y, plot_tick_y, tick_shift);
}

void plot_ticks_share(struct plot *p, bool is_x)
{
	each_step(p, is_x ? &p->x : &p->y, is_x ? plot_tick_x : plot_tick_y, tick_share);
}

void plot_key(FILE *f, const char *class, const char *name)
{
	markup(f, "<span><svg class=\"sample\" viewBox=\"0 0 28 10\"><path class=\"line %s\" d=\"M0 5H28\"/></svg>%s</span> ",
	       class, name);
}

void plot_line(struct plot *p, const char *class, const char *name)
{
	markup(p->f, "<polyline class=\"line %s\" data-name=\"%s\" points=\"", class, name);
}

void plot_point(struct plot *p, double x, double y)
{
	fprintf(p->f, "%.1f,%.1f ", plot_x(p, x), plot_y(p, y));
}

void plot_line_end(struct plot *p)
{
	fputs("\"/>\n", p->f);
}

void plot_mark_x(struct plot *p, double x, const char *label, size_t row)
{
	double at = plot_x(p, x);
	bool right = at > (PLOT_LEFT + PLOT_WIDTH) / 2;

	markup(p->f, "<path class=\"mark\" d=\"M%.1f %gV%g\"/><text class=\"mark\" x=\"%.1f\" y=\"%g\" text-anchor=\"%s\">%s</text>\n",
	       at, PLOT_TOP, p->height - PLOT_BOTTOM, right ? at - 5 : at + 5,
	       PLOT_TOP - 3 + 15 * (double)row, right ? "end" : "start", label);
}

void plot_mark_y(struct plot *p, double y, const char *label)
{
	double at = plot_y(p, y);

	markup(p->f, "<path class=\"mark\" d=\"M%g %.1fH%g\"/><text class=\"mark\" x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
	       PLOT_LEFT, at, PLOT_WIDTH - PLOT_RIGHT, PLOT_WIDTH - PLOT_RIGHT, at - 4, label);
}

void plot_dot(struct plot *p, double x, double y, double radius, const char *class,
	      const char *title)
{
	markup(p->f, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"><title>%s</title></circle>\n",
	       class, plot_x(p, x), plot_y(p, y), radius, title);

}

struct axis axis_of_times(uint64_t from, uint64_t to)
{
	struct axis a = { .log = true };
	double least = from > 1 ? (double)from : 1;
	double most = (double)to > least ? (double)to : least;

	/* thirds of a decade: 1, 2, 5 */
	a.from = pow(10, floor(log10(least) * 3 + 1e-9) / 3);
	a.to = pow(10, ceil(log10(most * 1.02) * 3 - 1e-9) / 3);
	if (a.to < 2 * a.from)
		a.to = 2 * a.from;
	return a;
}
