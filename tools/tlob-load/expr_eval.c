// SPDX-License-Identifier: GPL-2.0
/* Conditions on a window, on a result, and for the kernel's filters. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expr_local.h"

#define COUNTER(field) { #field, offsetof(struct result_cpu, field) }

const struct expr_counter expr_counters[EXPR_NR_COUNTERS] = {
	COUNTER(windows), COUNTER(violations), COUNTER(missed), COUNTER(lost),
	COUNTER(aborted), COUNTER(inexact), COUNTER(errors),
	COUNTER(sum_failures), COUNTER(clock_steps), COUNTER(adjusted_ns),
};

bool expr_compare(uint64_t a, enum expr_op op, uint64_t b)
{
	switch (op) {
	case EXPR_LT: return a < b;
	case EXPR_LE: return a <= b;
	case EXPR_GT: return a > b;
	case EXPR_GE: return a >= b;
	case EXPR_EQ: return a == b;
	case EXPR_NE: return a != b;
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

bool expr_window(const struct expr *e, const struct tlob_window *w)
{
	if (w->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP))
		return false;
	if (e->counter >= 0)
		return expr_compare(!!(w->flags & TLOB_WINDOW_VIOLATION), e->op,
				    e->value);
	if (e->metric >= TLOB_METRIC_PARTS &&
	    w->unavailable & 1U << (e->metric - TLOB_METRIC_PARTS))
		return false;
	return expr_compare(window_metric(w, e->metric), e->op, e->value);
}

bool expr_violation(const struct expr *e)
{
	const struct tlob_window violated = { .flags = TLOB_WINDOW_VIOLATION };

	return e->counter >= 0 && expr_window(e, &violated);
}

/* What @e compares, on one CPU or on all. False: there is no data for it. */
static bool subject_value(const struct expr *e, const struct result_cpu *c,
			  uint64_t *v)
{
	const struct tlob_hist *h;

	if (e->counter >= 0) {
		const char *field = (const char *)c;

		memcpy(v, field + expr_counters[e->counter].offset, sizeof(*v));
		return true;
	}
	if (e->metric >= TLOB_METRIC_PARTS &&
	    c->unavailable & 1U << (e->metric - TLOB_METRIC_PARTS))
		return false;
	h = &c->hist[e->metric];
	if (!h->n || (e->stat == STAT_QUANTILE && !hist_has_quantile(h, e->ppm)))
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
		*v = hist_quantile(h, e->ppm);
		return true;
	case STAT_NONE:
		break;
	}
	return false;
}

/* Whether @a is nearer to failing, or fails by more, than @b. */
static bool closer(const struct expr *e, uint64_t a, uint64_t b)
{
	uint64_t da = a > e->value ? a - e->value : e->value - a;
	uint64_t db = b > e->value ? b - e->value : e->value - b;

	switch (e->op) {
	case EXPR_LT: case EXPR_LE: return a > b;
	case EXPR_GT: case EXPR_GE: return a < b;
	case EXPR_EQ: return da > db;
	case EXPR_NE: return da < db;
	}
	return false;
}

/* The worst answer so far; a failure outranks missing data. */
struct answer {
	bool any;
	enum expr_verdict verdict;
	uint64_t value;
	int cpu;
};

static void consider(struct answer *a, const struct expr *e,
		     const struct result_cpu *c)
{
	static const int rank[] = {
		[EXPR_TRUE] = 0, [EXPR_NO_DATA] = 1, [EXPR_FALSE] = 2,
	};
	struct answer b = { .any = true, .cpu = c->cpu };

	if (!subject_value(e, c, &b.value))
		b.verdict = EXPR_NO_DATA;
	else
		b.verdict = expr_compare(b.value, e->op, e->value) ?
			    EXPR_TRUE : EXPR_FALSE;
	if (!a->any || rank[b.verdict] > rank[a->verdict] ||
	    (b.verdict == a->verdict && b.verdict != EXPR_NO_DATA &&
	     closer(e, b.value, a->value)))
		*a = b;
}

enum expr_verdict expr_result(const struct expr *e, const struct result *r,
			      uint64_t *value, int *cpu)
{
	struct answer a = { .any = false };
	size_t i;

	/* CPUs first: where all has the same value, the CPU is the news. */
	for (i = 0; e->metric >= 0 && i < r->ncpus; i++)
		consider(&a, e, &r->cpu[i]);
	consider(&a, e, &r->all);
	/* A CPU without a window makes every count too good. */
	for (i = 0; e->counter >= 0 && a.verdict == EXPR_TRUE; i++) {
		if (i == r->ncpus) {
			if (!r->all.windows)
				a.verdict = EXPR_NO_DATA;
			break;
		}
		if (!r->cpu[i].windows) {
			a.verdict = EXPR_NO_DATA;
			a.cpu = r->cpu[i].cpu;
		}
	}
	*value = a.value;
	*cpu = a.cpu;
	return a.verdict;
}

/*
 * The event's fields have the metrics' names, dots as underlines. Unlike
 * expr_window() this knows neither the warm-up nor what is unavailable.
 */
int expr_filter(const struct expr *e, char *buf, unsigned int size)
{
	static const char * const op_text[] = {
		[EXPR_LT] = "<", [EXPR_LE] = "<=", [EXPR_GT] = ">",
		[EXPR_GE] = ">=", [EXPR_EQ] = "==", [EXPR_NE] = "!=",
	};
	char *dot;
	int n;

	if (e->counter >= 0) {
		if (!expr_is_counter(e, violations))
			return -EINVAL;
		n = snprintf(buf, size, "%s(flags & %u)",
			     expr_compare(0, e->op, e->value) ? "!" : "",
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
