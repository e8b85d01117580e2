/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear histogram of nanoseconds. Pure C: compiled in the kernel and in
 * the tool.
 *
 * Values below 2 * TLOB_HIST_SUB have a bucket each. Above, every octave [2^k,
 * 2^(k+1)) is cut into TLOB_HIST_SUB equal buckets of 2^k / SUB, so
 *
 *	bucket's width / bucket's lower edge <= 1 / TLOB_HIST_SUB = 1/64
 *
 * Any value of a bucket stands for any other within 1/64. Reports show the
 * upper edge, so a quantile is never shown smaller than it was.
 *
 *	value            index          width
 *	0 ... 127        value          1
 *	128 ... 255      128 ... 191    2
 *	256 ... 511      192 ... 255    4
 *	...
 *	2^41 ... 2^42-1  2304 ... 2367  2^35
 *
 * 2^42 ns are 73 minutes, and no budget is longer than an hour. The last bucket
 * also has all larger values: its true upper edge is max.
 */
#ifndef _TLOB_HIST_H
#define _TLOB_HIST_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif
#include <linux/tlob.h>

#include "parts.h"

#define TLOB_HIST_SUB_BITS	6
#define TLOB_HIST_SUB		(1U << TLOB_HIST_SUB_BITS)
#define TLOB_HIST_BITS		42U
#define TLOB_HIST_BUCKETS						\
	((TLOB_HIST_BITS - TLOB_HIST_SUB_BITS + 1) * TLOB_HIST_SUB)

struct tlob_hist {
	__u64	n;
	__u64	sum;			/* ns; wraps after 584 years of samples */
	__u64	min;			/* ns; valid if n */
	__u64	max;			/* ns; valid if n */
#ifndef __KERNEL__
	__u64	step;			/* ns, of the clock; 0 and 1: no bucket is finer */
#endif
	__u64	bucket[TLOB_HIST_BUCKETS];
};

/*
 * The metrics with a histogram: three latencies, then every part of the split.
 */
enum tlob_metric {
	TLOB_METRIC_IRQ,		/* t1 - t0: timerlat's IRQ */
	TLOB_METRIC_WAKE,		/* t2 - t0: cyclictest's number */
	TLOB_METRIC_RESPONSE,		/* t3 - t0 */
	TLOB_METRIC_PARTS,		/* + enum tlob_part */
	TLOB_NR_METRICS = TLOB_METRIC_PARTS + TLOB_NR_PARTS,
};

/* Indexed by enum tlob_metric. A part's name begins with its phase. */
static const char * const tlob_metric_names[TLOB_NR_METRICS]
__attribute__((unused)) = {
	"irq", "wake", "response",
#define TLOB_PART_NAME(PHASE, NAME, phase, name, ...)	#phase "." #name,
	TLOB_PARTS(TLOB_PART_NAME)
#undef TLOB_PART_NAME
};

/* Returns the bucket of @ns: 0 ... TLOB_HIST_BUCKETS - 1. */
static inline unsigned int tlob_hist_index(__u64 ns)
{
	unsigned int shift;

	if (ns < 2 * TLOB_HIST_SUB)
		return (unsigned int)ns;
	if (ns >> TLOB_HIST_BITS)
		return TLOB_HIST_BUCKETS - 1;
	shift = 63 - __builtin_clzll(ns) - TLOB_HIST_SUB_BITS;
	return (shift << TLOB_HIST_SUB_BITS) + (unsigned int)(ns >> shift);
}

/* Returns the smallest value of bucket @i, in ns. */
static inline __u64 tlob_hist_lower(unsigned int i)
{
	unsigned int shift;

	if (i < 2 * TLOB_HIST_SUB)
		return i;
	shift = (i >> TLOB_HIST_SUB_BITS) - 1;
	return (__u64)(TLOB_HIST_SUB + (i & (TLOB_HIST_SUB - 1))) << shift;
}

/* Returns the largest value of bucket @i, in ns. The last one may have larger ones. */
static inline __u64 tlob_hist_upper(unsigned int i)
{
	return tlob_hist_lower(i + 1) - 1;
}

