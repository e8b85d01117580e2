// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranges.h"
#include "result/read.h"
#include "result/result.h"
#include "result/stats.h"
#include "util/file.h"
#include "util/process.h"
#include "validate/search.h"

#define PROBE_WINDOWS	200U
#define GUIDES		(SEARCH_RUNS - 8)	/* then nothing but a confirmation */
#define STEP_AWAY	0.05			/* from what was not confirmed to the next value */
#define LONGER		4			/* times: a run after one that decided nothing */
#define MOST_QUARTERS	62U			/* a million times as many windows */

/* Each confirmation has its share of alpha. */
#define CONFIRM_ALPHA	(SEARCH_ALPHA / SEARCH_CONFIRMS)

uint64_t search_windows(double miss)
{
	return (uint64_t)(stats_rate_upper(1, SEARCH_ALPHA) / miss) + 1;
}

uint64_t search_confirming(double miss)
{
	return (uint64_t)(SEARCH_EPISODE * stats_rate_upper(0, CONFIRM_ALPHA) / miss) + 1;
}

uint64_t search_unseen(const struct search *s)
{
	return (uint64_t)(s->miss * (double)s->run[s->n - 1].of / stats_rate_upper(0, CONFIRM_ALPHA));
}

/* As many windows with the same share and episodes as would decide, in steps of a quarter. */
static uint64_t windows_needed(const struct episodes *e, uint64_t of, uint64_t longest, double miss,
			       double alpha)
{
	const struct episode_row *row = episodes_chosen(e);
	double k = 1, n, over = (double)e->over, squares = row ? (double)row[1].squares : 0;
	double most = row && row[1].longest > longest ? (double)row[1].longest : (double)longest;
	unsigned int i;

	for (i = 0; i < MOST_QUARTERS; i++) {
		n = miss * (double)of * k;
		if (stats_weighted_upper(k * over, k * squares, most, alpha) < n ||
		    stats_weighted_lower(k * over, k * squares, alpha) > n)
			return (uint64_t)((double)of * k);
		k *= 1.25;
	}
	return 0;
}

/* A run most of whose expiries are over is one long episode, and yet no accident. */
static bool exceeds(const struct episodes *e, uint64_t of, double miss, double alpha)
{
	return episodes_share_lower(e, of, alpha) > miss || (e->over >= of / 2 && (double)e->over > miss * (double)of);
}

static void take_cpu(struct search_run *to, const struct search *s, const struct result_cpu *c,
		     uint64_t longest, double alpha)
{
	const struct episode_row *row = episodes_chosen(&c->episodes);
	uint64_t of = result_due(c);
	double upper = episodes_share_upper(&c->episodes, of, longest, alpha);

	if (exceeds(&c->episodes, of, s->miss, alpha))
		to->verdict = SEARCH_EXCEEDS;
	else if (upper >= s->miss && to->verdict == SEARCH_KEEPS)
		to->verdict = SEARCH_UNDECIDED;
	if (to->of && upper <= to->upper)
		return;
	to->upper = upper;
	to->over = result_over(c);
	to->of = of;
	to->longest = row ? row[1].longest : 0;
	to->needs = windows_needed(&c->episodes, of, longest, s->miss, alpha);
}

/* Returns whether @x asks less of the machine than @y. */
static bool is_easier(const struct search *s, uint64_t x, uint64_t y)
{
	return s->period ? x > y : x < y;
}

/* The longest episode in runs with what asks no more than @x; at least 1. */
static uint64_t longest_until(const struct search *s, uint64_t x)
{
	const struct search_run *r;
	uint64_t longest = 1;

	for (r = s->run; r < s->run + s->n; r++)
		if (!is_easier(s, x, r->x) && r->longest > longest)
			longest = r->longest;
	return longest;
}

/*
 * A value that kept the rate beyond one that did not was lucky. The first confirmation is the last
 * run.
 */
static void find_edge(struct search *s)
{
	const struct search_run *r;

	s->good = s->bad = s->exceeds = 0;
	s->confirmed = false;
	for (r = s->run; r < s->run + s->n; r++) {
		if (r->step == SEARCH_PROBE || r->verdict == SEARCH_KEEPS ||
		    (r->verdict == SEARCH_UNDECIDED && r->windows < s->windows))
			continue;
		if (!s->bad || is_easier(s, r->x, s->bad))
			s->bad = r->x;
		if (r->verdict == SEARCH_EXCEEDS && (!s->exceeds || is_easier(s, r->x, s->exceeds)))
			s->exceeds = r->x;
	}
	for (r = s->run; r < s->run + s->n; r++) {
		if (r->step == SEARCH_PROBE || r->verdict != SEARCH_KEEPS ||
		    (s->bad && !is_easier(s, r->x, s->bad)))
			continue;
		s->confirmed = r->step == SEARCH_CONFIRM;
		if (!s->good || s->confirmed || is_easier(s, s->good, r->x))
			s->good = r->x;
	}
}

