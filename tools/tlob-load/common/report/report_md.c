// SPDX-License-Identifier: GPL-2.0
/* A result as tables in Markdown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/assertions.h"
#include "report/findings_render.h"
#include "report/functions_render.h"
#include "report/page.h"
#include "report/parts_text.h"
#include "report/region.h"
#include "report/render.h"
#include "report/window_waits.h"
#include "result/parts.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

#define WORST_SHOWN	8	/* of a region */

/* p50, p99.9 and the largest. */
static void latency(FILE *f, const struct result_cpu *c, unsigned int metric)
{
	char p50[QUANTILE_LEN], p999[QUANTILE_LEN], max[DURATION_LEN];
	const struct tlob_hist *h = &c->hist[metric];
	uint64_t missed = result_missed(c, metric);

	fprintf(f, " %s | %s | %s |", quantile_text(p50, h, missed, 500000, "-"),
		quantile_text(p999, h, missed, 999000, "-"), h->n ? duration_us(max, h->max) : "-");
}

static void row(FILE *f, const struct result_cpu *c)
{
	if (c->cpu < 0)
		fputs("| all |", f);
	else
		markdown(f, "| %s%s%d |", c->host ? c->host : "", c->host ? " " : "", c->cpu);
	fprintf(f, " %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", c->windows,
		c->violations, c->missed);
	latency(f, c, TLOB_METRIC_WAKE);
	latency(f, c, TLOB_METRIC_RESPONSE);
	fputc('\n', f);
}

static void parts(FILE *f, const struct result *r)
{
	const struct tlob_hist *h = r->all.hist;
	double all = (double)h[TLOB_METRIC_RESPONSE].sum;
	unsigned int m;

	if (parts_are_unavailable(r->all.unavailable)) {
		markdown(f, "\nirq and the parts of a window are not measured: %s.\n",
			 r->unavailable_because ? r->unavailable_because : "");
		return;
	}
	fputs("\n| part | mean, us | share |\n|---|---:|---:|\n", f);
	for (m = TLOB_METRIC_PARTS; m < TLOB_NR_METRICS; m++)
		if (h[m].sum && all > 0)
			fprintf(f, "| %s | %.3f | %.1f %% |\n",
				tlob_metric_names[m],
				(double)h[m].sum / (double)h[m].n / 1000,
				100 * (double)h[m].sum / all);
}

/* Findings that explain a window over its budget; then all settings that are bad. */
static void findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	struct findings_tally t;
	size_t i;

	if (!from)
		return;
	for (i = 0; i < from->nbearings; i++)
		markdown(f, "%s- %s\n", i ? "" : "\n", from->bearing[i].text);
	fputs("\nDoctor: ", f);
	findings_words(f, from);
	fputs(".\n", f);
	findings_count(&t, from->at, from->n);
	if (tally_sum(t.findings))
		fputs("\n| severity | rule | found | wanted |\n|---|---|---|---|\n", f);
	for (i = 0; i < from->n; i++)
		if (from->at[i].status == STATUS_FINDING)
			markdown(f, "| %s | %s | %s | %s |\n", severity_name(from->at[i].severity),
				 from->at[i].id, from->at[i].found, from->at[i].wanted);
}

static void put_outcome(FILE *f, const void *data)
{
	const struct result *r = data;

	render_outcome(f, r, said_failed(&r->said) + (unsigned int)r->assertions.failed);
}

/* The first line of all outputs. */
static void outcome(FILE *f, const struct result *r)
{
	char *text = memstream_of(put_outcome, r);
	/* without a window the outcome says so itself */
	const char *but = r->all.windows ? outcome_doubt(r) : NULL;

	if (text)
		markdown(f, "\n%s.%s%s\n\n", text, but ? " " : "", but ? but : "");
	free(text);
}

static void put_warnings(FILE *f, const void *data)
{
	const struct result *r = data;

	if (r->region)
		region_warnings(f, r->region);
	else
		render_warnings(f, r);
}

static void warnings(FILE *f, const struct result *r)
{
	char *text = memstream_of(put_warnings, r), *rest = text, *line;

	if (r->stopped_by)
		markdown(f, "\n> stopped by %s\n", r->stopped_by);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			markdown(f, "\n> %s\n", line);
	free(text);
}

