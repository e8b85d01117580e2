/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is counted beside the histograms, each counter once: the fields of the
 * results, their sums, the JSON, conditions and messages come from these lists.
 *
 *	COUNTER(name, flags)		a uint64_t, in the order of the JSON
 *
 * What a counter means is in docs/reference/result.md.
 */
#ifndef TLOB_RESULT_COUNTERS_H
#define TLOB_RESULT_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum counter_flag {
	COUNTER_ASSERT	= 1,		/* a condition may speak of it */
	COUNTER_TIME	= 2,		/* ns; the others are counts */
	COUNTER_NEW	= 4,		/* 0 in files that lack it */
};

/* Of a measured CPU, in struct result_cpu. */
#define RESULT_COUNTERS(COUNTER)					\
	COUNTER(windows, COUNTER_ASSERT)				\
	COUNTER(violations, COUNTER_ASSERT)				\
	COUNTER(missed, COUNTER_ASSERT)					\
	COUNTER(lost, COUNTER_ASSERT)	/* records the tool never saw */ \
	COUNTER(aborted, COUNTER_ASSERT) /* by the end of the run */	\
	COUNTER(warm_up, 0)		/* windows left out; the kernel */ \
	COUNTER(warm_up_missed, 0)	/* has these three in windows, */ \
	COUNTER(warm_up_violations, 0)	/* missed and violations */	\
	COUNTER(due, COUNTER_NEW)	/* expiries: see run/expiries.h */ \
	COUNTER(startup, COUNTER_ASSERT | COUNTER_NEW)			\
	COUNTER(unaccounted, COUNTER_ASSERT | COUNTER_NEW)		\
	COUNTER(inexact, COUNTER_ASSERT) /* flagged TLOB_WINDOW_INEXACT */ \
	COUNTER(sum_failures, COUNTER_ASSERT) /* parts did not add up */ \
	COUNTER(adjusted_ns, COUNTER_ASSERT | COUNTER_TIME)		\
	COUNTER(clock_steps, COUNTER_ASSERT)				\
	COUNTER(errors, COUNTER_ASSERT)

/* Of the windows of attach, in struct attach_result. */
#define ATTACH_COUNTERS(COUNTER)					\
	COUNTER(windows, COUNTER_ASSERT) /* that ended */		\
	COUNTER(violations, COUNTER_ASSERT) /* open and cut ones too */	\
	COUNTER(cut, COUNTER_ASSERT)	/* by the exit of their thread */ \
	COUNTER(open, COUNTER_ASSERT)	/* over budget at the end */	\
	COUNTER(lost, COUNTER_ASSERT)	/* the ring had no room */	\
	/* of all processes that execute the file: */		\
	COUNTER(starts, 0)		/* a thread came to the start, */ \
	COUNTER(nested, 0)		/* with a window open already, */ \
	COUNTER(no_slot, 0)		/* or with no room for one; */	\
	COUNTER(unmatched, 0)		/* to the stop without a window */ \
	COUNTER(unfinished, COUNTER_NEW) /* within budget at the end */	\
	COUNTER(others, COUNTER_ASSERT)	/* of other processes */	\
	COUNTER(inexact, COUNTER_ASSERT)				\
	COUNTER(sum_failures, COUNTER_ASSERT)				\
	COUNTER(adjusted_ns, COUNTER_ASSERT | COUNTER_TIME)		\
	COUNTER(clock_steps, COUNTER_ASSERT)				\
	COUNTER(errors, COUNTER_ASSERT)

#define COUNTER_FIELD(name, flags)	uint64_t name;

struct counter {
	const char *name;
	size_t	 offset;		/* of the uint64_t in its struct */
	unsigned int flags;		/* enum counter_flag */
};

struct counters {
	const struct counter *at;
	size_t	 n;
};

extern const struct counters result_counters;	/* of struct result_cpu */
extern const struct counters attach_counters;	/* of struct attach_result */

/* The value in @data, which is a struct of @list. */
uint64_t counter_get(const struct counter *c, const void *data);
void counter_set(const struct counter *c, void *data, uint64_t value);

/* Adds each counter of @b to that of @a. */
void counters_add(const struct counters *list, void *a, const void *b);

#endif /* TLOB_RESULT_COUNTERS_H */
