/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plots as SVG elements inside the page, so that its style sheet gives them the colours
 * of a light or dark screen. Values are doubles; both axes may be logarithmic.
 */
#ifndef TLOB_REPORT_PLOT_H
#define TLOB_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The drawing area in the units of the view box. */
#define PLOT_WIDTH	900.0
#define PLOT_HEIGHT	340.0
#define PLOT_LEFT	92.0
#define PLOT_RIGHT	30.0	/* half a label of a tick at the edge */
#define PLOT_TOP	22.0	/* the name of a mark, above the curves */
#define PLOT_BOTTOM	44.0

/* From the left or the bottom to the right or the top; @from may exceed @to. */
struct axis {
	double	from, to;
	bool	log;
};

struct plot {
	FILE	*f;
	struct axis x, y;
	double	height;			/* of the element */
};

/* Opens the element; @kind is a word for the script of the page, as in "quantiles". */
void plot_begin(struct plot *p, FILE *f, const char *kind, const struct axis *x,
		const struct axis *y, double height);
void plot_end(struct plot *p);

/* The position of a value in the view box, cut to the drawing area. */
double plot_x(const struct plot *p, double x);
double plot_y(const struct plot *p, double y);

/* A grid line with a label to the left of it. */
void plot_tick_y(struct plot *p, double y, const char *label);

/* The ticks of a logarithmic axis of ns, from 1 ns to an hour: "10 us". */
void plot_ticks_time(struct plot *p, bool is_x);

/* The ticks of a linear x axis of ns since the begin of a run: "12.8s", "2h54m". */
void plot_ticks_since(struct plot *p);

/* p50 to p99.9999, up to the share @least, on an axis of what lies beyond. */
void plot_ticks_quantile(struct plot *p, double least, bool is_x);

/* Differences in ns on a linear y axis, "+20us"; shares of one, "−5 %". Zero has no sign. */
void plot_ticks_shift(struct plot *p);
void plot_ticks_share(struct plot *p, bool is_x);

/* A line through the points that follow, until plot_line_end(). */
void plot_line(struct plot *p, const char *class, const char *name);
void plot_point(struct plot *p, double x, double y);
void plot_line_end(struct plot *p);

/*
 * A marker over the whole height with its label: a budget. Labels of several stand
 * below one another, in rows 0, 1 and so on.
 */
void plot_mark_x(struct plot *p, double x, const char *label, size_t row);

/* The same over the whole width; its label stands above its right end. */
void plot_mark_y(struct plot *p, double y, const char *label);

/* A dot with a text under the pointer. */
void plot_dot(struct plot *p, double x, double y, double radius, const char *class,
	      const char *title);

/* A piece of a legend, which is a <p class="key">: a line of @class and its name. */
void plot_key(FILE *f, const char *class, const char *name);

/* Makes a linear axis longer by half a step of its ticks at each end; its range is not 0. */
void axis_widen(struct axis *a);

/* The smallest axis of whole decades' thirds around [@from, @to] ns, which may be 0. */
struct axis axis_of_times(uint64_t from, uint64_t to);

#endif /* TLOB_REPORT_PLOT_H */
