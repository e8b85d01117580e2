// SPDX-License-Identifier: GPL-2.0
/* The statistics: binomial bounds of quantiles, and the signed-rank test. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/stats.h"

/* The alpha of the interval that gives the spread: four pairs have one. Simulation chose it. */
#define SPREAD_ALPHA	0.10

/*
 * Newton's method on erfc(), starting from Hastings' approximation (Abramowitz &
 * Stegun 26.2.23). That is right to 4.5e-4, so three steps reach full precision.
 */
double stats_normal_quantile(double p)
{
	double tail = p < 0.5 ? p : 1 - p;
	double t = sqrt(-2 * log(tail)), x;
	int i;

	x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
		(1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
	for (i = 0; i < 3; i++)
		x += (erfc(x * M_SQRT1_2) / 2 - tail) /
		     (exp(-x * x / 2) / sqrt(2 * M_PI));
	return p < 0.5 ? -x : x;
}

/* Cornish-Fisher's expansion in 1 / df (Abramowitz & Stegun 26.7.5). */
double stats_t_quantile(double p, double df)
{
	double z = stats_normal_quantile(p), z2 = z * z;
	double g1 = z * (z2 + 1) / 4;
	double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
	double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;

	return z + (g1 + (g2 + g3 / df) / df) / df;
}

/*
 * The continued fraction of the incomplete beta function by Lentz's method.
 * It converges in some sqrt(max(a, b)) steps for x below the mean.
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d, h, step;
	unsigned int i;

	d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (i = 1; i < 10000000; i++) {
		double m = i;
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		h *= d * c;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

/* I(x; a, b). @y is 1 - x, given separately because it may be very small. */
static double incomplete_beta(double x, double y, double a, double b)
{
	double front;
	int sign;

	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) -
		    lgamma_r(b, &sign) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double stats_binomial_cdf(uint64_t k, uint64_t n, double q)
{
	if (k >= n)
		return 1;
	return incomplete_beta(1 - q, q, (double)(n - k), (double)k + 1);
}

/* The number of k in 0 ... n - 1 with P(X <= k) <= @p. */
static uint64_t count_at_most(uint64_t n, double q, double p)
{
	uint64_t low = 0, high = n;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (stats_binomial_cdf(mid, n, q) <= p)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * P(X <= x) for X ~ Gamma(@a, 1): its series below the mean, else the continued fraction of the
 * other tail by Lentz's method (Abramowitz & Stegun 6.5.29, 6.5.31).
 */
static double gamma_cdf(double a, double x)
{
	const double tiny = 1e-300;
	double front, sum, term, b, c, d, step;
	unsigned int i;
	int sign;

	if (x <= 0)
		return 0;
	front = exp(a * log(x) - x - lgamma_r(a, &sign));
	if (x < a + 1) {
		sum = term = 1 / a;
		for (i = 1; i < 10000000 && term > sum * 1e-15; i++) {
			term *= x / (a + i);
			sum += term;
		}
		return front * sum;
	}
	b = x + 1 - a;
	c = 1 / tiny;
	d = sum = 1 / b;
	for (i = 1; i < 10000000; i++) {
		double an = i * (a - i);

		b += 2;
		d = an * d + b;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = b + an / c;
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		sum *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return 1 - front * sum;
}

static double gamma_quantile(double p, double a)
{
	double low = 0, high = a + 10 * sqrt(a) + 20, x;
	unsigned int i;

	for (i = 0; i < 200 && high - low > 1e-9 * high; i++) {
		x = (low + high) / 2;
		if (gamma_cdf(a, x) < p)
			low = x;
		else
			high = x;
	}
	return high;
}

double stats_rate_lower(double n, double alpha)
{
	return n > 0 ? gamma_quantile(alpha, n) : 0;
}

double stats_rate_upper(double n, double alpha)
{
	return gamma_quantile(1 - alpha, n + 1);
}

double stats_weighted_upper(double sum, double squares, double largest, double alpha)
{
	double mean = sum + largest, var = squares + largest * largest;

	return var / mean * gamma_quantile(1 - alpha, mean * mean / var);
}

double stats_weighted_lower(double sum, double squares, double alpha)
{
	return sum > 0 ? squares / sum * gamma_quantile(alpha, sum * sum / squares) : 0;
}

struct rank_interval stats_quantile_ranks(uint64_t n, double q, double alpha)
{
	struct rank_interval r = { 0, 0 };

	if (!n || !(q > 0) || !(q < 1))
		return r;
	/* the largest rank r with P(X <= r - 1) <= alpha / 2 */
	r.lower = count_at_most(n, q, alpha / 2);
	/* The other tail: n - X samples lie above the quantile. */
	r.upper = count_at_most(n, 1 - q, alpha / 2);
	if (r.upper)
		r.upper = n + 1 - r.upper;
	return r;
}

uint64_t stats_fewest_samples(double q, double alpha)
{
	return (uint64_t)ceil(log(alpha) / log(q));
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
