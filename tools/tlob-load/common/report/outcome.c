// SPDX-License-Identifier: GPL-2.0
/* The outcome of a run in one sentence, and what limits it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cause_text.h"
#include "report/chain_text.h"
#include "report/parts_text.h"
#include "report/rate.h"
#include "report/region.h"
#include "report/render.h"
#include "result/meaning.h"
#include "result/parts.h"
#include "result/wait_names.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"
#include "workspec.h"

#define NEXT_SHARE	10	/* of that many violations the next cause made at least one */
#define NEARLY_ALL	10	/* of the budget: less than one part of so many is left */

static void put_count(FILE *f, const struct cause_count *count, bool of_task)
{
	struct cause c = {
		.part = count->part, .has_name = count->has_name, .nearly_all = true,
		.soft = count->soft, .kind = count->kind, .id = count->id,
	};

	memcpy(c.name, count->name, sizeof(c.name));
	cause_text(f, &c, of_task, false);
}

/* Where in the kernel that was, in most of them: ", 5 of them in recently_deleted, openat()". */
static void put_most_place(FILE *f, const struct result *r, const struct cause_count *most)
{
	const struct cause_count *at = causes_place_of(&r->places, most);
	char n[COUNT_LEN];

	if (!at)
		return;
	if (at->windows < most->windows)
		fprintf(f, ", %s of them", count_prose(n, at->windows));
	place_text(f, most->part, &at->place);
}

static bool is_tick(const struct result *r, const struct cause_count *count)
{
	return count->part == TLOB_WAKE_IRQ_DELAY && r->timer_resolution_ns;
}

/* Which task the interrupt of a tick has met is chance: they are one cause. */
static uint64_t windows_of(const struct result *r, const struct cause_count *count)
{
	uint64_t windows = 0;
	size_t i;

	if (!is_tick(r, count))
		return count->windows;
	for (i = 0; i < r->causes.n; i++)
		windows += is_tick(r, &r->causes.at[i]) ? r->causes.at[i].windows : 0;
	return windows;
}

static const struct cause_count *most_but(const struct result *r, const struct cause_count *but)
{
	const struct cause_count *most = NULL, *c;

	for (c = r->causes.at; c < r->causes.at + r->causes.n; c++)
		if (c != but && !(but && is_tick(r, but) && is_tick(r, c)) &&
		    (!most || windows_of(r, c) > windows_of(r, most)))
			most = c;
	return most;
}

/* Windows over the budget, of attach also those that did not end. */
static uint64_t late(const struct result *r)
{
	return r->all.violations + (r->attached ? r->all.missed : 0);
}

const struct cause_count *outcome_cause(const struct result *r, bool next)
{
	uint64_t violations = late(r);
	const struct cause_count *most = most_but(r, NULL);

	if (!most || windows_of(r, most) < 2)
		return NULL;
	if (!next)
		return most;
	most = most_but(r, most);
	return most && windows_of(r, most) >= 2 && windows_of(r, most) * NEXT_SHARE >= violations ? most : NULL;
}

/* "196 while evil_fifo99 ran" */
static void put_counted(FILE *f, const struct result *r, const struct cause_count *count, uint64_t violations)
{
	uint64_t windows = windows_of(r, count);
	char n[COUNT_LEN];

	fprintf(f, "%s ", windows == violations ? "all" : count_prose(n, windows));
	if (is_tick(r, count))
		fputs("waiting for a tick", f);
	else
		put_count(f, count, r->attached);
	put_most_place(f, r, count);
}

/* ": 196 while evil_fifo99 ran, and 48 sleeping for a lock" */
static void put_most(FILE *f, const struct result *r, uint64_t violations)
{
	const struct cause_count *most = outcome_cause(r, false), *next = outcome_cause(r, true);

	if (most) {
		fputs(": ", f);
		put_counted(f, r, most, violations);
	}
	if (next) {
		fputs(", and ", f);
		put_counted(f, r, next, violations);
	}
}

static void put_place(FILE *f, int cpu, const char *host)
{
	bool named = host && *host;

	put_printable(f, " on CPU %d%s%s", cpu, named ? " of " : "", named ? host : "");
}

static void put_longest(FILE *f, uint64_t ns, uint64_t budget_ns)
{
	char worst[DURATION_LEN], percent[PERCENT_LEN];

	fprintf(f, "; worst %s", duration_prose(worst, ns));
	if (ns <= budget_ns)
		fprintf(f, ", %s of the budget,", percent_prose(percent, ns, budget_ns));
}

const char *region_unfinished(const struct tlob_window *w)
{
	return w->flags & WINDOW_CUT ? ", cut off" : w->flags & WINDOW_OPEN ? ", still running" : "";
}

