// SPDX-License-Identifier: GPL-2.0
/* Statistics of one histogram; the layout of its buckets is in hist.h. */
#include <math.h>

#include "result/result.h"
#include "result/stats.h"

#define PPM 1000000U

uint64_t hist_narrowest(uint64_t step)
{
	/* the last bucket has this width: no clock has steps of half a minute */
	const unsigned int most = TLOB_HIST_BITS - 1 - TLOB_HIST_SUB_BITS;
	unsigned int shift = 0;

	while (shift < most && 1ULL << shift < step)
		shift++;
	return 1ULL << shift;
}

/* Widths are powers of two, so wider buckets have no edge within a narrower one. */
uint64_t hist_lower(const struct tlob_hist *h, unsigned int i)
{
	uint64_t lower = tlob_hist_lower(i) & ~(hist_narrowest(h->step) - 1);

	return i && !lower ? 1 : lower;
}

uint64_t hist_upper(const struct tlob_hist *h, unsigned int i)
{
	return i ? tlob_hist_upper(i) | (hist_narrowest(h->step) - 1) : 0;
}

void hist_set_step(struct tlob_hist *h, size_t n, uint64_t step)
{
	size_t i;

	for (i = 0; i < n; i++)
		h[i].step = step;
}

/* The bucket with that sample: the last one is open above. */
static unsigned int bucket_of_rank(const struct tlob_hist *h, uint64_t rank)
{
	uint64_t seen = 0;
	unsigned int i;

	for (i = 0; i < TLOB_HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	return i;
}

uint64_t hist_rank_lower(const struct tlob_hist *h, uint64_t rank)
{
	uint64_t lower;

	if (!rank || !h->n)
		return 0;
	lower = hist_lower(h, bucket_of_rank(h, rank));
	return lower > h->min ? lower : h->min;
}

uint64_t hist_rank_upper(const struct tlob_hist *h, uint64_t rank)
{
	unsigned int i;
	uint64_t upper;

	if (!rank || !h->n)
		return 0;
	i = bucket_of_rank(h, rank);
	upper = i < TLOB_HIST_BUCKETS - 1 ? hist_upper(h, i) : h->max;
	return upper < h->max ? upper : h->max;
}

uint64_t quantile_rank(uint64_t n, unsigned int ppm)
{
	/* n * ppm overflows in a long run */
	uint64_t rank = n / PPM * ppm + (n % PPM * ppm + PPM - 1) / PPM;

	return rank ? rank : 1;
}

uint64_t hist_quantile(const struct tlob_hist *h, unsigned int ppm)
{
	return h->n ? hist_rank_upper(h, quantile_rank(h->n, ppm)) : 0;
}

uint64_t quantile_needs(unsigned int ppm)
{
	if (ppm >= PPM)
		return 1;
	/* n >= 1 / (1 - q), both sides times PPM - ppm */
	return (PPM + (PPM - ppm) - 1) / (PPM - ppm);
}

uint64_t quantile_fewest(unsigned int ppm)
{
	if (ppm >= PPM)
		return 1;
	return stats_fewest_samples((double)(ppm > PPM / 2 ? ppm : PPM - ppm) / PPM, BOUNDS_ALPHA);
}

uint64_t shortfall_fewest(unsigned int ppm)
{
	return stats_fewest_samples(1 - (double)(PPM - ppm) / (10.0 * PPM), BOUNDS_ALPHA);
}

static bool has_quantile(uint64_t n, unsigned int ppm)
{
	return n >= quantile_needs(ppm);
}

bool hist_has_quantile(const struct tlob_hist *h, unsigned int ppm)
{
	return has_quantile(h->n, ppm);
}

uint64_t result_missed(const struct result_cpu *c, unsigned int metric)
{
	if (metric != TLOB_METRIC_WAKE && metric != TLOB_METRIC_RESPONSE)
		return 0;
	return c->missed > c->aborted ? c->missed - c->aborted : 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

uint64_t result_worst_sum(const struct result_cpu *c)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (!(c->unavailable & 1U << i) &&
		    __builtin_add_overflow(all, c->hist[TLOB_METRIC_PARTS + i].max, &all))
			return UINT64_MAX;
	return all;
}

uint64_t result_expiries(const struct result_cpu *c, unsigned int metric)
{
	return sum(c->hist[metric].n, result_missed(c, metric));
}

uint64_t result_over(const struct result_cpu *c)
{
	return c->violations + result_missed(c, TLOB_METRIC_RESPONSE);
}

double result_over_upper(const struct result_cpu *c)
{
	return c->episodes.over ? episodes_share_upper(&c->episodes, result_due(c), 1, BOUNDS_ALPHA) : NAN;
}

uint64_t result_due(const struct result_cpu *c)
{
	return sum(c->windows, result_missed(c, TLOB_METRIC_RESPONSE));
}

enum quantile hist_quantile_missed(const struct tlob_hist *h, uint64_t missed,
				   unsigned int ppm, uint64_t *ns)
{
	uint64_t n = sum(h->n, missed), rank = quantile_rank(n, ppm);

	if (!h->n || !has_quantile(n, ppm))
		return QUANTILE_FEW;
	if (rank > h->n)
		return QUANTILE_MISSED;
	*ns = hist_rank_upper(h, rank);
	return QUANTILE_KNOWN;
}

/* From the slowest bucket down, until @left values are in the sum. */
static double sum_of_slowest(const struct tlob_hist *h, uint64_t left)
{
	unsigned int i = TLOB_HIST_BUCKETS;
	uint64_t take, upper;
	double total = 0;

	while (left && i--) {
		take = h->bucket[i] < left ? h->bucket[i] : left;
		upper = i < TLOB_HIST_BUCKETS - 1 ? hist_upper(h, i) : h->max;
		total += (double)take * (double)(upper < h->max ? upper : h->max);
		left -= take;
	}
	return total;
}

enum quantile hist_shortfall(const struct tlob_hist *h, uint64_t missed,
			     unsigned int ppm, uint64_t *ns)
{
	uint64_t beyond;

	if (!has_quantile(sum(h->n, missed), ppm) || !h->n)
		return QUANTILE_FEW;
	if (missed)
		return QUANTILE_MISSED;
	beyond = h->n - quantile_rank(h->n, ppm);
	if (!beyond)
		return QUANTILE_FEW;
	*ns = (uint64_t)(sum_of_slowest(h, beyond) / (double)beyond + 0.5);
	return QUANTILE_KNOWN;
}

uint64_t hist_mean(const struct tlob_hist *h)
{
	return h->n ? (h->sum + h->n / 2) / h->n : 0;
}

void hist_merge(struct tlob_hist *a, const struct tlob_hist *b)
{
	unsigned int i, last = tlob_hist_index(b->max);

	if (b->step > a->step)
		a->step = b->step;
	if (!b->n)
		return;
	if (!a->n || b->min < a->min)
		a->min = b->min;
	if (b->max > a->max)
		a->max = b->max;
	a->n += b->n;
	a->sum += b->sum;
	for (i = tlob_hist_index(b->min); i <= last; i++)
		a->bucket[i] += b->bucket[i];
}