/* A histogram has one writer. In the kernel a reader may read it meanwhile. */
#ifdef __KERNEL__
#define TLOB_HIST_SET(field, value)	WRITE_ONCE(field, value)
#define TLOB_HIST_GET(field)		READ_ONCE(field)
#define TLOB_HIST_WMB()			smp_wmb()
#define TLOB_HIST_RMB()			smp_rmb()
#else
#define TLOB_HIST_WMB()			do { } while (0)
#define TLOB_HIST_RMB()			do { } while (0)
#define TLOB_HIST_GET(field)		(field)
#define TLOB_HIST_SET(field, value)	((field) = (value))
#endif

static inline void tlob_hist_add(struct tlob_hist *h, __u64 ns)
{
	unsigned int i = tlob_hist_index(ns);

	if (!h->n || ns < h->min)
		TLOB_HIST_SET(h->min, ns);
	if (ns > h->max)
		TLOB_HIST_SET(h->max, ns);
	TLOB_HIST_SET(h->n, h->n + 1);
	TLOB_HIST_SET(h->sum, h->sum + ns);
	TLOB_HIST_SET(h->bucket[i], h->bucket[i] + 1);
}

/* Adds a 0, which most parts of most windows are. */
static inline void tlob_hist_add_zero(struct tlob_hist *h)
{
	TLOB_HIST_SET(h->min, 0);
	TLOB_HIST_SET(h->n, h->n + 1);
	TLOB_HIST_SET(h->bucket[0], h->bucket[0] + 1);
}

/*
 * Adds a finished window to the TLOB_NR_METRICS histograms at @h. A part that
 * this kernel cannot measure gets no sample: 0 would mean that it was measured.
 */
static inline void tlob_hist_window(struct tlob_hist *h,
				    const struct tlob_window *w)
{
	__u32 unavailable = w->unavailable;
	unsigned int i;

	tlob_hist_add(&h[TLOB_METRIC_IRQ], w->irq_latency_ns);
	tlob_hist_add(&h[TLOB_METRIC_WAKE], w->wake_ns);
	tlob_hist_add(&h[TLOB_METRIC_RESPONSE], w->response_ns);
	/* shifted along: a reader does this for each window */
	for (i = 0; i < TLOB_NR_PARTS; i++, unavailable >>= 1) {
		if (unavailable & 1)
			continue;
		if (w->part_ns[i])
			tlob_hist_add(&h[TLOB_METRIC_PARTS + i], w->part_ns[i]);
		else
			tlob_hist_add_zero(&h[TLOB_METRIC_PARTS + i]);
	}
}

/*
 * Does the same after each window on the measured CPU, without zeros. Most
 * parts of most windows are 0. Readers of the histograms add tlob_hist_zeros().
 * An unavailable part has no histogram: NULL.
 */
static inline void tlob_hist_window_nonzero(struct tlob_hist * const *h,
					    const struct tlob_window *w)
{
	unsigned int i;

	tlob_hist_add(h[TLOB_METRIC_IRQ], w->irq_latency_ns);
	tlob_hist_add(h[TLOB_METRIC_WAKE], w->wake_ns);
	tlob_hist_add(h[TLOB_METRIC_RESPONSE], w->response_ns);
	/*
	 * The window must be counted before its parts are, else a reader finds
	 * more parts than windows. Pairs with tlob_hist_zeros().
	 */
	TLOB_HIST_WMB();
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (w->part_ns[i] && h[TLOB_METRIC_PARTS + i])
			tlob_hist_add(h[TLOB_METRIC_PARTS + i], w->part_ns[i]);
}

/*
 * Returns the number of windows that had 0 in @metric and were not counted. @n:
 * the number that was counted. The caller reads it before this call, so windows
 * that end meanwhile do no harm.
 */
static inline __u64 tlob_hist_zeros(const struct tlob_hist *response,
				    unsigned int metric, __u64 n)
{
	if (metric < TLOB_METRIC_PARTS)
		return 0;
	/* @n is older; pairs with tlob_hist_window_nonzero() */
	TLOB_HIST_RMB();
	return TLOB_HIST_GET(response->n) - n;
}

#endif /* _TLOB_HIST_H */
