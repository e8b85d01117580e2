// SPDX-License-Identifier: GPL-2.0
/* The statistics of a comparison: the signed-rank test, and how many runs it needs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/stats.h"

/* The alpha of the interval that gives the spread: four pairs have one. Simulation chose it. */
#define SPREAD_ALPHA	0.10

/* Cornish-Fisher's expansion in 1 / df (Abramowitz & Stegun 26.7.5). */
double stats_t_quantile(double p, double df)
{
	double z = stats_normal_quantile(p), z2 = z * z;
	double g1 = z * (z2 + 1) / 4;
	double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
	double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;

	return z + (g1 + (g2 + g3 / df) / df) / df;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * P(T <= t) for all t. Each rank 1 ... n is in the sum T with probability 1/2, so
 * the distribution is the product of (1 + x^i) / 2.
 */
static void null_distribution(double *p, size_t n)
{
	size_t i, t, top = 0;

	p[0] = 1;
	for (i = 1; i <= n; i++) {
		top += i;
		for (t = top + 1; t-- > 0;)
			p[t] = (p[t] + (t >= i ? p[t - i] : 0)) / 2;
	}
	for (t = 1; t <= top; t++)
		p[t] += p[t - 1];
}

int walsh_init(struct walsh *w, const double d[], size_t n)
{
	size_t i, j, k = 0;

	memset(w, 0, sizeof(*w));
	if (!n || n > STATS_MAX_PAIRS)
		return -EINVAL;
	w->n = n;
	w->m = n * (n + 1) / 2;
	w->w = calloc(w->m, sizeof(*w->w));
	w->below = calloc(w->m + 1, sizeof(*w->below));
	if (!w->w || !w->below) {
		walsh_free(w);
		return -ENOMEM;
	}
	for (i = 0; i < n; i++)
		for (j = i; j < n; j++)
			w->w[k++] = (d[i] + d[j]) / 2;
	qsort(w->w, w->m, sizeof(*w->w), ascending);
	null_distribution(w->below, n);
	return 0;
}

void walsh_free(struct walsh *w)
{
	free(w->w);
	free(w->below);
	memset(w, 0, sizeof(*w));
}

double walsh_estimate(const struct walsh *w)
{
	return (w->w[(w->m - 1) / 2] + w->w[w->m / 2]) / 2;
}

/* How many averages may lie beyond a bound: the number of t with P(T <= t) <= alpha. */
static size_t beyond(const struct walsh *w, double alpha)
{
	size_t t = 0;

	while (t < w->m && w->below[t] <= alpha)
		t++;
	return t;
}

double walsh_lower(const struct walsh *w, double alpha)
{
	size_t t = beyond(w, alpha);

	return t && t <= w->m ? w->w[t - 1] : -INFINITY;
}

double walsh_upper(const struct walsh *w, double alpha)
{
	size_t t = beyond(w, alpha);

	return t && t <= w->m ? w->w[w->m - t] : INFINITY;
}

/* The bounds of a normal difference lie sd * unit beyond its mean, see stats_resolved(). */
static double unit(size_t n, double alpha)
{
	double df = n > 4 ? (double)n - 1 : 3;

	return sqrt(M_PI / 3 / (double)n) * stats_t_quantile(1 - alpha, df);
}

double walsh_spread(const struct walsh *w)
{
	double width = walsh_upper(w, SPREAD_ALPHA) -
		       walsh_lower(w, SPREAD_ALPHA);

	return width / 2 / unit(w->n, SPREAD_ALPHA);
}

double walsh_p_above(const struct walsh *w, double theta)
{
	size_t t = 0;

	while (t < w->m && w->w[t] <= theta)
		t++;
	return w->below[t];
}

size_t stats_fewest_pairs(double alpha)
{
	return (size_t)ceil(-log2(alpha) - 1e-9);
}

double stats_beyond(size_t n, size_t k)
{
	double p = 1;
	size_t i;

	for (i = 0; i < k; i++)
		p *= (double)(n - i) / (double)(2 * n - i);
	return p;
}

double stats_resolved(double sd, size_t n, double alpha, double power)
{
	return sd * (unit(n, alpha) + unit(n, 1 - power));
}

size_t stats_pairs_for(double effect, double sd, double alpha, double power)
{
	size_t n;

	for (n = stats_fewest_pairs(alpha); n <= STATS_MAX_PAIRS; n++)
		if (stats_resolved(sd, n, alpha, power) <= effect)
			return n;
	return 0;
}

int stats_rank_sum_p(const double a[], size_t na, const double b[], size_t nb, double *p)
{
	size_t n = na + nb, i, k, same;
	double *all = calloc(n, sizeof(*all));
	double wins = 0, ties = 0, var, off;

	*p = 1;
	if (!all)
		return -ENOMEM;
	for (i = 0; i < na; i++)
		for (k = 0; k < nb; k++)
			wins += b[k] > a[i] ? 1 : b[k] < a[i] ? 0 : 0.5;
	memcpy(all, a, na * sizeof(*a));
	memcpy(all + na, b, nb * sizeof(*b));
	qsort(all, n, sizeof(*all), ascending);
	for (i = 0; i < n; i += same) {
		for (same = 1; i + same < n && all[i + same] == all[i]; same++)
			;
		ties += (double)same * ((double)same * (double)same - 1);
	}
	free(all);
	var = (double)na * (double)nb / 12 *
	      ((double)n + 1 - ties / ((double)n * ((double)n - 1)));
	off = fmax(fabs(wins - (double)na * (double)nb / 2) - 0.5, 0);
	if (var > 0)
		*p = erfc(off / sqrt(2 * var));
	return 0;
}

double stats_median(double x[], size_t n)
{
	if (!n)
		return NAN;
	qsort(x, n, sizeof(*x), ascending);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

double stats_median_of(const double x[], size_t n)
{
	double copy[STATS_MAX_PAIRS];

	memcpy(copy, x, n * sizeof(*x));
	return stats_median(copy, n);
}
