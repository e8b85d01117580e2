// SPDX-License-Identifier: GPL-2.0
/* Where a comparison moved: which part of a window, at which quantile. */
#include <math.h>
#include <string.h>

#include "compare/shift.h"

/* False for a part that is 0 on both sides. */
static bool find_shift(const struct campaign *c, unsigned int metric, struct shift *s)
{
	bool moves = false;
	unsigned int at;

	*s = (struct shift){ .metric = metric };
	for (at = 0; at < NR_AT; at++) {
		s->known[at] = campaign_shift(c, metric, at, &s->a[at], &s->by[at]);
		moves = moves || (s->known[at] && (s->a[at] || s->by[at]));
	}
	return moves;
}

/* Where the statistic looks: a shortfall beyond its quantile, a rate at the slowest. */
static unsigned int where_of(const struct statistic *s)
{
	switch (s->kind) {
	case STATISTIC_MEAN:
		return AT_MEAN;
	case STATISTIC_QUANTILE:
		return s->ppm <= 500000 ? AT_P50 : s->ppm <= 900000 ? AT_P90 :
		       s->ppm <= 990000 ? AT_P99 : AT_P999;
	case STATISTIC_SHORTFALL:
		return s->ppm < 900000 ? AT_P90 : s->ppm < 990000 ? AT_P99 : AT_P999;
	case STATISTIC_MISS_RATE:
		break;
	}
	return AT_P999;
}

static bool any_known(const struct shifts *s, unsigned int at)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->at[i].known[at])
			return true;
	return false;
}

void shifts_find(struct shifts *s, const struct campaign *c,
		 const struct statistic *statistic)
{
	unsigned int m;

	*s = (struct shifts){
		.counted = c->run[0].r.deterministic, .pairs = c->n,
		.of = statistic->kind == STATISTIC_MISS_RATE ?
		      TLOB_METRIC_RESPONSE : statistic->metric,
	};
	for (m = 0; m < TLOB_NR_METRICS; m++)
		s->n += find_shift(c, m, &s->at[s->n]);
	/* Short runs have no p99.9 of all CPUs. */
	for (s->where = where_of(statistic); s->where && !any_known(s, s->where);)
		s->where--;
}

static bool is_part(const struct shift *s)
{
	return s->metric >= TLOB_METRIC_PARTS;
}

/* Wake-ups consist of their own parts, responses of all. */
static bool belongs(const struct shifts *s, size_t i)
{
	const char *name = tlob_metric_names[s->at[i].metric];
	const char *of = tlob_metric_names[s->of];

	if (s->of == TLOB_METRIC_RESPONSE || s->at[i].metric == s->of)
		return true;
	return s->of == TLOB_METRIC_WAKE && !strncmp(name, of, strlen(of)) &&
	       name[strlen(of)] == '.';
}

static double moved(const struct shifts *s, size_t i)
{
	return s->at[i].known[s->where] ? fabs(s->at[i].by[s->where]) : 0;
}

const struct shift *shifts_largest(const struct shifts *s)
{
	const struct shift *found = NULL;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (moved(s, i) < 0.5 || !belongs(s, i))
			continue;
		if (!found || is_part(&s->at[i]) > is_part(found) ||
		    (is_part(&s->at[i]) == is_part(found) &&
		     moved(s, i) > moved(s, (size_t)(found - s->at))))
			found = &s->at[i];
	}
	return found;
}

bool shifts_is_among(const struct shifts *s, size_t i, size_t most)
{
	size_t k, before = 0;

	if (!is_part(&s->at[i]))
		return true;
	for (k = 0; k < s->n; k++)
		before += !is_part(&s->at[k]) || moved(s, k) > moved(s, i) ||
			  (moved(s, k) == moved(s, i) && k < i);
	return before < most;
}
