// SPDX-License-Identifier: GPL-2.0
/* Prints the tables for people: what ran, counts, latencies, notes, warnings. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_render.h"
#include "report/functions_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "report/region.h"
#include "report/render.h"
#include "result/parts.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

/* Up to this many CPUs get three lines each; with more CPUs each gets one. */
#define CPUS_IN_FULL	8

#define ALL_PARTS	(PARTS_OF_WAKE | PARTS_OF_WORK)

static const char * const latency_names[] = { "irq", "wake", "response" };

static void put_text(struct line *l, const char *label, const char *text)
{
	line_foreign(l, ", ", label, text);
}

/* A line of its own, or more; none for NULL. */
static void put_words(struct line *l, const char *text)
{
	char *s = text ? printable_dup(text) : NULL;

	if (!s)
		return;
	line_words(l, "", s);
	line_end(l);
	free(s);
}

static void put_tags_of(struct line *l, const struct result *r)
{
	char *tags = tags_text(&r->tags);

	put_text(l, "tags ", tags);
	free(tags);
}

static void put_duration(struct line *l, const char *label, uint64_t ns)
{
	char buf[DURATION_LEN];

	line_put(l, ", ", "%s%s", label, duration_exact(buf, ns));
}

static void render_header(FILE *f, const struct result *r)
{
	struct line l = { .f = f, .indent = 11 };
	char *workload = printable_dup(r->workload ? r->workload : "unknown");
	char buf[DURATION_LEN];

	l.col = (unsigned int)fprintf(f, "tlob-load  ");
	line_put(&l, "", "%s workload", workload ? workload : "unknown");
	free(workload);
	put_text(&l, "label ", r->label);
	put_tags_of(&l, r);
	put_text(&l, "work ", r->work);
	put_duration(&l, "period ", r->period_ns);
	put_duration(&l, "budget ", r->budget_ns);
	put_text(&l, "", r->policy);
	put_text(&l, "not permitted: ", r->policy_asked);
	if (r->align_ns)
		put_duration(&l, "align ", r->align_ns);
	line_end(&l);
	put_text(&l, "CPUs ", r->cpus);
	put_text(&l, "housekeeping ", r->housekeeping);
	line_put(&l, ", ", "ran %s", duration_format(buf, r->duration_ns));
	put_text(&l, "dma_latency ", r->dma_latency);
	put_text(&l, "tuned ", r->tune);
	put_text(&l, "load ", r->load);
	put_text(&l, "backend ", r->backend);
	if (r->noise_source && strcmp(r->noise_source, "none"))
		put_text(&l, "noise source ", r->noise_source);
	line_end(&l);
	put_words(&l, r->backend_because);
	put_text(&l, "Linux ", r->kernel);
	put_text(&l, "", r->machine);
	line_end(&l);
	if (r->deterministic)
		fprintf(f, "%*s" EXECUTED_INSTRUCTIONS "\n", (int)l.indent, "");
}

void cell_cpu(struct table *t, const struct result_cpu *c)
{
	const char *host = t->form && c->host ? c->host : "";

	if (c->cpu < 0)
		table_cell(t, "all");
	else
		table_cell(t, "%s%s%d", host, *host ? " " : "", c->cpu);
}

static void cell_counters(struct table *t, const struct result_cpu *c)
{
	cell_cpu(t, c);
	table_cell(t, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, c->windows, c->violations,
		   c->missed, c->lost);
}

static const struct result_cpu *row(const struct result *r, size_t i)
{
	return i < r->ncpus ? &r->cpu[i] : &r->all;
}

/* With one CPU the row of all would repeat it. */
static size_t nr_rows(const struct result *r)
{
	return r->ncpus == 1 ? 1 : r->ncpus + 1;
}

static int render_counters(FILE *f, const struct result *r)
{
	struct table t = { .align = "rrrrr", .gap = 2 };
	size_t i;

	table_cell(&t, "cpu\twindows\tviolations\tmissed\tlost");
	for (i = 0; i < nr_rows(r); i++)
		cell_counters(&t, row(r, i));
	return table_print(&t, f);
}

void cell_latency_rows(struct table *t, const struct result_cpu *c)
{
	int m, first = irq_is_available(c->unavailable) ? TLOB_METRIC_IRQ : TLOB_METRIC_WAKE;

	for (m = first; m <= TLOB_METRIC_RESPONSE; m++) {
		const struct tlob_hist *h = &c->hist[m];

		if (m == first)
			cell_cpu(t, c);
		table_cell(t, "%s%s", m == first ? "" : "\t", latency_names[m]);
		cell_latencies(t, h, result_missed(c, (unsigned int)m));
	}
}

