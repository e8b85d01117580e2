// SPDX-License-Identifier: GPL-2.0
/* The sentences about a decision, shared by all forms, and the command that settles it. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_render.h"
#include "result/meaning.h"
#include "result/read_attach.h"
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

__attribute__((format(printf, 2, 3)))
static const char *compare_line(char buf[COMPARE_LINE], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, COMPARE_LINE, fmt, ap);
	va_end(ap);
	return buf;
}

/* Small shares get two decimals: 1 % of 4 us is only 40 instructions. */
const char *share_text(char buf[32], const struct decision *d, double share)
{
	double percent = 100 * share;

	if (!isfinite(share))
		snprintf(buf, 32, "unbounded");
	else if (d->absolute)
		snprintf(buf, 32, "%.3g %% of expiries", percent);
	else
		snprintf(buf, 32, "%.*f %%", fabs(percent) < 9.995 ? 2 : 1, percent);
	return buf;
}

const char *effect_text(char buf[32], const struct decision *d, double effect)
{
	double shown = decision_shown(d, effect);
	char share[32];

	/* the share of a large effect is too large for a double */
	if (!isfinite(effect) || !isfinite(shown)) {
		snprintf(buf, 32, "%s without bound", effect < 0 ? "less" : "more");
		return buf;
	}
	snprintf(buf, 32, "%s%.30s", shown >= 0 ? "+" : "",
		 share_text(share, d, shown));
	return buf;
}

static const char *number_text(char buf[DURATION_LEN], const struct decision *d,
			      double value)
{
	if (isinf(value))
		snprintf(buf, DURATION_LEN, "missed");
	else if (d->absolute)
		snprintf(buf, DURATION_LEN, "%.4g %%", 100 * value);
	else
		snprintf(buf, DURATION_LEN, "%.3fus", value / 1000);
	return buf;
}

static const char *worst_cpu(const struct comparison *all, size_t s)
{
	return all->c->statistic[s].kind != STATISTIC_MISS_RATE &&
	       all->c->run[0].r.ncpus > 1 ? " of the worst CPU" : "";
}

const char *compare_effect(char buf[COMPARE_LINE], const struct comparison *all,
			   size_t s)
{
	const struct decision *d = &all->d[s];
	char from[DURATION_LEN], to[DURATION_LEN], effect[32];
	double a = stats_median_of(d->a, d->n), b = stats_median_of(d->b, d->n);
	int n;

	n = snprintf(buf, COMPARE_LINE, "%s, from %s to %s",
		     effect_text(effect, d, d->effect), number_text(from, d, a),
		     number_text(to, d, b));
	if (all->c->run[0].r.deterministic && !d->absolute && isfinite(b - a))
		snprintf(buf + n, COMPARE_LINE - (size_t)n, " (%+.0f instructions)",
			 b - a);
	return buf;
}

/* An end of the interval that few pairs, or missed expiries, leave open. */
static const char *bound_text(char buf[32], const struct decision *d, double bound)
{
	if (isfinite(bound) && isfinite(decision_shown(d, bound)))
		return effect_text(buf, d, bound);
	snprintf(buf, 32, bound < 0 ? "no lower bound" : "no upper bound");
	return buf;
}

const char *compare_found(char buf[COMPARE_LINE], const struct comparison *all,
			  size_t s)
{
	const struct decision *d = &all->d[s];
	char found[COMPARE_LINE], lower[32], upper[32];

	return compare_line(buf, "%s%s: %.150s; %s ... %s with %.3g %% confidence",
			    all->c->statistic[s].text, worst_cpu(all, s),
			    compare_effect(found, all, s), bound_text(lower, d, d->lower),
			    bound_text(upper, d, d->upper),
			    100 * (1 - d->lower_alpha - d->upper_alpha));
}