static const char *remark_of(const struct result *r)
{
	return r->deterministic ? ". Times are executed instructions" : "";
}

static void run(FILE *f, const struct result *r, const char *name)
{
	char period[DURATION_LEN], budget[DURATION_LEN];
	size_t i;

	markdown(f, "## %s\n", name);
	outcome(f, r);
	markdown(f, "%s every %s, budget %s, %s. Linux %s%s.\n", r->work,
		 duration_exact(period, r->period_ns), duration_exact(budget, r->budget_ns),
		 r->policy, r->kernel, remark_of(r));
	markdown_said(f, &r->said);
	fputs("\n| CPU | windows | violations | missed | wake p50, us | p99.9 | max | response p50 | p99.9 | max |\n"
	      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", f);
	for (i = 0; i < r->ncpus; i++)
		row(f, &r->cpu[i]);
	if (r->ncpus > 1)
		row(f, &r->all);
	parts(f, r);
	markdown_functions(f, r);
	markdown_offenders(f, &r->noise);
	findings(f, r);
	warnings(f, r);
	markdown_notes(f, "", r->notes);
}

/* A part that was 0 in every window has no row. */
static void region_times(FILE *f, const struct attach_result *r)
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

static void region_worst(FILE *f, const struct attach_result *r)
{
	char elapsed[DURATION_LEN], running[DURATION_LEN], waiting[DURATION_LEN];
	char sleeping[DURATION_LEN], task[TASK_TEXT], *cause;
	size_t i;

	if (r->nworst)
		fputs("\n| task | elapsed, us | running | waiting | sleeping | cause |\n|---|---:|---:|---:|---:|---:|\n",
		      f);
	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i].w;
		const struct region_window one = { r, w };

		cause = memstream_of(region_put_cause, &one);
		markdown(f, "| %s | %s | %s | %s | %s | %s |\n", task_text(task, w->comm, w->tid),
			 duration_us(elapsed, w->elapsed_ns),
			 duration_us(running, w->part_ns[TLOB_TASK_PART_RUNNING]),
			 duration_us(waiting, w->part_ns[TLOB_TASK_PART_WAITING]),
			 duration_us(sleeping, w->part_ns[TLOB_TASK_PART_SLEEPING]),
			 cause ? cause : "?");
		free(cause);
	}
}

static void region_waits(FILE *f, const struct attach_result *r)
{
	char task[TASK_TEXT], *text;
	bool any = false;
	size_t i;

	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i].w;
		const struct attach_wait *wait = &r->worst[i].kept.wait;

		if (!wait->ns)
			continue;
		if (!any)
			fputs("\n| longest wait | task |\n|---|---:|\n", f);
		any = true;
		text = memstream_of(region_put_wait, wait);
		markdown(f, "| %s | %s |\n", text ? text : "?", task_text(task, w->comm, w->tid));
		free(text);
	}
}

static void region(FILE *f, const struct result *r)
{
	const struct attach_result *a = r->region;
	char budget[DURATION_LEN];

	markdown(f, "## %s to %s, budget %s\n", a->start.text, a->stop.text,
		 duration_exact(budget, a->budget_ns));
	outcome(f, r);
	markdown(f, "In %s.\n\nLinux %s%s.\n", a->file, a->kernel, remark_of(r));
	markdown_said(f, &r->said);
	fputs("\n| windows | violations | cut | open | lost |\n|---|---:|---:|---:|---:|\n", f);
	fprintf(f, "| %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
		a->windows, a->violations, a->cut, a->open, a->lost);
	region_times(f, a);
	threads_markdown(f, a);
	region_worst(f, a);
	markdown_functions(f, r);
	region_waits(f, a);
	markdown_offenders(f, &r->noise);
	warnings(f, r);
	markdown_notes(f, "", r->notes);
}

int report_markdown(FILE *f, const struct report *rep)
{
	size_t i;

	for (i = 0; i < rep->n; i++) {
		if (i)
			fputc('\n', f);
		if (rep->r[i].region)
			region(f, &rep->r[i]);
		else
			run(f, &rep->r[i], rep->name[i]);
	}
	return ferror(f) ? -EIO : 0;
}
