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

uint64_t search_windows(double miss)
{
	uint64_t n = (uint64_t)(4 / miss);

	while (stats_share_upper(1, n, SEARCH_ALPHA) >= miss)
		n += n / 100 + 1;
	return n;
}

void search_take(struct search *s, uint64_t x, const struct result *r, bool probe)
{
	const struct tlob_hist *own = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	struct search_run *to = &s->run[s->n++];
	unsigned int ppm = (unsigned int)(1e6 * (1 - s->miss));
	uint64_t over, of, late;
	double upper;
	size_t i;

	*to = (struct search_run){ .x = x, .probe = probe };
	if (r->clock_resolution_ns > s->clock_ns)
		s->clock_ns = r->clock_resolution_ns;
	/* each CPU has to keep the rate */
	for (i = 0; i < r->ncpus; i++) {
		const struct result_cpu *c = &r->cpu[i];

		over = c->violations + result_missed(c, TLOB_METRIC_RESPONSE);
		of = result_due(c);
		upper = stats_share_upper(over, of, SEARCH_ALPHA);
		if (!i || upper > to->upper) {
			to->upper = upper;
			to->over = over;
			to->of = of;
		}
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
	to->kept = !probe && to->upper < s->miss;
	if (probe)
		return;
	if (to->kept && (!s->good || (s->period ? x < s->good : x > s->good)))
		s->good = x;
	if (!to->kept && (!s->bad || (s->period ? x > s->bad : x < s->bad)))
		s->bad = x;
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
		if (!s->run[i].probe && !s->run[i].kept)
			step *= 2;
	return 1 + step;
}

uint64_t search_next(const struct search *s)
{
	double low = (double)s->good, high = (double)s->bad, at = before(s, edge(s)), swap;

	if (s->n == SEARCH_RUNS)
		return 0;
	if (low > 0 && high > 0) {
		if (s->period) {
			swap = low;
			low = high;
			high = swap;
		}
		if (high <= low * (1 + s->resolution) || high - low <= 1)
			return 0;
		/* as predicted if that is inside; it has had its chances when the runs become many */
		if (at <= low || at >= high || s->n > SEARCH_RUNS / 3)
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
	return at < 1 ? 0 : (uint64_t)(at + 0.5);
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

static int try_value(struct search *s, const char *dir, uint64_t x, bool probe)
{
	uint64_t windows = probe && s->windows > PROBE_WINDOWS ? PROBE_WINDOWS : s->windows;
	char file[PATH_MAX], value[SEARCH_VALUE];
	struct result r = { 0 };
	int err;

	if (snprintf(file, sizeof(file), "%s/search-%u.json", dir, s->n + 1) >= (int)sizeof(file))
		return fail(-ENAMETOOLONG, "%s: the name is too long", dir);
	err = make_run(s, x, windows, file);
	if (!err)
		err = result_load(&r, file);
	unlink(file);
	if (err)
		return err;
	search_take(s, x, &r, probe);
	result_free(&r);
	if (!s->quiet)
		fprintf(stderr, "run %u: %s %s: %" PRIu64 " of %" PRIu64 " over the budget or missed%s\n", s->n,
			s->period ? "period" : "work", search_value(value, s, x), s->run[s->n - 1].over,
			s->run[s->n - 1].of, probe ? " (a probe)" : s->run[s->n - 1].kept ? "" : ": too many");
	return 0;
}

enum exit_code search_carry_out(struct search *s, const char *dir)
{
	int err = try_value(s, dir, s->first, true);
	uint64_t x;

	while (!err && (x = search_next(s)))
		err = try_value(s, dir, x, false);
	if (err)
		return exit_code_of(err);
	return s->good ? EXIT_PASS : EXIT_ASSERTION;
}
