// SPDX-License-Identifier: GPL-2.0
/* From pairs to a verdict, at one look or at several: docs/explanation/statistics.md. */
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

double decision_effect(double a, double b)
{
	if (isinf(a) && isinf(b))
		return 0;
	if (isinf(a) || isinf(b))
		return isinf(b) ? EFFECT_MISSED : -EFFECT_MISSED;
	return log(b / a);
}

double decision_shown(const struct decision *d, double effect)
{
	return decision_of_events(d) ? effect : expm1(effect);
}

/* The margin on the scale of effects. */
static double scaled(const struct decision *d)
{
	return decision_of_events(d) ? d->margin : log1p(d->margin);
}

size_t decision_pairs(const struct decision *d)
{
	return d->n - d->both_missed;
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
	most *= (1 + d->margin) * (1 + d->resolution);
	for (i = 0; i < d->n; i++)
		n += d->b[i] > most;
	return n;
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
		effect[n] = decision_effect(d->a[i], d->b[i]);
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

static int prepare_values(struct decision *d, struct walsh *w, double alpha)
{
	int err = find_effects(d, w, EFFECT_MISSED);

	if (err)
		return err;
	d->both_missed = count_both_missed(d);
	d->spread = decision_unbounded(walsh_spread(w));
	d->pairs_needed = stats_pairs_for(scaled(d), d->spread, alpha, DECISION_POWER);
	/* Rounding can change both values of a pair by the resolution. */
	d->refused = d->margin < 2 * d->resolution;
	d->effect = decision_unbounded(walsh_estimate(w));
	d->p = walsh_p_above(w, scaled(d));
	d->beyond = count_beyond(d);
	d->p_beyond = stats_beyond(d->n, d->beyond);
	return find_upper(d, w);
}

/*
 * Half the interval shrinks with the root of the pairs, and has to leave room for chance. Without
 * any event it shrinks with their number.
 */
static size_t pairs_for_events(const struct decision *d, double alpha)
{
	double room = 1 + stats_normal_quantile(DECISION_POWER) / stats_normal_quantile(1 - alpha);
	double n = (double)d->n * (d->found.none ? d->upper / d->margin :
				   pow(room * (d->upper - d->effect) / d->margin, 2));

	return n <= STATS_MAX_PAIRS ? (size_t)ceil(n) : 0;
}

static int prepare_events(struct decision *d, double margin, double alpha)
{
	int err = events_compare(&d->found, d->events_a, d->events_b, d->n, margin, alpha);

	d->margin = d->found.margin;
	d->effect = d->found.share_b - d->found.share_a;
	d->upper = d->found.upper;
	d->lower = -INFINITY;
	d->spread = NAN;
	d->p = d->found.p;
	d->pairs_needed = err ? 0 : pairs_for_events(d, alpha);
	return err;
}

/* Everything but the lower bound, whose level comes from Holm's procedure. @tests: that share alpha. */
static int prepare(struct decision *d, struct walsh *w, const struct rule *rule, size_t tests)
{
	if (!d->n || d->n > STATS_MAX_PAIRS)
		return -EINVAL;
	d->pairs_fewest = decision_fewest_pairs(rule->alpha / (double)tests, d->ncpus);
	d->upper_alpha = rule->ok_alpha > 0 ? rule->ok_alpha : rule->alpha;
	d->margin = d->named_margin = rule->margin;
	d->pairs_more = stats_fewest_pairs(DECISION_EVENTS * rule->alpha / (double)tests);
	return decision_of_events(d) ? prepare_events(d, rule->margin, d->upper_alpha) :
				       prepare_values(d, w, d->upper_alpha);
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

static enum decision_verdict verdict_of_values(struct decision *d, const struct walsh *w, double alpha, bool enough)
{
	double margin = scaled(d), guard = DECISION_GUARD * alpha;

	d->lower_alpha = level_of_lower(d, alpha - guard);
	d->lower = decision_unbounded(walsh_lower(w, d->lower_alpha));
	if (d->lower > margin)
		return VERDICT_REGRESSION;
	d->by_beyond = d->p_beyond <= guard && d->beyond >= stats_fewest_pairs(alpha);
	if (d->by_beyond)
		return VERDICT_REGRESSION;
	if (d->upper < margin && !d->refused && enough && d->beyond < DECISION_SOME)
		return VERDICT_OK;
	d->by_beyond = enough && d->beyond >= DECISION_SOME;
	return VERDICT_INCONCLUSIVE;
}

/*
 * The test of more events knows the named margin only: one of 10 % says nothing of an A without any,
 * and the least margin is for what chance may have made.
 */
static enum decision_verdict verdict_of_events(struct decision *d, double alpha, bool enough)
{
	const bool below = enough && d->upper < d->margin;

	d->more = d->p <= DECISION_EVENTS * alpha;
	if (d->more) {
		d->margin = d->named_margin * d->found.share_a;
		return VERDICT_REGRESSION;
	}
	d->more = below && d->p <= d->upper_alpha;
	return below && !d->more ? VERDICT_OK : VERDICT_INCONCLUSIVE;
}

static void conclude(struct decision *d, const struct walsh *w, double alpha)
{
	bool enough = decision_pairs(d) >= d->pairs_fewest && 2 * d->both_missed <= d->n;

	d->cpus_worse = 0;
	d->cpu_unsure = d->cut_short = false;
	d->by_beyond = d->more = false;
	d->verdict = decision_of_events(d) ? verdict_of_events(d, alpha, enough) :
					     verdict_of_values(d, w, alpha, enough);
}

/* The p-value of the strongest reason for a regression, of all alpha. */
static double smaller_p(const struct decision *d)
{
	return decision_of_events(d) ? d->p / DECISION_EVENTS :
	       fmin(d->p / (1 - DECISION_GUARD), d->p_beyond / DECISION_GUARD);
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

struct cpu_look {
	size_t	 cpu;
	double	 p, effect, margin;	/* effect: NAN if a pair has no ratio, which says nothing */
	bool	 worse;			/* it looks so. Of many CPUs one has more bursts in B by chance */
};

/* 0 or -ENOMEM. */
static int look_at_cpu(const struct decision *d, size_t k, struct cpu_look *look)
{
	struct decision cpu = { .n = d->n, .margin = d->margin };
	struct walsh w;
	int err;

	*look = (struct cpu_look){ .cpu = k, .p = 1, .effect = NAN, .margin = scaled(d) };
	if (decision_of_events(d)) {
		cpu.events_a = d->cpu_events_a + k * d->stride;
		cpu.events_b = d->cpu_events_b + k * d->stride;
		err = prepare_events(&cpu, d->named_margin, d->upper_alpha);
		*look = (struct cpu_look){ .cpu = k, .p = cpu.p / DECISION_EVENTS, .effect = cpu.effect, .margin = cpu.margin };
		look->worse = look->effect > look->margin && cpu.p <= d->upper_alpha / (double)d->ncpus;
		return err;
	}
	cpu.a = d->cpu_a + k * d->stride;
	cpu.b = d->cpu_b + k * d->stride;
	err = find_effects(&cpu, &w, EFFECT_MISSED);
	if (err)
		return err == -EINVAL ? 0 : err;
	look->p = walsh_p_above(&w, look->margin);
	look->effect = decision_unbounded(walsh_estimate(&w));
	look->worse = look->effect > look->margin;
	walsh_free(&w);
	return 0;
}

static int by_p(const void *a, const void *b)
{
	const struct cpu_look *x = a, *y = b;

	return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void name_cpu(struct decision *d, enum decision_verdict verdict, const struct cpu_look *look)
{
	d->verdict = verdict;
	d->worst_cpu = look->cpu;
	d->cpu_effect = look->effect;
	d->cpu_margin = look->margin;
}

/*
 * The worst CPU of each run hides the others: three of four that are twice as slow, but
 * not as slow as the fourth. So each is tested for itself, at @alpha together. OK says that no CPU got
 * worse by more than the margin: one whose own estimate is above it contradicts that, also where the
 * spread hides it from its test.
 */
static int look_at_cpus(struct decision *d, double alpha)
{
	struct cpu_look *at = calloc(d->ncpus, sizeof(*at)), *unsure = NULL;
	const size_t n = d->ncpus;
	int err = 0;
	size_t k;

	if (!at)
		return -ENOMEM;
	for (k = 0; k < n && !err; k++)
		err = look_at_cpu(d, k, &at[k]);
	if (!err)
		qsort(at, n, sizeof(*at), by_p);
	for (k = 0; k < n && !err; k++)
		if (at[k].worse && (!unsure || at[k].effect > unsure->effect))
			unsure = &at[k];
	while (!err && d->cpus_worse < n && at[d->cpus_worse].p <= alpha / (double)(n - d->cpus_worse))
		d->cpus_worse++;
	if (d->cpus_worse)
		name_cpu(d, VERDICT_REGRESSION, at);
	else if (unsure)
		name_cpu(d, VERDICT_INCONCLUSIVE, unsure);
	d->cpu_unsure = !d->cpus_worse && unsure;
	free(at);
	return err;
}

int decision_slowest_cpu(const struct decision *d, size_t *cpu, double *effect)
{
	int err, found = -ENODATA;
	struct cpu_look look;
	size_t k;

	for (k = 0; k < d->ncpus; k++) {
		err = look_at_cpu(d, k, &look);
		if (err)
			return err;
		if (isnan(look.effect) || (!found && look.effect <= *effect))
			continue;
		found = 0;
		*cpu = k;
		*effect = look.effect;
	}
	return found;
}

static int decide_as_seen(struct decision d[], size_t n, const struct rule *rule)
{
	struct walsh *w = calloc(n, sizeof(*w));
	bool *done = calloc(n, sizeof(*done));
	int err = w && done ? 0 : -ENOMEM;
	size_t i, tests = 0;

	for (i = 0; i < n; i++)
		tests += !decision_of_events(&d[i]) || events_any(d[i].events_a, d[i].events_b, d[i].n);
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

/* Copies of both sides, each CPU's behind them: [2][1 + ncpus][n], of @size bytes. */
static void *copy_sides(const struct decision *d, const void *a, const void *b, const void *cpu_a, const void *cpu_b,
			size_t size)
{
	const void *const all[2] = { a, b }, *const cpus[2] = { cpu_a, cpu_b };
	size_t side, k, row = d->n * size;
	char *x = calloc(2 * (1 + d->ncpus), row), *to = x;

	for (side = 0; x && side < 2; side++) {
		memcpy(to, all[side], row);
		to += row;
		for (k = 0; k < d->ncpus; k++, to += row)
			memcpy(to, (const char *)cpus[side] + k * d->stride * size, row);
	}
	return x;
}

/* The runs of @side that most favour the verdict are missed instead, on each CPU. */
static double *worst_values(const struct decision *d, unsigned int side, uint64_t missing)
{
	const size_t rows = 1 + d->ncpus, n = d->n;
	double *x = copy_sides(d, d->a, d->b, d->cpu_a, d->cpu_b, sizeof(*x)), effect, best;
	size_t i, k, at;

	for (; x && missing; missing--) {
		for (i = 0, best = -INFINITY, at = n; i < n; i++) {
			effect = decision_effect(x[i], x[rows * n + i]) * (side ? -1 : 1);
			if (!isinf(x[side * rows * n + i]) && effect > best) {
				best = effect;
				at = i;
			}
		}
		for (k = 0; at < n && k < rows; k++)
			x[(side * rows + k) * n + at] = INFINITY;
	}
	return x;
}

static void add_episode(struct events *e, const struct events_found *f)
{
	size_t g;

	for (g = 0; g < EPISODE_GAPS; g++) {
		uint64_t length = f->a.e.at[g].longest > f->b.e.at[g].longest ? f->a.e.at[g].longest : f->b.e.at[g].longest;

		length = length ? length : 1;
		e->e.at[g].n++;
		e->e.at[g].squares += length * length;
		e->e.at[g].longest = length;
		e->late += g ? 0 : length;
	}
}

/* Runs of @side have one more episode, as long as any, on each CPU. */
static struct events *worst_events(const struct decision *d, unsigned int side, uint64_t missing)
{
	const size_t rows = 1 + d->ncpus;
	struct events *x = copy_sides(d, d->events_a, d->events_b, d->cpu_events_a, d->cpu_events_b, sizeof(*x));
	size_t i, k;

	for (i = 0; x && i < d->n && i < missing; i++)
		for (k = 0; k < rows; k++)
			add_episode(&x[(side * rows + k) * d->n + i], &d->found);
	return x;
}

/* @d with what is missing on @side; its values are in *@x then. */
static struct decision with_worst(const struct decision *d, unsigned int side, uint64_t missing, void **x)
{
	struct decision w = { .n = d->n, .resolution = d->resolution, .ncpus = d->ncpus, .stride = d->n };
	const size_t b = (1 + d->ncpus) * d->n;

	if (decision_of_events(d)) {
		struct events *e = *x = worst_events(d, side, missing);

		w.events_a = e;
		w.events_b = e + b;
		w.cpu_events_a = e + d->n;
		w.cpu_events_b = e + b + d->n;
	} else {
		double *v = *x = worst_values(d, side, missing);

		w.a = v;
		w.b = v + b;
		w.cpu_a = v + d->n;
		w.cpu_b = v + b + d->n;
	}
	return w;
}

/*
 * Runs do not fail at random: those that were the worst of their side may be the ones that are
 * missing. A verdict stands if it is the same with them.
 */
static int doubt_cut_short(struct decision d[], size_t n, const struct rule *rule)
{
	const enum decision_verdict verdict = decide_together(d, n);
	const unsigned int side = verdict == VERDICT_OK;
	struct decision *worst = calloc(n + 1, sizeof(*worst));
	void **x = calloc(n + 1, sizeof(*x));
	int err = worst && x ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		worst[i] = with_worst(&d[i], side, rule->cut_short[side], &x[i]);
		err = x[i] ? 0 : -ENOMEM;
	}
	if (!err)
		err = decide_as_seen(worst, n, rule);
	for (i = 0; i < n && !err; i++)
		if (d[i].verdict == verdict && worst[i].verdict != verdict) {
			d[i].verdict = VERDICT_INCONCLUSIVE;
			d[i].cut_short = true;
		}
	for (i = 0; x && i < n; i++)
		free(x[i]);
	free(x);
	free(worst);
	return err;
}

int decide(struct decision d[], size_t n, const struct rule *rule)
{
	int err = decide_as_seen(d, n, rule);
	enum decision_verdict verdict;

	if (err)
		return err;
	verdict = decide_together(d, n);
	return verdict != VERDICT_INCONCLUSIVE && rule->cut_short[verdict == VERDICT_OK] ?
	       doubt_cut_short(d, n, rule) : 0;
}

const size_t sequential_pairs[SEQUENTIAL_LOOKS] = { 10, 20, SEQUENTIAL_MOST };

double sequential_level(unsigned int look, double alpha)
{
	static const double share[SEQUENTIAL_LOOKS] = { 0.1, 0.3, 0.6 };

	return share[look] * alpha;
}

static void cut_to(struct decision d[], size_t n, size_t pairs)
{
	while (n--)
		d[n].n = pairs;
}

int decide_sequentially(struct decision d[], size_t n, const struct rule *rule,
			struct sequential *at)
{
	size_t pairs = d[0].n, i;
	struct rule one = *rule;
	unsigned int look;
	int err = 0;

	for (look = 0; look < SEQUENTIAL_LOOKS && pairs >= sequential_pairs[look]; look++) {
		cut_to(d, n, sequential_pairs[look]);
		one.alpha = sequential_level(look, rule->alpha);
		one.ok_alpha = sequential_level(look, rule->ok_alpha);
		err = decide(d, n, &one);
		if (err || decide_together(d, n) != VERDICT_INCONCLUSIVE) {
			*at = (struct sequential){ .pairs = sequential_pairs[look] };
			return err;
		}
	}
	at->pairs = look ? sequential_pairs[look - 1] : pairs;
	at->next = look < SEQUENTIAL_LOOKS ? sequential_pairs[look] : 0;
	if (look)
		return 0;
	/* too few for the first look: what they show, without a verdict */
	one.alpha = sequential_level(0, rule->alpha);
	one.ok_alpha = sequential_level(0, rule->ok_alpha);
	err = decide(d, n, &one);
	for (i = 0; i < n; i++)
		d[i].verdict = VERDICT_INCONCLUSIVE;
	return err;
}
