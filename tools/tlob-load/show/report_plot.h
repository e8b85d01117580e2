/* SPDX-License-Identifier: GPL-2.0 */
/* Draws plots as SVG, with gnuplot. */
#ifndef TLOB_SHOW_REPORT_PLOT_H
#define TLOB_SHOW_REPORT_PLOT_H

#include <stdio.h>

#include "show/report.h"

enum report_plot {
	PLOT_HISTOGRAM,		/* windows over latency, both logarithmic */
	PLOT_TAIL,		/* quantiles to p99.9999 over latency */
	PLOT_SHIFT,		/* second - first of two results, over quantiles */
	NR_PLOTS
};

/* Draws a plot; the SVG element (malloc) is *@svg. 0; -EOPNOTSUPP: no gnuplot; -errno. Printed. */
int report_plot(char **svg, const struct report *rep, enum report_plot plot);

/* The colour of the @i'th line, as "#rrggbb". */
const char *report_colour(size_t i);

#endif /* TLOB_SHOW_REPORT_PLOT_H */
