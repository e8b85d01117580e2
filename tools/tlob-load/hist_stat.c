// SPDX-License-Identifier: GPL-2.0
/* Statistics of one histogram; the layout of its buckets is in hist.h. */
#include "result.h"

#define PPM 1000000U

uint64_t hist_quantile(const struct tlob_hist *h, unsigned int ppm)
{
	uint64_t rank, seen = 0;
	unsigned int i;

	if (!h->n)
		return 0;
	/* ceil(n * q) without n * ppm, which overflows in a long run */
	rank = h->n / PPM * ppm + (h->n % PPM * ppm + PPM - 1) / PPM;
	if (!rank)
		rank = 1;
	/* The last bucket has no upper edge of its own: it is open. */
	for (i = 0; i < TLOB_HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank) {
			uint64_t upper = tlob_hist_upper(i);

			return upper < h->max ? upper : h->max;
		}
	}
	return h->max;
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
