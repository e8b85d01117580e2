// SPDX-License-Identifier: GPL-2.0
/* Which quantiles got clearly worse, next to what a comparison decides on. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "result/stats.h"

static const unsigned int metrics[MOVED_MOST] = {
	TLOB_METRIC_IRQ, TLOB_METRIC_WAKE, TLOB_METRIC_RESPONSE,
};

static const unsigned int ppm[NR_AT] = {
	[AT_P50] = 500000, [AT_P90] = 900000, [AT_P99] = 990000, [AT_P999] = 999000,
};

static bool decides(const struct campaign *c, unsigned int metric, unsigned int at)
{
	size_t s;

	for (s = 0; s < c->nstatistics; s++)
		if (c->statistic[s].kind == STATISTIC_QUANTILE && c->statistic[s].metric == metric &&
		    c->statistic[s].ppm == ppm[at])
			return true;
	return false;
}

/* The values of the replicates of a side: medians of the runs of each. False: one has none. */
static bool fill(const struct campaign *c, size_t side, unsigned int metric, unsigned int at, double x[])
{
	double shared[STATS_MAX_PAIRS];
	size_t i, r, n;

	for (r = 0; r < c->nreplicates; r++) {
		for (i = 0, n = 0; i < c->n; i++)
			if (c->replicate[side * c->n + i] == r)
				shared[n++] = c->run[side * c->n + i].at[metric][at];
		x[r] = stats_median(shared, n);
		if (!(x[r] > 0))
			return false;
	}
	return true;
}

/* Looks at one quantile, at a share of alpha. */
static int look(const struct campaign *c, const struct rule *rule, struct moved *m)
{
	double x[2][STATS_MAX_PAIRS];
	struct decision d = { .a = x[0], .b = x[1], .n = c->nreplicates };
	int err;

	m->effect = 0;
	if (!fill(c, 0, m->metric, m->at, x[0]) || !fill(c, 1, m->metric, m->at, x[1]))
		return 0;
	err = decide(&d, 1, rule);
	if (err || d.verdict != VERDICT_REGRESSION || d.by_beyond)
		return err == -EINVAL ? 0 : err;
	m->effect = d.effect;
	m->a = stats_median(x[0], d.n);
	m->b = stats_median(x[1], d.n);
	/* nor is a step of the clock clear, in however many pairs */
	if (isfinite(m->b) && m->b - m->a <= (double)c->clock_ns)
		m->effect = 0;
	return 0;
}

int campaign_moved(const struct campaign *c, const struct rule *rule, struct moved found[MOVED_MOST], size_t *n)
{
	/* the quantiles of a metric move together */
	const struct rule one = { .alpha = rule->alpha / MOVED_MOST, .margin = rule->margin };
	struct moved worst, m;
	int err = 0;
	size_t i;

	*n = 0;
	for (i = 0; i < MOVED_MOST && !c->doubt && !err; i++) {
		worst.effect = 0;
		m.metric = metrics[i];
		for (m.at = AT_P50; m.at < NR_AT && !err; m.at++) {
			if (decides(c, m.metric, m.at))
				continue;
			err = look(c, &one, &m);
			if (m.effect > worst.effect)
				worst = m;
		}
		if (worst.effect > 0)
			found[(*n)++] = worst;
	}
	return err;
}
