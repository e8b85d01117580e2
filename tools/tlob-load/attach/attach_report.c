// SPDX-License-Identifier: GPL-2.0
/* A result of attach as tables of Markdown, and for CI systems. The page of HTML has its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "attach/attach_render.h"
#include "functions/render.h"
#include "report/assertions.h"
#include "report/parts_text.h"
#include "result/parts.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/units.h"
#include "waits/render.h"

#define WORST_SHOWN	8

static void counters(FILE *f, const struct attach_result *r)
{
	fputs("\n| windows | violations | cut | open | lost |\n|---|---:|---:|---:|---:|\n", f);
	fprintf(f, "| %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
		r->windows, r->violations, r->cut, r->open, r->lost);
}

/* A part that was 0 in every window has no row. */
static void times(FILE *f, const struct attach_result *r)
{
	char p50[QUANTILE_LEN], p99[QUANTILE_LEN], p999[QUANTILE_LEN], max[DURATION_LEN];
	double whole = (double)r->hist[ATTACH_ELAPSED].sum;
	unsigned int i;

	fputs("\n| us | mean | p50 | p99 | p99.9 | max | share |\n|---|---:|---:|---:|---:|---:|---:|\n",
	      f);
	for (i = 0; i < ATTACH_NR_METRICS; i++) {
		const struct tlob_hist *h = &r->hist[i];

		if (!h->n || (i != ATTACH_ELAPSED && !h->max))
			continue;
		fprintf(f, "| %s | %.3f | %s | %s | %s | %s | %.1f %% |\n", attach_metric_names[i],
			(double)h->sum / (double)h->n / 1000, quantile_text(p50, h, 0, 500000, "-"),
			quantile_text(p99, h, 0, 990000, "-"), quantile_text(p999, h, 0, 999000, "-"),
			duration_us(max, h->max), whole > 0 ? 100 * (double)h->sum / whole : 0);
	}
}

static void worst(FILE *f, const struct attach_result *r)
{
	char elapsed[DURATION_LEN], running[DURATION_LEN], waiting[DURATION_LEN];
	char sleeping[DURATION_LEN], task[TASK_TEXT], *cause;
	size_t i;

	if (r->nworst)
		fputs("\n| task | elapsed, us | running | waiting | sleeping | cause |\n|---|---:|---:|---:|---:|---:|\n",
		      f);
	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];

		cause = attach_cause_text(r, w);
		markdown(f, "| %s | %s | %s | %s | %s | %s |\n", task_text(task, w->comm, w->tid),
			 duration_us(elapsed, w->elapsed_ns),
			 duration_us(running, w->part_ns[TLOB_TASK_PART_RUNNING]),
			 duration_us(waiting, w->part_ns[TLOB_TASK_PART_WAITING]),
			 duration_us(sleeping, w->part_ns[TLOB_TASK_PART_SLEEPING]),
			 cause ? cause : "?");
		free(cause);
	}
}

static void put_outcome(FILE *f, const void *data)
{
	const struct attach_result *r = data;

	attach_outcome(f, r, said_failed(&r->said) + (unsigned int)r->assertions.failed);
}

static void heading(FILE *f, const struct attach_result *r)
{
	char budget[DURATION_LEN], *outcome = memstream_of(put_outcome, r);

	markdown(f, "## %s to %s, budget %s\n", r->start.text, r->stop.text,
		 duration_exact(budget, r->budget_ns));
	if (outcome)
		markdown(f, "\n%s.\n", outcome);
	free(outcome);
	markdown(f, "\nIn %s.\n\nLinux %s%s.\n", r->file, r->kernel,
		 r->deterministic ? ". Times are executed instructions" : "");
	markdown_said(f, &r->said);
}

static void put_wait(FILE *f, const void *wait)
{
	attach_wait_text(f, wait);
}

static void waits(FILE *f, const struct attach_result *r)
{
	char task[TASK_TEXT], *text;
	size_t i;

	if (r->waits.n)
		fputs("\n| longest wait | task |\n|---|---:|\n", f);
	for (i = 0; r->waits.n && i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];
		const struct attach_wait *wait = attach_wait_of(r, w);

		if (!wait)
			continue;
		text = memstream_of(put_wait, wait);
		markdown(f, "| %s | %s |\n", text ? text : "?", task_text(task, w->comm, w->tid));
		free(text);
	}
}

int attach_tables(FILE *f, const struct attach_result *r)
{
	const struct functions_shown functions = { .sets = r->functions, .all = r->function_totals };

	heading(f, r);
	counters(f, r);
	times(f, r);
	worst(f, r);
	markdown_functions(f, &functions);
	waits(f, r);
	markdown_offenders(f, &r->noise);
	markdown_notes(f, "", r->notes);
	return ferror(f) ? -EIO : 0;
}

/* Test cases of the assertions. */
static int print_attach(FILE *f, const struct attach_result *r, testcases_printer print)
{
	char measured[TESTCASE_LINE];

	snprintf(measured, sizeof(measured),
		 "%" PRIu64 " windows, %" PRIu64 " violations, %" PRIu64 " cut, %" PRIu64 " open",
		 r->windows, r->violations, r->cut, r->open);
	return assertions_cases(f, "attach", measured, &r->assertions, print);
}

int attach_junit(FILE *f, const struct attach_result *r)
{
	return print_attach(f, r, testcases_junit);
}

int attach_ktap(FILE *f, const struct attach_result *r)
{
	return print_attach(f, r, testcases_ktap);
}

int attach_markdown(FILE *f, const struct attach_result *r)
{
	assertions_markdown(f, &r->assertions);
	return attach_tables(f, r);
}
