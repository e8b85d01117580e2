/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When it happened: the run in at most 64 slices of equal length. The length doubles
 * when the run outgrows them, so a run of a day takes no more memory than one of a
 * second, and at least half of the slices are in use.
 */
#ifndef TLOB_RESULT_SLICES_H
#define TLOB_RESULT_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/tlob.h>

#define SLICES		64
#define SLICE_FIRST_NS	10000000ULL	/* 10 ms; a length is this, times a power of two */

/*
 * Coarse histograms: two buckets an octave, from 256 ns to 8.6 s. The first bucket
 * begins at 0, and the last one has no end.
 */
#define SLICE_BUCKET_FROM	8	/* log2 of 256 ns */
#define SLICE_BUCKETS		50

enum slice_metric { SLICE_WAKE, SLICE_RESPONSE, NR_SLICE_METRICS };

/* The windows whose expiry is in the slice. */
struct slice {
	uint64_t windows;		/* their number: the sum of the buckets of a metric */
	uint64_t violations;
	uint64_t missed;		/* expiries since the window before */
	uint64_t max_ns[NR_SLICE_METRICS];
	__u64	 bucket[NR_SLICE_METRICS][SLICE_BUCKETS];
};

struct slices {
	uint64_t slice_ns;		/* 0: nothing was added yet */
	unsigned int n;			/* up to the last with a window */
	struct slice at[SLICES];
};

/* Returns the bucket of @ns, and the smallest value of bucket @i in ns. */
unsigned int slice_bucket(uint64_t ns);
uint64_t slice_bucket_lower(unsigned int i);

/* Adds a window after the warm-up; its expiry was @since_ns after the run's begin. */
void slices_window(struct slices *s, uint64_t since_ns, const struct tlob_window *w);

/* Adds @from, slice by slice since the begin of each run. */
void slices_add(struct slices *to, const struct slices *from);

/* A part of the run in which most of its slowest windows came. */
struct slices_burst {
	unsigned int slices;		/* so many of it */
	unsigned int first;		/* the first of these */
};

/*
 * Returns true if 90 % of the slowest windows, by response, came in slices that have less than
 * 10 % of all windows. The slowest are as many of the highest buckets as have at most
 * 2 % of the windows; fewer than 50 say nothing. Windows that do not depend on when
 * they were need 90 % of the slices.
 */
bool slices_burst(struct slices_burst *b, const struct slices *s);

/* Windows of all slices: those whose record reached the tool. UINT64_MAX if more. */
uint64_t slices_windows(const struct slices *s);

#endif /* TLOB_RESULT_SLICES_H */
