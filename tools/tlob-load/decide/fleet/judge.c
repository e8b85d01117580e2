// SPDX-License-Identifier: GPL-2.0
/* The statistics of a fleet: pure. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fleet/judge.h"
#include "fleet/ranks.h"
#include "result/stats.h"

/* Quantiles are rounded to buckets, so nothing scatters less than they are wide. */
#define LEAST_SPREAD	(1.0 / 64)

/*
 * A run that is so many standard deviations above the shortest of its host is said apart. Of three
 * normal runs one is with a probability of 10^-6.
 */
#define ODD		5.0

/* The spread of a scale estimate, as degrees of freedom: 82 % of what the root mean square has. */
#define FREEDOM		0.8

/* The median difference of two normal runs, in their standard deviations. */
#define MEDIAN_DIFFERENCE 0.9539

static double shortest(const struct fleet_host *h, unsigned int q)
{
	double least = NAN;
	size_t i;

	for (i = 0; i < h->nruns; i++)
		if (!(h->run[i].x[q] >= least))
			least = isnan(h->run[i].x[q]) ? least : h->run[i].x[q];
	return least;
}

/* The standard deviation of runs of one host, over all hosts of @group; 0 without two runs of one. */
static int spread_of_runs(const struct fleet *f, size_t group, unsigned int q, double *sd)
{
	double *d = malloc((f->nruns + 1) * sizeof(*d));
	size_t i, k, n = 0;

	if (!d)
		return -ENOMEM;
	for (i = 0; i < f->nhosts; i++) {
		const struct fleet_host *h = &f->host[i];

		for (k = 1; h->group == group && k < h->nruns; k++) {
			double x = fabs(h->run[k].x[q] - h->run[k - 1].x[q]);

			if (!isnan(x))
				d[n++] = x;
		}
	}
	*sd = n ? fmax(stats_median(d, n) / MEDIAN_DIFFERENCE, LEAST_SPREAD) : 0;
	free(d);
	return 0;
}

/* The runs of the host's value, in @x: without odd ones, unless most are. Returns their number. */
static size_t take_runs(struct fleet_host *h, unsigned int q, double sd, double x[])
{
	double least = shortest(h, q), far = sd > 0 ? ODD * M_SQRT2 * sd : INFINITY;
	struct fleet_value *v = &h->at[q];
	size_t i, n = 0, all;

	v->odd = 0;
	v->odd_ratio = 1;
	for (i = 0; i < h->nruns; i++) {
		double above = h->run[i].x[q] - least;

		if (above > far) {
			v->odd++;
			v->odd_ratio = fmax(v->odd_ratio, exp(above));
		} else if (!isnan(above)) {
			x[n++] = h->run[i].x[q];
		}
	}
	all = n + v->odd;
	if (v->odd <= all / 2)
		return n;
	for (i = n = 0; i < h->nruns; i++)
		if (!isnan(h->run[i].x[q]))
			x[n++] = h->run[i].x[q];
	return n;
}

/*
 * Hodges and Lehmann's estimate of the runs. It is nearly as precise as their mean: with three runs
 * the median needs a third more of them. What it cannot bear, an odd run, is out.
 */
static int estimate(double x[], size_t n, double *value)
{
	struct walsh w;
	int err;

	*value = NAN;
	if (!n)
		return 0;
	if (n > STATS_MAX_PAIRS) {
		*value = stats_median(x, n);
		return 0;
	}
	err = walsh_init(&w, x, n);
	if (!err)
		*value = walsh_estimate(&w);
	walsh_free(&w);
	return err;
}

static int values_of(struct fleet *f, size_t group, unsigned int q, double runs[])
{
	double *x = malloc((f->nruns + 1) * sizeof(*x)), sd;
	int err = x ? spread_of_runs(f, group, q, &sd) : -ENOMEM;
	size_t i, n;

	for (i = 0; i < f->nhosts && !err; i++) {
		struct fleet_host *h = &f->host[i];

		if (h->group != group)
			continue;
		n = take_runs(h, q, sd, x);
		runs[i] = (double)n;
		err = estimate(x, n, &h->at[q].x);
	}
	free(x);
	return err;
}

/* Collects @h->at[q].x of the hosts of @group that have one. */
static size_t collect(const struct fleet *f, size_t group, unsigned int q, double x[])
{
	size_t i, n = 0;

	for (i = 0; i < f->nhosts; i++)
		if (f->host[i].group == group && !isnan(f->host[i].at[q].x))
			x[n++] = f->host[i].at[q].x;
	return n;
}

static double usual_runs(const struct fleet *f, size_t group, const double runs[], double x[])
{
	size_t i, n = 0;

	for (i = 0; i < f->nhosts; i++)
		if (f->host[i].group == group && runs[i] > 0)
			x[n++] = runs[i];
	return stats_median(x, n);
}

