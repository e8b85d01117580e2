// SPDX-License-Identifier: GPL-2.0
/*
 * From pairs of values to a verdict, at one look or at several, with alpha spending
 * (Lan & DeMets 1983): docs/explanation/statistics.md.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/decision.h"
#include "result/stats.h"

/*
 * The effect of a quantile that is missed on one side only: larger than any other, and
 * so small that sums of two are exact enough.
 */
#define EFFECT_MISSED	1e6

double decision_unbounded(double effect)
{
	return fabs(effect) < EFFECT_MISSED / 4 ? effect :
	       copysign(INFINITY, effect);
}

double decision_effect(bool absolute, double a, double b)
{
	if (!absolute && isinf(a) && isinf(b))
		return 0;
	if (!absolute && (isinf(a) || isinf(b)))
		return isinf(b) ? EFFECT_MISSED : -EFFECT_MISSED;
	return absolute ? b - a : log(b / a);
}

double decision_shown(const struct decision *d, double effect)
{
	return d->absolute ? effect : expm1(effect);
}

static double scaled(const struct decision *d, double margin)
{
	return d->absolute ? margin : log1p(margin);
}

/*
 * The margin m for which an effect of 2 m is detected. @x is the distance between
 * both that the pairs resolve. For rates x = m. For ratios
 * (1 + 2 m) / (1 + m) = e^x, which has no solution once e^x reaches 2.
 */
static double margin_for(const struct decision *d, double x)
{
	if (d->absolute)
		return x;
	return x < M_LN2 ? expm1(x) / (2 - exp(x)) : INFINITY;
}

/* @alpha: the level of the test for a regression, which is one of several; @pairs: with so many. */
static void margin_from_spread(struct decision *d, const struct rule *rule,
			       double alpha, size_t pairs)
{
	double x = stats_resolved(d->spread, pairs, alpha, DECISION_POWER_TWICE);
	double least = fmax(d->absolute ? 0 : rule->least_margin,
			    2 * d->resolution);

	double most = d->absolute ? DECISION_MOST_RATE : rule->most_margin;

	d->margin = margin_for(d, x);
	d->margin_is_most = fmax(d->margin, least) > most;
	d->margin_is_least = !d->margin_is_most && d->margin <= least;
	/* With a wider one almost anything would be OK, also if the numbers show no smaller change. */
	d->margin = fmin(fmax(d->margin, least), most);
}

/* @alpha: the level of the test for OK. */
static void margin_as_named(struct decision *d, double margin, double alpha)
{
	d->margin = margin;
	d->margin_named = true;
	d->pairs_needed = stats_pairs_for(scaled(d, margin), d->spread, alpha, DECISION_POWER);
}

size_t decision_pairs(const struct decision *d)
{
	return d->n - d->both_missed;
}

static double named_margin(const struct decision *d, const struct rule *rule)
{
	return d->absolute ? rule->rate_margin : rule->margin;
}

static bool is_both_missed(const struct decision *d, size_t i)
{
	return isinf(d->a[i]) && isinf(d->b[i]);
}

static size_t count_both_missed(const struct decision *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n; i++)
		n += is_both_missed(d, i);
	return n;
}

/*
 * The signed-rank test hardly sees a change that makes only some runs worse. A value may be
 * rounded up by the resolution, so runs that are worse by just the margin do not count.
 */
static size_t count_beyond(const struct decision *d)
{
	double most = -INFINITY;
	size_t i, n = 0;

	for (i = 0; i < d->n; i++)
		most = fmax(most, d->a[i]);
	if (d->absolute)
		most += d->margin + d->resolution;
	else
		most *= (1 + d->margin) * (1 + d->resolution);
	for (i = 0; i < d->n; i++)
		n += d->b[i] > most;
	return n;
}

static bool all_zero(const double x[], size_t n)
{
	while (n--)
		if (x[n])
			return false;
	return true;
}

/* Of its CPUs it is known too: the worst one has nothing. */
static bool has_nothing(const struct decision *d)
{
	return d->absolute && all_zero(d->a, d->n) && all_zero(d->b, d->n);
}

