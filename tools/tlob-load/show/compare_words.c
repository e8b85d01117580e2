// SPDX-License-Identifier: GPL-2.0
/* The sentences about a decision, shared by all forms of a comparison. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/compare_render.h"
#include "util/units.h"

const char *verdict_name(enum decision_verdict v)
{
	static const char * const names[] = {
		[VERDICT_OK] = "OK", [VERDICT_REGRESSION] = "REGRESSION",
		[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	};

	return names[v];
}

/* Small shares get two decimals: 1 % of 4 us is only 40 instructions. */
const char *share_text(char buf[32], const struct decision *d, double share)
{
	double percent = 100 * share;

	if (!isfinite(share))
		snprintf(buf, 32, "unbounded");
	else
		snprintf(buf, 32, "%.*f %%%s", fabs(percent) < 9.995 ? 2 : 1,
			 percent, d->absolute ? " of expiries" : "");
	return buf;
}

const char *effect_text(char buf[32], const struct decision *d, double effect)
{
	double shown = decision_shown(d, effect);
	char share[32];

	if (!isfinite(effect)) {
		snprintf(buf, 32, "%cunbounded", effect < 0 ? '-' : '+');
		return buf;
	}
	snprintf(buf, 32, "%s%.30s", shown >= 0 ? "+" : "",
		 share_text(share, d, shown));
	return buf;
}

static const char *number_text(char buf[DURATION_LEN], const struct decision *d,
			      double value)
{
	if (d->absolute)
		snprintf(buf, DURATION_LEN, "%.4g %%", 100 * value);
	else
		snprintf(buf, DURATION_LEN, "%.3fus", value / 1000);
	return buf;
}

static double median_of(const double x[], size_t n)
{
	double copy[STATS_MAX_PAIRS];

	memcpy(copy, x, n * sizeof(*x));
	return stats_median(copy, n);
}

static const char *worst_cpu(const struct comparison *all, size_t s)
{
	return all->c->statistic[s].kind != STATISTIC_MISS_RATE &&
	       all->c->run[0].r.ncpus > 1 ? " of the worst CPU" : "";
}

const char *compare_found(char buf[COMPARE_LINE], const struct comparison *all,
			  size_t s)
{
	const struct decision *d = &all->d[s];
	char from[DURATION_LEN], to[DURATION_LEN];
	char effect[32], lower[32], upper[32];
	double a = median_of(d->a, d->n);

	snprintf(buf, COMPARE_LINE,
		 "%s%s: %s, from %s to %s; %s ... %s with %g %% confidence",
		 all->c->statistic[s].text, worst_cpu(all, s),
		 effect_text(effect, d, d->effect), number_text(from, d, a),
		 number_text(to, d, d->absolute ? a + d->effect :
						 a * exp(d->effect)),
		 effect_text(lower, d, d->lower), effect_text(upper, d, d->upper),
		 100 * (1 - d->lower_alpha - d->upper_alpha));
	return buf;
}

static void refused(char buf[COMPARE_LINE], const struct comparison *all,
		    const struct decision *d)
{
	char margin[32], resolvable[32];

	share_text(margin, d, d->margin);
	if (!(all->rule.margin > 0))
		snprintf(buf, COMPARE_LINE,
			 "the runs vary too much: a margin of %s from these %zu pairs would accept almost anything; make more pairs or longer runs, or give --margin",
			 margin, d->n);
	else if (d->margin < 2 * d->resolution)
		snprintf(buf, COMPARE_LINE,
			 "a margin of %s is below the resolution of the histograms, %s",
			 margin, share_text(resolvable, d, 2 * d->resolution));
	else if (!d->pairs_needed)
		snprintf(buf, COMPARE_LINE,
			 "the runs vary too much for a margin of %s: %zu pairs resolve %s, and even %d pairs are not enough",
			 margin, d->n, share_text(resolvable, d, d->resolvable),
			 STATS_MAX_PAIRS);
	else
		snprintf(buf, COMPARE_LINE,
			 "%zu pairs resolve a margin of %s; a margin of %s needs %zu pairs",
			 d->n, share_text(resolvable, d, d->resolvable), margin,
			 d->pairs_needed);
}

const char *compare_why(char buf[COMPARE_LINE], const struct comparison *all,
			size_t s)
{
	const struct decision *d = &all->d[s];
	char margin[32], bound[32];

	share_text(margin, d, d->margin);
	switch (d->verdict) {
	case VERDICT_REGRESSION:
		snprintf(buf, COMPARE_LINE,
			 "at least %s, above the margin of %s",
			 effect_text(bound, d, d->lower), margin);
		break;
	case VERDICT_OK:
		snprintf(buf, COMPARE_LINE,
			 "at most %s, below the margin of %s",
			 effect_text(bound, d, d->upper), margin);
		break;
	case VERDICT_INCONCLUSIVE:
		if (d->too_few)
			snprintf(buf, COMPARE_LINE,
				 "%zu pair%s cannot decide at this risk: at least %zu are needed",
				 d->n, d->n == 1 ? "" : "s",
				 stats_fewest_pairs(d->lower_alpha));
		else if (d->refused)
			refused(buf, all, d);
		else
			snprintf(buf, COMPARE_LINE,
				 "the margin of %s lies inside the confidence interval of these %zu pairs",
				 margin, d->n);
		break;
	}
	return buf;
}

const char *compare_margin(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s)
{
	static const char * const sources[] = {
		[SPREAD_BASELINE] = "A against A'",
		[SPREAD_SUCCESSIVE] = "each run of A against the next",
		[SPREAD_PAIRS] = "the pairs against their median",
	};
	const struct decision *d = &all->d[s];
	char margin[32], spread[32];

	snprintf(buf, COMPARE_LINE, "%s, %s; spread %s (%s), %zu pair%s%s",
		 share_text(margin, d, d->margin),
		 all->rule.margin > 0 ? "as given" :
		 d->margin_is_least ? "the smallest allowed" : "from the spread",
		 share_text(spread, d, decision_shown(d, d->spread)),
		 sources[d->spread_of], d->n, d->n == 1 ? "" : "s",
		 d->spread_of == SPREAD_PAIRS && all->c->run[0].r.has_seed ?
		 " with common seeds" : "");
	return buf;
}

/* With no miss in n expiries, 3 / n is the upper bound with 95 % confidence. */
static void side_misses(char buf[80], uint64_t missed, uint64_t expiries)
{
	if (missed)
		snprintf(buf, 80, "%" PRIu64 " of %" PRIu64, missed, expiries);
	else
		snprintf(buf, 80, "none of %" PRIu64 " (less than %.2g %%)",
			 expiries, 300.0 / (double)expiries);
}

const char *compare_misses(char buf[COMPARE_LINE], const struct comparison *all)
{
	struct campaign_misses m = campaign_misses(all->c);
	char a[80], b[80];
	int n;

	side_misses(a, m.missed[0], m.expiries[0]);
	side_misses(b, m.missed[1], m.expiries[1]);
	n = snprintf(buf, COMPARE_LINE, "A %s, B %s", a, b);
	if (!isnan(m.p))
		snprintf(buf + n, COMPARE_LINE - (size_t)n,
			 "; chance of as many in B: p = %.2g, if windows are independent",
			 m.p);
	return buf;
}
