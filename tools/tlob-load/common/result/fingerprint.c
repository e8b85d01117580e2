// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of a run as one number. Two runs of a host do not have the same
 * histograms, while a copy keeps them, however it is indented, whatever was added, and
 * whenever it claims to have begun.
 */
#include "result/field.h"
#include "result/result.h"

/*
 * FNV-1a (Fowler, Noll & Vo), on words instead of bytes. It finds copies that were made by
 * mistake. Who wants to can make two files with the same hash.
 */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value ^ value >> 32) * 0x100000001b3ULL;
}

static uint64_t mix_hist(uint64_t hash, const struct tlob_hist *h)
{
	unsigned int i;

	hash = mix(mix(mix(hash, h->n), h->sum), h->max);
	for (i = 0; i < TLOB_HIST_BUCKETS; i++)
		if (h->bucket[i])
			hash = mix(mix(hash, i), h->bucket[i]);
	return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	while (text && *text)
		hash = mix(hash, (unsigned char)*text++);
	return mix(hash, text != NULL);
}

uint64_t result_fingerprint(const struct result *r)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	unsigned int m;
	size_t i, k;

	/* a copy keeps it, and another run may have equal numbers */
	if (r->run_id)
		return mix_text(hash, r->run_id);

	hash = mix_text(mix(mix(hash, r->has_seed), r->seed), r->host);
	for (i = 0; i < r->ncpus; i++) {
		hash = mix_text(mix(hash, (uint64_t)r->cpu[i].cpu), r->cpu[i].host);
		for (k = 0; k < result_counters.nfields; k++)
			hash = mix(hash, field_get(&result_counters.field[k], &r->cpu[i]));
		for (m = 0; m < RESULT_METRICS; m++)
			hash = mix_hist(hash, &r->cpu[i].hist[m]);
	}
	return hash;
}