void search_take(struct search *s, const struct search_next *next, const struct result *r)
{
	const struct tlob_hist *own = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	unsigned int ppm = (unsigned int)(1e6 * (1 - s->miss));
	/* an episode that is as long as any of another run may come: only who confirms must know */
	uint64_t longest = next->step == SEARCH_CONFIRM ? longest_until(s, next->x) : 1;
	struct search_run *to = &s->run[s->n++];
	uint64_t late;
	size_t i;

	*to = (struct search_run){
		.step = next->step, .x = next->x, .windows = next->windows, .verdict = SEARCH_KEEPS,
	};
	if (r->clock_resolution_ns > s->clock_ns)
		s->clock_ns = r->clock_resolution_ns;
	/* each CPU has to keep the rate */
	for (i = 0; i < r->ncpus; i++) {
		const struct result_cpu *c = &r->cpu[i];

		take_cpu(to, s, c, longest, next->step == SEARCH_CONFIRM ? CONFIRM_ALPHA : SEARCH_ALPHA);
		late = c->hist[TLOB_METRIC_RESPONSE].max;
		if (hist_quantile_missed(&c->hist[TLOB_METRIC_RESPONSE], result_missed(c, TLOB_METRIC_RESPONSE), ppm,
					 &late) == QUANTILE_MISSED)
			late = 0;
		if (!late || (to->late_ns && late > to->late_ns) || !i)
			to->late_ns = late;
	}
	/* without parts the work is what follows the wake-up, interruptions and all */
	if (r->all.windows && !(r->all.unavailable & 1U << TLOB_WORK_ON_CPU))
		to->work_ns = own->sum / r->all.windows;
	else
		to->work_ns = hist_mean(&r->all.hist[TLOB_METRIC_RESPONSE]) - hist_mean(&r->all.hist[TLOB_METRIC_WAKE]);
	find_edge(s);
}

/* Estimates the edge from the last run that shows it: the response changes as the work does. */
static double edge(const struct search *s)
{
	const struct search_run *r;
	double left;

	for (r = s->run + s->n; r-- > s->run; ) {
		if (!r->late_ns)
			continue;
		if (s->period)
			return (double)r->late_ns;
		if (!r->work_ns)
			continue;
		left = (double)s->budget_ns - (double)r->late_ns;
		return (double)r->x + left * (double)r->x / (double)r->work_ns;
	}
	/* all are missed: only the length of the work is known */
	r = &s->run[s->n - 1];
	return s->period || !r->work_ns ? 0 : (double)r->x * (double)s->budget_ns / (double)r->work_ns;
}

/* Half of the resolution before the edge, on the side that should keep the rate. */
static double before(const struct search *s, double at)
{
	return at * (s->period ? 1 + s->resolution / 2 : 1 - s->resolution / 2);
}

static double beyond(const struct search *s, double at)
{
	return s->period ? at / (1 + s->resolution) : at * (1 + s->resolution);
}

/* The factor to step back by while nothing keeps the rate: the step doubles each time. */
static double step_back(const struct search *s)
{
	double step = s->resolution;
	unsigned int i;

	for (i = 0; i < s->n; i++)
		if (s->run[i].step != SEARCH_PROBE && s->run[i].verdict != SEARCH_KEEPS)
			step *= 2;
	return 1 + step;
}

/* No run has a period above the longest: that is the value after @last, and after itself none, 0. */
static double in_range(const struct search *s, double at, uint64_t last)
{
	if (!s->period || at <= TLOB_PERIOD_MAX)
		return at;
	return last < TLOB_PERIOD_MAX ? TLOB_PERIOD_MAX : 0;
}

/* The next value to try, or 0: both sides are known within the resolution, or no value is left. */
static uint64_t next_value(const struct search *s)
{
	double low = (double)s->good, high = (double)s->bad, at = before(s, edge(s)), swap;

	if (low > 0 && high > 0) {
		if (s->period) {
			swap = low;
			low = high;
			high = swap;
		}
		if (high <= low * (1 + s->resolution) || high - low <= 1)
			return 0;
		/* as predicted if that is inside; it has had its chances when the runs become many */
		if (at <= low || at >= high || s->n > GUIDES / 3)
			at = (low + high) / 2;
	} else if (s->good) {
		/* what keeps the rate is known: try what should not */
		swap = beyond(s, (double)s->good);
		if (s->period ? at > swap : at < swap)
			at = swap;
	} else if (s->bad) {
		swap = s->period ? (double)s->bad * step_back(s) : (double)s->bad / step_back(s);
		/* what was predicted has failed already, or it fails by what no response shows */
		if (at <= 0 || !s->run[s->n - 1].late_ns || (s->period ? at < swap : at > swap))
			at = swap;
	} else if (at <= 0) {
		at = (double)s->first / (s->period ? 1 : 2);
	}
	if (s->period && at < TLOB_PERIOD_MIN)
		return s->good == TLOB_PERIOD_MIN || s->bad ? 0 : TLOB_PERIOD_MIN;
	at = in_range(s, at, s->bad);
	return at < 1 ? 0 : (uint64_t)(at + 0.5);
}

