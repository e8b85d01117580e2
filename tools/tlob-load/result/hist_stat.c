// SPDX-License-Identifier: GPL-2.0
/* Statistics of one histogram; the layout of its buckets is in hist.h. */
#include "result/result.h"

#define PPM 1000000U

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
	lower = tlob_hist_lower(bucket_of_rank(h, rank));
	return lower > h->min ? lower : h->min;
}

uint64_t hist_rank_upper(const struct tlob_hist *h, uint64_t rank)
{
	unsigned int i;
	uint64_t upper;

	if (!rank || !h->n)
		return 0;
	i = bucket_of_rank(h, rank);
	upper = i < TLOB_HIST_BUCKETS - 1 ? tlob_hist_upper(i) : h->max;
	return upper < h->max ? upper : h->max;
}

uint64_t hist_quantile(const struct tlob_hist *h, unsigned int ppm)
{
	uint64_t rank;

	if (!h->n)
		return 0;
	/* ceil(n * q) without n * ppm, which overflows in a long run */
	rank = h->n / PPM * ppm + (h->n % PPM * ppm + PPM - 1) / PPM;
	return hist_rank_upper(h, rank ? rank : 1);
}

bool hist_has_quantile(const struct tlob_hist *h, unsigned int ppm)
{
	if (ppm >= PPM)
		return h->n;
	/* n >= 1 / (1 - q), both sides times PPM - ppm */
	return h->n >= (PPM + (PPM - ppm) - 1) / (PPM - ppm);
}

uint64_t hist_mean(const struct tlob_hist *h)
{
	return h->n ? (h->sum + h->n / 2) / h->n : 0;
}

void hist_merge(struct tlob_hist *a, const struct tlob_hist *b)
{
	unsigned int i;

	if (!b->n)
		return;
	if (!a->n || b->min < a->min)
		a->min = b->min;
	if (b->max > a->max)
		a->max = b->max;
	a->n += b->n;
	a->sum += b->sum;
	for (i = 0; i < TLOB_HIST_BUCKETS; i++)
		a->bucket[i] += b->bucket[i];
}