static int render_latencies(FILE *f, const struct result *r, size_t first)
{
	struct table t = { .align = "rlrrrrrr", .gap = 2 };
	bool few = false, missed = false;
	size_t i;

	table_cell(&t, "cpu\tus");
	cell_latency_titles(&t);
	for (i = first; i < nr_rows(r); i++) {
		cell_latency_rows(&t, row(r, i));
		few |= latencies_are_few(&row(r, i)->hist[TLOB_METRIC_RESPONSE]);
		missed |= latencies_are_missed(&row(r, i)->hist[TLOB_METRIC_RESPONSE],
					       result_missed(row(r, i), TLOB_METRIC_RESPONSE));
	}
	if (few)
		table_note(&t, FEW_LATENCIES);
	if (missed)
		table_note(&t, "missed: " AMONG_MISSED);
	return table_print(&t, f);
}

int render_overview(FILE *f, enum table_form form, const struct result *r)
{
	struct table t = {
		.title = form ? "windows and latencies, us" : NULL, .align = "rrrrrrrrrrr", .gap = 2,
		.titles = 2, .form = form,
	};
	size_t i;
	int m;

	table_cell(&t, "%s\t\t\t\t\twake\t\t\tresponse\t\t", form ? "" : "us");
	table_cell(&t, "cpu\twindows\tviol\tmiss\tlost\tp50\tp99.9\tmax\tp50\tp99.9\tmax");
	for (i = 0; i < nr_rows(r); i++) {
		const struct result_cpu *c = row(r, i);

		cell_counters(&t, c);
		for (m = TLOB_METRIC_WAKE; m <= TLOB_METRIC_RESPONSE; m++) {
			uint64_t missed = result_missed(c, (unsigned int)m);

			cell_quantile(&t, &c->hist[m], missed, 500000);
			cell_quantile(&t, &c->hist[m], missed, 999000);
			cell_us(&t, c->hist[m].n, c->hist[m].max);
		}
	}
	return table_print(&t, f);
}

/* Mean on_cpu - demand of one CPU or of all, in *@ns. False without a demand. */
static bool slowdown(const struct result_cpu *c, int64_t *ns)
{
	const struct tlob_hist *h =
		&c->hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU];

	/* calibration windows that differ this much give no demand */
	if (!c->demand_ns || !h->n || c->demand_spread_ns > c->demand_ns / 5)
		return false;
	*ns = (int64_t)(hist_mean(h) - c->demand_ns);
	return true;
}

static void render_slowdown(FILE *f, const struct result *r)
{
	char us[DURATION_LEN], demand[DURATION_LEN], spread[DURATION_LEN];
	const struct result_cpu *worst = NULL;
	int64_t ns, max = 0;
	size_t i;

	if (!slowdown(&r->all, &ns))
		return;
	fprintf(f, "slowdown  %s%sus per window (%+.1f%%): mean on_cpu - demand %sus (calibrated, spread %sus)",
		ns < 0 ? "-" : "", duration_us(us, (uint64_t)llabs(ns)),
		100.0 * (double)ns / (double)r->all.demand_ns,
		duration_us(demand, r->all.demand_ns),
		duration_us(spread, r->all.demand_spread_ns));
	for (i = 0; r->ncpus > 1 && i < r->ncpus; i++)
		if (slowdown(&r->cpu[i], &ns) && (!worst || ns > max)) {
			worst = &r->cpu[i];
			max = ns;
		}
	if (worst)
		fprintf(f, "\n          largest on cpu %d: %s%sus of %sus",
			worst->cpu, max < 0 ? "-" : "",
			duration_us(us, (uint64_t)llabs(max)),
			duration_us(demand, worst->demand_ns));
	fputc('\n', f);
}

/*
 * The cost of measuring, outside the windows and inside them. Warm-up windows cost
 * the same and are in the sum of the ns, so they also count in the divisor. The
 * module adds one timer interrupt for each window and one for each violation.
 */
static void render_overhead(FILE *f, const struct result *r)
{
	const struct result_cpu *a = &r->all;
	uint64_t windows = a->windows + a->warm_up;
	char us[DURATION_LEN];

	if (!windows)
		return;
	if (a->overhead_ns)
		fprintf(f, "overhead  %sus per window, outside the measured time",
			duration_us(us, a->overhead_ns / windows));
	else
		fprintf(f, "overhead  not measured");
	if (!(a->unavailable & 1U << TLOB_WAKE_IRQ))
		fprintf(f, "; %" PRIu64 " own timer interrupts, in irq",
			windows + a->violations + a->warm_up_violations);
	fputc('\n', f);
}

static void render_unavailable(FILE *f, const struct result *r)
{
	/* what attach measures on no kernel is no news */
	uint32_t parts = r->all.unavailable & ~(r->attached ? ATTACH_LACKS : 0U);
	struct line l = { .f = f, .indent = 14 };
	const char *sep = "";
	unsigned int i;

	if (!parts)
		return;
	l.col = (unsigned int)fprintf(f, "not measured  ");
	if ((parts & ALL_PARTS) == ALL_PARTS)
		l.col += (unsigned int)fprintf(f, "irq, and all parts of wake and response");
	else for (i = 0; i < TLOB_NR_PARTS; i++)
		if (parts & 1U << i) {
			line_put(&l, sep, "%s", part_name(i));
			sep = ", ";
		}
	if (r->attached)
		line_put(&l, ": ", "their time is in the others");
	line_foreign(&l, ": ", "", r->unavailable_because);
	line_end(&l);
}

