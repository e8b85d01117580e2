// SPDX-License-Identifier: GPL-2.0
/* What several foreign formats need. */
#include "result/stats.h"
#include "show/export.h"

#define PPM	1000000U
#define ALPHA	0.05

static const unsigned int quantiles[EXPORT_QUANTILES] = { 500000, 990000, 999000, PPM };
const char *const export_quantile_names[EXPORT_QUANTILES] = { "p50", "p99", "p99.9", "max" };

unsigned int export_metrics(const struct result *r)
{
	return r->region ? 1 : TLOB_METRIC_RESPONSE + 1;
}

const char *export_metric_name(const struct result *r, unsigned int metric)
{
	return r->region ? "elapsed" : tlob_metric_names[metric];
}

struct export_quantile export_quantile(const struct result_cpu *c, unsigned int metric,
				       unsigned int q)
{
	const struct tlob_hist *h = &c->hist[metric];
	struct export_quantile x = { .lower_ns = 0 };
	struct rank_interval bounds = { 0, 0 };
	uint64_t n = result_expiries(c, metric);

	x.kind = hist_quantile_missed(h, result_missed(c, metric), quantiles[q], &x.ns);
	/* a sample says nothing about how long the longest could be */
	if (quantiles[q] < PPM)
		bounds = stats_quantile_ranks(n, (double)quantiles[q] / PPM, ALPHA);
	if (bounds.lower && bounds.lower <= h->n)
		x.lower_ns = hist_rank_lower(h, bounds.lower);
	if (bounds.upper && bounds.upper <= h->n)
		x.upper_ns = hist_rank_upper(h, bounds.upper);
	return x;
}
