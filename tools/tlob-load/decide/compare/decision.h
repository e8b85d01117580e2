/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether B is worse than A, from pairs of values: docs/explanation/statistics.md.
 * Pure: no I/O.
 *
 * Effects are relative, ln(B / A), or for rates absolute, B - A. Margins are shares
 * in both directions: 0.05 is +5 %, or 5 of 100 expiries more. A quantile among the
 * missed expiries is INFINITY.
 */
#ifndef TLOB_COMPARE_DECISION_H
#define TLOB_COMPARE_DECISION_H

#include <stdbool.h>
#include <stddef.h>

#define DECISION_POWER		0.80	/* to accept two equal sides at a named margin */
/*
 * To detect twice a margin that comes from the spread. The spread is an estimate,
 * which costs some percent: simulations of 20 pairs find twice the median margin in 86 % and more
 * (docs/explanation/statistics.md).
 */
#define DECISION_POWER_TWICE	0.98
#define DECISION_LEAST_MARGIN	0.05
#define DECISION_LEAST_COUNTED	0.0025	/* where instructions are counted: 10 of 4000 */
/* The widest margin from the spread: with a wider one almost anything would be OK. */
#define DECISION_MOST_MARGIN	0.50
#define DECISION_MOST_COUNTED	0.10
#define DECISION_MOST_RATE	0.05	/* of all expiries */
/*
 * So many runs of B that are worse than every run of A, by more than the margin, and
 * the verdict is not OK, whatever the others say.
 */
#define DECISION_SOME		3
/*
 * The part of alpha for the second reason for a regression, runs of B beyond all of A. The signed
 * ranks have the rest, so that both together keep alpha.
 */
#define DECISION_GUARD		0.25

enum decision_verdict { VERDICT_OK, VERDICT_REGRESSION, VERDICT_INCONCLUSIVE };

struct rule {
	double	 alpha;			/* one-sided, of the whole comparison */
	double	 margin;		/* from --margin, for ratios; 0: from the spread */
	double	 rate_margin;		/* the same for rates */
	double	 least_margin;		/* limits of a relative margin from the spread; */
	double	 most_margin;		/* for rates 0 and DECISION_MOST_RATE */
	bool	 looks;			/* one of several: more pairs may follow */
};

struct decision {
	/* Filled by the caller. */
	bool	 absolute;		/* rates: differences, not ratios */
	const double *a, *b;		/* [n] values */
	size_t	 n;			/* pairs */
	double	 resolution;		/* largest error of a and b: relative, or absolute */

	const double *cpu_a, *cpu_b;	/* [ncpus * stride]: of each CPU, [k * stride + pair] */
	size_t	 ncpus, stride;		/* 0: one CPU, or no values of single CPUs */
	double	 kept_margin;		/* decide_sequentially()'s, of a rate; else 0 */

	/* Filled by decide(). Effects are on the scale of decision_effect(). */
	double	 effect, lower, upper;	/* each bound is one-sided */
	double	 lower_alpha, upper_alpha; /* their levels */
	double	 p;			/* p-value of "the effect is at most the margin" */
	double	 spread;		/* standard deviation of an effect; may be INFINITY */
	double	 margin;
	bool	 margin_named;		/* the rule has it */
	bool	 margin_is_least;	/* the spread would give a smaller margin */
	bool	 margin_is_most;	/* it would give a wider one */
	double	 resolvable;		/* the smallest margin that these pairs resolve */
	size_t	 pairs_needed;		/* to accept equal sides at a named margin; 0:
					   more than STATS_MAX_PAIRS */
	bool	 refused;		/* OK is not possible: the margin is below two buckets */
	size_t	 both_missed;		/* pairs whose quantile is missed on both sides: they are
					   left out. With more than half of them no OK */
	size_t	 beyond;		/* runs of B above the largest of A by more than the margin */
	double	 p_beyond;		/* of as many, if both sides were the same */
	bool	 by_beyond;		/* they decide */
	bool	 nothing;		/* a rate that is 0 in all runs: no test could reject */
	bool	 ordered;		/* INCONCLUSIVE, because A came mostly before B or the
					   reverse; set by campaign_decide() */
	bool	 undecidable;		/* INCONCLUSIVE, because its runs cannot decide; set likewise */
	size_t	 pairs_fewest;		/* for OK at this alpha, on each of the CPUs */
	size_t	 cpus_worse;		/* CPUs that got worse; they made a REGRESSION of OK */
	bool	 cpu_unsure;		/* INCONCLUSIVE, because a CPU looks worse, by more than the margin,
					   and its test cannot tell */
	size_t	 worst_cpu;		/* the one with the smallest p-value, or that looks worst; its effect */
	double	 cpu_effect;
	enum decision_verdict verdict;
};

