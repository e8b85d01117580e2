// SPDX-License-Identifier: GPL-2.0
/* Conditions on a window, on a result, and for the kernel's filters. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "result/condition_local.h"
#include "result/parts.h"

const struct condition_words condition_run_words = {
	.metrics = tlob_metric_names,
	.nmetrics = TLOB_NR_METRICS,
	.first_part = TLOB_METRIC_PARTS,
	.counters = &result_counters,
	.without = FIELD_OF_ATTACH,
	.functions = true,
};

const struct condition_words condition_attach_words = {
	.metrics = result_metric_names,
	.nmetrics = RESULT_METRICS,
	.first_part = TLOB_METRIC_PARTS,
	.never = 1U << TLOB_METRIC_IRQ | 1U << TLOB_METRIC_WAKE | ATTACH_LACKS << TLOB_METRIC_PARTS,
	.counters = &result_counters,
	.without = FIELD_OF_RUN,
	.functions = true,
};

const struct condition_words condition_compare_words = {
	.metrics = result_metric_names,
	.nmetrics = RESULT_METRICS,
	.first_part = TLOB_METRIC_PARTS,
	.counters = &result_counters,
	.without = FIELD_OF_ATTACH,
	.functions = true,
};

bool condition_compare(uint64_t a, enum condition_op op, uint64_t b)
{
	switch (op) {
	case CONDITION_LT: return a < b;
	case CONDITION_LE: return a <= b;
	case CONDITION_GT: return a > b;
	case CONDITION_GE: return a >= b;
	case CONDITION_EQ: return a == b;
	case CONDITION_NE: return a != b;
	}
	return false;
}

static uint64_t window_metric(const struct tlob_window *w, int metric)
{
	switch (metric) {
	case TLOB_METRIC_IRQ: return w->irq_latency_ns;
	case TLOB_METRIC_WAKE: return w->wake_ns;
	case TLOB_METRIC_RESPONSE: return w->response_ns;
	}
	return w->part_ns[metric - TLOB_METRIC_PARTS];
}

bool condition_window(const struct condition *e, const struct tlob_window *w)
{
	return condition_window_functions(e, w, NULL);
}

/* The index of the set that @e compares. */
static size_t function_of(const struct condition *e)
{
	return (size_t)(e->metric - e->words->nmetrics);
}

bool condition_window_functions(const struct condition *e, const struct tlob_window *w,
				const struct window_functions *f)
{
	if (w->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP))
		return false;
	if (e->counter >= 0)
		return condition_compare(!!(w->flags & TLOB_WINDOW_VIOLATION), e->op,
				    e->value);
	if (condition_is_function(e))
		return f && !f->lost && function_of(e) < f->n &&
		       condition_compare(function_net_ns(&f->at[function_of(e)]), e->op, e->value);
	/* one window has none */
	if (e->metric == RESULT_INTERVAL)
		return false;
	if (e->metric >= TLOB_METRIC_PARTS &&
	    w->unavailable & 1U << (e->metric - TLOB_METRIC_PARTS))
		return false;
	return condition_compare(window_metric(w, e->metric), e->op, e->value);
}

bool condition_is_blind(const struct condition *e, uint32_t unavailable)
{
	int part = e->metric - e->words->first_part;

	if (e->metric == TLOB_METRIC_IRQ)
		return !irq_is_available(unavailable);
	return e->metric >= 0 && part >= 0 && !condition_is_function(e) &&
	       unavailable & 1U << part;
}

bool condition_violation(const struct condition *e)
{
	const struct tlob_window violated = { .flags = TLOB_WINDOW_VIOLATION };

	return e->counter >= 0 && condition_window(e, &violated);
}

static bool is_upper(const struct condition *e)
{
	return e->op == CONDITION_LT || e->op == CONDITION_LE;
}

/*
 * The bound of the episodes in an hour that @e compares, rounded to what holds: up for an upper
 * bound. False: not counted.
 */
static bool episodes_bound(const struct condition *e, const struct episodes *from, uint64_t *bound)
{
	struct episode_rate rate = episodes_per_hour(from, BOUNDS_ALPHA);
	double at = is_upper(e) ? ceil(rate.upper) : floor(rate.lower);

	if (isnan(rate.found))
		return false;
	*bound = at < 1e18 ? (uint64_t)at : UINT64_MAX;
	return true;
}

const struct tlob_hist *condition_hist(const struct condition *e, const struct condition_data *d)
{
	int part = e->metric - e->words->first_part;

	if (condition_is_function(e))
		return d->functions && function_of(e) < d->functions->n ?
		       &d->functions->at[function_of(e)].hist : NULL;
	return part >= 0 && d->unavailable & 1U << part ? NULL : &d->hist[e->metric];
}

uint64_t condition_fewest(const struct condition *e)
{
	return e->stat == STAT_QUANTILE ? quantile_fewest(e->ppm) :
	       e->stat == STAT_SHORTFALL ? shortfall_fewest(e->ppm) : 1;
}