/* The table has only windows that ended, so another one is named as such. */
static void put_worst_of_region(FILE *f, const struct result *r)
{
	const struct kept_window *k = &r->worst[0];
	const struct tlob_wait_waker *by = &k->kept.wait.waker;
	char task[TASK_TEXT], waker[WAKER_LEN];
	struct cause c;

	if (!r->nworst)
		return;
	put_longest(f, k->w.response_ns, r->budget_ns);
	fprintf(f, " in %s%s", task_text(task, k->kept.task.comm, k->kept.task.tid), region_unfinished(&k->w));
	if (!late(r) || !k->w.response_ns)
		return;
	fputs(": ", f);
	cause_of_region_text(f, r, k);
	if (!attach_cause_of(r, k, &c) || c.part != TLOB_WORK_SLEEP || !strcmp(c.name, BETWEEN_THREADS))
		return;
	if (k->kept.wait.nchain) {
		fputs(", ", f);
		chain_text(f, &k->kept.wait, k->kept.task.tid);
	} else if (by->kind == TLOB_WAKER_TASK && !waker_is(by, &k->kept.holder)) {
		fprintf(f, ", woken by %s", waker_text(waker, by));
	}
}

/* The worst window. The record says why; if it was lost, the histogram has the time. */
static void put_worst(FILE *f, const struct result *r, bool with_cause)
{
	const struct tlob_hist *h = &r->all.hist[TLOB_METRIC_RESPONSE];
	const struct tlob_hist *own = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	const struct tlob_window *w = r->nworst ? &r->worst[0].w : NULL;
	bool recorded = w && w->response_ns >= h->max;

	if (!h->n || !r->ncpus)
		return;
	put_longest(f, recorded ? w->response_ns : h->max, r->budget_ns);
	if (recorded)
		put_place(f, (int)w->cpu, r->worst[0].kept.host);
	else
		put_place(f, result_slowest_cpu(r)->cpu, result_slowest_cpu(r)->host);
	if (recorded && with_cause && w->response_ns) {
		fputs(": ", f);
		cause_of_window_text(f, w, hist_mean(own), r);
	}
}

bool outcome_is_good(const struct result *r)
{
	return !outcome_doubt(r) && verdicts_exit(verdicts_of(&r->assertions, &r->said)) == EXIT_PASS &&
	       !r->all.violations && !result_missed(&r->all, TLOB_METRIC_RESPONSE);
}

const char *outcome_doubt(const struct result *r)
{
	char why[MEANING_LINE];
	size_t i;

	if (!r->all.windows)
		return r->attached ? "no window ended" : "no window was measured";
	if (r->partial)
		return "this was written before the run had ended";
	if (r->stopped_by)
		return r->attached ? "it was cut short" : "the run was cut short";
	if (r->all.lost && strcmp(r->workload, "kthread"))
		return "windows were lost";
	if (r->all.sum_failures)
		return "parts do not add up: the numbers are wrong";
	for (i = 0; i < r->ncpus; i++)
		if (!r->cpu[i].windows)
			return "a CPU has no windows";
	if (!result_undecidable(r, why))
		return NULL;
	if (!r->attached)
		return "no real-time policy was permitted";
	return result_unpaired(r, why) ? "starts and stops do not pair: windows are missing" :
					 "too many windows were not measured";
}

static void put_windows(FILE *f, uint64_t windows, uint64_t violations, uint64_t budget_ns)
{
	char all[COUNT_LEN], n[COUNT_LEN], budget[DURATION_LEN];

	count_prose(all, windows);
	duration_prose_exact(budget, budget_ns);
	if (violations)
		fprintf(f, "%s of %s windows over %s", count_prose(n, violations), all, budget);
	else
		fprintf(f, "%s window%s within %s", all, windows == 1 ? "" : "s", budget);
}

static void put_region(FILE *f, const struct result *r)
{
	const struct result_cpu *a = &r->all;
	char n[COUNT_LEN];

	if (!a->windows && !a->missed)
		fputs(a->unmeasured ? "no window was measured" : a->cut ? "no window ended" : "no window was seen", f);
	else
		put_windows(f, a->windows + a->missed, late(r), r->budget_ns);
	if (a->unmeasured)
		fprintf(f, ", %s not measured", count_prose(n, a->unmeasured));
	if (a->unclear)
		fprintf(f, ", but %s may have ended early, in the middle of a cycle", count_prose(n, a->unclear));
	put_most(f, r, late(r));
	put_worst_of_region(f, r);
}

/* A window stopped the run: it is the answer. */
static bool is_stopped(const struct result *r)
{
	return r->stopped && r->stopped_by && !r->partial;
}

