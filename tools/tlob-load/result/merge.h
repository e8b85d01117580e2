/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds results up, exactly and one at a time: counters and histograms of the same
 * CPU of the same host are added, other CPUs stand side by side. With @across the host of a
 * CPU does not count.
 *
 * Memory does not grow with what a histogram takes: the histograms and slices of each
 * CPU wait in a temporary file for the end, when they are added. Across hosts they are added at
 * once, and memory grows with the CPUs of the largest host.
 */
#ifndef TLOB_RESULT_MERGE_H
#define TLOB_RESULT_MERGE_H

#include <stdio.h>

#include "result/result.h"

struct merge_cpu;

struct merger {
	struct result sum;		/* complete after merger_end() but for cpu[].hist and slices */
	void	*cpus;			/* tsearch() tree of struct merge_cpu */
	struct merge_cpu **sorted;	/* [sum.ncpus], after merger_end() */
	FILE	*packed;		/* histograms and slices in the order in which they came; not with @across */
	bool	 several;		/* hosts */
	bool	 across;		/* CPUs with one number add up, whatever their host; set after merger_begin() */
	uint64_t left_out;		/* notes */
};

/* 0 or -errno, printed; then merger_free(). */
int  merger_begin(struct merger *m);
void merger_free(struct merger *m);

/*
 * Adds @r and empties it. Notes call it by @name. 0 or -errno, printed; -EINVAL if it
 * measured something else than the results before: then nothing is added.
 */
int merger_add(struct merger *m, struct result *r, const char *name);

/* After the last result. 0 or -errno, printed. */
int merger_end(struct merger *m);

/*
 * After merger_end(): the histograms and slices of @sum.cpu[@i], into TLOB_NR_METRICS
 * zeroed histograms and zeroed slices of @c. One result without slices makes the slices of
 * the sum NULL. 0 or -errno, printed. Reading in the order of the CPUs is fast.
 */
int merger_unpack(void *merger, size_t i, struct result_cpu *c);

#endif /* TLOB_RESULT_MERGE_H */
