// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/assertion.h"
#include "result/meaning.h"
#include "result/result.h"
#include "util/error.h"
#include "util/units.h"

/* "50 windows, and p99.9 needs 2995": why the condition has no data. */
static void say_no_data(char *buf, size_t size, const struct condition *e,
			const struct condition_data *d)
{
	const struct tlob_hist *h;
	const char *stat = e->stat == STAT_SHORTFALL ? "es" : "p";
	uint64_t n, missed;

	if (e->episodes && !(d->episodes && d->episodes->n)) {
		snprintf(buf, size, "episodes were not counted, or records were lost");
		return;
	}
	if (e->metric < 0) {
		snprintf(buf, size, "no window was measured");
		return;
	}
	if (condition_is_blind(e, d->unavailable)) {
		snprintf(buf, size, "not measured here");
		return;
	}
	h = condition_hist(e, d);
	n = h ? h->n : 0;
	missed = d->cpu && n ? result_missed(d->cpu, (unsigned int)e->metric) : 0;
	if (e->stat != STAT_QUANTILE && e->stat != STAT_SHORTFALL)
		snprintf(buf, size, "no window");
	else if (missed)
		snprintf(buf, size, "%" PRIu64 " windows and %" PRIu64 " missed, and %s%g needs %" PRIu64,
			 n, missed, stat, e->ppm / 10000.0, condition_fewest(e));
	else
		snprintf(buf, size, "%" PRIu64 " windows, and %s%g needs %" PRIu64, n,
			 stat, e->ppm / 10000.0, condition_fewest(e));
}

/* "0 in 60s: with 95% confidence fewer than 180 an hour" */
static void describe_episodes(struct assertion *a, const struct condition *e,
			      const struct episodes *from, uint64_t bound)
{
	bool upper = e->op == CONDITION_LT || e->op == CONDITION_LE;
	char time[DURATION_LEN];

	snprintf(a->found, sizeof(a->found), "%" PRIu64 " in %s: with 95%% confidence %s than %" PRIu64 " an hour",
		 episodes_chosen(from)->n, duration_format(time, from->time_ns),
		 upper ? "fewer" : "more", bound);
}

/* Fills in what was found in @d: @v, which is the number of @where. */
static void describe(struct assertion *a, const struct condition *e,
		     const struct condition_data *d, uint64_t v, const char *where)
{
	char value[DURATION_LEN], why[128];

	if (a->outcome == CONDITION_UNDECIDED) {
		say_no_data(why, sizeof(why), e, d);
		snprintf(a->found, sizeof(a->found), "no data%s: %s", where, why);
		return;
	}
	if (e->metric >= 0 && v == CONDITION_MISSED) {
		snprintf(a->found, sizeof(a->found), "missed%s", where);
		return;
	}
	a->has_value = true;
	a->value = v;
	if (e->episodes) {
		describe_episodes(a, e, d->episodes, v);
		return;
	}
	if (e->metric >= 0)
		snprintf(a->found, sizeof(a->found), "%s%s", duration_format(value, v),
			 where);
	else
		snprintf(a->found, sizeof(a->found), "%" PRIu64 "%s", v, where);
}

static const struct result_cpu *cpu_of(const struct result *r, int cpu)
{
	size_t i;

	for (i = 0; i < r->ncpus; i++)
		if (r->cpu[i].cpu == cpu)
			return &r->cpu[i];
	return &r->all;
}

static void judge(struct assertion *a, const struct condition *e, const struct result *r)
{
	char where[32] = "";
	uint64_t v = 0;
	int cpu = -1;
	struct condition_data d;
	const struct result_cpu *c;

	a->outcome = condition_result(e, r, &v, &cpu);
	/* a window of attach that was measured as late is late */
	if ((!r->attached || a->outcome != CONDITION_FALSE) && result_undecidable(r, a->found)) {
		a->outcome = CONDITION_UNDECIDED;
		return;
	}
	c = cpu_of(r, cpu);
	d = (struct condition_data){
		.counters = c, .hist = c->hist, .unavailable = c->unavailable, .cpu = c,
		.functions = c->functions, .episodes = &c->episodes,
	};
	if (cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", cpu);
	describe(a, e, &d, v, where);
}

int assertions_judge(struct assertions *all, const struct condition *list, unsigned int n,
		     const struct result *r)
{
	size_t i;

	*all = (struct assertions){ .at = calloc(n, sizeof(*all->at)), .n = n };
	if (n && !all->at) {
		all->n = 0;
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		all->at[i].text = list[i].text;
		judge(&all->at[i], &list[i], r);
	}
	return 0;
}

void assertions_free(struct assertions *all)
{
	free(all->at);
	*all = (struct assertions){ 0 };
}

struct verdicts verdicts_of(const struct assertions *judged, const struct said *said)
{
	struct verdicts v = { .n = (unsigned int)(judged->n + said->n) };
	size_t i;

	for (i = 0; i < judged->n; i++) {
		v.failed += judged->at[i].outcome == CONDITION_FALSE;
		v.undecided += judged->at[i].outcome == CONDITION_UNDECIDED;
	}
	for (i = 0; i < said->n; i++) {
		v.failed += said->at[i].decided && !said->at[i].holds;
		v.undecided += !said->at[i].decided;
	}
	return v;
}

enum exit_code verdicts_exit(struct verdicts v)
{
	return v.failed ? EXIT_ASSERTION : v.undecided ? EXIT_INCONCLUSIVE : EXIT_PASS;
}

const char *verdicts_text(char buf[VERDICTS_TEXT], struct verdicts v)
{
	unsigned int n = v.failed ? v.failed : v.undecided;

	if (!n)
		return "passed";
	snprintf(buf, VERDICTS_TEXT, "%s %u assertion%s", v.failed ? "FAILED" : "UNDECIDED", n, n == 1 ? "" : "s");
	return buf;
}

void assertions_complain(const struct assertions *all)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->at[i].outcome != CONDITION_TRUE)
			warning("assertion %s: %s: %s", all->at[i].outcome == CONDITION_FALSE ? "failed" : "undecided",
				all->at[i].text, all->at[i].found);
}