/*
 * How far it is from the others, which differ as well; a host with fewer runs than is usual scatters
 * more than they do. A heavy tail makes that too small, so its runs must also rank as high.
 */
static int judge_host(struct ranks *ranks, struct fleet_host *h, double z, double freedom)
{
	struct fleet_value *v = &h->at[ranks->q];
	int err = ranks_p(ranks, h, &v->p);

	v->z = z;
	/* also if no host has the quantile: then p must be NAN, as 0 would name them all */
	v->p = isnan(z) ? NAN : fmax(v->p, stats_t_above(z, freedom));
	return err;
}

static int judge_quantile(struct fleet *f, size_t group, unsigned int q)
{
	struct fleet_group *g = &f->group[group];
	double *x = malloc((f->nhosts + 1) * sizeof(*x));
	double *runs = calloc(f->nhosts + 1, sizeof(*runs)), usual = NAN;
	int err = x && runs ? values_of(f, group, q, runs) : -ENOMEM;
	struct ranks ranks = { 0 };
	size_t i, n = 0;

	g->centre[q] = g->spread[q] = NAN;
	if (!err)
		n = collect(f, group, q, x);
	if (n) {
		g->centre[q] = stats_median(x, n);
		if (n >= FLEET_LEAST)
			g->spread[q] = fmax(stats_spread(x, n), LEAST_SPREAD);
		usual = usual_runs(f, group, runs, x);
	}
	if (!err)
		err = ranks_init(&ranks, f, group, q);
	for (i = 0; i < f->nhosts && !err; i++) {
		struct fleet_host *h = &f->host[i];

		if (h->group == group)
			err = judge_host(&ranks, h, (h->at[q].x - g->centre[q]) / g->spread[q] *
					 sqrt(fmin(1, runs[i] / usual)), FREEDOM * (double)n);
	}
	g->decided = g->decided || n >= FLEET_LEAST;
	ranks_free(&ranks);
	free(runs);
	free(x);
	return err;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Simes (Biometrika 73, 1986, 751-754): valid also where quantiles move together. */
static void combine(struct fleet_host *h)
{
	double p[FLEET_QUANTILES];
	size_t n = 0, i;
	unsigned int q;

	h->p = 1;
	for (q = 0; q < FLEET_QUANTILES; q++) {
		if (isnan(h->at[q].p))
			continue;
		if (!n || h->at[q].p < h->at[h->worst].p)
			h->worst = q;
		p[n++] = h->at[q].p;
	}
	qsort(p, n, sizeof(*p), by_value);
	for (i = 0; i < n && !h->few; i++)
		h->p = fmin(h->p, (double)n * p[i] / (double)(i + 1));
}

/* Benjamini and Hochberg (JRSS B 57, 1995, 289-300) over the hosts of @group. */
static int name_hosts(struct fleet *f, size_t group)
{
	double *p = malloc((f->nhosts + 1) * sizeof(*p)), most = -1;
	size_t i, n = 0;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < f->nhosts; i++)
		if (f->host[i].group == group)
			p[n++] = f->host[i].p;
	qsort(p, n, sizeof(*p), by_value);
	for (i = 0; i < n; i++)
		if (p[i] <= FLEET_LEVEL * (double)(i + 1) / (double)n)
			most = p[i];
	for (i = 0; i < f->nhosts; i++)
		if (f->host[i].group == group && f->host[i].p <= most) {
			f->host[i].named = true;
			f->group[group].nnamed++;
		}
	free(p);
	return 0;
}

/* If no host of @group has enough runs to be named, the group is undecidable. */
static void find_few(struct fleet *f, size_t group)
{
	struct fleet_group *g = &f->group[group];
	size_t i, most = 0, few = 0;

	for (i = 0; i < f->nhosts; i++) {
		struct fleet_host *h = &f->host[i];

		if (h->group != group)
			continue;
		h->few = !ranks_can_name(h->nruns, g->nruns, g->nhosts);
		few += h->few;
		most = h->nruns > most ? h->nruns : most;
	}
	if (few == g->nhosts && !*g->undecidable)
		snprintf(g->undecidable, sizeof(g->undecidable),
			 "no host has more than %zu run%s: %zu of each are needed", most,
			 most == 1 ? "" : "s", ranks_needed(g->nhosts));
}

int judge_group(struct fleet *f, size_t group)
{
	unsigned int q;
	size_t i;
	int err = 0;

	for (q = 0; q < FLEET_QUANTILES && !err; q++)
		err = judge_quantile(f, group, q);
	if (f->group[group].nhosts >= FLEET_LEAST)
		find_few(f, group);
	if (*f->group[group].undecidable) {
		f->group[group].decided = false;
		return err;
	}
	for (i = 0; i < f->nhosts && !err; i++)
		if (f->host[i].group == group)
			combine(&f->host[i]);
	return err ? err : name_hosts(f, group);
}
