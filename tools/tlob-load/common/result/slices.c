// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "result/slices.h"
#include "util/json_read.h"

unsigned int slice_bucket(uint64_t ns)
{
	unsigned int octave, i;

	if (ns >> SLICE_BUCKET_FROM == 0)
		return 0;
	octave = 63U - (unsigned int)__builtin_clzll(ns);
	i = 2 * (octave - SLICE_BUCKET_FROM) + (unsigned int)(ns >> (octave - 1) & 1);
	return i < SLICE_BUCKETS ? i : SLICE_BUCKETS - 1;
}

uint64_t slice_bucket_lower(unsigned int i)
{
	return i ? (uint64_t)(2 + i % 2) << (SLICE_BUCKET_FROM - 1 + i / 2) : 0;
}

static void slice_add(struct slice *to, const struct slice *from)
{
	unsigned int m, i;

	to->windows += from->windows;
	to->violations += from->violations;
	to->missed += from->missed;
	for (m = 0; m < NR_SLICE_METRICS; m++) {
		if (from->max_ns[m] > to->max_ns[m])
			to->max_ns[m] = from->max_ns[m];
		for (i = 0; i < SLICE_BUCKETS; i++)
			to->bucket[m][i] += from->bucket[m][i];
	}
}

/* Two slices become one, in place: each is empty before the first is added to it. */
static void slices_double(struct slices *s)
{
	unsigned int i;

	for (i = 0; i < s->n; i++) {
		const struct slice one = s->at[i];

		memset(&s->at[i], 0, sizeof(s->at[i]));
		slice_add(&s->at[i / 2], &one);
	}
	s->n = (s->n + 1) / 2;
	s->slice_ns *= 2;
}

static void count(struct slice *at, enum slice_metric m, uint64_t ns)
{
	at->bucket[m][slice_bucket(ns)]++;
	if (ns > at->max_ns[m])
		at->max_ns[m] = ns;
}

void slices_window(struct slices *s, uint64_t since_ns, const struct tlob_window *w)
{
	struct slice *at;
	uint64_t i;

	if (!s->slice_ns)
		s->slice_ns = SLICE_FIRST_NS;
	while (since_ns / SLICES >= s->slice_ns)
		slices_double(s);
	i = since_ns / s->slice_ns;
	at = &s->at[i];
	at->windows++;
	at->violations += !!(w->flags & TLOB_WINDOW_VIOLATION);
	at->missed += w->missed;
	count(at, SLICE_WAKE, w->wake_ns);
	count(at, SLICE_RESPONSE, w->response_ns);
	if (i >= s->n)
		s->n = (unsigned int)i + 1;
}

void slices_add(struct slices *to, const struct slices *from)
{
	uint64_t ratio;
	unsigned int i;

	if (!from->slice_ns)
		return;
	if (!to->slice_ns)
		to->slice_ns = from->slice_ns;
	while (to->slice_ns < from->slice_ns)
		slices_double(to);
	ratio = to->slice_ns / from->slice_ns;
	for (i = 0; i < from->n; i++)
		if (from->at[i].windows)
			slice_add(&to->at[i / ratio], &from->at[i]);
	if (from->n && (from->n - 1) / ratio >= to->n)
		to->n = (unsigned int)((from->n - 1) / ratio) + 1;
}

uint64_t slices_windows(const struct slices *s)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; i < s->n; i++)
		if (__builtin_add_overflow(n, s->at[i].windows, &n))
			return UINT64_MAX;
	return n;
}