/* Says what equal sides would need for OK. It only informs: nothing was refused for it. */
static const char *inside(char buf[COMPARE_LINE], const struct decision *d)
{
	char margin[32], needed[64] = "";

	share_text(margin, d, d->margin);
	if (d->margin_named && d->pairs_needed > decision_pairs(d))
		snprintf(needed, sizeof(needed),
			 "; equal sides need about %zu pairs", d->pairs_needed);
	else if (d->margin_named && !d->pairs_needed)
		snprintf(needed, sizeof(needed),
			 "; not even %d pairs are enough with this spread",
			 STATS_MAX_PAIRS);
	return compare_line(buf, "the margin of %s lies inside the confidence interval of these %zu pairs%s",
			    margin, decision_pairs(d), needed);
}

static const char *beyond(char buf[COMPARE_LINE], const struct decision *d)
{
	char margin[32];

	return compare_line(buf, "%zu of %zu runs of B are above the largest of A by more than the margin of %s%s",
			    d->beyond, d->n, share_text(margin, d, d->margin),
			    d->verdict == VERDICT_REGRESSION ? "" :
			    ", too many for OK; more pairs may decide");
}

/* The worst CPU of the runs is not worse, but another one is. */
static const char *worse_cpus(char buf[COMPARE_LINE], const struct comparison *all,
			      const struct decision *d)
{
	char effect[32], margin[32], more[48] = "";

	if (d->cpus_worse > 1)
		snprintf(more, sizeof(more), ", and %zu other CPUs",
			 d->cpus_worse - 1);
	return compare_line(buf, "CPU %d got worse by %s%s, above the margin of %s, though the worst CPU did not",
			    all->c->run[0].r.cpu[d->worst_cpu].cpu,
			    effect_text(effect, d, d->cpu_effect), more,
			    share_text(margin, d, d->margin));
}

/* None is known to be worse, but one looks so. */
static const char *unsure_cpu(char buf[COMPARE_LINE], const struct comparison *all,
			      const struct decision *d)
{
	char effect[32], margin[32];

	return compare_line(buf, "CPU %d changed by %s, above the margin of %s, and %zu pairs cannot tell whether it got worse",
			    all->c->run[0].r.cpu[d->worst_cpu].cpu,
			    effect_text(effect, d, d->cpu_effect),
			    share_text(margin, d, d->margin), d->n);
}

static bool of_attach(const struct comparison *all)
{
	return result_is_of_attach(&all->c->run[0].r);
}

/* An option of run makes the difference between A and B. */
static bool varies_options(const struct comparison *all)
{
	static const char *const of_run[] = {
		"backend", "workload", "noise_source", "work", "policy", "dma_latency", "load", "load_cpus", "cpus",
		"period", "budget", "align", "hw_threshold", "phase", "duration", "functions",
	};
	size_t i, k;

	for (i = 0; i < all->c->nvaried; i++)
		for (k = 0; k < sizeof(of_run) / sizeof(of_run[0]); k++)
			if (!strcmp(all->c->varied[i].fact, of_run[k]))
				return true;
	return false;
}

/* plan starts no attach, and gives both sides the same options of run: people take turns themselves. */
static bool by_hand(const struct comparison *all)
{
	return of_attach(all) || (varies_options(all) && !all->c->run[0].r.deterministic);
}

static const char *why_inconclusive(char buf[COMPARE_LINE], const struct decision *d)
{
	char margin[32], bound[32];

	if (d->n < d->pairs_fewest)
		return compare_line(buf, "%zu pair%s cannot decide at this risk: at least %zu are needed",
				    d->n, d->n == 1 ? "" : "s", d->pairs_fewest);
	if (2 * d->both_missed > d->n)
		return compare_line(buf, "it is missed on both sides in %zu of %zu pairs, so it decides nothing",
				    d->both_missed, d->n);
	if (decision_pairs(d) < d->pairs_fewest)
		return compare_line(buf, "it is missed on both sides in %zu of %zu pairs, which say nothing: at least %zu others are needed",
				    d->both_missed, d->n, d->pairs_fewest);
	if (d->refused)
		return compare_line(buf, "a margin of %s is below the resolution of the numbers, %s",
				    share_text(margin, d, d->margin),
				    share_text(bound, d, 2 * d->resolution));
	return inside(buf, d);
}

