// SPDX-License-Identifier: GPL-2.0
/*
 * Keeping the windows that a screen shows, and taking a snapshot. Of all CPUs together only
 * what a screen shows is summed up: a whole result_sum() five times a second would keep the
 * housekeeping CPU busy.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/snapshot.h"
#include "result/result.h"

int snapshot_init(struct snapshot *s, size_t ncpus)
{
	*s = (struct snapshot){ .n = ncpus };
	s->cpu = calloc(ncpus ? ncpus : 1, sizeof(*s->cpu));
	s->watch = calloc(ncpus ? ncpus : 1, sizeof(*s->watch));
	s->scratch = calloc(2, sizeof(*s->scratch));
	if (s->cpu && s->watch && s->scratch)
		return 0;
	snapshot_free(s);
	return -ENOMEM;
}

void snapshot_free(struct snapshot *s)
{
	free(s->cpu);
	free(s->watch);
	free(s->scratch);
	*s = (struct snapshot){ 0 };
}

uint64_t snapshot_quantile(const struct tlob_hist *h, uint64_t missed, unsigned int ppm)
{
	uint64_t ns;

	switch (hist_quantile_missed(h, missed, ppm, &ns)) {
	case QUANTILE_KNOWN:
		return ns;
	case QUANTILE_MISSED:
		return SNAPSHOT_MISSED;
	case QUANTILE_FEW:
		break;
	}
	return SNAPSHOT_FEW;
}

static void take_latency(struct snapshot_latency *l, const struct tlob_hist *h,
			 uint64_t missed)
{
	l->p50 = snapshot_quantile(h, missed, 500000);
	l->p999 = snapshot_quantile(h, missed, 999000);
	l->max = h->n ? h->max : SNAPSHOT_FEW;
}

static void take_cpu(struct snapshot_cpu *s, const struct result_cpu *c,
		     const struct watch_cpu *watch)
{
	const struct tlob_hist *h = &c->hist[TLOB_METRIC_PARTS];
	uint64_t missed = result_missed(c, TLOB_METRIC_WAKE);
	unsigned int i;

	s->cpu = c->cpu;
	s->windows = c->windows;
	s->violations = c->violations;
	s->missed = missed;
	s->unavailable = c->unavailable;
	take_latency(&s->wake, &c->hist[TLOB_METRIC_WAKE], missed);
	take_latency(&s->response, &c->hist[TLOB_METRIC_RESPONSE], missed);
	s->wake_sum = c->hist[TLOB_METRIC_WAKE].sum;
	s->response_sum = c->hist[TLOB_METRIC_RESPONSE].sum;
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		s->part_sum[i] = h[i].sum;
		s->part_max[i] = h[i].n ? h[i].max : 0;
	}
	s->watch = *watch;
	for (i = 0; c->functions && i < c->functions->n && i < FUNCTION_SETS; i++) {
		const struct function_total *t = &c->functions->at[i];

		s->function[i] = (struct snapshot_function){
			.windows = t->hist.n, .calls = t->calls,
			.sum_ns = t->hist.sum, .max_ns = t->hist.n ? t->hist.max : 0,
		};
	}
}

static void add_cpu(struct snapshot_cpu *all, const struct snapshot_cpu *c)
{
	unsigned int i;

	all->windows += c->windows;
	all->violations += c->violations;
	all->missed += c->missed;
	all->unavailable |= c->unavailable;
	all->wake_sum += c->wake_sum;
	all->response_sum += c->response_sum;
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		all->part_sum[i] += c->part_sum[i];
		if (c->part_max[i] > all->part_max[i])
			all->part_max[i] = c->part_max[i];
	}
	for (i = 0; i < FUNCTION_SETS; i++) {
		all->function[i].windows += c->function[i].windows;
		all->function[i].calls += c->function[i].calls;
		all->function[i].sum_ns += c->function[i].sum_ns;
		if (c->function[i].max_ns > all->function[i].max_ns)
			all->function[i].max_ns = c->function[i].max_ns;
	}
	/* the latest violation of all; without one, the longest response */
	if (c->watch.violated > all->watch.violated ||
	    (c->watch.violated == all->watch.violated &&
	     (c->watch.violated ? c->watch.last.w.t0_ns > all->watch.last.w.t0_ns :
	      c->watch.last.w.response_ns > all->watch.last.w.response_ns)))
		all->watch = c->watch;
}

static void take_all(struct snapshot *s, const struct result *r)
{
	struct tlob_hist *wake = &s->scratch[0], *response = &s->scratch[1];
	size_t i;

	memset(&s->all, 0, sizeof(s->all));
	memset(s->scratch, 0, 2 * sizeof(*s->scratch));
	s->all.cpu = -1;
	for (i = 0; i < s->n; i++) {
		add_cpu(&s->all, &s->cpu[i]);
		hist_merge(wake, &r->cpu[i].hist[TLOB_METRIC_WAKE]);
		hist_merge(response, &r->cpu[i].hist[TLOB_METRIC_RESPONSE]);
	}
	take_latency(&s->all.wake, wake, s->all.missed);
	take_latency(&s->all.response, response, s->all.missed);
}

void snapshot_take(struct snapshot *s, const struct result *r, uint64_t elapsed_ns)
{
	size_t i;

	s->elapsed_ns = elapsed_ns;
	s->period_ns = r->period_ns;
	s->budget_ns = r->budget_ns;
	s->clock_ns = r->clock_resolution_ns;
	s->sets = r->functions;
	for (i = 0; i < s->n; i++)
		take_cpu(&s->cpu[i], &r->cpu[i], &s->watch[i]);
	if (s->n > 1)
		take_all(s, r);
}

/* Largest response first; of two equal windows the earlier one. */
static void keep_worst(struct watch_cpu *c, const struct watch_window *k)
{
	size_t i = c->nworst;

	if (i == WATCH_WORST) {
		if (k->w.response_ns <= c->worst[i - 1].w.response_ns)
			return;
		i--;
	} else {
		c->nworst++;
	}
	for (; i && k->w.response_ns > c->worst[i - 1].w.response_ns; i--)
		c->worst[i] = c->worst[i - 1];
	c->worst[i] = *k;
}

void snapshot_window(struct snapshot *s, size_t i, const struct tlob_window *record,
		     const struct kernel_place *place)
{
	const struct watch_window k = { *record, *place };
	struct watch_cpu *c = &s->watch[i];
	bool violation = record->flags & TLOB_WINDOW_VIOLATION;

	if (record->flags & (TLOB_WINDOW_NONE | TLOB_WINDOW_WARM_UP))
		return;
	if (violation || (!c->violated && record->response_ns > c->last.w.response_ns))
		c->last = k;
	c->violated |= violation;
	keep_worst(c, &k);
}
