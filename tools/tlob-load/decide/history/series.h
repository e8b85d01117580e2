/* SPDX-License-Identifier: GPL-2.0 */
/* The sessions of one series over time: gaps, a clock that was set back, and steps. */
#ifndef TLOB_HISTORY_SERIES_H
#define TLOB_HISTORY_SERIES_H

#include "history/history.h"

struct series {
	const struct session **at;	/* [n], in the order in which they were added */
	size_t	 n;
	double	 interval;		/* the median from one to the next, in s; NAN: too few */
};

/* The series @number of the history, which history_sort() has sorted. 0 or -ENOMEM. */
int  series_take(struct series *s, const struct history *h, unsigned int number);
void series_free(struct series *s);

/*
 * Returns how long before session @i, in s, the one before it began: more than three intervals.
 * Negative: the clock was set back. 0: neither.
 */
double series_gap(const struct series *s, size_t i);

/*
 * A step: the sessions from @at on differ from those before it, up to ten on each side (rank sum,
 * two-sided). @before is the median of those before, and @by what it changed by, a share; not finite
 * where a median is 0 or infinite. A rejected session is none of those before: several would hide the
 * next step. From the step on it counts, or its rejection would hide the step.
 */
#define SERIES_SIDE	10
#define SERIES_ALPHA	0.001		/* of what is drawn */

struct step {
	size_t	 at;
	double	 before, by;
};

/*
 * The steps of a number of session_values at @alpha, the newest @most of them, in order. Their number
 * or -ENOMEM.
 */
int series_steps(const struct series *s, unsigned int value, double alpha, struct step step[], size_t most);

#endif /* TLOB_HISTORY_SERIES_H */
