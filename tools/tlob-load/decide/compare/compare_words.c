// SPDX-License-Identifier: GPL-2.0
/* The sentences about a decision, shared by all forms. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "result/meaning.h"
#include "util/units.h"

const char *verdict_name(enum decision_verdict v)
{
	static const char * const names[] = {
		[VERDICT_OK] = "OK", [VERDICT_REGRESSION] = "REGRESSION",
		[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	};

	return names[v];
}

const char *quantity_text(char buf[DURATION_LEN], bool absolute, double value)
{
	if (isinf(value))
		snprintf(buf, DURATION_LEN, "missed");
	else if (absolute)
		snprintf(buf, DURATION_LEN, "%.3g %%", 100 * value);
	else
		duration_format(buf, (uint64_t)llround(value));
	return buf;
}

const char *compare_line(char buf[COMPARE_LINE], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, COMPARE_LINE, fmt, ap);
	va_end(ap);
	return buf;
}

/* Small shares get two decimals: 1 % of 4 us is only 40 instructions. @of: what a share of events is of. */
static const char *digits_text(char buf[EFFECT_LEN], const struct decision *d, double share, const char *of, int more)
{
	double percent = 100 * share;

	if (!isfinite(share))
		snprintf(buf, EFFECT_LEN, "without bound");
	else if (decision_of_events(d))
		snprintf(buf, EFFECT_LEN, "%.*g %%%s", 3 + more, percent, of);
	else
		snprintf(buf, EFFECT_LEN, "%.*f %%", (fabs(percent) < 9.995 ? 2 : 1) + more, percent);
	return buf;
}

/* With as many digits as it takes to tell it from the margin: the numbers of a line give its verdict. */
static const char *percent_text(char buf[EFFECT_LEN], const struct decision *d, double share, const char *of)
{
	char margin[EFFECT_LEN];
	int more = 0;

	do {
		digits_text(margin, d, d->margin, of, more);
		digits_text(buf, d, share, of, more);
	} while (!strcmp(buf, margin) && share != d->margin && d->margin > 0 && more++ < 9);
	return buf;
}

#define OF_EXPIRIES " of expiries"

const char *share_text(char buf[EFFECT_LEN], const struct decision *d, double share)
{
	return digits_text(buf, d, share, OF_EXPIRIES, 0);
}

const char *effect_text(char buf[EFFECT_LEN], const struct decision *d, double effect)
{
	double shown = decision_shown(d, effect);
	char share[EFFECT_LEN];

	percent_text(share, d, shown, OF_EXPIRIES);
	/* the share of a large effect is too large for a double */
	if (!isfinite(shown) || !isfinite(effect))
		snprintf(buf, EFFECT_LEN, "%s without bound", effect < 0 ? "less" : "more");
	else
		snprintf(buf, EFFECT_LEN, "%s%.*s", shown >= 0 ? "+" : "", EFFECT_LEN - 2, share);
	return buf;
}

/* The effect of a ratio, for numbers that no decision is about. */
static const char *ratio_text(char buf[EFFECT_LEN], double effect)
{
	static const double any;
	const struct decision ratio = { .a = &any };

	return effect_text(buf, &ratio, effect);
}

static const char *number_text(char buf[DURATION_LEN], double value)
{
	if (isinf(value))
		snprintf(buf, DURATION_LEN, "missed");
	else
		snprintf(buf, DURATION_LEN, "%.3fus", value / 1000);
	return buf;
}

static const char *worst_cpu(const struct comparison *all, size_t s)
{
	return all->c->statistic[s].kind != STATISTIC_MISS_RATE &&
	       all->c->run[0].r.ncpus > 1 ? " of the worst CPU" : "";
}

const char *compare_side(char buf[SIDE_LEN], const struct events *e, size_t gap)
{
	char late[COUNT_LEN], of[COUNT_LEN], n[COUNT_LEN];
	uint64_t episodes = e->e.at[gap].n;

	if (e->late)
		snprintf(buf, SIDE_LEN, "%s of %s in %s episode%s", count_prose(late, e->late),
			 count_prose(of, e->expiries), count_prose(n, episodes), episodes == 1 ? "" : "s");
	else
		snprintf(buf, SIDE_LEN, "none of %s", count_prose(of, e->expiries));
	return buf;
}

