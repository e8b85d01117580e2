// SPDX-License-Identifier: GPL-2.0
/* The statistics of one result: binomial bounds of quantiles, and bounds of rates. */
#include <math.h>

#include "result/stats.h"

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
