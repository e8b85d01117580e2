// SPDX-License-Identifier: GPL-2.0
/* The statistics of a fleet: pure. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "fleet/judge.h"
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

/* How far above the shortest run, @least, an odd one is. If most are, none is odd: the host is slow. */
static double far_above(const struct fleet_host *h, unsigned int q, double least, double sd)
{
	double far = sd > 0 ? ODD * M_SQRT2 * sd : INFINITY;
	size_t i, n = 0, odd = 0;

	for (i = 0; i < h->nruns; i++) {
		n += !isnan(h->run[i].x[q]);
		odd += h->run[i].x[q] - least > far;
	}
	return 2 * odd > n ? INFINITY : far;
}

/* The runs that count, in @x; the odd ones are noted. Returns their number. */
static size_t take_runs(struct fleet_host *h, unsigned int q, double sd, double x[])
{
	double least = shortest(h, q), far = far_above(h, q, least, sd);
	struct fleet_value *v = &h->at[q];
	size_t i, n = 0;

	v->odd = 0;
	v->odd_ratio = 1;
	for (i = 0; i < h->nruns; i++) {
		double above = h->run[i].x[q] - least;

		if (isnan(above))
			continue;
		if (above > far) {
			v->odd++;
			v->odd_ratio = fmax(v->odd_ratio, exp(above));
		} else {
			x[n++] = h->run[i].x[q];
		}
	}
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

/* A host with fewer runs than is usual scatters more than the others. */
static int judge_quantile(struct fleet *f, size_t group, unsigned int q)
{
	struct fleet_group *g = &f->group[group];
	double *x = malloc((f->nhosts + 1) * sizeof(*x));
	double *runs = calloc(f->nhosts + 1, sizeof(*runs)), usual = NAN;
	int err = x && runs ? values_of(f, group, q, runs) : -ENOMEM;
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
	/* also if no host has the quantile: then p must be NAN, as 0 would name them all */
	for (i = 0; i < f->nhosts && !err; i++) {
		struct fleet_host *h = &f->host[i];
		struct fleet_value *v = &h->at[q];

		if (h->group != group)
			continue;
		v->z = (v->x - g->centre[q]) / g->spread[q] * sqrt(fmin(1, runs[i] / usual));
		v->p = isnan(v->z) ? NAN : stats_t_above(v->z, FREEDOM * (double)n);
	}
	g->decided = g->decided || n >= FLEET_LEAST;
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
	for (i = 0; i < n; i++)
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

int judge_group(struct fleet *f, size_t group)
{
	unsigned int q;
	size_t i;
	int err = 0;

	for (q = 0; q < FLEET_QUANTILES && !err; q++)
		err = judge_quantile(f, group, q);
	if (*f->group[group].undecidable) {
		f->group[group].decided = false;
		return err;
	}
	for (i = 0; i < f->nhosts && !err; i++)
		if (f->host[i].group == group)
			combine(&f->host[i]);
	return err ? err : name_hosts(f, group);
}
