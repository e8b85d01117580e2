/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether B is worse than A, from pairs of values: docs/explanation/statistics.md.
 * Pure: no I/O.
 *
 * Effects are relative, ln(B / A), or for rates absolute, B - A. Margins are shares
 * in both directions: 0.05 is +5 %, or 5 of 100 expiries more.
 */
#ifndef TLOB_COMPARE_DECISION_H
#define TLOB_COMPARE_DECISION_H

#include <stdbool.h>
#include <stddef.h>

#define DECISION_POWER		0.80	/* to detect a margin given by --margin */
/*
 * To detect twice a margin that comes from the spread. The spread is an estimate,
 * which costs some percent: simulations give 90 % and more (docs/explanation/statistics.md).
 */
#define DECISION_POWER_TWICE	0.94
#define DECISION_LEAST_MARGIN	0.05
#define DECISION_LEAST_COUNTED	0.02	/* where instructions are counted */
/* The widest margin from the spread: beyond it almost anything would be OK. */
#define DECISION_MOST_MARGIN	0.50
#define DECISION_MOST_COUNTED	0.10
#define DECISION_MOST_RATE	0.05	/* of all expiries */

enum decision_verdict { VERDICT_OK, VERDICT_REGRESSION, VERDICT_INCONCLUSIVE };

/* Where the spread comes from. */
enum decision_spread {
	SPREAD_BASELINE,	/* pairs A, A' */
	SPREAD_SUCCESSIVE,	/* successive runs of A */
	SPREAD_PAIRS,		/* the pairs A, B, around their median */
};

struct rule {
	double	 alpha;			/* one-sided, of the whole comparison */
	unsigned int looks;		/* how often the data may be looked at; >= 1 */
	double	 margin;		/* from --margin; 0: from the spread */
	double	 least_margin;		/* limits of a relative margin from the spread; */
	double	 most_margin;		/* for rates 0 and DECISION_MOST_RATE */
};

struct decision {
	/* Filled by the caller. */
	bool	 absolute;		/* rates: differences, not ratios */
	const double *a, *b;		/* [n] values */
	size_t	 n;			/* pairs */
	const double *base;		/* [nbase] effects among runs of the baseline */
	size_t	 nbase;
	enum decision_spread spread_of;
	double	 resolution;		/* largest error of a and b: relative, or absolute */

	/* Filled by decide(). Effects are on the scale of decision_effect(). */
	double	 effect, lower, upper;	/* each bound is one-sided */
	double	 lower_alpha, upper_alpha; /* their levels */
	double	 p;			/* p-value of "the effect is at most the margin" */
	double	 spread;		/* standard deviation of an effect */
	double	 margin;
	bool	 margin_is_least;	/* the spread would give a smaller margin */
	double	 resolvable;		/* the smallest margin that these pairs resolve */
	size_t	 pairs_needed;		/* for --margin; 0: too many */
	bool	 refused;		/* the pairs cannot resolve --margin, or the
					   margin from the spread is too wide */
	bool	 too_few;		/* too few pairs for any verdict at this alpha */
	enum decision_verdict verdict;
};

/*
 * Makes all @n decisions together. OK is tested at alpha for each, because all must
 * be OK. Regressions use Holm's procedure, because one is enough. 0, -ENOMEM, or
 * -EINVAL for a value without a logarithm or more pairs than STATS_MAX_PAIRS.
 */
int decide(struct decision d[], size_t n, const struct rule *rule);

/* The verdict of several: any REGRESSION wins, then any INCONCLUSIVE. */
enum decision_verdict decide_together(const struct decision d[], size_t n);

/* One effect: ln(b / a), or b - a if @absolute. */
double decision_effect(bool absolute, double a, double b);

/* An effect as a share: 0.05 for +5 %. */
double decision_shown(const struct decision *d, double effect);

#endif /* TLOB_COMPARE_DECISION_H */