/* "1 of 41 windows met wake>100us and stopped the run: wake 450 us, ... on CPU 0, due at 72637.027286: ..." */
static void put_stop(FILE *f, const struct result *r)
{
	const struct tlob_hist *own = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	char n[COUNT_LEN], wake[DURATION_LEN], response[DURATION_LEN];
	const struct tlob_window *w = &r->stopped->w;

	fprintf(f, "1 of %s windows met ", count_prose(n, r->all.windows));
	put_printable(f, "%s", r->stopped_by);
	fprintf(f, " and stopped the run: wake %s, response %s", duration_prose(wake, w->wake_ns),
		duration_prose(response, w->response_ns));
	put_place(f, (int)w->cpu, r->stopped->kept.host);
	/* as a trace prints it */
	fprintf(f, ", due at %" PRIu64 ".%06" PRIu64 ": ", (uint64_t)w->t0_ns / 1000000000,
		(uint64_t)w->t0_ns / 1000 % 1000000);
	cause_of_window_text(f, w, hist_mean(own), r);
}

static void put_run(FILE *f, const struct result *r)
{
	uint64_t missed = result_missed(&r->all, TLOB_METRIC_RESPONSE);
	const struct result_cpu *a = &r->all;
	char n[COUNT_LEN], budget[DURATION_LEN];

	if (!a->windows) {
		fputs("no window was measured", f);
		return;
	}
	if (is_stopped(r)) {
		put_stop(f, r);
		if (a->violations)
			fprintf(f, "; %s over %s", count_prose(n, a->violations),
				duration_prose_exact(budget, r->budget_ns));
		return;
	}
	put_windows(f, a->windows, a->violations, r->budget_ns);
	if (a->violations)
		put_most(f, r, a->violations);
	else if (missed)
		fprintf(f, ", but %s expir%s missed", count_prose(n, missed),
			missed == 1 ? "y was" : "ies were");
	put_worst(f, r, a->violations);
}

int render_outcome(FILE *f, const struct result *r)
{
	/* without a window the sentence says so itself */
	const char *but = r->all.windows ? outcome_doubt(r) : NULL;
	const struct verdicts v = verdicts_of(&r->assertions, &r->said);
	char said[VERDICTS_TEXT], why[MEANING_LINE];

	if (but && result_unpaired(r, why))
		but = why;
	if (v.failed || v.undecided)
		fprintf(f, "%s: ", verdicts_text(said, v));
	else if (outcome_is_good(r))
		fputs("OK: ", f);
	if (r->attached)
		put_region(f, r);
	else
		put_run(f, r);
	if (r->stopped_by && !r->partial && !is_stopped(r))
		put_printable(f, "; cut short by %s", r->stopped_by);
	else if (but && !is_stopped(r))
		fprintf(f, "; but %s", but);
	if (r->tune_left_out)
		fputs("; not all settings could be changed", f);
	return ferror(f) ? -EIO : 0;
}

/* CPU time of one work, in ns: what was asked for, or measured. 0: unknown. */
static uint64_t time_of_work(const struct result *r)
{
	const struct tlob_hist *h = &r->all.hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];
	struct tlob_work work;

	if (r->work && !tlob_parse_work(r->work, &work) &&
	    tlob_work_kinds[work.type].flags & TLOB_KIND_TIME && work.type != TLOB_KIND_SLEEP)
		return work.amount;
	return r->all.demand_ns ? r->all.demand_ns : h->n ? h->min : 0;
}

/* "over the budget or missed: 12 of 20 000, in 3 episodes, the longest of 8" */
static int add_over(char ***lines, const struct result *r)
{
	const struct episode_row *row = episodes_chosen(&r->episodes);
	uint64_t of = result_due(&r->all), over = result_over(&r->all);
	char n[COUNT_LEN], due[COUNT_LEN], in[COUNT_LEN], longest[COUNT_LEN], episodes[80] = "";

	if (row && row->n > 1 && row->longest == 1)
		snprintf(episodes, sizeof(episodes), ", in %s episodes", count_prose(in, row->n));
	else if (row && row->n > 1)
		snprintf(episodes, sizeof(episodes), ", in %s episodes, the longest of %s", count_prose(in, row->n),
			 count_prose(longest, row->longest));
	else if (row && row->longest > 1)
		snprintf(episodes, sizeof(episodes), ", in one episode");
	return notes_add(lines, "over the budget%s: %s of %s%s", r->attached ? "" : " or missed",
			 over ? count_prose(n, over) : "none", count_prose(due, of), episodes);
}

/*
 * "in this run, with 95 % confidence: 37 to 526 episodes an hour" and "with the same confidence:
 * less than 0.2 % of the expiries, if no episode has more than 8". They say nothing about a longer episode, or about another boot.
 */
