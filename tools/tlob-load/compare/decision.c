// SPDX-License-Identifier: GPL-2.0
/* From pairs of values to a verdict: docs/explanation/statistics.md. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/decision.h"
#include "compare/stats.h"

double decision_effect(bool absolute, double a, double b)
{
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

static double spread_of_pairs(const double effect[], size_t n)
{
	double *x = malloc(n * sizeof(*x)), middle, spread;
	size_t i;

	if (!x)
		return NAN;
	memcpy(x, effect, n * sizeof(*x));
	middle = stats_median(x, n);
	for (i = 0; i < n; i++)
		x[i] -= middle;
	/* The median was estimated from the same pairs, which costs one of them. */
	spread = stats_rms(x, n) * sqrt((double)n / (double)(n > 1 ? n - 1 : 1));
	free(x);
	return spread;
}

static void choose_margin(struct decision *d, const struct rule *rule,
			  double alpha)
{
	double x = stats_resolved(d->spread, d->n, alpha, DECISION_POWER_TWICE);
	double named = scaled(d, rule->margin);
	double least = fmax(d->absolute ? 0 : rule->least_margin,
			    2 * d->resolution);

	d->resolvable = decision_shown(d, stats_resolved(d->spread, d->n, alpha,
							 DECISION_POWER));
	d->margin = fmax(margin_for(d, x), least);
	d->margin_is_least = d->margin <= least;
	if (!(rule->margin > 0)) {
		/* Almost anything would be OK with a margin this wide. */
		d->refused = !(d->margin <= (d->absolute ? DECISION_MOST_RATE :
							  rule->most_margin));
		return;
	}
	d->margin = rule->margin;
	d->pairs_needed = stats_pairs_for(named, d->spread, alpha,
					  DECISION_POWER);
	/* Rounding can change both values of a pair by the resolution. */
	d->refused = !d->pairs_needed || d->pairs_needed > d->n ||
		     rule->margin < 2 * d->resolution;
	if (rule->margin < 2 * d->resolution)
		d->pairs_needed = 0;
}

/* Everything but the lower bound, whose level comes from Holm's procedure. */
static int prepare(struct decision *d, struct walsh *w, const struct rule *rule)
{
	double alpha = rule->alpha / rule->looks;
	double *effect;
	size_t i;
	int err = 0;

	if (!d->n || d->n > STATS_MAX_PAIRS)
		return -EINVAL;
	effect = calloc(d->n, sizeof(*effect));
	if (!effect)
		return -ENOMEM;
	for (i = 0; i < d->n && !err; i++) {
		effect[i] = decision_effect(d->absolute, d->a[i], d->b[i]);
		if (!isfinite(effect[i]))
			err = -EINVAL;
	}
	if (!err)
		err = walsh_init(w, effect, d->n);
	if (!err) {
		d->spread = d->spread_of == SPREAD_PAIRS ?
			    spread_of_pairs(effect, d->n) :
			    stats_rms(d->base, d->nbase);
		if (!isfinite(d->spread))
			err = -EINVAL;
	}
	if (!err) {
		choose_margin(d, rule, alpha);
		d->effect = walsh_estimate(w);
		d->upper_alpha = alpha;
		d->upper = walsh_upper(w, alpha);
		d->p = walsh_p_above(w, scaled(d, d->margin));
	}
	free(effect);
	return err;
}

static void conclude(struct decision *d, const struct walsh *w, double alpha)
{
	double margin = scaled(d, d->margin);

	d->lower_alpha = alpha;
	d->lower = walsh_lower(w, alpha);
	d->too_few = d->n < stats_fewest_pairs(alpha);
	if (d->lower > margin)
		d->verdict = VERDICT_REGRESSION;
	else if (d->upper < margin && !d->refused)
		d->verdict = VERDICT_OK;
	else
		d->verdict = VERDICT_INCONCLUSIVE;
}

/* The decision with the smallest p-value that is not done; -1: none left. */
static int smallest_p(const struct decision d[], const bool done[], size_t n)
{
	int at = -1;
	size_t i;

	for (i = 0; i < n; i++)
		if (!done[i] && (at < 0 || d[i].p < d[at].p))
			at = (int)i;
	return at;
}

/*
 * Holm's procedure: the smallest p-value is tested at alpha / n, the next at
 * alpha / (n - 1), and so on. After the first that is no regression, the level of
 * the rest no longer rises.
 */
static void conclude_all(struct decision d[], const struct walsh w[], size_t n,
			 const struct rule *rule, bool done[])
{
	size_t left = n;
	int i;

	while ((i = smallest_p(d, done, n)) >= 0) {
		conclude(&d[i], &w[i], rule->alpha / rule->looks / (double)left);
		done[i] = true;
		if (d[i].verdict == VERDICT_REGRESSION)
			left--;
	}
}

int decide(struct decision d[], size_t n, const struct rule *rule)
{
	struct walsh *w = calloc(n, sizeof(*w));
	bool *done = calloc(n, sizeof(*done));
	int err = w && done ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = prepare(&d[i], &w[i], rule);
	if (!err)
		conclude_all(d, w, n, rule, done);
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