static const char *events_text(char buf[COMPARE_LINE], const struct events sum[2], size_t gap)
{
	char a[SIDE_LEN], b[SIDE_LEN];

	return compare_line(buf, "A %s, B %s", compare_side(a, &sum[0], gap), compare_side(b, &sum[1], gap));
}

static bool is_known(const struct decision *d, double bound)
{
	return isfinite(bound) && isfinite(decision_shown(d, bound));
}

static size_t missed_in(const double *value, size_t n)
{
	size_t i, missed = 0;

	for (i = 0; i < n; i++)
		missed += isinf(value[i]) != 0;
	return missed;
}

/* The bounds say only that, where both are without a size. Returns whether they do. */
static bool missed_more(char buf[BOUNDS_LEN], const struct decision *d)
{
	if (decision_of_events(d) || (d->lower != INFINITY && d->upper != -INFINITY))
		return false;
	snprintf(buf, BOUNDS_LEN, "missed in %zu of %zu runs of A, in %zu of B", missed_in(d->a, d->n), d->n,
		 missed_in(d->b, d->n));
	return true;
}

/* "+7.10 % to +9.20 %". Few pairs, or missed expiries, leave an end open. */
const char *bounds_text(char buf[BOUNDS_LEN], const struct decision *d)
{
	const bool lower = is_known(d, d->lower), upper = is_known(d, d->upper);
	char least[EFFECT_LEN], most[EFFECT_LEN];

	effect_text(least, d, d->lower);
	effect_text(most, d, d->upper);
	if (missed_more(buf, d))
		return buf;
	if (lower && upper)
		snprintf(buf, BOUNDS_LEN, "%s to %s", least, most);
	else if (lower || upper)
		snprintf(buf, BOUNDS_LEN, "at %s %s", lower ? "least" : "most", lower ? least : most);
	else
		snprintf(buf, BOUNDS_LEN, "no bounds");
	return buf;
}

/* "A 20 of 320 000 in 3 episodes, B none of 320 000: -0.00625 %, at most +0.0031 %; margin 0.01 %" */
static const char *compare_events(char buf[COMPARE_LINE], const struct decision *d)
{
	char sides[COMPARE_LINE], effect[EFFECT_LEN], upper[EFFECT_LEN], margin[EFFECT_LEN], relative[32] = "",
	     of[COUNT_LEN];

	percent_text(upper, d, d->upper, "");
	percent_text(margin, d, d->margin, "");
	if (d->found.none)
		return compare_line(buf, "none of %s; single ones in B at most %s, margin %s",
				    count_prose(of, d->found.a.expiries + d->found.b.expiries), upper, margin);
	if (d->margin > EVENTS_LEAST_MARGIN || d->verdict == VERDICT_REGRESSION)
		snprintf(relative, sizeof(relative), ", %.3g %% of A's", 100 * d->named_margin);
	return compare_line(buf, "%.180s: %s%s, at most %s; margin %s%s",
			    events_text(sides, (const struct events[]){ d->found.a, d->found.b }, d->found.gap),
			    d->effect < 0 ? "" : "+", percent_text(effect, d, d->effect, ""), upper, margin, relative);
}

/* Less than is shown is none. */
static double visible(double effect)
{
	return fabs(effect) < 0.00005 ? 0 : effect;
}

/* A CPU's events have a margin of their own. */
static const char *cpu_margin(char buf[EFFECT_LEN], const struct decision *d)
{
	return share_text(buf, d, decision_of_events(d) ? d->cpu_margin : d->margin);
}

