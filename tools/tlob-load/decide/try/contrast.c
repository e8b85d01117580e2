// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>

#include "result/stats.h"
#include "try/contrast.h"

#define POWER	0.80			/* of the pairs that are said to decide */

const char *try_verdict_name(enum try_verdict v)
{
	static const char * const names[] = {
		[TRY_OPEN] = "cannot tell", [TRY_HELPS] = "helps", [TRY_HURTS] = "hurts",
		[TRY_SAME] = "no difference", [TRY_FAILS] = "fails",
	};

	return names[v];
}

void try_levels_make(struct try_levels *l, double alpha, unsigned int tests)
{
	if (l->alpha != alpha)
		sequential_levels(l->same, alpha);
	/* a difference in either direction counts */
	if (l->alpha != alpha || l->tests != tests)
		sequential_levels(l->differs, alpha / 2 / tests);
	l->alpha = alpha;
	l->tests = tests;
}

bool contrast_is_look(size_t n)
{
	return n >= SEQUENTIAL_FIRST && (n - SEQUENTIAL_FIRST) % SEQUENTIAL_STEP == 0;
}

size_t contrast_looks(size_t n)
{
	return n < SEQUENTIAL_FIRST ? 0 : (n - SEQUENTIAL_FIRST) / SEQUENTIAL_STEP + 1;
}

/* Episodes: less than chance gives their number from run to run, and one at least. */
static double scaled(const struct contrast *c, unsigned int metric, double margin)
{
	double mean = 0;
	size_t i;

	if (metric == TRY_TAIL)
		return log1p(margin);
	for (i = 0; i < c->n; i++)
		mean += c->without[metric][i] / (double)c->n;
	return fmax(1, fmax(sqrt(mean), margin * mean));
}

/* A tail that is missed on both sides shows nothing: neither value is known. */
static bool is_both_missed(const struct contrast *c, unsigned int metric, size_t i)
{
	return isinf(c->with[metric][i]) && isinf(c->without[metric][i]);
}

static void conclude(struct try_effect *e, const struct walsh *w, double differs, double same,
		     double margin)
{
	e->by = decision_unbounded(walsh_estimate(w));
	e->lower = decision_unbounded(walsh_lower(w, differs));
	e->upper = decision_unbounded(walsh_upper(w, differs));
	if (walsh_lower(w, same) > -margin && walsh_upper(w, same) < margin)
		e->verdict = TRY_SAME;
	else if (e->upper < 0)
		e->verdict = TRY_HELPS;
	else if (e->lower > 0)
		e->verdict = TRY_HURTS;
	else
		e->verdict = TRY_OPEN;
	e->differs = e->differs || e->verdict == TRY_HELPS || e->verdict == TRY_HURTS;
}

/* Pairs that accept an effect of 0 at the margin, or find one of twice the margin. */
static size_t needed(const struct walsh *w, const struct try_levels *l, double margin)
{
	double sd = decision_unbounded(walsh_spread(w));
	size_t same, differs;

	if (!isfinite(sd))
		return 0;
	same = stats_pairs_for(margin, sd, l->same[SEQUENTIAL_LOOKS - 1], POWER);
	differs = stats_pairs_for(2 * margin, sd, l->differs[SEQUENTIAL_LOOKS - 1], POWER);
	return !same || !differs ? 0 : same > differs ? same : differs;
}

static bool all_zero(const struct contrast *c, unsigned int metric)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->with[metric][i] || c->without[metric][i])
			return false;
	return true;
}

static int decide_metric(struct contrast *c, unsigned int metric, const struct try_levels *l, double margin)
{
	double effect[SEQUENTIAL_MOST], within = scaled(c, metric, margin);
	struct try_effect *e = &c->at[metric];
	size_t look = contrast_looks(c->n) - 1, n = 0, i;
	struct walsh w;
	int err;

	e->without = stats_median_of(c->without[metric], c->n);
	e->with = stats_median_of(c->with[metric], c->n);
	e->nothing = metric == TRY_EPISODES && all_zero(c, metric);
	for (i = 0; i < c->n; i++) {
		if (is_both_missed(c, metric, i))
			continue;
		effect[n] = decision_effect(metric == TRY_EPISODES, c->without[metric][i], c->with[metric][i]);
		if (!isfinite(effect[n++]))
			return -EINVAL;
	}
	/* without any pair one effect of 0, whose bounds are infinite */
	effect[0] = n ? effect[0] : 0;
	err = walsh_init(&w, effect, n ? n : 1);
	if (err)
		return err;
	conclude(e, &w, l->differs[look], l->same[look], within);
	e->pairs_needed = needed(&w, l, within);
	if (e->verdict == TRY_SAME && 2 * n < c->n)
		e->verdict = TRY_OPEN;
	walsh_free(&w);
	return 0;
}

enum try_verdict try_together(const enum try_verdict v[], size_t n)
{
	bool seen[TRY_FAILS + 1] = { false };

	while (n--)
		seen[v[n]] = true;
	return seen[TRY_FAILS] ? TRY_FAILS : seen[TRY_HURTS] ? TRY_HURTS : seen[TRY_HELPS] ? TRY_HELPS :
	       seen[TRY_OPEN] ? TRY_OPEN : TRY_SAME;
}

int contrast_decide(struct contrast *c, const struct try_levels *l, double margin)
{
	enum try_verdict v[TRY_METRICS];
	unsigned int m;
	int err = 0;

	for (m = 0; m < TRY_METRICS && !err; m++) {
		err = decide_metric(c, m, l, margin);
		v[m] = c->at[m].verdict;
	}
	if (!err)
		c->verdict = try_together(v, TRY_METRICS);
	return err;
}