static void warn_of_run(FILE *f, const struct result *r)
{
	const struct result_cpu *a = &r->all;
	size_t i;

	if (!a->windows)
		fprintf(f, "warning: no window was measured: the result is empty\n");
	for (i = 0; a->windows && i < r->ncpus; i++)
		if (!r->cpu[i].windows)
			fprintf(f, "warning: no window was measured on cpu %d\n",
				r->cpu[i].cpu);
	if (a->lost)
		fprintf(f, "warning: records lost: %" PRIu64 "; worst windows and names are incomplete\n",
			a->lost);
}

void render_warnings(FILE *f, const struct result *r)
{
	const struct result_cpu *a = &r->all;

	if (r->attached)
		region_warnings(f, r);
	else
		warn_of_run(f, r);
	/* of attach they are in windows that are not measured */
	render_doubts(f, a->sum_failures, r->attached ? 0 : a->errors, a->adjusted_ns, a->clock_steps);
	if (r->tune_left_out)
		put_printable(f, "warning: settings that could not be changed: %s\n", r->tune_left_out);
	if (a->inexact)
		fprintf(f, "warning: inexact windows: %" PRIu64 " of %" PRIu64 "\n",
			a->inexact, a->windows);
	render_functions_warnings(f, r->functions, r->all.functions);
}

static void render_notes(FILE *f, const struct result *r)
{
	const struct result_cpu *a = &r->all;
	size_t i;

	if (r->partial)
		render_note(f, "partial", "this was written before the run had ended");
	if (r->stopped_by)
		render_note(f, "stopped by", r->stopped_by);
	if (r->trace_file)
		render_note(f, "trace", r->trace_file);
	if (a->warm_up)
		fprintf(f, "note  warm-up windows left out: %" PRIu64 "\n",
			a->warm_up);
	if (a->aborted)
		fprintf(f, "note  windows cut off by the end of the run: %" PRIu64 " (counted as missed)\n",
			a->aborted);
	if (r->attached)
		region_left_out(f, r);
	for (i = 0; r->notes && r->notes[i]; i++)
		render_note(f, "note", r->notes[i]);
}

int render_notes_of(FILE *f, const struct result *r,
		    int (*add)(char ***lines, const struct result *r))
{
	char **lines = NULL, **line;
	int err = add(&lines, r);

	for (line = lines; line && *line; line++)
		fprintf(f, "%s\n", *line);
	notes_free(lines);
	return err;
}

static void put_header(FILE *f, const struct result *r)
{
	if (!r->attached) {
		render_header(f, r);
		return;
	}
	region_header(f, r, LAYOUT_WIDTH);
	region_machine(f, r);
}

/* The counts, and the latencies; of attach also a row for each part, and for each thread. */
static int render_numbers(FILE *f, const struct result *r)
{
	bool full = r->ncpus <= CPUS_IN_FULL;
	int err;

	if (r->attached)
		err = region_counters(f, TABLE_TEXT, r);
	else
		err = full ? render_counters(f, r) : render_overview(f, TABLE_TEXT, r);
	if (!err && r->all.windows) {
		fputc('\n', f);
		err = r->attached ? region_quantiles(f, TABLE_TEXT, r, 0) :
				    render_latencies(f, r, full ? 0 : r->ncpus);
	}
	if (!err && r->attached)
		err = threads_table(f, TABLE_TEXT, r);
	return err;
}

/* What comes with the worst windows. */
static int render_rest(FILE *f, const struct result *r)
{
	int err = 0;

	if (r->all.windows || r->nworst)
		err = render_split(f, r);
	if (!err && r->functions && r->all.windows) {
		fputc('\n', f);
		err = render_functions(f, r, LAYOUT_WIDTH, true);
	}
	if (!err && r->all.os)
		err = render_os(f, TABLE_TEXT, r);
	return err ? err : render_findings(f, r);
}

int render_text(FILE *f, const struct result *r, bool with_worst)
{
	int err;

	put_header(f, r);
	fputc('\n', f);
	err = render_numbers(f, r);
	if (!err && with_worst)
		err = render_rest(f, r);
	if (err)
		return err;
	fputc('\n', f);
	if (with_worst)
		err = render_notes_of(f, r, outcome_bounds);
	if (err)
		return err;
	render_slowdown(f, r);
	if (with_worst && !r->attached)
		render_overhead(f, r);
	render_unavailable(f, r);
	render_notes(f, r);
	render_warnings(f, r);
	return ferror(f) ? -EIO : 0;
}