/*
 * A pair that is missed on both sides is left out: neither value is known, so as an effect of 0
 * it would be evidence of sameness. Without any other pair there is one effect of 0, for the
 * numbers that are shown: with so many ties nothing is decided. @missed: the effect of a quantile
 * that is missed only in B.
 */
static int find_effects(const struct decision *d, struct walsh *w, double missed)
{
	double *effect = calloc(d->n, sizeof(*effect));
	int err = effect ? 0 : -ENOMEM;
	size_t i, n = 0;

	for (i = 0; i < d->n && !err; i++) {
		if (is_both_missed(d, i))
			continue;
		effect[n] = decision_effect(d->absolute, d->a[i], d->b[i]);
		if (!isfinite(effect[n]))
			err = -EINVAL;
		if (effect[n] >= EFFECT_MISSED)
			effect[n] = missed;
		n++;
	}
	if (!err)
		err = walsh_init(w, effect, n ? n : 1);
	free(effect);
	return err;
}

/*
 * With fewer pairs the test could say OK, but never REGRESSION: the ranks have what DECISION_GUARD
 * leaves of @alpha. The tests of CPUs have all of it, but a CPU's p-value has to pass the first
 * step of Holm's procedure, also if one pair of them differs by less than the margin.
 */
size_t decision_fewest_pairs(double alpha, size_t ncpus)
{
	return ncpus > 1 ? stats_fewest_pairs(alpha / (double)ncpus) + 1 :
			   stats_fewest_pairs((1 - DECISION_GUARD) * alpha);
}

/*
 * What is missed only in A in one pair and only in B in another averages to no effect, though
 * neither effect is known. For the upper bound it is one without bound, so that it never
 * makes OK. 0, -ENOMEM or -EINVAL.
 */
static int find_upper(struct decision *d, const struct walsh *effects)
{
	struct walsh w;
	int err;

	d->upper = decision_unbounded(walsh_upper(effects, d->upper_alpha));
	if (effects->w[0] > -EFFECT_MISSED || effects->w[effects->m - 1] < EFFECT_MISSED)
		return 0;
	err = find_effects(d, &w, 2 * EFFECT_MISSED);
	if (err)
		return err;
	d->upper = decision_unbounded(walsh_upper(&w, d->upper_alpha));
	walsh_free(&w);
	return 0;
}

/* Everything but the lower bound, whose level comes from Holm's procedure. @n: tests. */
static int prepare(struct decision *d, struct walsh *w, const struct rule *rule,
		   size_t n)
{
	double alpha = rule->alpha;
	int err;

	if (!d->n || d->n > STATS_MAX_PAIRS)
		return -EINVAL;
	err = find_effects(d, w, EFFECT_MISSED);
	if (err)
		return err;
	d->both_missed = count_both_missed(d);
	d->spread = decision_unbounded(walsh_spread(w));
	d->resolvable = decision_shown(d, stats_resolved(d->spread, w->n, alpha,
							 DECISION_POWER));
	if (named_margin(d, rule) > 0)
		margin_as_named(d, named_margin(d, rule), alpha);
	else if (d->kept_margin > 0)
		d->margin = d->kept_margin;
	else
		margin_from_spread(d, rule, (1 - DECISION_GUARD) * alpha / (double)n, w->n);
	/* Rounding can change both values of a pair by the resolution. */
	d->refused = d->margin < 2 * d->resolution;
	/* an early look needs no regression in its reach: a later one has it */
	d->pairs_fewest = rule->looks && d->ncpus <= 1 ? stats_fewest_pairs(alpha / (double)n) :
			  decision_fewest_pairs(alpha / (double)n, d->ncpus);
	d->effect = decision_unbounded(walsh_estimate(w));
	d->upper_alpha = alpha;
	d->p = walsh_p_above(w, scaled(d, d->margin));
	d->beyond = count_beyond(d);
	d->p_beyond = stats_beyond(d->n, d->beyond);
	return find_upper(d, w);
}

/*
 * The margin makes a false alarm much rarer than alpha, but a missed quantile is beyond
 * every margin. Where A also misses it, half of alpha makes up for that.
 */
