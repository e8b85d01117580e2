/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether B is worse than A, from pairs of values or of counts of events:
 * docs/explanation/statistics.md. Pure: no I/O.
 *
 * Effects of values are relative, ln(B / A). Those of events are B's share of the expiries less
 * A's. A margin is a share: 0.1 is +10 %. A quantile among the missed expiries is INFINITY.
 */
#ifndef TLOB_COMPARE_DECISION_H
#define TLOB_COMPARE_DECISION_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/events.h"

#define DECISION_MARGIN		0.10	/* unless one is named; where instructions are counted: */
#define DECISION_MARGIN_COUNTED	0.01	/* only the code differs there */
#define DECISION_POWER		0.80	/* of the pairs that are said to accept two equal sides */
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
/*
 * The part of alpha at which more events are a regression. Of few events the margin is too small a
 * part to make a false alarm rarer than alpha, as it does for the ranks of values.
 */
#define DECISION_EVENTS		0.2

enum decision_verdict { VERDICT_OK, VERDICT_REGRESSION, VERDICT_INCONCLUSIVE };

struct rule {
	double	 alpha;			/* one-sided, of the whole comparison */
	double	 ok_alpha;		/* of each OK; 0: the same */
	double	 margin;
	uint64_t cut_short[2];		/* runs of A and of B that are missing */
};

struct decision {
	/* Filled by the caller: values, or events. */
	const double *a, *b;		/* [n] values; NULL: events */
	const struct events *events_a, *events_b; /* [n] */
	size_t	 n;			/* pairs */
	double	 resolution;		/* largest relative error of a and b */

	/* Of each CPU, [k * stride + pair]. */
	const double *cpu_a, *cpu_b;
	const struct events *cpu_events_a, *cpu_events_b;
	size_t	 ncpus, stride;		/* 0: one CPU, or nothing of single CPUs */

	/* Filled by decide(). Effects are on the scale of decision_effect(). */
	double	 effect, lower, upper;	/* each bound is one-sided; events have no lower one */
	double	 lower_alpha, upper_alpha; /* their levels */
	double	 p;			/* p-value of "the effect is at most the margin", or of events */
	double	 spread;		/* standard deviation of an effect; may be INFINITY; NAN: of events */
	double	 margin;		/* of events: a share of the expiries, which depends on the verdict */
	double	 named_margin;		/* the rule's, of a ratio */
	struct events_found found;	/* of events */
	size_t	 pairs_needed;		/* to accept equal sides; 0: more than STATS_MAX_PAIRS, or not known */
	bool	 refused;		/* OK is not possible: the margin is below two buckets */
	size_t	 both_missed;		/* pairs whose quantile is missed on both sides: they are
					   left out. With more than half of them no OK */
	size_t	 beyond;		/* runs of B above the largest of A by more than the margin */
	double	 p_beyond;		/* of as many, if both sides were the same */
	bool	 by_beyond;		/* they decide */
	bool	 more;			/* so many more events are no chance: REGRESSION, or no OK */
	bool	 cut_short;		/* INCONCLUSIVE, because runs are missing */
	size_t	 pairs_fewest;		/* for OK at this alpha, on each of the CPUs */
	size_t	 pairs_more;		/* for a REGRESSION of events */
	size_t	 cpus_worse;		/* CPUs that got worse; they made a REGRESSION of OK */
	bool	 cpu_unsure;		/* INCONCLUSIVE, because a CPU looks worse, by more than the margin,
					   and its test cannot tell */
	size_t	 worst_cpu;		/* then: the one with the smallest p-value, or that looks worst; its effect */
	double	 cpu_effect, cpu_margin;
	enum decision_verdict verdict;
};

/* True if @d compares events; and if neither side had one, so that nothing is tested. */
static inline bool decision_of_events(const struct decision *d)
{
	return !d->a;
}

static inline bool decision_has_none(const struct decision *d)
{
	return decision_of_events(d) && d->found.none;
}

/*
 * Makes all @n decisions together. One regression is enough, so Holm's procedure corrects for
 * several; events that neither side had are no test. OK is tested at alpha for each, because all
 * must be OK; then no CPU may have got worse by more than the margin (Holm's procedure over the
 * CPUs), and there must be as many pairs as that test needs to reject. A CPU that looks worse by
 * more than the margin makes OK INCONCLUSIVE. So does what is missing, rule->cut_short, if it would
 * change the verdict as the worst runs of its side.
 *
 * A regression of values has two reasons: the effect, or enough runs of B beyond all of A
 * (p_beyond is at most DECISION_GUARD of alpha, and there are as many as pairs are needed at alpha,
 * five at 5 %). One of events is a p-value of at most DECISION_EVENTS of alpha; with one of at most alpha
 * they are not OK either. Returns 0, -ENOMEM, or -EINVAL for a value without a logarithm or more pairs
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

/* One effect of values: ln(b / a). */
double decision_effect(double a, double b);

/*
 * Returns an estimate or a bound of effects. It is infinite if it includes the effect of a quantile
 * that only one side misses.
 */
double decision_unbounded(double effect);

/* An effect as a share: 0.05 for +5 %, or of the expiries. */
double decision_shown(const struct decision *d, double effect);

/*
 * Comparisons that stop as soon as the verdict is certain: after 10, 20 or 40 pairs. The looks have
 * a tenth, three tenths and six tenths of alpha, so all together are wrong with a probability of
 * alpha at most (Bonferroni), whatever is tested.
 */
#define SEQUENTIAL_LOOKS	3
#define SEQUENTIAL_MOST		40	/* pairs at the last look */

extern const size_t sequential_pairs[SEQUENTIAL_LOOKS];

struct sequential {
	size_t	 pairs;			/* of the look that decided, or of the last one */
	size_t	 next;			/* pairs of the next look; 0: decided, or the end */
};

/* The level of a look, for @alpha together. */
double sequential_level(unsigned int look, double alpha);

/*
 * decide() at each look that the pairs suffice for, until the verdict of all @n is
 * OK or REGRESSION. That one stands, and @d are its decisions, with as many pairs. With
 * fewer pairs than the first look needs, INCONCLUSIVE. Returns what decide() does.
 */
int decide_sequentially(struct decision d[], size_t n, const struct rule *rule,
			struct sequential *at);

#endif /* TLOB_COMPARE_DECISION_H */
