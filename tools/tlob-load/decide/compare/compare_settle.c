// SPDX-License-Identifier: GPL-2.0
/*
 * The command that settles a comparison, and why. It makes new runs: what was seen in these has
 * raised the question, and cannot answer it with the risk that they promise.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compare/compare_render.h"
#include "result/attached.h"
#include "util/units.h"

#define MOST_PAIRS	100		/* beyond, noise is to be removed first */
#define MOST_LONGER	20		/* times as long as the runs are */
#define MAKER_LEN	80

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

/* What makes @n runs of each side, with the options that they had. */
static const char *maker(char buf[MAKER_LEN], const struct comparison *all, size_t n)
{
	if (by_hand(all))
		snprintf(buf, MAKER_LEN, "tlob-load %s %zu times on each side, in random order",
			 of_attach(all) ? "attach" : "run", n);
	else
		snprintf(buf, MAKER_LEN, "%s --pairs %zu",
			 all->c->run[0].r.deterministic ? "tlob-lab run" : "tlob-load plan", n);
	return buf;
}

/* plan and tlob-lab continue only what they began with the same options. */
static const char *as_before(const struct comparison *all)
{
	return by_hand(all) ? ", else as before" : ", into a new --dir, else as before";
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

static const struct campaign_run *most_late(const struct comparison *all)
{
	const struct campaign *c = all->c;
	const struct campaign_run *most = &c->run[c->n];
	size_t i;

	for (i = 0; i < c->nruns; i++)
		if (c->run[i].events.late > most->events.late)
			most = &c->run[i];
	return most;
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

/* Bursts are counted, so pairs and longer runs are worth the same: it is the bursts that are too few. */
static const char *settle_events(char buf[COMPARE_LINE], const struct comparison *all, const struct decision *d)
{
	char made[MAKER_LEN];

	if (d->effect > d->margin && d->n < d->pairs_more)
		return compare_line(buf, "%s%s: the fewest that can show it", maker(made, all, d->pairs_more), as_before(all));
	if (d->pairs_needed > d->n && d->pairs_needed <= MOST_PAIRS)
		return compare_line(buf, "%s%s, or as much longer runs: so many accept equal sides",
				    maker(made, all, d->pairs_needed), as_before(all));
	if (d->more || (d->pairs_needed && d->pairs_needed <= d->n))
		return compare_line(buf, "%s%s: twice as many, or twice as long", maker(made, all, 2 * d->n), as_before(all));
	return compare_line(buf, "tlob-load report %s: remove what made its episodes",
			    most_late(all)->path);
}

/* The margin lies inside the interval: more pairs, longer runs, or less noise. */
static const char *settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	double margin = log1p(d->margin);
	double distance = fabs(margin - d->effect), alpha = all->rule.alpha;
	size_t pairs = stats_pairs_for(distance, d->spread, alpha, DECISION_POWER);
	unsigned int times = times_longer(all, s, spread_for(d, distance, alpha));
	char length[DURATION_LEN], effect[EFFECT_LEN], made[MAKER_LEN];

	/* At about equal cost longer runs are better: they need fewer boots and set-ups. */
	if (times && (!pairs || 2 * (size_t)times * d->n <= 3 * pairs))
		return compare_line(buf, "%s%s -d %s: runs as short as these scatter by themselves",
				    maker(made, all, d->n), by_hand(all) ? ", with" : " ... -- ...",
				    duration_format(length, times * all->c->run[0].r.duration_ns));
	if (pairs > d->n && pairs <= MOST_PAIRS)
		return compare_line(buf, "%s%s: so many distinguish an effect of %s from the margin",
				    maker(made, all, pairs), as_before(all), effect_text(effect, d, d->effect));
	return compare_line(buf, "tlob-load report %s: remove first what made this run the slowest; %s",
			    slowest_run(all, s)->path, isfinite(d->effect) && distance < margin / 4 ?
			    "an effect so near the margin needs very many pairs" :
			    "the runs differ too much for pairs to help");
}

static size_t first_inconclusive(const struct comparison *all)
{
	size_t s = 0;

	while (all->d[s].verdict != VERDICT_INCONCLUSIVE)
		s++;
	return s;
}

/* What got worse, and no metric is about it. */
static const char *ask_moved(char buf[COMPARE_LINE], const struct comparison *all)
{
	char made[MAKER_LEN];
	size_t i, n;

	n = (size_t)snprintf(buf, COMPARE_LINE, "%s%s, with", maker(made, all, all->d[0].n), as_before(all));
	for (i = 0; i < all->nmoved && n < COMPARE_LINE; i++)
		n += (size_t)snprintf(buf + n, COMPARE_LINE - n, " --metric '%s(%s)'",
				      campaign_at_names[all->moved[i].at],
				      result_metric_names[all->moved[i].metric]);
	if (n < COMPARE_LINE)
		snprintf(buf + n, COMPARE_LINE - n, ": new runs decide whether that got worse");
	return buf;
}

const char *compare_advice(char buf[COMPARE_LINE], const struct comparison *all)
{
	*buf = 0;
	if (all->verdict == VERDICT_INCONCLUSIVE)
		return compare_settle(buf, all, first_inconclusive(all));
	return all->verdict == VERDICT_OK && all->nmoved ? ask_moved(buf, all) : buf;
}

const char *compare_settle(char buf[COMPARE_LINE], const struct comparison *all, size_t s)
{
	const struct decision *d = &all->d[s];
	char made[MAKER_LEN];

	if (d->verdict != VERDICT_INCONCLUSIVE)
		return compare_line(buf, "%s", "");
	if (all->c->doubt == DOUBT_UNEQUAL)
		return compare_line(buf, "tlob-load plan --pairs %zu A B -- OPTION...: its runs are equally long and have equal CPUs; --vary duration if the length is what is compared",
				    d->n);
	if (all->c->doubt == DOUBT_POLICY)
		return compare_line(buf, POLICY_ADVICE ", and repeat the runs");
	if (all->c->doubt == DOUBT_ORDER && by_hand(all))
		return compare_line(buf, "%s: drift then reaches both", maker(made, all, d->n));
	if (all->c->doubt == DOUBT_ORDER)
		return compare_line(buf, "tlob-load plan --pairs %zu A B -- OPTION...: it makes the runs in random order; tlob-load compare --history DIR judges one night by those before",
				    d->n);
	if (d->cut_short)
		return compare_line(buf, "find out what ended those runs, then %s, into a new directory",
				    maker(made, all, d->n));
	if (all->o->sequential && all->at.next)
		return compare_line(buf, "%s%s: the next look%s", maker(made, all, all->at.next),
				    as_before(all), by_hand(all) ? "" : "; plan --sequential makes all looks by itself");
	if (d->n < d->pairs_fewest && all->c->nreplicates < all->c->n)
		return compare_line(buf, "runs of both sides in each boot, or %zu boots of each side: a boot of one side counts as one run",
				    d->pairs_fewest);
	if (d->n < d->pairs_fewest)
		return compare_line(buf, "%s%s: the fewest that can decide",
				    maker(made, all, d->pairs_fewest), as_before(all));
	if (d->cpu_unsure)
		return compare_line(buf, "%s, or runs of CPU %d alone, -c %d: its own spread hides what happens there",
				    maker(made, all, 2 * d->n), all->c->run[0].r.cpu[d->worst_cpu].cpu,
				    all->c->run[0].r.cpu[d->worst_cpu].cpu);
	if (decision_of_events(d))
		return settle_events(buf, all, d);
	if (4 * count_missed(d) > d->n)
		return compare_line(buf, "%s%s, with a longer period or --metric miss-rate: %s is missed on a side in %zu of %zu pairs",
				    maker(made, all, d->n), as_before(all), all->c->statistic[s].text, count_missed(d), d->n);
	if (d->refused)
		return compare_line(buf, "%s%s, with --margin %.2f%%: these numbers show no smaller change",
				    maker(made, all, d->n), as_before(all), ceil(20000 * d->resolution) / 100);
	if (d->by_beyond)
		return compare_line(buf, "tlob-load report %s: it shows what made this run the slowest; %s shows whether B has more of them",
				    slowest_run(all, s)->path, maker(made, all, 2 * d->n));
	return settle(buf, all, s);
}