static double level_of_lower(const struct decision *d, double alpha)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (isinf(d->a[i]))
			return alpha / 2;
	return alpha;
}

static void conclude(struct decision *d, const struct walsh *w, double alpha)
{
	double margin = scaled(d, d->margin), guard = DECISION_GUARD * alpha;
	bool enough = decision_pairs(d) >= d->pairs_fewest && 2 * d->both_missed <= d->n;

	d->cpus_worse = 0;
	d->cpu_unsure = false;
	d->by_beyond = false;
	d->lower_alpha = level_of_lower(d, alpha - guard);
	d->lower = decision_unbounded(walsh_lower(w, d->lower_alpha));
	if (d->lower > margin) {
		d->verdict = VERDICT_REGRESSION;
	} else if (d->p_beyond <= guard && d->beyond >= stats_fewest_pairs(alpha)) {
		d->verdict = VERDICT_REGRESSION;
		d->by_beyond = true;
	} else if (d->upper < margin && !d->refused && enough &&
		   d->beyond < DECISION_SOME) {
		d->verdict = VERDICT_OK;
	} else {
		d->verdict = VERDICT_INCONCLUSIVE;
		d->by_beyond = enough && d->beyond >= DECISION_SOME;
	}
}

/* The p-value of the stronger of the two reasons for a regression. */
static double smaller_p(const struct decision *d)
{
	return fmin(d->p / (1 - DECISION_GUARD), d->p_beyond / DECISION_GUARD);
}

/* The decision with the smallest p-value that is not done; -1: none left. */
static int smallest_p(const struct decision d[], const bool done[], size_t n)
{
	int at = -1;
	size_t i;

	for (i = 0; i < n; i++)
		if (!done[i] && (at < 0 || smaller_p(&d[i]) < smaller_p(&d[at])))
			at = (int)i;
	return at;
}

/*
 * Holm's procedure: the smallest p-value is tested at alpha / n, the next at
 * alpha / (n - 1), and so on. After the first that is no regression, the level of
 * the rest no longer rises. The p-values of decisions without a test are the largest.
 */
static void conclude_all(struct decision d[], const struct walsh w[], size_t n, size_t tests,
			 const struct rule *rule, bool done[])
{
	size_t left = tests;
	int i;

	while ((i = smallest_p(d, done, n)) >= 0) {
		conclude(&d[i], &w[i], rule->alpha / (double)left);
		done[i] = true;
		if (d[i].verdict == VERDICT_REGRESSION && left > 1)
			left--;
	}
}

/* The effect of CPU @k and its p-value. -EINVAL if a pair has no ratio. */
static int look_at_cpu(const struct decision *d, size_t k, double *p, double *effect)
{
	struct decision cpu = {
		.absolute = d->absolute, .n = d->n,
		.a = d->cpu_a + k * d->stride, .b = d->cpu_b + k * d->stride,
	};
	struct walsh w;
	int err = find_effects(&cpu, &w, EFFECT_MISSED);

	if (err)
		return err;
	*p = walsh_p_above(&w, scaled(d, d->margin));
	*effect = decision_unbounded(walsh_estimate(&w));
	walsh_free(&w);
	return 0;
}