const char *compare_why(char buf[COMPARE_LINE], const struct comparison *all,
			size_t s)
{
	const struct decision *d = &all->d[s];
	char margin[32], bound[32];

	if (d->undecidable)
		return compare_line(buf, "%s (--force compares these anyway)", all->c->undecidable);
	if (d->ordered && all->c->order_unknown)
		return compare_line(buf, "%s (--force compares these anyway)", all->c->order_unknown);
	if (d->ordered && all->c->side_first)
		return compare_line(buf, "%c came first in each pair, so what drifts, or alternates from run to run, can look like an effect: make the runs %s (--force compares these anyway)",
				    all->c->side_first,
				    by_hand(all) ? "in random order" : "in the order of tlob-load plan");
	if (d->ordered)
		return compare_line(buf, "the runs of one side came mostly before the other side (rank test, p = %.2g), so drift can look like an effect: make the runs %s (--force compares these anyway)",
				    all->c->order_p,
				    by_hand(all) ? "of both in random order" : "in the order of tlob-load plan");
	if (d->cpus_worse)
		return worse_cpus(buf, all, d);
	if (d->cpu_unsure)
		return unsure_cpu(buf, all, d);
	if (d->by_beyond)
		return beyond(buf, d);
	share_text(margin, d, d->margin);
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
	char margin[32], spread[32];

	return compare_line(buf, "%s, %s; spread %s, %zu pair%s%s",
			    share_text(margin, d, d->margin),
			    d->margin_named ? "as given" :
			    d->margin_is_least ? "the smallest allowed" :
			    d->margin_is_most ? "the widest allowed" : "from the spread",
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
	if (all->verdict == VERDICT_INCONCLUSIVE)
		return compare_line(buf, "not certain after %zu pairs, the last look", at->pairs);
	return compare_line(buf, "certain after %zu pairs, %zu runs of %d", at->pairs,
			    2 * at->pairs, 2 * SEQUENTIAL_MOST);
}

/* No bound of a share: it would take each expiry for a trial, and misses come in bursts. */
const char *compare_misses(char buf[COMPARE_LINE], const struct comparison *all)
{
	struct campaign_misses m = campaign_misses(all->c);

	return compare_line(buf, "A %" PRIu64 " of %" PRIu64 ", B %" PRIu64 " of %" PRIu64,
			    m.missed[0], m.expiries[0], m.missed[1], m.expiries[1]);
}

const char *compare_moved(char buf[COMPARE_LINE], const struct comparison *all)
{
	char from[DURATION_LEN], to[DURATION_LEN], effect[32];
	const struct decision ratio = { .absolute = false };
	size_t i, n = 0;

	*buf = 0;
	for (i = 0; i < all->nmoved && all->verdict != VERDICT_REGRESSION && n < COMPARE_LINE; i++) {
		const struct moved *m = &all->moved[i];

		n += (size_t)snprintf(buf + n, COMPARE_LINE - n, "%s%s(%s) got worse: %s, from %s to %s",
				      n ? "; " : "no --metric is about it, but ", campaign_at_names[m->at],
				      tlob_metric_names[m->metric], effect_text(effect, &ratio, m->effect),
				      number_text(from, &ratio, m->a), number_text(to, &ratio, m->b));
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
	char effect[COMPARE_LINE];
	size_t s, n = 0;

	if (c->nstatistics == 1)
		return compare_line(buf, "%s: %.250s%s", c->statistic[0].text,
				    compare_effect(effect, all, 0), boot);
	for (s = 0; s < c->nstatistics && n < COMPARE_LINE; s++)
		if (all->d[s].verdict == all->verdict)
			n += (size_t)snprintf(buf + n, COMPARE_LINE - n, "%s%s", n ? ", " : "",
					      c->statistic[s].text);
	if (n < COMPARE_LINE)
		snprintf(buf + n, COMPARE_LINE - n, "; %zu pairs%s", all->d[0].n, boot);
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
	char counted[32] = "";

	if (!largest)
		return snprintf(buf, size, "nothing moved at %s",
				campaign_at_names[s->where]);
	if (clock_ns > 1 && fabs(by) < (double)clock_ns)
		return snprintf(buf, size, "nothing moved by a step of the clock or more at %s",
				campaign_at_names[s->where]);
	if (s->counted)
		snprintf(counted, sizeof(counted), "%+.0f instructions, ", by);
	return snprintf(buf, size, "%s moved most: %s%+.3fus at %s",
			tlob_metric_names[largest->metric], counted, by / 1000,
			campaign_at_names[s->where]);
}

int compare_where(char buf[COMPARE_LINE], const struct comparison *all,
		  const struct shifts *shifts)
{
	const struct decision *d = &all->d[compare_deciding(all)];
	size_t cpu = 0, n = (size_t)describe_shift(buf, COMPARE_LINE, shifts, all->c->clock_ns);
	char effect[32];
	double by = 0;
	int err = decision_slowest_cpu(d, &cpu, &by);

	if (!err && by != 0)
		snprintf(buf + n, COMPARE_LINE - n, "; CPU %d changed most: %s",
			 all->c->run[0].r.cpu[cpu].cpu, effect_text(effect, d, by));
	return err == -ENOMEM ? err : 0;
}

#define MOST_PAIRS	100		/* beyond, noise is to be removed first */
#define MOST_LONGER	20		/* times as long as the runs are */
#define MAKER_LEN	80

/* What makes @n runs of each side, with the options that they had. */
static const char *maker(char buf[MAKER_LEN], const struct comparison *all, size_t n)
{
	if (by_hand(all))
		snprintf(buf, MAKER_LEN, "tlob-load %s %zu times on each side, in random order",
			 of_attach(all) ? "attach" : "run", n);
	else
		snprintf(buf, MAKER_LEN, "tlob-load %s --pairs %zu",
			 all->c->run[0].r.deterministic ? "lab" : "plan", n);
	return buf;
}

/* The runs of a side that a decision looks at, which may be fewer than there are at a look. */
static size_t runs_of(const struct comparison *all, size_t s)
{
	return all->c->nreplicates == all->c->n ? all->d[s].n : all->c->n;
}

/* The run with the largest value, in which something happened. */
static const struct campaign_run *slowest_run(const struct comparison *all, size_t s)
{
	const struct campaign *c = all->c;
	const struct campaign_run *slowest = campaign_a(c, 0);
	size_t i;

	for (i = 0; i < runs_of(all, s); i++) {
		if (campaign_a(c, i)->value[s] > slowest->value[s])
			slowest = campaign_a(c, i);
		if (campaign_b(c, i)->value[s] > slowest->value[s])
			slowest = campaign_b(c, i);
	}
	return slowest;
}

static size_t count_missed(const struct decision *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n; i++)
		n += isinf(d->a[i]) || isinf(d->b[i]);
	return n;
}

/*
 * Returns how many times as long the runs must be for a spread of @sd. A pair has the
 * sampling noise of two runs, which falls with their length. The rest of its spread stays.
 * 0: no length suffices.
 */
static unsigned int times_longer(const struct comparison *all, size_t s, double sd)
{
	const struct decision *d = &all->d[s];
	double within = 0, between, times;
	size_t i;

	/* between boots longer runs change nothing */
	if (all->c->nreplicates != all->c->n)
		return 0;
	for (i = 0; i < d->n; i++)
		within += pow(campaign_a(all->c, i)->noise[s], 2) +
			  pow(campaign_b(all->c, i)->noise[s], 2);
	within = fmin(within / (double)d->n, d->spread * d->spread);
	between = d->spread * d->spread - within;
	times = within / (sd * sd - between);
	return times > 1 && times <= MOST_LONGER ? (unsigned int)ceil(times) : 0;
}

/* The largest spread with which the pairs that are there resolve @distance. */
static double spread_for(const struct decision *d, double distance, double alpha)
{
	return distance / stats_resolved(1, d->n, alpha, DECISION_POWER);
}

/* The margin lies inside the interval: more pairs, longer runs, or less noise. */
static const char *settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	double margin = d->absolute ? d->margin : log1p(d->margin);
	double distance = fabs(margin - d->effect), alpha = all->rule.alpha;
	size_t pairs = stats_pairs_for(distance, d->spread, alpha, DECISION_POWER);
	unsigned int times = d->absolute ? 0 :
		times_longer(all, s, spread_for(d, distance, alpha));
	char length[DURATION_LEN], effect[32], made[MAKER_LEN];

	/* At about equal cost longer runs are better: they need fewer boots and set-ups. */
	if (times && (!pairs || 2 * (size_t)times * d->n <= 3 * pairs))
		return compare_line(buf, "%s%s -d %s: runs as short as these scatter by themselves",
				    maker(made, all, d->n), by_hand(all) ? ", with" : " ... -- ...",
				    duration_format(length, times * all->c->run[0].r.duration_ns));
	if (pairs > d->n && pairs <= MOST_PAIRS)
		return compare_line(buf, "%s, else as before: so many distinguish an effect of %s from the margin",
				    maker(made, all, pairs), effect_text(effect, d, d->effect));
	return compare_line(buf, "tlob-load report %s: remove first what made this run the slowest; %s",
			    slowest_run(all, s)->path, isfinite(d->effect) && distance < margin / 4 ?
			    "an effect so near the margin needs very many pairs" :
			    "the runs differ too much for pairs to help");
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

static size_t first_inconclusive(const struct comparison *all)
{
	size_t s = 0;

	while (all->d[s].verdict != VERDICT_INCONCLUSIVE)
		s++;
	return s;
}

const char *compare_advice(char buf[COMPARE_LINE], const struct comparison *all)
{
	*buf = 0;
	return all->verdict == VERDICT_INCONCLUSIVE ?
	       compare_settle(buf, all, first_inconclusive(all)) : buf;
}

const char *compare_settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	char made[MAKER_LEN];

	if (d->verdict != VERDICT_INCONCLUSIVE)
		return compare_line(buf, "%s", "");
	if (d->undecidable && all->c->unequal)
		return compare_line(buf, "tlob-load plan --pairs %zu A B -- OPTION...: its runs are equally long; --vary duration if the length is what is compared",
				    d->n);
	if (d->undecidable)
		return compare_line(buf, "give the user 'rtprio 99' in /etc/security/limits.conf or the tool CAP_SYS_NICE, and repeat the runs");
	if (d->ordered && by_hand(all))
		return compare_line(buf, "%s: drift then reaches both", maker(made, all, d->n));
	if (d->ordered)
		return compare_line(buf, "tlob-load plan --pairs %zu A B -- OPTION...: it makes the runs in random order; tlob-load gate --history DIR judges one night by those before",
				    d->n);
	if (all->o->sequential && all->at.next)
		return compare_line(buf, "%s, else as before: the next look",
				    maker(made, all, all->at.next));
	if (d->n < d->pairs_fewest && all->c->nreplicates < all->c->n)
		return compare_line(buf, "runs of both sides in each boot, or %zu boots of each side: a boot of one side counts as one run",
				    d->pairs_fewest);
	if (d->n < d->pairs_fewest)
		return compare_line(buf, "%s, else as before: the fewest that can decide",
				    maker(made, all, d->pairs_fewest));
	if (!d->absolute && 4 * count_missed(d) > d->n)
		return compare_line(buf, "tlob-load gate --metric miss-rate, of the same results, or a longer period: %s is missed in %zu of %zu pairs",
				    all->c->statistic[s].text, count_missed(d), d->n);
	if (d->refused)
		return compare_line(buf, "tlob-load gate --margin %.2f%%, of the same results: these numbers show a change as small",
				    ceil(20000 * d->resolution) / 100);
	if (d->cpu_unsure)
		return compare_line(buf, "%s, or runs of CPU %d alone, -c %d: its own spread hides what happens there",
				    maker(made, all, 2 * d->n), all->c->run[0].r.cpu[d->worst_cpu].cpu,
				    all->c->run[0].r.cpu[d->worst_cpu].cpu);
	if (d->by_beyond)
		return compare_line(buf, "tlob-load report %s: it shows what made this run the slowest; %s shows whether B has more of them",
				    slowest_run(all, s)->path, maker(made, all, 2 * d->n));
	return settle(buf, all, s);
}