/* "CPU 3 +32.0 %, margin 10.0 %; ", if a CPU decides, and not the worst one of each run, or all together. */
static const char *deciding_cpu(char buf[COMPARE_LINE], const struct comparison *all, const struct decision *d)
{
	char effect[EFFECT_LEN], margin[EFFECT_LEN];

	if (!d->cpus_worse && !d->cpu_unsure)
		return compare_line(buf, "%s", "");
	return compare_line(buf, "CPU %d %s, margin %s; %s ", all->c->run[0].r.cpu[d->worst_cpu].cpu,
			    effect_text(effect, d, d->cpu_effect), cpu_margin(margin, d),
			    decision_of_events(d) ? "all together" : "the worst CPU");
}

/* Of values, behind the sides: the effect of the pairs, if they have one. */
static const char *values_effect(char buf[COMPARE_LINE], const struct decision *d, double a, double b)
{
	char effect[EFFECT_LEN], bounds[BOUNDS_LEN], but[64] = "";

	if (!decision_pairs(d))
		return compare_line(buf, "no effect, missed on both sides");
	if (d->by_beyond)
		snprintf(but, sizeof(but), ", but %zu of %zu runs of B above all of A", d->beyond, d->n);
	else if (2 * d->both_missed > d->n)
		snprintf(but, sizeof(but), ", but %zu of %zu pairs missed on both sides", d->both_missed, d->n);
	else if (decision_pairs(d) < d->pairs_fewest && d->upper < d->margin)
		snprintf(but, sizeof(but), ", but of too few pairs");
	if (missed_more(bounds, d))
		return compare_line(buf, "%s%s", bounds, but);
	return compare_line(buf, "%s%s (%s)%s", isinf(a) && isinf(b) ? "the other pairs " :
			    (b - a) * visible(d->effect) < 0 ? "but the pairs " : "",
			    effect_text(effect, d, d->effect), bounds_text(bounds, d), but);
}

/*
 * What was seen on each side, and the effect with its bounds; of events also the margin. The effect is that of the
 * pairs. Where the medians of the sides lie the other way, or something else decides, the line says so: it must not
 * contradict its verdict.
 */
const char *compare_effect(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s)
{
	const struct decision *d = &all->d[s];
	const struct result *r = &all->c->run[0].r;
	char from[DURATION_LEN], to[DURATION_LEN], cpu[COMPARE_LINE], effect[COMPARE_LINE],
	     extra[64] = "", n[COUNT_LEN];
	double a, b;

	deciding_cpu(cpu, all, d);
	if (decision_of_events(d))
		return compare_line(buf, "%.100s%.250s", cpu, compare_events(effect, d));
	a = stats_median_of(d->a, d->n);
	b = stats_median_of(d->b, d->n);
	if (r->deterministic && isfinite(b - a))
		snprintf(extra, sizeof(extra), " (%+.0f instructions)", b - a);
	else if (all->c->statistic[s].kind == STATISTIC_MAX)
		snprintf(extra, sizeof(extra), ", each the largest of %s windows", count_prose(n, r->all.windows));
	return compare_line(buf, "%.100sA %s, B %s%s: %.200s", cpu, number_text(from, a), number_text(to, b),
			    extra, values_effect(effect, d, a, b));
}

const char *compare_found(char buf[COMPARE_LINE], const struct comparison *all,
			  size_t s)
{
	const struct decision *d = &all->d[s];
	double alpha = d->upper_alpha + (decision_of_events(d) ? 0 : d->lower_alpha);
	char found[COMPARE_LINE];

	return compare_line(buf, "%s%s: %.250s, with %.3g %% confidence", all->c->statistic[s].text,
			    worst_cpu(all, s), compare_effect(found, all, s), 100 * (1 - alpha));
}