static int add_confidence(char ***lines, const struct result *r)
{
	const struct episode_row *row = episodes_chosen(&r->episodes);
	char rate[RATE_PROSE], share[SHARE_LEN], n[COUNT_LEN];
	uint64_t of = result_due(&r->all), over = result_over(&r->all);
	double upper;
	int err;

	/* 100 % is no bound */
	if (!r->episodes.n || !r->episodes.time_ns || over >= of)
		return 0;
	err = notes_add(lines, "in this run, with %.0f %% confidence: %s", 100 * (1 - BOUNDS_ALPHA),
			rate_prose(rate, &r->episodes));
	upper = episodes_share_upper(&r->episodes, of, 1, BOUNDS_ALPHA);
	if (err || !r->episodes.over || upper >= 1)
		return err;
	return notes_add(lines, "with the same confidence: less than %s of the %s, if no episode has more than %s",
			 share_prose(share, upper),
			 r->attached ? "windows" : "expiries", count_prose(n, row[1].longest));
}

static int add_worst_sum(char ***lines, const struct result *r)
{
	char text[DURATION_LEN];
	uint64_t sum = 0, one;
	int cpu = 0;
	size_t i;

	for (i = 0; i < r->ncpus && !r->attached; i++) {
		one = result_worst_sum(&r->cpu[i]);
		if (one > sum) {
			sum = one;
			cpu = r->cpu[i].cpu;
		}
	}
	return sum ? notes_add(lines, "worst case if the parts' maxima coincide: %s on CPU %d",
			       duration_prose(text, sum), cpu) : 0;
}

int outcome_bounds(char ***lines, const struct result *r)
{
	int err;

	/* of a region records make the counts: those that were lost are missing */
	if (!r->all.windows || (r->attached && r->all.lost))
		return 0;
	err = add_worst_sum(lines, r);
	if (!err)
		err = add_over(lines, r);
	return err ? err : add_confidence(lines, r);
}

/* What a thread with regular cycles did not begin at all has no window that could be late. */
static int add_skipped(char ***lines, const struct attached *a)
{
	char n[COUNT_LEN], of[COUNT_LEN], percent[PERCENT_LEN];
	const struct activation_thread *t;
	uint64_t skipped = 0, all = 0;

	for (t = a->activations.thread; t < a->activations.thread + a->activations.n; t++) {
		skipped += t->skipped;
		all += t->period_ns ? t->interval.n + t->skipped : 0;
	}
	return skipped ? notes_add(lines, "skipped: no activation began in %s of %s periods (%s)", count_prose(n, skipped),
				   count_prose(of, all), percent_prose(percent, skipped, all)) : 0;
}

static int add_limits_of_run(char ***lines, const struct result *r)
{
	uint64_t missed = result_missed(&r->all, TLOB_METRIC_RESPONSE);
	uint64_t due = result_due(&r->all);
	char n[COUNT_LEN], of[COUNT_LEN], percent[PERCENT_LEN];
	char work[DURATION_LEN], limit[DURATION_LEN];
	uint64_t ns = time_of_work(r);
	int err = 0;

	if (missed)
		err = notes_add(lines, "missed: %s of %s expiries (%s)",
				count_prose(n, missed), count_prose(of, due),
				percent_prose(percent, missed, due));
	if (!err && ns >= r->period_ns && r->period_ns)
		err = notes_add(lines, "the work takes %s, and the period is %s: expiries must be missed",
				duration_prose(work, ns),
				duration_prose_exact(limit, r->period_ns));
	else if (!err && ns >= r->budget_ns && r->budget_ns)
		err = notes_add(lines, "the work takes %s, and the budget is %s: every window must exceed it",
				duration_prose(work, ns),
				duration_prose_exact(limit, r->budget_ns));
	else if (!err && r->budget_ns && ns >= r->budget_ns - r->budget_ns / NEARLY_ALL)
		err = notes_add(lines, "the work takes %s of the budget of %s: small delays exceed it",
				duration_prose(work, ns),
				duration_prose_exact(limit, r->budget_ns));
	if (!err && r->period_ns && r->budget_ns > r->period_ns)
		err = notes_add(lines, "the budget of %s is longer than the period of %s: expiries are missed before it is exceeded",
				duration_prose_exact(work, r->budget_ns), duration_prose_exact(limit, r->period_ns));
	if (!err && r->throttled)
		err = notes_add(lines, "RT throttling is on, and the work takes more than the share that it leaves");
	return err;
}

int outcome_limits(char ***lines, const struct result *r)
{
	return r->attached ? add_skipped(lines, r->attached) : add_limits_of_run(lines, r);
}
