/* SPDX-License-Identifier: GPL-2.0 */
/* Plots as SVG, by gnuplot. */
#ifndef TLOB_REPORT_PLOT_H
#define TLOB_REPORT_PLOT_H

#include <stdio.h>

#include "show/report.h"

enum report_plot {
	PLOT_HISTOGRAM,		/* windows over latency, both logarithmic */
	PLOT_TAIL,		/* quantiles to p99.9999 over latency */
	PLOT_SHIFT,		/* of two results: second - first over quantiles */
	NR_PLOTS
};

/* The SVG element (malloc) in *@svg. 0 or -errno, printed. */
int report_plot(char **svg, const struct report *rep, enum report_plot plot);

/* The colour of the @i'th line, as gnuplot and CSS have it. */
const char *report_colour(size_t i);

#endif /* TLOB_REPORT_PLOT_H */