/* Says what equal sides would need for OK. It only informs: nothing was refused for it. */
static const char *inside(char buf[COMPARE_LINE], const struct decision *d)
{
	char margin[EFFECT_LEN], bound[EFFECT_LEN], needed[64] = "";

	share_text(margin, d, d->margin);
	if (d->pairs_needed > decision_pairs(d))
		snprintf(needed, sizeof(needed),
			 "; equal sides need about %zu pairs", d->pairs_needed);
	else if (!d->pairs_needed)
		snprintf(needed, sizeof(needed),
			 "; not even %d pairs are enough with %s",
			 STATS_MAX_PAIRS, decision_of_events(d) ? "such episodes" : "this spread");
	if (decision_of_events(d))
		return compare_line(buf, "B may have %s more, the margin is %s%s", effect_text(bound, d, d->upper),
				    percent_text(margin, d, d->margin, ""), needed);
	return compare_line(buf, "the margin of %s lies inside the confidence interval of these %zu pairs%s",
			    margin, decision_pairs(d), needed);
}

static const char *beyond(char buf[COMPARE_LINE], const struct decision *d)
{
	char margin[EFFECT_LEN];

	return compare_line(buf, "%zu of %zu runs of B are above the largest of A by more than the margin of %s%s",
			    d->beyond, d->n, share_text(margin, d, d->margin),
			    d->verdict == VERDICT_REGRESSION ? "" :
			    ", too many for OK; more pairs may decide");
}

/* The worst CPU of the runs is not worse, but another one is. */
static const char *worse_cpus(char buf[COMPARE_LINE], const struct comparison *all,
			      const struct decision *d)
{
	char effect[EFFECT_LEN], margin[EFFECT_LEN], more[48] = "";

	if (d->cpus_worse > 1)
		snprintf(more, sizeof(more), ", and %zu other CPUs",
			 d->cpus_worse - 1);
	return compare_line(buf, "CPU %d got worse by %s%s, above the margin of %s, though %s did not",
			    all->c->run[0].r.cpu[d->worst_cpu].cpu,
			    effect_text(effect, d, d->cpu_effect), more, cpu_margin(margin, d),
			    decision_of_events(d) ? "all together" : "the worst CPU");
}

/* None is known to be worse, but one looks so. */
static const char *unsure_cpu(char buf[COMPARE_LINE], const struct comparison *all,
			      const struct decision *d)
{
	char effect[EFFECT_LEN], margin[EFFECT_LEN];

	return compare_line(buf, "CPU %d changed by %s, above the margin of %s, and %zu pairs cannot tell whether it got worse",
			    all->c->run[0].r.cpu[d->worst_cpu].cpu,
			    effect_text(effect, d, d->cpu_effect), cpu_margin(margin, d), d->n);
}

static const char *why_inconclusive(char buf[COMPARE_LINE], const struct decision *d)
{
	char margin[EFFECT_LEN], bound[EFFECT_LEN];

	if (d->n < d->pairs_fewest)
		return compare_line(buf, "%zu pair%s cannot decide at this risk: at least %zu are needed",
				    d->n, d->n == 1 ? "" : "s", d->pairs_fewest);
	if (2 * d->both_missed > d->n)
		return compare_line(buf, "it is missed on both sides in %zu of %zu pairs, so it decides nothing",
				    d->both_missed, d->n);
	if (decision_pairs(d) < d->pairs_fewest)
		return compare_line(buf, "it is missed on both sides in %zu of %zu pairs, which say nothing: at least %zu others are needed",
				    d->both_missed, d->n, d->pairs_fewest);
	if (decision_of_events(d) && d->n < d->pairs_more && d->effect > d->margin)
		return compare_line(buf, "%zu pair%s cannot show that B has more: at least %zu are needed", d->n,
				    d->n == 1 ? "" : "s", d->pairs_more);
	if (d->more)
		return compare_line(buf, "so many more episodes in B are hardly chance (p = %.2g), though B may have only %s more",
				    d->p, effect_text(bound, d, d->upper));
	if (d->refused)
		return compare_line(buf, "a margin of %s is below the resolution of the numbers, %s",
				    share_text(margin, d, d->margin),
				    share_text(bound, d, 2 * d->resolution));
	return inside(buf, d);
}

/* A missing run of a side that could change the verdict. */
static const char *cut_short(char buf[COMPARE_LINE], const struct comparison *all)
{
	return compare_line(buf, "runs failed or were cut short, %" PRIu64 " of A and %" PRIu64 " of B: as the worst of their side they could change the verdict",
			    all->c->cut_short[0], all->c->cut_short[1]);
}

