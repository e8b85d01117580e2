// SPDX-License-Identifier: GPL-2.0
/*
 * A histogram is a list of numbers: n, and if there is a sample sum, min, max, the
 * number of its buckets, and for each the distance to the one before and its count.
 * Slices are their number, their length and the fields of each, in order.
 * Small numbers are short (LEB128): seven bits a byte, the lowest first, bit 7 set
 * if more follow.
 */
#include <errno.h>
#include <stdlib.h>

#include "result/hist_pack.h"

static void put_number(FILE *f, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		putc_unlocked((int)(v & 0x7f) | 0x80, f);
	putc_unlocked((int)v, f);
}

/* Returns 0 at the end of the file: ferror() or feof() reports it. */
static uint64_t get_number(FILE *f)
{
	unsigned int shift;
	uint64_t v = 0;
	int c;

	for (shift = 0; shift < 64; shift += 7) {
		c = getc_unlocked(f);
		if (c == EOF)
			return 0;
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	return v;
}

static void put_buckets(FILE *f, const __u64 *bucket, unsigned int buckets)
{
	unsigned int i, n = 0, last = 0;

	for (i = 0; i < buckets; i++)
		n += !!bucket[i];
	put_number(f, n);
	for (i = 0; n; i++) {
		if (!bucket[i])
			continue;
		put_number(f, i - last);
		put_number(f, bucket[i]);
		last = i;
		n--;
	}
}

/* Adds to @bucket. 0; -EIO: the file has another form. */
static int get_buckets(FILE *f, __u64 *bucket, unsigned int buckets)
{
	uint64_t left;
	unsigned int i = 0;

	for (left = get_number(f); left; left--) {
		i += (unsigned int)get_number(f);
		if (i >= buckets)
			return -EIO;
		bucket[i] += get_number(f);
	}
	return 0;
}

int hist_pack(FILE *f, const struct tlob_hist *h)
{
	put_number(f, h->n);
	if (h->n) {
		put_number(f, h->sum);
		put_number(f, h->min);
		put_number(f, h->max);
		put_buckets(f, h->bucket, TLOB_HIST_BUCKETS);
	}
	return ferror(f) ? -EIO : 0;
}

int hist_unpack(FILE *f, struct tlob_hist *h)
{
	uint64_t n = get_number(f), min, max;

	if (n) {
		h->sum += get_number(f);
		min = get_number(f);
		max = get_number(f);
		if (!h->n || min < h->min)
			h->min = min;
		if (max > h->max)
			h->max = max;
		h->n += n;
		if (get_buckets(f, h->bucket, TLOB_HIST_BUCKETS))
			return -EIO;
	}
	return ferror(f) || feof(f) ? -EIO : 0;
}

int slices_pack(FILE *f, const struct slices *s)
{
	const struct slice *at;
	unsigned int i, m;

	put_number(f, s->n);
	put_number(f, s->slice_ns);
	for (i = 0; i < s->n; i++) {
		at = &s->at[i];
		put_number(f, at->windows);
		put_number(f, at->violations);
		put_number(f, at->missed);
		for (m = 0; m < NR_SLICE_METRICS; m++) {
			put_number(f, at->max_ns[m]);
			put_buckets(f, at->bucket[m], SLICE_BUCKETS);
		}
	}
	return ferror(f) ? -EIO : 0;
}

static int slice_unpack(FILE *f, struct slice *at)
{
	unsigned int m;
	int err = 0;

	at->windows = get_number(f);
	at->violations = get_number(f);
	at->missed = get_number(f);
	for (m = 0; m < NR_SLICE_METRICS && !err; m++) {
		at->max_ns[m] = get_number(f);
		err = get_buckets(f, at->bucket[m], SLICE_BUCKETS);
	}
	return err;
}

int slices_unpack(FILE *f, struct slices *s)
{
	uint64_t n = get_number(f), i;
	struct slices *one;
	int err = 0;

	if (n > SLICES)
		return -EIO;
	one = calloc(1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->slice_ns = get_number(f);
	one->n = (unsigned int)n;
	for (i = 0; i < n && !err; i++)
		err = slice_unpack(f, &one->at[i]);
	if (!err && (ferror(f) || feof(f)))
		err = -EIO;
	if (!err)
		slices_add(s, one);
	free(one);
	return err;
}
