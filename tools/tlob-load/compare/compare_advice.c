// SPDX-License-Identifier: GPL-2.0
/* After INCONCLUSIVE: the one command that would settle it, and why that one. */
#include <math.h>
#include <stdlib.h>

#include "compare/compare_render.h"
#include "util/units.h"

#define MOST_PAIRS	100		/* beyond, noise is to be removed first */
#define MOST_LONGER	20		/* times as long as the runs are */

/* What makes the runs: their options stay as they were. */
static const char *maker(const struct comparison *all)
{
	return all->c->run[0].r.deterministic ? "tlob-load lab" : "tlob-load plan";
}

/* The run with the largest value, in which something happened. */
static const struct campaign_run *slowest_run(const struct comparison *all, size_t s)
{
	const struct campaign *c = all->c;
	const struct campaign_run *slowest = campaign_a(c, 0);
	size_t i;

	for (i = 0; i < all->d[s].n; i++) {
		if (campaign_a(c, i)->value[s] > slowest->value[s])
			slowest = campaign_a(c, i);
		if (campaign_b(c, i)->value[s] > slowest->value[s])
			slowest = campaign_b(c, i);
	}
	return slowest;
}

static size_t count_missed(const struct decision *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n; i++)
		n += isinf(d->a[i]) || isinf(d->b[i]);
	return n;
}

/*
 * How many times as long the runs must be for a spread of @sd. A pair has the sampling
 * noise of two runs, which falls with their length; the rest of its spread stays. 0: no
 * length suffices.
 */
static unsigned int times_longer(const struct comparison *all, size_t s, double sd)
{
	const struct decision *d = &all->d[s];
	double within = 0, between, times;
	size_t i;

	for (i = 0; i < d->n; i++)
		within += pow(campaign_a(all->c, i)->noise[s], 2) +
			  pow(campaign_b(all->c, i)->noise[s], 2);
	within = fmin(within / (double)d->n, d->spread * d->spread);
	between = d->spread * d->spread - within;
	times = within / (sd * sd - between);
	return times > 1 && times <= MOST_LONGER ? (unsigned int)ceil(times) : 0;
}

/* The largest spread with which the pairs that are there resolve @distance. */
static double spread_for(const struct decision *d, double distance, double alpha)
{
	return distance / stats_resolved(1, d->n, alpha, DECISION_POWER);
}

/* The margin lies inside the interval: more pairs, longer runs, or less noise. */
static const char *settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	double margin = d->absolute ? d->margin : log1p(d->margin);
	double distance = fabs(margin - d->effect), alpha = all->rule.alpha;
	size_t pairs = stats_pairs_for(distance, d->spread, alpha, DECISION_POWER);
	unsigned int times = d->absolute ? 0 :
		times_longer(all, s, spread_for(d, distance, alpha));
	char length[DURATION_LEN], effect[32];

	/* Of about equal cost, longer runs need fewer boots and set-ups. */
	if (times && (!pairs || 2 * (size_t)times * d->n <= 3 * pairs))
		return compare_line(buf, "%s --pairs %zu ... -- ... -d %s: runs as short as these scatter by themselves",
				    maker(all), d->n,
				    duration_format(length, times * all->c->run[0].r.duration_ns));
	if (pairs > d->n && pairs <= MOST_PAIRS)
		return compare_line(buf, "%s --pairs %zu, else as before: so many distinguish an effect of %s from the margin",
				    maker(all), pairs, effect_text(effect, d, d->effect));
	return compare_line(buf, "tlob-load report %s: remove first what made this run the slowest; %s",
			    slowest_run(all, s)->path, isfinite(d->effect) && distance < margin / 4 ?
			    "an effect so near the margin needs very many pairs" :
			    "the runs differ too much for pairs to help");
}

static size_t first_inconclusive(const struct comparison *all)
{
	size_t s = 0;

	while (all->d[s].verdict != VERDICT_INCONCLUSIVE)
		s++;
	return s;
}

const char *compare_advice(char buf[COMPARE_LINE], const struct comparison *all)
{
	*buf = 0;
	return all->verdict == VERDICT_INCONCLUSIVE ?
	       compare_settle(buf, all, first_inconclusive(all)) : buf;
}

const char *compare_settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];

	if (d->verdict != VERDICT_INCONCLUSIVE)
		return compare_line(buf, "%s", "");
	if (d->ordered)
		return compare_line(buf, "tlob-load plan --pairs %zu A B -- OPTION...: it makes the runs in random order",
				    d->n);
	if (all->o->sequential && all->at.next)
		return compare_line(buf, "%s --pairs %zu, else as before: the next look", maker(all),
				    all->at.next);
	if (d->n < d->pairs_fewest)
		return compare_line(buf, "%s --pairs %zu, else as before: the fewest that can decide",
				    maker(all), d->pairs_fewest);
	if (!d->absolute && 4 * count_missed(d) > d->n)
		return compare_line(buf, "tlob-load gate --metric miss-rate, of the same results: %s is missed in %zu of %zu pairs",
				    all->c->statistic[s].text, count_missed(d), d->n);
	if (d->refused)
		return compare_line(buf, "tlob-load gate --margin %.2f%%, of the same results: these numbers show a change as small",
				    ceil(20000 * d->resolution) / 100);
	if (d->by_beyond)
		return compare_line(buf, "tlob-load report %s: it shows what made this run the slowest; %s --pairs %zu shows whether B has more of them",
				    slowest_run(all, s)->path, maker(all), 2 * d->n);
	return settle(buf, all, s);
}
