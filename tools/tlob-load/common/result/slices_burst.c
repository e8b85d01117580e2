// SPDX-License-Identifier: GPL-2.0
#include "result/slices.h"

/* The lowest bucket of the slowest windows; SLICE_BUCKETS: there are too few. */
static unsigned int slow_from(const struct slices *s, uint64_t windows)
{
	unsigned int from, i;
	uint64_t slow = 0;

	for (from = SLICE_BUCKETS; from; from--) {
		uint64_t here = 0;

		for (i = 0; i < s->n; i++)
			here += s->at[i].bucket[SLICE_RESPONSE][from - 1];
		if (here > windows / 50 - slow)
			break;
		slow += here;
	}
	return slow < 50 ? SLICE_BUCKETS : from;
}

bool slices_burst(struct slices_burst *b, const struct slices *s)
{
	uint64_t slow[SLICES] = { 0 }, all = 0, taken = 0, windows = slices_windows(s), within = 0;
	unsigned int from = slow_from(s, windows), i, k;

	for (i = 0; i < s->n; i++) {
		for (k = from; k < SLICE_BUCKETS; k++)
			slow[i] += s->at[i].bucket[SLICE_RESPONSE][k];
		all += slow[i];
	}
	*b = (struct slices_burst){ .first = s->n };
	while (all && taken < all - all / 10) {
		unsigned int most = 0;

		for (i = 1; i < s->n; i++)
			if (slow[i] > slow[most])
				most = i;
		taken += slow[most];
		slow[most] = 0;
		within += s->at[most].windows;
		b->slices++;
		b->first = most < b->first ? most : b->first;
	}
	return all && within < windows / 10;
}