static int compare_p(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The worst CPU of each run hides the others: three of four that are twice as slow, but
 * not as slow as the fourth. So each is tested for itself, at @alpha together. A CPU
 * whose values have no ratio says nothing. OK says that no CPU got worse by more than the margin: one
 * whose own estimate is above it contradicts that, also where the spread hides it from its test.
 */
static int look_at_cpus(struct decision *d, double alpha)
{
	double *p = calloc(d->ncpus, sizeof(*p)), least = 2, effect, most = -INFINITY;
	size_t k, slowest = 0;
	int err = p ? 0 : -ENOMEM;

	for (k = 0; k < d->ncpus && !err; k++) {
		p[k] = 1;
		err = look_at_cpu(d, k, &p[k], &effect);
		if (err == -EINVAL) {
			err = 0;
			continue;
		}
		if (err)
			break;
		if (effect > most) {
			most = effect;
			slowest = k;
		}
		if (p[k] < least) {
			least = p[k];
			d->worst_cpu = k;
			d->cpu_effect = effect;
		}
	}
	if (!err) {
		qsort(p, d->ncpus, sizeof(*p), compare_p);
		for (k = 0; k < d->ncpus && p[k] <= alpha / (double)(d->ncpus - k); k++)
			d->cpus_worse++;
		if (d->cpus_worse) {
			d->verdict = VERDICT_REGRESSION;
		} else if (most > scaled(d, d->margin)) {
			d->cpu_unsure = true;
			d->worst_cpu = slowest;
			d->cpu_effect = most;
			d->verdict = VERDICT_INCONCLUSIVE;
		}
	}
	free(p);
	return err;
}

int decision_slowest_cpu(const struct decision *d, size_t *cpu, double *effect)
{
	int err, found = -ENODATA;
	double p, this;
	size_t k;

	for (k = 0; k < d->ncpus; k++) {
		err = look_at_cpu(d, k, &p, &this);
		if (err == -ENOMEM)
			return err;
		if (err || (!found && this <= *effect))
			continue;
		found = 0;
		*cpu = k;
		*effect = this;
	}
	return found;
}

int decide(struct decision d[], size_t n, const struct rule *rule)
{
	struct walsh *w = calloc(n, sizeof(*w));
	bool *done = calloc(n, sizeof(*done));
	int err = w && done ? 0 : -ENOMEM;
	size_t i, tests = 0;

	for (i = 0; i < n; i++) {
		d[i].nothing = has_nothing(&d[i]);
		tests += !d[i].nothing;
	}
	tests = tests ? tests : 1;
	for (i = 0; i < n && !err; i++)
		err = prepare(&d[i], &w[i], rule, tests);
	if (!err)
		conclude_all(d, w, n, tests, rule, done);
	for (i = 0; i < n && !err; i++)
		if (d[i].verdict == VERDICT_OK && d[i].ncpus > 1)
			err = look_at_cpus(&d[i], rule->alpha / (double)tests);
	for (i = 0; w && i < n; i++)
		walsh_free(&w[i]);
	free(w);
	free(done);
	return err;
}

enum decision_verdict decide_together(const struct decision d[], size_t n)
{
	enum decision_verdict all = VERDICT_OK;
	size_t i;

	for (i = 0; i < n; i++) {
		if (d[i].verdict == VERDICT_REGRESSION)
			return VERDICT_REGRESSION;
		if (d[i].verdict == VERDICT_INCONCLUSIVE)
			all = VERDICT_INCONCLUSIVE;
	}
	return all;
}

/*
 * alpha (t / most)^1.5 is spent after t pairs (Kim & DeMets 1987). Less of it early, as
 * O'Brien and Fleming do, would leave nothing that 8 or 12 pairs can reach: a
 * signed-rank test of n pairs has no p-value below 2^-n.
 */
#define SPENDING	1.5

#define GRID	100			/* points of the density: levels are right to 0.1 % */
#define FAR	5			/* standard deviations where it begins */

/*
 * The density of the sum of the effects, as a random walk with variance t at time t,
 * among the walks that no earlier look has stopped: @mass at the points @at.
 */
struct walk {
	double	 at[GRID], mass[GRID];
	double	 t;
};

/* The pairs of a look as a share of the pairs of the last look. */
static double time_of(unsigned int look)
{
	return (double)(SEQUENTIAL_FIRST + look * SEQUENTIAL_STEP) / SEQUENTIAL_MOST;
}

static double normal_above(double x)
{
	return erfc(x * M_SQRT1_2) / 2;
}

/* The probability that the walk is above @bound at time @t. */
static double above(const struct walk *w, double t, double bound)
{
	double sd = sqrt(t - w->t), sum = 0;
	unsigned int i;

	for (i = 0; i < GRID; i++)
		sum += w->mass[i] * normal_above((bound - w->at[i]) / sd);
	return sum;
}

/* The walk continues until @t. Walks above @bound end there. */
static void go_on(struct walk *w, double t, double bound)
{
	double sd = sqrt(t - w->t), from = -FAR * sqrt(t);
	double step = (bound - from) / GRID;
	struct walk next = { .t = t };
	unsigned int i, k;

	for (i = 0; i < GRID; i++) {
		next.at[i] = from + (i + 0.5) * step;
		for (k = 0; k < GRID; k++) {
			double z = (next.at[i] - w->at[k]) / sd;

			next.mass[i] += w->mass[k] * exp(-z * z / 2);
		}
		next.mass[i] *= step / sd / sqrt(2 * M_PI);
	}
	*w = next;
}

/* The bound that spends @alpha at time @t. */
static double bound_for(const struct walk *w, double t, double alpha)
{
	double low = -FAR, high = FAR;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		double middle = (low + high) / 2;

		if (above(w, t, middle) > alpha)
			low = middle;
		else
			high = middle;
	}
	return high;
}