/* What was not confirmed is too near to the edge: farther away, twice as far each time. */
static bool next_confirmation(const struct search *s, struct search_next *next)
{
	const struct search_run *last = &s->run[s->n - 1], *r;
	double step = STEP_AWAY / 2;
	unsigned int n = 0;

	for (r = s->run; r <= last; r++)
		if (r->step == SEARCH_CONFIRM) {
			n++;
			step *= 2;
		}
	*next = (struct search_next){
		SEARCH_CONFIRM, (uint64_t)in_range(s, (double)last->x * (s->period ? 1 + step : 1 - step), last->x), s->windows,
	};
	return n < SEARCH_CONFIRMS && next->x;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool search_next(const struct search *s, struct search_next *next)
{
	const struct search_run *last = s->n ? &s->run[s->n - 1] : NULL;

	if (!last) {
		*next = (struct search_next){ SEARCH_PROBE, s->first, at_most(s->windows, PROBE_WINDOWS) };
		return true;
	}
	if (s->n == SEARCH_RUNS || s->confirmed)
		return false;
	if (last->step == SEARCH_CONFIRM)
		return next_confirmation(s, next);
	*next = (struct search_next){ SEARCH_GUIDE, 0, at_most(s->windows, search_windows(s->miss)) };
	if (last->step == SEARCH_GUIDE && last->verdict == SEARCH_UNDECIDED && last->windows < s->windows) {
		next->x = last->x;
		next->windows = at_most(s->windows, last->windows * LONGER);
		return true;
	}
	if (s->n < GUIDES)
		next->x = next_value(s);
	if (!next->x && s->good)
		*next = (struct search_next){ SEARCH_CONFIRM, s->good, s->windows };
	return next->x;
}

const char *search_value(char buf[SEARCH_VALUE], const struct search *s, uint64_t x)
{
	const struct tlob_work_kind *kind = &tlob_work_kinds[s->work.type];
	int n;

	if (s->period) {
		snprintf(buf, SEARCH_VALUE, "%" PRIu64 "ns", x);
	} else if (kind->flags & TLOB_WORK_MEMORY) {
		n = snprintf(buf, SEARCH_VALUE, "%s,ws=%llu,n=%" PRIu64, kind->name, (unsigned long long)s->work.ws, x);
		if (s->work.node != TLOB_WORK_NO_NODE)
			snprintf(buf + n, SEARCH_VALUE - (size_t)n, ",node=%d", s->work.node);
	} else {
		snprintf(buf, SEARCH_VALUE, "%s:%" PRIu64 "%s", kind->name, x, kind->flags & TLOB_WORK_TIME ? "ns" : "");
	}
	return buf;
}

/* One run of this program; its result is in @file. 0, or -errno, printed. */
static int make_run(const struct search *s, uint64_t x, uint64_t windows, const char *file)
{
	struct call c = { 0 };
	char value[SEARCH_VALUE];
	int status;

	call_tool(&c, "run");
	call_add_all(&c, s->options, s->noptions);
	call_add(&c, "--%s=%s", s->period ? "period" : "work", search_value(value, s, x));
	/* without it the budget is the period */
	if (s->budget_ns)
		call_add(&c, "--budget=%" PRIu64 "ns", s->budget_ns);
	call_add(&c, "--windows=%" PRIu64, windows);
	call_add(&c, "--json=%s", file);
	call_add(&c, "--quiet");
	status = call_make(&c, NULL);
	return status > 0 ? fail(-ECANCELED, "a run failed with exit status %d", status) : status;
}

static void say(const struct search *s)
{
	static const char *const words[] = {
		[SEARCH_KEEPS] = "", [SEARCH_EXCEEDS] = ": too many", [SEARCH_UNDECIDED] = ": undecided",
	};
	const struct search_run *r = &s->run[s->n - 1];
	char value[SEARCH_VALUE];

	if (s->quiet)
		return;
	fprintf(stderr, "run %u: %s %s: %" PRIu64 " of %" PRIu64 " over the budget or missed%s\n", s->n,
		s->period ? "period" : "work", search_value(value, s, r->x), r->over, r->of,
		r->step == SEARCH_PROBE ? " (a probe)" : words[r->verdict]);
}

static int try_value(struct search *s, const char *dir, const struct search_next *next)
{
	char file[PATH_MAX], value[SEARCH_VALUE];
	struct result r = { 0 };
	int err;

	if (snprintf(file, sizeof(file), "%s/search-%u.json", dir, s->n + 1) >= (int)sizeof(file))
		return fail(-ENAMETOOLONG, "%s: the name is too long", dir);
	if (next->step == SEARCH_CONFIRM && !s->quiet)
		fprintf(stderr, "confirming %s with %" PRIu64 " windows\n", search_value(value, s, next->x),
			next->windows);
	err = make_run(s, next->x, next->windows, file);
	if (!err)
		err = result_load(&r, file);
	unlink(file);
	if (err)
		return err;
	search_take(s, next, &r);
	result_free(&r);
	say(s);
	return 0;
}

enum exit_code search_carry_out(struct search *s, const char *dir)
{
	struct search_next next;
	int err = 0;

	while (!err && search_next(s, &next))
		err = try_value(s, dir, &next);
	if (err)
		return exit_code_of(err);
	return s->confirmed ? EXIT_PASS : EXIT_ASSERTION;
}
