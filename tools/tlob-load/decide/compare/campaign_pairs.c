// SPDX-License-Identifier: GPL-2.0
/* From the pairs of a comparison to decisions, misses, and which part of a window moved. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/campaign.h"
#include "result/stats.h"
#include "util/error.h"

bool campaign_common_seeds(const struct campaign *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct result *a = &campaign_a(c, i)->r;
		const struct result *b = &campaign_b(c, i)->r;

		if (!a->deterministic || !a->has_seed || !b->has_seed ||
		    a->seed != b->seed)
			return false;
	}
	return true;
}

static double resolution(const struct campaign *c, size_t s)
{
	double worst = 0;
	size_t i;

	for (i = 0; i < c->nruns; i++)
		worst = fmax(worst, c->run[i].resolution[s]);
	return worst;
}

/* True if all runs have the CPUs of the first one: with --force they may differ. */
static bool same_cpus(const struct campaign *c)
{
	size_t i;

	for (i = 1; i < c->nruns; i++)
		if (strcmp(c->run[i].r.cpus, c->run[0].r.cpus))
			return false;
	return true;
}

/* The values of a side's replicates, of the worst CPU or (@row > 0) of one: the median of the runs that share a boot. */
static void fill_row(const struct campaign *c, size_t s, size_t side, size_t row, double shared[], double x[])
{
	const struct campaign_run *run = c->run + side * c->n;
	size_t i, r, n;

	for (r = 0; r < c->nreplicates; r++) {
		for (i = 0, n = 0; i < c->n; i++)
			if (c->replicate[side * c->n + i] == r)
				shared[n++] = row ? run[i].cpu[s][row - 1] : run[i].value[s];
		x[r] = stats_median(shared, n);
	}
}

/* Both sides, each with a row for the worst CPU and one for each of @d->ncpus. */
static int fill_values(const struct campaign *c, size_t s, struct decision *d)
{
	const size_t rows = 1 + d->ncpus, n = d->n;
	double *x = calloc(2 * rows * n + c->n, sizeof(*x));
	size_t i;

	if (!x)
		return fail(-ENOMEM, "out of memory");
	d->a = x;
	d->b = x + rows * n;
	d->cpu_a = d->a + n;
	d->cpu_b = d->b + n;
	d->resolution = resolution(c, s);
	for (i = 0; i < c->nruns; i++)
		if (!(c->run[i].value[s] > 0))
			return fail(-EINVAL, "%s is 0 in %s: a ratio needs values above 0",
				    c->statistic[s].text, c->run[i].path);
	for (i = 0; i < 2 * rows; i++)
		fill_row(c, s, i / rows, i % rows, x + 2 * rows * n, x + i * n);
	return 0;
}

/* The same of events, of all CPUs or of one: those of runs that share a boot are added up. */
static void sum_row(const struct campaign *c, size_t side, size_t row, struct events x[])
{
	const struct campaign_run *run = c->run + side * c->n;
	const size_t *of = c->replicate + side * c->n;
	size_t i, r, n;

	for (r = 0; r < c->nreplicates; r++)
		for (i = 0, n = 0; i < c->n; i++) {
			const struct events *e = row ? &run[i].cpu_events[row - 1] : &run[i].events;

			if (of[i] == r && n++)
				events_add(&x[r], e);
			else if (of[i] == r)
				x[r] = *e;
		}
}

static int fill_events(const struct campaign *c, struct decision *d)
{
	const size_t rows = 1 + d->ncpus, n = d->n;
	struct events *x = calloc(2 * rows * n, sizeof(*x));
	size_t i;

	if (!x)
		return fail(-ENOMEM, "out of memory");
	d->events_a = x;
	d->events_b = x + rows * n;
	d->cpu_events_a = d->events_a + n;
	d->cpu_events_b = d->events_b + n;
	for (i = 0; i < 2 * rows; i++)
		sum_row(c, i / rows, i % rows, x + i * n);
	return 0;
}

static int fill(const struct campaign *c, size_t s, struct decision *d)
{
	d->n = d->stride = c->nreplicates;
	d->ncpus = c->run[0].r.ncpus > 1 && same_cpus(c) ? c->run[0].r.ncpus : 0;
	return c->statistic[s].kind == STATISTIC_MISS_RATE ? fill_events(c, d) : fill_values(c, s, d);
}

int campaign_decide(struct campaign *c, struct rule *rule, struct decision d[],
		    struct sequential *at)
{
	size_t s;
	int err = 0;

	if (!(rule->margin > 0))
		rule->margin = c->run[0].r.deterministic ? DECISION_MARGIN_COUNTED : DECISION_MARGIN;
	memcpy(rule->cut_short, c->cut_short, sizeof(rule->cut_short));
	memset(d, 0, c->nstatistics * sizeof(*d));
	for (s = 0; s < c->nstatistics && !err; s++)
		err = fill(c, s, &d[s]);
	if (err)
		return err;
	err = at ? decide_sequentially(d, c->nstatistics, rule, at) :
		   decide(d, c->nstatistics, rule);
	for (s = 0; s < c->nstatistics && c->doubt && !err; s++)
		d[s].verdict = VERDICT_INCONCLUSIVE;
	if (err == -ENOMEM)
		return fail(err, "out of memory");
	return err ? fail(err, "these values have no ratios") : 0;
}

void campaign_decided(struct decision d[], size_t n)
{
	while (n--) {
		free((double *)d[n].a);
		free((struct events *)d[n].events_a);
	}
}

void campaign_events(const struct campaign *c, struct events sum[2])
{
	size_t i, side;

	for (i = 0; i < c->nruns; i++) {
		side = i >= c->n;
		if (i == side * c->n)
			sum[side] = c->run[i].events;
		else
			events_add(&sum[side], &c->run[i].events);
	}
}

bool campaign_shift(const struct campaign *c, unsigned int metric,
		    unsigned int at, double *a, double *shift)
{
	double *x = calloc(2 * c->n, sizeof(*x));
	bool known = x;
	size_t i;

	for (i = 0; i < c->n && known; i++) {
		x[i] = campaign_a(c, i)->at[metric][at];
		x[c->n + i] = campaign_b(c, i)->at[metric][at] - x[i];
		known = isfinite(x[c->n + i]);
	}
	if (known) {
		*a = stats_median(x, c->n);
		*shift = stats_median(x + c->n, c->n);
	}
	free(x);
	return known;
}

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

/* The place where the statistic looks: a shortfall beyond its quantile, a rate at the slowest. */
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
	case STATISTIC_MAX:
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
	for (m = 0; m < RESULT_METRICS; m++)
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
	const char *name = result_metric_names[s->at[i].metric];
	const char *of = result_metric_names[s->of];

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
