/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict on pairs of runs: docs/explanation/statistics.md. Pure: no I/O.
 *
 * Effects are relative, ln(B / A), or for rates absolute, B - A. Margins come
 * and go as people say them: 0.05 is +5 %, or 0.05 more of all expiries.
 */
#ifndef TLOB_DECISION_H
#define TLOB_DECISION_H

#include <stdbool.h>
#include <stddef.h>

#define DECISION_POWER		0.80	/* of a margin that somebody names */
/*
 * Of twice a margin that comes from the spread. The spread itself is an estimate,
 * which costs some percent: simulation gives 90 and more (docs/explanation/statistics.md).
 */
#define DECISION_POWER_TWICE	0.94
#define DECISION_LEAST_MARGIN	0.05
#define DECISION_LEAST_COUNTED	0.02	/* where instructions are counted */
/* A wider margin from the spread is none: nearly anything would be OK. */
#define DECISION_MOST_MARGIN	0.50
#define DECISION_MOST_COUNTED	0.10
#define DECISION_MOST_RATE	0.05	/* of all expiries */

enum decision_verdict { VERDICT_OK, VERDICT_REGRESSION, VERDICT_INCONCLUSIVE };

/* Where the spread comes from. */
enum decision_spread {
	SPREAD_BASELINE,	/* pairs A, A' */
	SPREAD_SUCCESSIVE,	/* runs of A that follow each other */
	SPREAD_PAIRS,		/* the pairs A, B themselves, about their median */
};

struct rule {
	double	 alpha;			/* one-sided, of the whole comparison */
	unsigned int looks;		/* how often it may be looked at; >= 1 */
	double	 margin;		/* named; 0: from the spread */
	double	 least_margin;		/* of one from the spread, if relative */
	double	 most_margin;		/* the same; of rates DECISION_MOST_RATE */
};

struct decision {
	/* Filled by the caller; [n], [n] and [nbase]. */
	bool	 absolute;		/* rates: differences, not ratios */
	const double *a, *b;
	size_t	 n;
	const double *base;		/* effects among the baseline's own runs */
	size_t	 nbase;
	enum decision_spread spread_of;
	double	 resolution;		/* of a and b: relative, or absolute */

	/* Filled by decide(), in the scale of the effect but for the margin. */
	double	 effect, lower, upper;	/* one-sided bounds, each by itself */
	double	 lower_alpha, upper_alpha; /* at these levels */
	double	 p;			/* of "at most the margin" */
	double	 spread;		/* standard deviation of an effect */
	double	 margin;
	bool	 margin_is_least;	/* the spread would give a smaller one */
	double	 resolvable;		/* the least margin these pairs can resolve */
	size_t	 pairs_needed;		/* for the named margin; 0: too many */
	bool	 refused;		/* the named one cannot be resolved, or no
					   sensible one comes from the spread */
	bool	 too_few;		/* pairs for any verdict at this alpha */
	enum decision_verdict verdict;
};

/*
 * Decides all @n of them together: each OK at alpha by itself, since all must be;
 * regressions by Holm's procedure, since one is enough. 0, -ENOMEM, or -EINVAL
 * for a value that has no logarithm, also in the baseline, or more pairs than
 * STATS_MAX_PAIRS.
 */
int decide(struct decision d[], size_t n, const struct rule *rule);

/* Of several: a regression wins, then what is open. */
enum decision_verdict decide_together(const struct decision d[], size_t n);

/* One effect, as decide() takes it: ln(b / a) or b - a. */
double decision_effect(bool absolute, double a, double b);

/* An effect as people say it: 0.05 for +5 %. */
double decision_shown(const struct decision *d, double effect);

#endif /* TLOB_DECISION_H */