/*
 * Makes all @n decisions together. There are two reasons for a regression: the effect, or
 * enough runs of B beyond all of A (p_beyond is at most DECISION_GUARD of alpha, and there are as
 * many as pairs are needed at alpha, five at 5 %). One regression is enough, so Holm's procedure
 * corrects for several, of which those with @nothing to test do not count (Tarone 1990). OK is tested at alpha for each, because all must be OK; then no CPU may
 * have got worse by more than the margin (Holm's procedure over the CPUs), and there must be as
 * many pairs as that test needs to reject. A CPU that looks worse by more than the margin makes OK
 * INCONCLUSIVE. Returns 0, -ENOMEM, or -EINVAL for a value without a logarithm or more pairs
 * than STATS_MAX_PAIRS.
 */
int decide(struct decision d[], size_t n, const struct rule *rule);

/* The fewest pairs for OK at @alpha, where @ncpus CPUs (0 or 1: one) are tested as well. */
size_t decision_fewest_pairs(double alpha, size_t ncpus);

/*
 * The CPU of @d->ncpus that changed most for the worse, and its effect. 0, -ENOMEM, or
 * -ENODATA if no CPU has one.
 */
int decision_slowest_cpu(const struct decision *d, size_t *cpu, double *effect);

/* The verdict of several: any REGRESSION wins, then any INCONCLUSIVE. */
enum decision_verdict decide_together(const struct decision d[], size_t n);

/* The pairs that say something: without those that are missed on both sides. */
size_t decision_pairs(const struct decision *d);

/* One effect: ln(b / a), or b - a if @absolute. */
double decision_effect(bool absolute, double a, double b);

/*
 * Returns an estimate or a bound of effects. It is infinite if it includes the effect of a quantile
 * that only one side misses.
 */
double decision_unbounded(double effect);

/* An effect as a share: 0.05 for +5 %. */
double decision_shown(const struct decision *d, double effect);

/*
 * Comparisons that stop as soon as the verdict is certain. The pairs are looked at after 8, 12,
 * ... 40 of them. Each look spends a part of alpha, so that all together are wrong with a
 * probability of alpha at most.
 */
#define SEQUENTIAL_FIRST	8	/* pairs at the first look, */
#define SEQUENTIAL_STEP		4	/* until the next one, */
#define SEQUENTIAL_MOST		40	/* and at the last */
#define SEQUENTIAL_LOOKS	((SEQUENTIAL_MOST - SEQUENTIAL_FIRST) / SEQUENTIAL_STEP + 1)

struct sequential {
	size_t	 pairs;			/* of the look that decided, or of the last one */
	size_t	 next;			/* pairs of the next look; 0: decided, or the end */
};

/* The one-sided level of each look, for @alpha together. 0 < @alpha < 0.5. */
void sequential_levels(double level[SEQUENTIAL_LOOKS], double alpha);

/*
 * decide() at each look that the pairs suffice for, until the verdict of all @n is
 * OK or REGRESSION. That one stands, and @d are its decisions, with as many pairs. With
 * fewer pairs than the first look needs, INCONCLUSIVE. A rate without a named margin keeps that
 * of the first look: what half of all pairs resolve if they have the spread of these. Returns what
 * decide() does, and -EINVAL for a ratio without a named margin.
 */
int decide_sequentially(struct decision d[], size_t n, const struct rule *rule,
			struct sequential *at);

#endif /* TLOB_COMPARE_DECISION_H */
