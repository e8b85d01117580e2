/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of a run over time: a plot for each CPU. */
#ifndef TLOB_REPORT_SAMPLES_PLOT_H
#define TLOB_REPORT_SAMPLES_PLOT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct html;

#define SAMPLES_STEPS	400U		/* of the time, from left to right */
#define SAMPLES_CPUS	4096U

struct samples_step {
	uint64_t windows, violations, missed;
	uint64_t min_ns[2], max_ns[2];	/* of wake and response */
};

struct samples_cpu {
	uint32_t cpu;
	struct samples_step step[SAMPLES_STEPS];
};

struct samples_plot {
	const char *name;		/* of the file */
	uint64_t begin_ns, end_ns;	/* the first and the last expiry */
	uint64_t rows;
	size_t	 n;
	struct samples_cpu **at;	/* [n], in the order in which they come */
	int	 err;
};

/* The member "samples" of a page. 0, -ENOMEM or -EIO. */
int  samples_plot_put(struct html *page, const struct samples_plot *p);

/* A page of its own. 0, -ENOMEM or -EIO. */
int  samples_plot_page(FILE *f, const struct samples_plot *p);

#endif /* TLOB_REPORT_SAMPLES_PLOT_H */