const char *compare_why(char buf[COMPARE_LINE], const struct comparison *all,
			size_t s)
{
	const struct decision *d = &all->d[s];
	char margin[EFFECT_LEN], bound[EFFECT_LEN], missed[BOUNDS_LEN];

	if (all->c->doubt)
		return compare_line(buf, "%s (--force compares these anyway)", all->c->why);
	if (d->cut_short)
		return cut_short(buf, all);
	if (d->cpus_worse)
		return worse_cpus(buf, all, d);
	if (d->cpu_unsure)
		return unsure_cpu(buf, all, d);
	if (d->by_beyond)
		return beyond(buf, d);
	share_text(margin, d, d->margin);
	if (decision_has_none(d) && d->verdict == VERDICT_OK)
		return compare_line(buf, "no event on either side: single ones in more than %s would have been seen in B, episodes of 100 in more than a hundred times as many",
				    share_text(bound, d, d->upper));
	if (decision_of_events(d) && d->verdict == VERDICT_REGRESSION)
		return compare_line(buf, "so many more episodes in B are no chance (p = %.2g)", d->p);
	if (d->verdict != VERDICT_INCONCLUSIVE && missed_more(missed, d))
		return compare_line(buf, "it is %s", missed);
	switch (d->verdict) {
	case VERDICT_REGRESSION:
		return compare_line(buf, "at least %s, above the margin of %s",
				    effect_text(bound, d, d->lower), margin);
	case VERDICT_OK:
		return compare_line(buf, "at most %s, below the margin of %s",
				    effect_text(bound, d, d->upper), margin);
	case VERDICT_INCONCLUSIVE:
		break;
	}
	return why_inconclusive(buf, d);
}

const char *compare_margin(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s)
{
	const struct decision *d = &all->d[s];
	char margin[EFFECT_LEN], spread[EFFECT_LEN];

	share_text(margin, d, d->margin);
	if (decision_of_events(d))
		return compare_line(buf, "%s, %zu pair%s", margin, d->n, d->n == 1 ? "" : "s");
	return compare_line(buf, "%s; spread %s, %zu pair%s%s", margin,
			    share_text(spread, d, decision_shown(d, d->spread)), d->n,
			    d->n == 1 ? "" : "s",
			    campaign_common_seeds(all->c) ? " with common seeds" : "");
}

const char *compare_next(char buf[COMPARE_LINE], const struct comparison *all)
{
	const struct sequential *at = &all->at;

	if (!all->o->sequential)
		return compare_line(buf, "%s", "");
	if (at->next)
		return compare_line(buf, "not certain yet: continue to %zu pairs", at->next);
	/* else it is not for the looks */
	if (all->verdict == VERDICT_INCONCLUSIVE)
		return at->pairs < SEQUENTIAL_MOST ? compare_line(buf, "%s", "") :
		       compare_line(buf, "not certain after %zu pairs, the last look", at->pairs);
	return compare_line(buf, "certain after %zu pairs, %zu runs of %d", at->pairs,
			    2 * at->pairs, 2 * SEQUENTIAL_MOST);
}

const char *compare_misses(char buf[COMPARE_LINE], const struct comparison *all)
{
	struct events sum[2];

	campaign_events(all->c, sum);
	return events_text(buf, sum, 0);
}

const char *compare_moved(char buf[COMPARE_LINE], const struct comparison *all)
{
	char from[DURATION_LEN], to[DURATION_LEN], effect[EFFECT_LEN];
	size_t i, n = 0;

	*buf = 0;
	for (i = 0; i < all->nmoved && all->verdict != VERDICT_REGRESSION && n < COMPARE_LINE; i++) {
		const struct moved *m = &all->moved[i];

		n += (size_t)snprintf(buf + n, COMPARE_LINE - n, "%s%s(%s) got worse: %s, from %s to %s",
				      n ? "; " : "no --metric is about it, but ", campaign_at_names[m->at],
				      result_metric_names[m->metric], ratio_text(effect, m->effect),
				      number_text(from, m->a), number_text(to, m->b));
	}
	return buf;
}

