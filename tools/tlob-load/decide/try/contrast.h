/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a set of settings help against another set? Decided from pairs of runs, at looks after 8,
 * 12, ... 40 pairs: docs/explanation/statistics.md. Pure: no I/O.
 */
#ifndef TLOB_TRY_CONTRAST_H
#define TLOB_TRY_CONTRAST_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/decision.h"

/* The tail is relative, ln(with / without); episodes are a difference of their number in a run. */
enum try_metric { TRY_TAIL, TRY_EPISODES, TRY_METRICS };

enum try_verdict {
	TRY_OPEN,			/* cannot tell */
	TRY_HELPS,
	TRY_HURTS,
	TRY_SAME,			/* no difference within the margin */
	TRY_FAILS,			/* the run fails with it */
};

struct try_levels {
	double	 alpha;
	unsigned int tests;		/* that share alpha; what @differs was made for */
	double	 differs[SEQUENTIAL_LOOKS];	/* one-sided, of one of the tests */
	double	 same[SEQUENTIAL_LOOKS];	/* of each of the two bounds, not shared */
};

struct try_effect {
	double	 by;			/* with against without; may be infinite, like the bounds */
	double	 lower, upper;
	double	 without, with;		/* medians of the values */
	size_t	 pairs_needed;		/* to decide, from the spread; 0: more than STATS_MAX_PAIRS */
	bool	 nothing;		/* no episode in any run */
	bool	 differs;		/* once more or less: it has taken its share of alpha */
	enum try_verdict verdict;
};

struct contrast {
	size_t	 n;			/* pairs */
	double	 with[TRY_METRICS][SEQUENTIAL_MOST], without[TRY_METRICS][SEQUENTIAL_MOST];
	struct try_effect at[TRY_METRICS];	/* of the last look */
	enum try_verdict verdict;
};

/* The levels for @tests tests that share @alpha. 0 < alpha < 0.5. */
void try_levels_make(struct try_levels *l, double alpha, unsigned int tests);

/* True after as many pairs as a look needs; the looks after @n pairs. */
bool contrast_is_look(size_t n);
size_t contrast_looks(size_t n);

/*
 * Decides from all pairs, as many as a look needs or a few more. @margin: a share, of the tail and of the episodes; of these at least one in a run,
 * and the square root of their mean. 0; -ENOMEM; -EINVAL: a tail that has no logarithm.
 */
int contrast_decide(struct contrast *c, const struct try_levels *l, double margin);

/* Hurts if any hurts, helps if any helps; same if all are. */
enum try_verdict try_together(const enum try_verdict v[], size_t n);

/* "helps", "hurts", "no difference", "cannot tell", "fails". */
const char *try_verdict_name(enum try_verdict v);

#endif /* TLOB_TRY_CONTRAST_H */