void sequential_levels(double level[SEQUENTIAL_LOOKS], double alpha)
{
	struct walk w = { .mass = { 1 } };	/* at 0, at time 0 */
	double spent = 0, t, bound;
	unsigned int i;

	for (i = 0; i < SEQUENTIAL_LOOKS; i++) {
		t = time_of(i);
		bound = bound_for(&w, t, alpha * pow(t, SPENDING) - spent);
		spent = alpha * pow(t, SPENDING);
		level[i] = normal_above(bound / sqrt(t));
		go_on(&w, t, bound);
	}
}

/*
 * A rate's margin from the spread would be another one at each look. It is what half of all pairs
 * resolve at @alpha, the level of the last look, if they have the spread of the first ones: with
 * the margin that all pairs resolve, equal sides would pass in 92 % instead of 98 %.
 */
static int keep_margin(struct decision *d, const struct rule *rule, double alpha)
{
	struct decision first = *d;
	struct walsh w;
	int err;

	if (first.n > SEQUENTIAL_FIRST)
		first.n = SEQUENTIAL_FIRST;
	err = find_effects(&first, &w, EFFECT_MISSED);
	if (err)
		return err;
	first.spread = decision_unbounded(walsh_spread(&w));
	walsh_free(&w);
	margin_from_spread(&first, rule, alpha, SEQUENTIAL_MOST / 2);
	d->kept_margin = first.margin;
	d->margin_is_least = first.margin_is_least;
	d->margin_is_most = first.margin_is_most;
	return 0;
}

/* -EINVAL if a ratio has no named margin. */
static int keep_margins(struct decision d[], size_t n, const struct rule *rule, double alpha)
{
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		if (named_margin(&d[i], rule) > 0)
			continue;
		err = d[i].absolute ? keep_margin(&d[i], rule, alpha) : -EINVAL;
	}
	return err;
}

int decide_sequentially(struct decision d[], size_t n, const struct rule *rule,
			struct sequential *at)
{
	double level[SEQUENTIAL_LOOKS];
	struct rule one = *rule;
	size_t pairs = d[0].n, i, look;
	int err;

	one.looks = true;
	sequential_levels(level, rule->alpha);
	err = keep_margins(d, n, rule,
			   (1 - DECISION_GUARD) * level[SEQUENTIAL_LOOKS - 1] / (double)n);
	if (err)
		return err;
	for (look = 0; look < SEQUENTIAL_LOOKS; look++) {
		at->pairs = SEQUENTIAL_FIRST + look * SEQUENTIAL_STEP;
		at->next = at->pairs;
		if (pairs < at->pairs)
			break;
		at->next = 0;
		one.alpha = level[look];
		for (i = 0; i < n; i++)
			d[i].n = at->pairs;
		err = decide(d, n, &one);
		if (err || decide_together(d, n) != VERDICT_INCONCLUSIVE)
			return err;
	}
	if (look) {
		at->pairs = SEQUENTIAL_FIRST + (look - 1) * SEQUENTIAL_STEP;
		return 0;
	}
	at->pairs = pairs;
	/* too few for the first look: what they show, without a verdict */
	one.alpha = level[0];
	err = decide(d, n, &one);
	for (i = 0; i < n; i++)
		d[i].verdict = VERDICT_INCONCLUSIVE;
	return err;
}
