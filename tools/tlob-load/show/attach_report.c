// SPDX-License-Identifier: GPL-2.0
/* A result of attach as tables of Markdown. The page of HTML has its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "result/parts.h"
#include "show/attach_render.h"
#include "show/attach_wait.h"
#include "show/functions.h"
#include "show/render_parts.h"
#include "show/report.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

#define WORST_SHOWN	8
#define CELL_LEN	128

static void put_cell(FILE *f, const char *text)
{
	fputs("| ", f);
	markdown_text(f, text);
	fputc(' ', f);
}

/* @titles ends with NULL. The first column is text, the others are numbers. */
static void begin_table(FILE *f, const char *const *titles)
{
	const char *const *t;

	fputc('\n', f);
	for (t = titles; *t; t++)
		put_cell(f, *t);
	fputs("|\n", f);
	for (t = titles; *t; t++)
		fputs(t == titles ? "|---" : "|---:", f);
	fputs("|\n", f);
}

__attribute__((format(printf, 2, 3)))
static void cell(FILE *f, const char *fmt, ...)
{
	char text[CELL_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_cell(f, text);
}

static void end_row(FILE *f)
{
	fputs("|\n", f);
}

static void counters(FILE *f, const struct attach_result *r)
{
	static const char *const titles[] = {
		"windows", "violations", "cut", "open", "lost", NULL,
	};

	begin_table(f, titles);
	cell(f, "%" PRIu64, r->windows);
	cell(f, "%" PRIu64, r->violations);
	cell(f, "%" PRIu64, r->cut);
	cell(f, "%" PRIu64, r->open);
	cell(f, "%" PRIu64, r->lost);
	end_row(f);
}

static void quantile(FILE *f, const struct tlob_hist *h, unsigned int ppm)
{
	char buf[QUANTILE_LEN];

	cell(f, "%s", quantile_text(buf, h, 0, ppm, "-"));
}

/* A part that was 0 in every window has no row. */
static void times(FILE *f, const struct attach_result *r)
{
	static const char *const titles[] = {
		"us", "mean", "p50", "p99", "p99.9", "max", "share", NULL,
	};
	double whole = (double)r->hist[ATTACH_ELAPSED].sum;
	char buf[DURATION_LEN];
	unsigned int i;

	begin_table(f, titles);
	for (i = 0; i < ATTACH_NR_METRICS; i++) {
		const struct tlob_hist *h = &r->hist[i];

		if (!h->n || (i != ATTACH_ELAPSED && !h->max))
			continue;
		cell(f, "%s", attach_metric_names[i]);
		cell(f, "%.3f", (double)h->sum / (double)h->n / 1000);
		quantile(f, h, 500000);
		quantile(f, h, 990000);
		quantile(f, h, 999000);
		cell(f, "%s", duration_us(buf, h->max));
		cell(f, "%.1f %%", whole > 0 ? 100 * (double)h->sum / whole : 0);
		end_row(f);
	}
}

static void worst(FILE *f, const struct attach_result *r)
{
	static const char *const titles[] = {
		"task", "elapsed, us", "running", "waiting", "sleeping", "cause", NULL,
	};
	char name[PRINTABLE_NAME], buf[DURATION_LEN], *cause;
	size_t i;

	if (!r->nworst)
		return;
	begin_table(f, titles);
	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];

		cell(f, "%s/%" PRIu32, printable(name, w->comm, TLOB_NAME_LEN), w->tid);
		cell(f, "%s", duration_us(buf, w->elapsed_ns));
		cell(f, "%s", duration_us(buf, w->part_ns[TLOB_TASK_PART_RUNNING]));
		cell(f, "%s", duration_us(buf, w->part_ns[TLOB_TASK_PART_WAITING]));
		cell(f, "%s", duration_us(buf, w->part_ns[TLOB_TASK_PART_SLEEPING]));
		cause = attach_cause_text(r, w);
		put_cell(f, cause ? cause : "?");
		free(cause);
		end_row(f);
	}
}

static void offenders(FILE *f, const struct attach_result *r)
{
	static const char *const titles[] = {
		"largest interruption of a window", "windows", "max, us", NULL,
	};
	char name[PRINTABLE_NAME], max[DURATION_LEN];
	size_t i;

	if (!r->noise.n)
		return;
	begin_table(f, titles);
	for (i = 0; i < r->noise.n && i < TOP_OFFENDERS; i++) {
		const struct offender *o = &r->noise.at[i];

		cell(f, "%s %s", noise_kind_name(o->kind),
		     printable(name, o->name, TLOB_NAME_LEN));
		cell(f, "%" PRIu64, o->windows);
		cell(f, "%s", duration_us(max, o->max_ns));
		end_row(f);
	}
}

static void paragraph(FILE *f, const char *before, const char *text, const char *after)
{
	fprintf(f, "\n%s", before);
	markdown_text(f, text);
	fprintf(f, "%s\n", after);
}

static void put_outcome(FILE *f, const void *data)
{
	const struct attach_result *r = data;

	attach_outcome(f, r, said_failed(&r->said) + (unsigned int)r->assertions.failed);
}

static void heading(FILE *f, const struct attach_result *r)
{
	char budget[DURATION_LEN], *outcome = memstream_of(put_outcome, r);

	fputs("## ", f);
	markdown_text(f, r->start.text);
	fputs(" to ", f);
	markdown_text(f, r->stop.text);
	fprintf(f, ", budget %s\n", duration_exact(budget, r->budget_ns));
	if (outcome)
		paragraph(f, "", outcome, ".");
	free(outcome);
	paragraph(f, "In ", r->file, ".");
	paragraph(f, "Linux ", r->kernel,
		  r->deterministic ? ". Times are executed instructions." : ".");
	markdown_said(f, &r->said);
}

static void put_wait(FILE *f, const void *wait)
{
	attach_wait_text(f, wait);
}

static void waits(FILE *f, const struct attach_result *r)
{
	static const char *const titles[] = { "longest wait", "task", NULL };
	char name[PRINTABLE_NAME], *text;
	size_t i;

	if (!r->waits.n)
		return;
	begin_table(f, titles);
	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];
		const struct attach_wait *wait = attach_wait_of(r, w);

		if (!wait)
			continue;
		text = memstream_of(put_wait, wait);
		put_cell(f, text ? text : "?");
		cell(f, "%s/%" PRIu32, printable(name, w->comm, TLOB_NAME_LEN), w->tid);
		end_row(f);
		free(text);
	}
}

static void functions(FILE *f, const struct attach_result *r)
{
	const struct functions_shown s = { .sets = r->functions, .all = r->function_totals };

	markdown_functions(f, &s);
}

int attach_tables(FILE *f, const struct attach_result *r)
{
	char **note;

	heading(f, r);
	counters(f, r);
	times(f, r);
	worst(f, r);
	functions(f, r);
	waits(f, r);
	offenders(f, r);
	for (note = r->notes; note && *note; note++)
		paragraph(f, "> ", *note, "");
	return ferror(f) ? -EIO : 0;
}
