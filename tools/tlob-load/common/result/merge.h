/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Adds results up, exactly and one at a time: counters and histograms of the same
 * CPU of the same host are added, other CPUs stand side by side. With @across the host of a
 * CPU does not count.
 *
 * Memory grows with the CPUs of the sum, at most RESULT_CPUS: a result with more could not be read.
 */
#ifndef TLOB_RESULT_MERGE_H
#define TLOB_RESULT_MERGE_H

#include "result/result.h"

/* Zeroes, and @across, begin one. */
struct merger {
	struct result sum;		/* complete after merger_end() */
	void	*cpus;			/* tsearch() tree of struct merge_cpu */
	bool	 several;		/* hosts */
	bool	 across;		/* CPUs with one number add up, whatever their host */
	uint64_t left_out;		/* notes */
	char	**ids, **from;		/* of each run, and the name of the result that it came in */
	size_t	 nids;			/* at most RESULT_RUN_IDS */
};

void merger_free(struct merger *m);

/*
 * Adds @r and empties it. Notes call it by @name. 0 or -errno, printed; -EINVAL if it
 * measured something else than the results before, or has one of their runs: then nothing is added.
 */
int merger_add(struct merger *m, struct result *r, const char *name);

/* After the last result. 0 or -errno, printed. */
int merger_end(struct merger *m);

#endif /* TLOB_RESULT_MERGE_H */
