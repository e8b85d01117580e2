// SPDX-License-Identifier: GPL-2.0
/*
 * Prints histograms for gnuplot, like cyclictest -h and rtla timerlat hist: one row
 * for each microsecond, one column for each latency. Two empty lines separate
 * blocks: `plot "FILE" index 0 using 1:4` draws the responses of all CPUs.
 */
#include <errno.h>
#include <inttypes.h>

#include "report/render.h"
#include "util/units.h"

#define NR_COLUMNS	(TLOB_METRIC_RESPONSE + 1)	/* irq, wake, response */

static void print_row(FILE *f, uint64_t us, uint64_t count[NR_COLUMNS])
{
	int m;

	fprintf(f, "%-9" PRIu64, us);
	for (m = 0; m < NR_COLUMNS; m++) {
		fprintf(f, " %11" PRIu64, count[m]);
		count[m] = 0;
	}
	fputc('\n', f);
}

/* A comment line with exact values, which the buckets do not have. */
static void print_exact(FILE *f, const char *what, const struct tlob_hist *h,
			const uint64_t ns[NR_COLUMNS])
{
	char us[DURATION_LEN];
	int m;

	fprintf(f, "# %-7s", what);
	for (m = 0; m < NR_COLUMNS; m++)
		fprintf(f, " %11s", h[m].n ? duration_us(us, ns[m]) : "-");
	fputc('\n', f);
}

static void print_block(FILE *f, const struct result_cpu *c)
{
	uint64_t count[NR_COLUMNS] = { 0 }, min[NR_COLUMNS], mean[NR_COLUMNS], max[NR_COLUMNS];
	uint64_t us = 0;
	bool any = false;
	unsigned int i;
	int m;

	fprintf(f, "# %-7s %11s %11s %11s\n", "us", "irq", "wake", "response");
	/* Lower edges ascend, so the buckets of one row are neighbours. */
	for (i = 0; i < TLOB_HIST_BUCKETS; i++) {
		uint64_t next = hist_lower(c->hist, i) / 1000;

		if (any && next != us) {
			print_row(f, us, count);
			any = false;
		}
		us = next;
		for (m = 0; m < NR_COLUMNS; m++) {
			count[m] += c->hist[m].bucket[i];
			any |= c->hist[m].bucket[i] != 0;
		}
	}
	/* gnuplot skips a block without rows, and its index with it. */
	if (any || !c->hist[TLOB_METRIC_RESPONSE].n)
		print_row(f, any ? us : 0, count);
	for (m = 0; m < NR_COLUMNS; m++) {
		min[m] = c->hist[m].min;
		mean[m] = c->hist[m].n ? hist_mean(&c->hist[m]) : 0;
		max[m] = c->hist[m].max;
	}
	print_exact(f, "min", c->hist, min);
	print_exact(f, "avg", c->hist, mean);
	print_exact(f, "max", c->hist, max);
}

int render_hist(FILE *f, const struct result *r)
{
	char period[DURATION_LEN], budget[DURATION_LEN];
	size_t i;

	fprintf(f, "# tlob-load histogram, period %s, budget %s\n"
		"# Windows by latency. A row is [us, us + 1), named by the lower edge of its buckets.\n"
		"# Buckets are up to 1/64 of their value wide: above 65 us they are wider than a row,\n"
		"# stand at their lower edge, and the rows between are empty. Empty rows are left out.\n",
		duration_exact(period, r->period_ns),
		duration_exact(budget, r->budget_ns));
	if (r->clock_resolution_ns > 1)
		fprintf(f, "# " RESULT_CLOCK_STEPS "\n", r->clock_resolution_ns);
	fputs("\n# index 0: all CPUs\n", f);
	print_block(f, &r->all);
	for (i = 0; i < r->ncpus; i++) {
		fprintf(f, "\n\n# index %zu: cpu %d\n", i + 1, r->cpu[i].cpu);
		print_block(f, &r->cpu[i]);
	}
	return ferror(f) ? -EIO : 0;
}
