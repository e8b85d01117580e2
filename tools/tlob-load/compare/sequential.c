// SPDX-License-Identifier: GPL-2.0
/* Group sequential tests with alpha spending (Lan & DeMets 1983). */
#include <errno.h>
#include <math.h>

#include "compare/sequential.h"
#include "result/stats.h"

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

/* The pairs of a look as a share of those of the last one. */
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

/* The walk goes on until @t, and ends there above @bound. */
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

int decide_sequentially(struct decision d[], size_t n, const struct rule *rule,
			struct sequential *at)
{
	double level[SEQUENTIAL_LOOKS];
	struct rule one = *rule;
	size_t pairs = d[0].n, i, look;
	int err;

	if (!(rule->margin > 0))
		return -EINVAL;
	sequential_levels(level, rule->alpha);
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
	if (look)
		at->pairs = SEQUENTIAL_FIRST + (look - 1) * SEQUENTIAL_STEP;
	else
		at->pairs = pairs;
	if (look)
		return 0;
	/* too few for the first look: what they show, without a verdict */
	one.alpha = level[0];
	err = decide(d, n, &one);
	for (i = 0; i < n; i++)
		d[i].verdict = VERDICT_INCONCLUSIVE;
	return err;
}
