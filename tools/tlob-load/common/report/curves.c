// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "report/curves.h"
#include "report/plot.h"
#include "result/read_attach.h"
#include "util/units.h"

#define PPM		1000000U
#define LOWEST		0.7	/* where the count axis begins: one window is a step */

static const enum tlob_metric lines[] = {
	TLOB_METRIC_IRQ, TLOB_METRIC_WAKE, TLOB_METRIC_RESPONSE,
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static const struct tlob_hist *hist_of(const struct report *rep, size_t i,
				       size_t line)
{
	return &rep->r[i].all.hist[lines[line]];
}

/* One result: a style for each metric. Several: a colour for each result, a dash for each metric. */
static const char *class_of(char *buf, size_t size, const struct report *rep,
			    size_t i, size_t line)
{
	if (rep->n > 1)
		snprintf(buf, size, "c%zu dash%zu", i % REPORT_MAX, line);
	else
		snprintf(buf, size, "%s", tlob_metric_names[lines[line]]);
	return buf;
}

static bool kernels_differ(const struct report *rep)
{
	size_t i;

	for (i = 1; i < rep->n; i++)
		if (strcmp(rep->r[i].kernel, rep->r[0].kernel))
			return true;
	return false;
}

/* The time of a region is called what attach calls it. */
static const char *metric_of(const struct report *rep, size_t i, size_t line)
{
	return result_is_of_attach(&rep->r[i]) ? attach_metric_names[ATTACH_ELAPSED] :
						 tlob_metric_names[lines[line]];
}

/* "wake", "wake, smt off" or, of several kernels, "wake, smt off (6.12.94-rt)". */
static const char *name_of(char *buf, size_t size, const struct report *rep,
			   size_t i, size_t line)
{
	const char *kernel = rep->r[i].kernel;
	int n;

	n = snprintf(buf, size, "%s%s%.140s", metric_of(rep, i, line),
		     rep->n > 1 ? ", " : "", rep->n > 1 ? rep->name[i] : "");
	if (kernels_differ(rep))	/* the release; the version stands elsewhere */
		snprintf(buf + n, size - (size_t)n, " (%.*s)",
			 (int)(strcspn(kernel, " ") < 80 ? strcspn(kernel, " ") : 80), kernel);
	return buf;
}

static void legend(FILE *f, const struct report *rep)
{
	char class[32], name[256];
	size_t i, line;

	fputs("<p class=\"key\">", f);
	for (i = 0; i < rep->n; i++)
		for (line = 0; line < NR_LINES; line++) {
			if (!hist_of(rep, i, line)->n)
				continue;
			plot_key(f, class_of(class, sizeof(class), rep, i, line),
				 name_of(name, sizeof(name), rep, i, line));
		}
	fputs("</p>\n", f);
}

/* From the smallest to the largest value of all lines, and to each budget. */
static struct axis times(const struct report *rep)
{
	uint64_t from = UINT64_MAX, to = 0;
	size_t i, line;

	for (i = 0; i < rep->n; i++) {
		if (rep->r[i].budget_ns > to)
			to = rep->r[i].budget_ns;
		for (line = 0; line < NR_LINES; line++) {
			const struct tlob_hist *h = hist_of(rep, i, line);

			if (h->n && h->min < from)
				from = h->min;
			if (h->n && h->max > to)
				to = h->max;
		}
	}
	return axis_of_times(from < 100 ? 100 : from, to);
}

/* One line for all results that have the same budget; named where they differ. */
static void budgets(struct plot *p, const struct report *rep)
{
	char label[300], budget[DURATION_LEN];
	bool same = true;
	size_t i;

	for (i = 1; i < rep->n; i++)
		same = same && rep->r[i].budget_ns == rep->r[0].budget_ns;
	for (i = 0; i < rep->n; i++) {
		snprintf(label, sizeof(label), "budget %s%s%.200s",
			 duration_exact(budget, rep->r[i].budget_ns),
			 same ? "" : ", ", same ? "" : rep->name[i]);
		plot_mark_x(p, (double)rep->r[i].budget_ns, label, i);
		if (same)
			break;
	}
}

/* The share of one expiry in the result with the most expiries. */
static double least_share(const struct report *rep)
{
	uint64_t n = 2, one;
	size_t i;

	for (i = 0; i < rep->n; i++) {
		one = result_expiries(&rep->r[i].all, TLOB_METRIC_RESPONSE);
		n = one > n ? one : n;
	}
	return 1.0 / (double)n;
}

/*
 * The share of expiries above each bucket, a step at its upper edge. Missed expiries are
 * above all buckets: the line ends where they begin.
 */
static void tail_line(struct plot *p, const struct tlob_hist *h, uint64_t missed)
{
	double all = (double)h->n + (double)missed;
	uint64_t left = h->n;
	unsigned int i;

	plot_point(p, (double)h->min, 1);
	for (i = 0; i < TLOB_HIST_BUCKETS && left; i++) {
		double at = (double)hist_upper(h, i), beyond;

		if (!h->bucket[i])
			continue;
		if (at > (double)h->max || left == h->bucket[i])
			at = (double)h->max;
		plot_point(p, at, ((double)left + (double)missed) / all);
		left -= h->bucket[i];
		beyond = (double)left + (double)missed;
		plot_point(p, at, (beyond >= 1 ? beyond : 1) / all);
	}
}

void curves_quantiles(FILE *f, const struct report *rep)
{
	const struct axis x = times(rep);
	const double least = least_share(rep);
	const struct axis y = { .from = 1, .to = 0.8 * least, .log = true };
	char class[32], name[256];
	struct plot p;
	size_t i, line;

	plot_begin(&p, f, "quantiles", &x, &y, PLOT_HEIGHT);
	plot_ticks_time(&p, true);
	plot_ticks_quantile(&p, least, false);
	for (i = 0; i < rep->n; i++)
		for (line = 0; line < NR_LINES; line++) {
			const struct tlob_hist *h = hist_of(rep, i, line);

			if (!h->n)
				continue;
			plot_line(&p, class_of(class, sizeof(class), rep, i, line),
				  name_of(name, sizeof(name), rep, i, line));
			tail_line(&p, h, result_missed(&rep->r[i].all, lines[line]));
			plot_line_end(&p);
		}
	budgets(&p, rep);
	plot_end(&p);
	legend(f, rep);
}

/* The step of @ns: eighths of octaves, from 1 ns on. */
static unsigned int step_of(double ns)
{
	return ns > 1 ? (unsigned int)floor(log2(ns) * CURVES_OCTAVE + 1e-9) : 0;
}

void curves_steps(const struct tlob_hist *h, double step[CURVES_STEPS])
{
	unsigned int i, k, first, last;

	for (k = 0; k < CURVES_STEPS; k++)
		step[k] = 0;
	for (i = 0; i < TLOB_HIST_BUCKETS; i++) {
		double lower = (double)hist_lower(h, i);
		double upper = (double)hist_upper(h, i) + 1;

		if (!h->bucket[i])
			continue;
		if (i == TLOB_HIST_BUCKETS - 1)
			upper = (double)h->max + 1;
		first = step_of(lower);
		last = step_of(upper - 0.5);
		for (k = first; k <= last && k < CURVES_STEPS; k++) {
			double from = fmax(lower, exp2((double)k / CURVES_OCTAVE));
			double to = fmin(upper, exp2((double)(k + 1) / CURVES_OCTAVE));

			if (first == last)
				step[k] += (double)h->bucket[i];
			else if (to > from)
				step[k] += (double)h->bucket[i] * (to - from) / (upper - lower);
		}
	}
}

double curves_step_end(unsigned int k)
{
	return exp2((double)(k + 1) / CURVES_OCTAVE);
}

static void histogram_line(struct plot *p, const double step[CURVES_STEPS])
{
	unsigned int k;
	double last = 0;

	for (k = 0; k < CURVES_STEPS; k++) {
		double at = exp2((double)k / CURVES_OCTAVE);

		if (step[k] <= 0 && last <= 0)
			continue;
		plot_point(p, at, last > 0 ? last : LOWEST);
		plot_point(p, at, step[k] > 0 ? step[k] : LOWEST);
		last = step[k];
	}
}

static double highest(const struct report *rep)
{
	double step[CURVES_STEPS], most = 10;
	unsigned int k;
	size_t i, line;

	for (i = 0; i < rep->n; i++)
		for (line = 0; line < NR_LINES; line++) {
			curves_steps(hist_of(rep, i, line), step);
			for (k = 0; k < CURVES_STEPS; k++)
				most = fmax(most, step[k]);
		}
	return most;
}

void curves_histogram(FILE *f, const struct report *rep)
{
	const struct axis x = times(rep);
	const struct axis y = { .from = LOWEST, .to = 1.5 * highest(rep), .log = true };
	char class[32], name[256], label[32];
	double step[CURVES_STEPS];
	struct plot p;
	size_t i, line;
	int e;

	plot_begin(&p, f, "windows", &x, &y, PLOT_HEIGHT);
	plot_ticks_time(&p, true);
	for (e = 0; pow(10, e) < y.to; e++) {
		snprintf(label, sizeof(label), e < 6 ? "%.0f" : "%.0e", pow(10, e));
		plot_tick_y(&p, pow(10, e), label);
	}
	for (i = 0; i < rep->n; i++)
		for (line = 0; line < NR_LINES; line++) {
			if (!hist_of(rep, i, line)->n)
				continue;
			curves_steps(hist_of(rep, i, line), step);
			plot_line(&p, class_of(class, sizeof(class), rep, i, line),
				  name_of(name, sizeof(name), rep, i, line));
			histogram_line(&p, step);
			plot_line_end(&p);
		}
	budgets(&p, rep);
	plot_end(&p);
	legend(f, rep);
}

/* Calls @take for each quantile that both results resolve, in tenths of a nine. */
static void each_shift(const struct report *rep, unsigned int metric,
		       void (*take)(void *data, double beyond, double ns), void *data)
{
	const struct result_cpu *a = &rep->r[0].all, *b = &rep->r[1].all;
	uint64_t from, to;
	unsigned int ppm;

	for (ppm = 500000; ppm < PPM; ppm += (PPM - ppm) / 10 ? (PPM - ppm) / 10 : 1) {
		if (hist_quantile_missed(&a->hist[metric], result_missed(a, metric),
					 ppm, &from) != QUANTILE_KNOWN ||
		    hist_quantile_missed(&b->hist[metric], result_missed(b, metric),
					 ppm, &to) != QUANTILE_KNOWN)
			break;
		take(data, (double)(PPM - ppm) / PPM, (double)to - (double)from);
	}
}

static void widen(void *data, double beyond, double ns)
{
	struct axis *a = data;

	(void)beyond;
	a->from = fmin(a->from, ns);
	a->to = fmax(a->to, ns);
}

static void shift_point(void *data, double beyond, double ns)
{
	plot_point(data, beyond, ns);
}

void curves_shift(FILE *f, const struct report *rep)
{
	const struct report first = { .r = rep->r, .name = rep->name, .n = 1 };
	const double least = least_share(rep);
	const struct axis x = { .from = 0.5, .to = 0.8 * least, .log = true };
	struct axis y = { .from = -1, .to = 1 };
	char class[32];
	struct plot p;
	size_t line;

	for (line = 0; line < NR_LINES; line++)
		each_shift(rep, lines[line], widen, &y);
	axis_widen(&y);
	plot_begin(&p, f, "shift", &x, &y, PLOT_HEIGHT);
	plot_ticks_quantile(&p, least, true);
	plot_ticks_shift(&p);
	for (line = 0; line < NR_LINES; line++) {
		if (!hist_of(&first, 0, line)->n)
			continue;
		plot_line(&p, class_of(class, sizeof(class), &first, 0, line),
			  metric_of(&first, 0, line));
		each_shift(rep, lines[line], shift_point, &p);
		plot_line_end(&p);
	}
	plot_end(&p);
	legend(f, &first);
}