/* Finds the value that @e compares. False: there is no data for it. */
static bool quantity_value(const struct condition *e, const struct condition_data *d,
			  uint64_t *v)
{
	const struct tlob_hist *h;
	enum quantile found;
	uint64_t missed, fewest = condition_fewest(e);

	if (e->episodes)
		return d->episodes && episodes_bound(e, d->episodes, v);
	if (e->counter >= 0) {
		*v = field_get(&e->words->counters->field[e->counter], d->counters);
		return true;
	}
	h = condition_hist(e, d);
	if (!h || !h->n)
		return false;
	missed = d->cpu ? result_missed(d->cpu, (unsigned int)e->metric) : 0;
	if (missed < fewest && h->n < fewest - missed)
		return false;
	switch (e->stat) {
	case STAT_MIN:
		*v = h->min;
		return true;
	case STAT_AVG:
		*v = hist_mean(h);
		return true;
	case STAT_MAX:
		*v = h->max;
		return true;
	case STAT_QUANTILE:
		found = hist_quantile_missed(h, missed, e->ppm, v);
		if (found == QUANTILE_MISSED)
			*v = CONDITION_MISSED;
		return found != QUANTILE_FEW;
	case STAT_SHORTFALL:
		found = hist_shortfall(h, missed, e->ppm, v);
		if (found == QUANTILE_MISSED)
			*v = CONDITION_MISSED;
		return found != QUANTILE_FEW;
	case STAT_NONE:
		break;
	}
	return false;
}

/* "Fewer than 100" is at most what episodes/h<100 allows. */
static bool compare_value(const struct condition *e, uint64_t value)
{
	if (!e->episodes)
		return condition_compare(value, e->op, e->value);
	return is_upper(e) ? value <= e->value : value >= e->value;
}

enum condition_outcome condition_data(const struct condition *e, const struct condition_data *d,
			    uint64_t *value)
{
	if (!quantity_value(e, d, value))
		return CONDITION_UNDECIDED;
	return compare_value(e, *value) ? CONDITION_TRUE : CONDITION_FALSE;
}

/* Returns true if @a is nearer to failing than @b, or fails by more. */
static bool closer(const struct condition *e, uint64_t a, uint64_t b)
{
	uint64_t da = a > e->value ? a - e->value : e->value - a;
	uint64_t db = b > e->value ? b - e->value : e->value - b;

	switch (e->op) {
	case CONDITION_LT: case CONDITION_LE: return a > b;
	case CONDITION_GT: case CONDITION_GE: return a < b;
	case CONDITION_EQ: return da > db;
	case CONDITION_NE: return da < db;
	}
	return false;
}

/* The worst answer so far; a failure outranks missing data. */
struct answer {
	bool any;
	enum condition_outcome verdict;
	uint64_t value;
	int cpu;
};

static void consider(struct answer *a, const struct condition *e,
		     const struct result_cpu *c)
{
	static const int rank[] = {
		[CONDITION_TRUE] = 0, [CONDITION_UNDECIDED] = 1, [CONDITION_FALSE] = 2,
	};
	const struct condition_data d = {
		.counters = c, .hist = c->hist, .unavailable = c->unavailable,
		.cpu = c, .functions = c->functions, .episodes = &c->episodes,
	};
	struct answer b = { .any = true, .cpu = c->cpu };

	b.verdict = condition_data(e, &d, &b.value);
	if (!a->any || rank[b.verdict] > rank[a->verdict] ||
	    (b.verdict == a->verdict && b.verdict != CONDITION_UNDECIDED &&
	     closer(e, b.value, a->value)))
		*a = b;
}

enum condition_outcome condition_result(const struct condition *e, const struct result *r,
			      uint64_t *value, int *cpu)
{
	struct answer a = { .any = false };
	size_t i;

	/* CPUs first: where all has the same value, the CPU is the news. */
	for (i = 0; e->metric >= 0 && i < r->ncpus; i++)
		consider(&a, e, &r->cpu[i]);
	consider(&a, e, &r->all);
	/* A CPU without a window makes every count too good. */
	for (i = 0; e->metric < 0 && a.verdict == CONDITION_TRUE; i++) {
		if (i == r->ncpus) {
			if (!r->all.windows)
				a.verdict = CONDITION_UNDECIDED;
			break;
		}
		if (!r->cpu[i].windows) {
			a.verdict = CONDITION_UNDECIDED;
			a.cpu = r->cpu[i].cpu;
		}
	}
	*value = a.value;
	*cpu = a.cpu;
	return a.verdict;
}

/*
 * The event's fields have the metrics' names, dots as underlines. Unlike
 * condition_window() this knows neither the warm-up nor what is unavailable.
 */
int condition_filter(const struct condition *e, char *buf, unsigned int size)
{
	static const char * const op_text[] = {
		[CONDITION_LT] = "<", [CONDITION_LE] = "<=", [CONDITION_GT] = ">",
		[CONDITION_GE] = ">=", [CONDITION_EQ] = "==", [CONDITION_NE] = "!=",
	};
	char *dot;
	int n;

	if (condition_is_function(e))
		return -EINVAL;
	if (e->counter >= 0) {
		if (!condition_is_counter(e, violations))
			return -EINVAL;
		n = snprintf(buf, size, "%s(flags & %u)",
			     condition_compare(0, e->op, e->value) ? "!" : "",
			     TLOB_WINDOW_VIOLATION);
	} else {
		n = snprintf(buf, size, "%s %s %" PRIu64,
			     e->metric == TLOB_METRIC_IRQ ?
			     "irq_latency" : tlob_metric_names[e->metric],
			     op_text[e->op], e->value);
	}
	if (n < 0 || (unsigned int)n >= size)
		return -ENOSPC;
	dot = strchr(buf, '.');
	if (dot)
		*dot = '_';
	return 0;
}