size_t compare_deciding(const struct comparison *all)
{
	size_t s = 0;

	while (all->d[s].verdict != all->verdict)
		s++;
	return s;
}

const char *compare_headline(char buf[COMPARE_LINE], const struct comparison *all)
{
	const struct campaign *c = all->c;
	const char *boot = c->one_boot ? ", on this boot" : "";
	char effect[COMPARE_LINE], margin[EFFECT_LEN] = "", at[EFFECT_LEN + 16] = "";
	size_t s, n = 0;

	for (s = 0; s < c->nstatistics && !*margin; s++)
		if (!decision_of_events(&all->d[s]) && all->d[s].verdict == all->verdict)
			snprintf(at, sizeof(at), "; margin %s", share_text(margin, &all->d[s], all->d[s].margin));
	if (c->nstatistics == 1)
		return compare_line(buf, "%s: %.250s%s%s", c->statistic[0].text,
				    compare_effect(effect, all, 0), at, boot);
	for (s = 0; s < c->nstatistics && n < COMPARE_LINE; s++)
		if (all->d[s].verdict == all->verdict)
			n += (size_t)snprintf(buf + n, COMPARE_LINE - n, "%s%s", n ? ", " : "",
					      c->statistic[s].text);
	if (n < COMPARE_LINE)
		snprintf(buf + n, COMPARE_LINE - n, "; %zu pairs%s%s", all->d[0].n, at, boot);
	return buf;
}

const char *compare_because(char buf[COMPARE_LINE], const struct comparison *all)
{
	size_t s = compare_deciding(all);
	char why[COMPARE_LINE];

	if (all->c->nstatistics == 1)
		return compare_why(buf, all, s);
	return compare_line(buf, "%s: %.260s", all->c->statistic[s].text, compare_why(why, all, s));
}

/* "wake.irq moved most: +112.640us at p99.9". Returns what snprintf() does. */
static int describe_shift(char *buf, size_t size, const struct shifts *s, uint64_t clock_ns)
{
	const struct shift *largest = shifts_largest(s);
	double by = largest ? largest->by[s->where] : 0;
	char counted[EFFECT_LEN] = "";

	if (!largest)
		return snprintf(buf, size, "nothing moved at %s",
				campaign_at_names[s->where]);
	if (clock_ns > 1 && fabs(by) < (double)clock_ns)
		return snprintf(buf, size, "nothing moved by a step of the clock or more at %s",
				campaign_at_names[s->where]);
	if (s->counted)
		snprintf(counted, sizeof(counted), "%+.0f instructions, ", by);
	return snprintf(buf, size, "%s moved most: %s%+.3fus at %s",
			result_metric_names[largest->metric], counted, by / 1000,
			campaign_at_names[s->where]);
}

int compare_where(char buf[COMPARE_LINE], const struct comparison *all,
		  const struct shifts *shifts)
{
	const struct decision *d = &all->d[compare_deciding(all)];
	size_t cpu = 0, n = (size_t)describe_shift(buf, COMPARE_LINE, shifts, all->c->clock_ns);
	char effect[EFFECT_LEN];
	double by = 0;
	int err = decision_slowest_cpu(d, &cpu, &by);

	if (!err && by != 0)
		snprintf(buf + n, COMPARE_LINE - n, "; CPU %d changed most: %s",
			 all->c->run[0].r.cpu[cpu].cpu, effect_text(effect, d, by));
	return err == -ENOMEM ? err : 0;
}

char *compare_conditions(const struct campaign *c)
{
	char *a = result_conditions(&c->run[0].r), *b = result_conditions(&campaign_b(c, 0)->r), *both = NULL;

	if (a && b && strcmp(a, b) && asprintf(&both, "A: %s; B: %s", a, b) < 0)
		both = NULL;
	else if (a && b && !strcmp(a, b))
		both = strdup(a);
	free(a);
	free(b);
	return both;
}
