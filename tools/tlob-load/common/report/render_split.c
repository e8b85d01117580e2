// SPDX-License-Identifier: GPL-2.0
/* Prints where the time went: shares, offenders, and the worst windows part by part. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/chain_text.h"
#include "report/functions_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "report/places.h"
#include "report/region.h"
#include "report/render.h"
#include "report/timeline_render.h"
#include "report/window_waits.h"
#include "result/parts.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

#define TOP_WINDOWS	5

/* Without any part there are still the two phases. */
static void render_phases(struct line *l, const char *label, double wake, double response,
			  uint64_t response_ns)
{
	struct share shares[] = {
		{ "wake", wake / response, 0 }, { "work", 0, 1 - wake / response },
	};

	render_shares(l, label, "response", response_ns, shares, 2);
}

/* @part: ns of each enum tlob_part; unavailable parts are 0. */
static void render_response(struct line *l, const char *label, const double *part, double response,
			    uint64_t response_ns)
{
	struct share shares[TLOB_NR_PARTS];
	const char *name;
	size_t n = 0, k;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++) {
		double share = part[i] / response;

		if (!(part[i] > 0))
			continue;
		name = part_short_name(i);
		for (k = 0; k < n; k++)
			if (!strcmp(shares[k].name, name))
				break;
		if (k == n)
			shares[n++] = (struct share){ name, 0, 0 };
		if (i < TLOB_WORK_ON_CPU)
			shares[k].wake = share;
		else
			shares[k].work = share;
	}
	render_shares(l, label, "response", response_ns, shares, n);
}

void render_mean_and_worst(FILE *f, const struct result *r, unsigned int width)
{
	struct line l = { .f = f, .indent = 9, .width = width };
	const struct tlob_hist *response = &r->all.hist[TLOB_METRIC_RESPONSE];
	const struct tlob_window *worst = r->nworst ? &r->worst[0].w : NULL;
	bool blind = parts_are_unavailable(r->all.unavailable);
	double part[TLOB_NR_PARTS];
	unsigned int i;

	if (response->sum && blind) {
		render_phases(&l, "mean", (double)r->all.hist[TLOB_METRIC_WAKE].sum,
			      (double)response->sum, hist_mean(response));
	} else if (response->sum) {
		for (i = 0; i < TLOB_NR_PARTS; i++)
			part[i] = (double)r->all.hist[TLOB_METRIC_PARTS + i].sum;
		render_response(&l, "mean", part, (double)response->sum, hist_mean(response));
	}
	if (!worst || !worst->response_ns)
		return;
	if (blind) {
		render_phases(&l, "worst", (double)worst->wake_ns, (double)worst->response_ns,
			      worst->response_ns);
	} else {
		for (i = 0; i < TLOB_NR_PARTS; i++)
			part[i] = (double)worst->part_ns[i];
		render_response(&l, "worst", part, (double)worst->response_ns, worst->response_ns);
	}
}

static const char *delayed_text(char *buf, size_t size,
				const struct tlob_window *w)
{
	char name[PRINTABLE_NAME];

	if (window_met_user(w)) {
		snprintf(buf, size, "user code");
	} else if (w->delayed_by_pid) {
		printable(name, w->delayed_by, TLOB_NAME_LEN);
		snprintf(buf, size, "%s (pid %d)", name, w->delayed_by_pid);
	} else if (w->delayed_by_idle_state >= 0) {
		snprintf(buf, size, "idle (state %d)", w->delayed_by_idle_state);
	} else {
		snprintf(buf, size, "idle");
	}
	return buf;
}

/* How often a part occurred in the window, and its largest offender. */
static void part_remark(char *buf, size_t size, const struct tlob_window *w,
			unsigned int part)
{
	static const int kinds[TLOB_NR_PARTS] = {
		[TLOB_WAKE_IRQ] = TLOB_NOISE_IRQ + 1,
		[TLOB_WAKE_SOFTIRQ] = TLOB_NOISE_SOFTIRQ + 1,
		[TLOB_WAKE_NMI] = TLOB_NOISE_NMI + 1,
		[TLOB_WAKE_THREAD] = TLOB_NOISE_THREAD + 1,
		[TLOB_WORK_IRQ] = TLOB_NOISE_IRQ + 1,
		[TLOB_WORK_SOFTIRQ] = TLOB_NOISE_SOFTIRQ + 1,
		[TLOB_WORK_NMI] = TLOB_NOISE_NMI + 1,
		[TLOB_WORK_THREAD] = TLOB_NOISE_THREAD + 1,
	};
	bool in_work = part >= TLOB_WORK_ON_CPU;
	unsigned int kind = (unsigned int)kinds[part] - 1;
	char who[128], us[DURATION_LEN];
	uint32_t count;
	int n;

	buf[0] = 0;
	if (part == TLOB_WAKE_IRQ_DELAY)
		snprintf(buf, size, "%s was running",
			 delayed_text(who, sizeof(who), w));
	if (!kinds[part])
		return;
	count = in_work ? w->work_count[kind] : w->wake_count[kind];
	n = snprintf(buf, size, "%" PRIu32 "x", count);
	if (w->largest.ns && w->largest.kind == kind &&
	    !w->largest.in_work == !in_work)
		snprintf(buf + n, size - (size_t)n, ", the largest %s: %sus",
			 noise_text(who, sizeof(who), &w->largest),
			 duration_us(us, w->largest.ns));
}

static void ledger_row(struct table *t, const char *phase, const char *what,
		       uint64_t ns, const char *remark)
{
	char us[DURATION_LEN];

	table_cell(t, "%s\t%s\t%s\t%s", phase, what, duration_us(us, ns), remark);
}

/* The parts of one phase and their sum. */
static void ledger_phase(struct table *t, const struct tlob_window *w,
			 unsigned int first, unsigned int end,
			 const char *phase)
{
	uint32_t parts = first ? PARTS_OF_WORK : PARTS_OF_WAKE;
	const char *label = phase;
	uint64_t sum = 0;
	char remark[256];
	unsigned int i;

	for (i = first; i < end; i++) {
		if (!w->part_ns[i])
			continue;
		part_remark(remark, sizeof(remark), w, i);
		ledger_row(t, label, part_short_name(i), w->part_ns[i], remark);
		sum += w->part_ns[i];
		label = "";
	}
	if ((w->unavailable & parts) == parts)
		sum = first ? w->response_ns - w->wake_ns : w->wake_ns;
	ledger_row(t, label, "= phase", sum, "");
}

static int render_window(FILE *f, const struct result *r, const char *label,
			 const struct kept_window *k)
{
	const char *host = k->kept.host;
	const struct tlob_window *w = &k->w;
	struct table t = { .align = "llrl", .indent = 2, .gap = 2 };
	char us[DURATION_LEN], budget[DURATION_LEN];
	int err;

	put_printable(f, "\n%s: cpu %" PRIu32 "%s%s, activation %llu, expiry at %llu.%09llus; ",
		      label, w->cpu, *host ? " of " : "", host, (unsigned long long)w->activation,
		      (unsigned long long)(w->t0_ns / 1000000000),
		      (unsigned long long)(w->t0_ns % 1000000000));
	duration_exact(budget, w->budget_ns);
	if (w->response_ns > w->budget_ns)
		fprintf(f, "%sus over the budget of %s\n",
			duration_us(us, w->response_ns - w->budget_ns), budget);
	else
		fprintf(f, "within the budget of %s\n", budget);
	table_cell(&t, "\t\tus\t");
	ledger_phase(&t, w, 0, TLOB_WORK_ON_CPU, "wake");
	ledger_phase(&t, w, TLOB_WORK_ON_CPU, TLOB_NR_PARTS, "work");
	ledger_row(&t, "response", "= wake + work", w->response_ns,
		   window_adds_up(w) ? "" : "THE PARTS DO NOT ADD UP");
	err = table_print(&t, f);
	if (!err)
		place_stack_text(f, &k->kept.place);
	if (!err && k->kept.waits) {
		fputs("  longest wait: ", f);
		window_wait_text(f, k);
		fputc('\n', f);
	}
	if (!err)
		err = render_window_functions(f, r->functions, k->kept.functions);
	return err ? err : render_timeline(f, w, k->kept.timeline);
}

/* One row for each of the next windows: was it the same cause? */
static int render_next_worst(FILE *f, const struct result *r)
{
	bool blind = parts_are_unavailable(r->all.unavailable), hosts = *r->worst[0].kept.host;
	struct table t = {
		/* without a column for the host */
		.align = (blind ? "lrrrr" : "lrrrrrrll") + !hosts,
		.indent = 2, .gap = 2,
	};
	char us[DURATION_LEN], wake[DURATION_LEN], who[128], top[TOP_FUNCTION];
	size_t i;

	if (r->nworst < 2)
		return 0;
	fprintf(f, "\nnext worst windows, us\n");
	table_cell(&t, "%scpu\tactivation\tresponse\twake", hosts ? "host\t" : "");
	if (!blind)
		table_cell(&t, "on_cpu\tlargest\tinterruption%s", r->functions ? "\tmost in func." : "");
	if (!blind && !r->functions)
		t.align = hosts ? "lrrrrrrl" : "rrrrrrl";
	for (i = 1; i < r->nworst && i <= TOP_WINDOWS; i++) {
		const struct tlob_window *w = &r->worst[i].w;

		if (hosts)
			cell_foreign(&t, r->worst[i].kept.host);
		table_cell(&t, "%" PRIu32 "\t%llu\t%s\t%s", w->cpu, (unsigned long long)w->activation,
			   duration_us(us, w->response_ns), duration_us(wake, w->wake_ns));
		if (blind)
			continue;
		cell_us(&t, !(w->unavailable & 1U << TLOB_WORK_ON_CPU),
			w->part_ns[TLOB_WORK_ON_CPU]);
		cell_us(&t, w->largest.ns, w->largest.ns);
		table_cell(&t, "%s", w->largest.ns ?
			   noise_text(who, sizeof(who), &w->largest) : "none");
		if (r->functions)
			table_cell(&t, "%s", top_function(top, r->functions, r->worst[i].kept.functions));
	}
	return table_print(&t, f);
}

/* The order of events in the next worst windows, if they are violations. */
static int render_next_timelines(FILE *f, const struct result *r)
{
	size_t i, more = 0;
	int err = 0;

	for (i = 1; i < r->nworst && !err; i++) {
		const struct tlob_window *w = &r->worst[i].w;

		if (!r->worst[i].kept.timeline || !(w->flags & TLOB_WINDOW_VIOLATION))
			continue;
		if (i > TOP_WINDOWS) {
			more++;
			continue;
		}
		fprintf(f, "\nin order: cpu %" PRIu32 ", activation %llu\n", w->cpu,
			(unsigned long long)w->activation);
		err = render_timeline(f, w, r->worst[i].kept.timeline);
	}
	if (more)
		fprintf(f, "\nthe JSON and the page have the timelines of %zu more violations\n", more);
	return err;
}

/* The table above, which begins with window @first, has no room for them. */
static void render_waits(FILE *f, const struct result *r, size_t first)
{
	char task[TASK_TEXT], at[SINCE_LEN];
	size_t i;

	if (r->nworst <= first || !r->worst[first].kept.waits)
		return;
	fputs("\nthe longest wait of each of these\n", f);
	for (i = first; i < r->nworst && i < first + TOP_WINDOWS; i++) {
		const struct kept_window *k = &r->worst[i];

		if (r->attached)
			fprintf(f, "%6s  %s  ", since_text(at, r->attached->began_ns, k->w.t0_ns),
				task_text(task, k->kept.task.comm, k->kept.task.tid));
		else
			fprintf(f, "  cpu %" PRIu32 ", activation %llu: ", k->w.cpu,
				(unsigned long long)k->w.activation);
		window_wait_text(f, k);
		fputc('\n', f);
	}
}

static bool stopped_at(const struct result *r, const struct tlob_window *w)
{
	return r->stopped && r->stopped->w.cpu == w->cpu &&
	       r->stopped->w.activation == w->activation;
}

/* The worst window part by part, and a row for each of the next. */
static int render_worst(FILE *f, const struct result *r)
{
	int err = 0;

	if (r->stopped)
		err = render_window(f, r, "window that stopped the run", r->stopped);
	if (!err && r->nworst && !stopped_at(r, &r->worst[0].w))
		err = render_window(f, r, "worst window", &r->worst[0]);
	if (!err)
		err = render_next_worst(f, r);
	if (!err)
		err = render_next_timelines(f, r);
	if (!err)
		render_waits(f, r, 1);
	return err;
}

/* Of the worst window, unless it is short enough for the sentence. */
static void render_chain(FILE *f, const struct result *r)
{
	const struct kept_window *k = &r->worst[0];

	if (!r->nworst || k->kept.wait.nchain < 2)
		return;
	fputs("\nbehind the longest wait of the worst window: from, for\n", f);
	chain_lines(f, &k->kept.wait, k->kept.task.tid);
}

/* The same of attach: windows of several tasks, in one table. */
static int render_worst_tasks(FILE *f, const struct result *r)
{
	int err = region_worst(f, TABLE_TEXT, r);

	if (!err && r->nworst && r->worst[0].kept.functions) {
		fputs("\nin the worst window\n", f);
		err = render_window_functions(f, r->functions, r->worst[0].kept.functions);
	}
	if (!err) {
		render_waits(f, r, 0);
		render_chain(f, r);
	}
	return err;
}

int render_split(FILE *f, const struct result *r)
{
	int err;

	fputc('\n', f);
	render_mean_and_worst(f, r, LAYOUT_WIDTH);
	if (r->attached && r->nworst)
		place_stack_text(f, &r->worst[0].kept.place);
	err = render_offenders(f, TABLE_TEXT, &r->noise, TOP_OFFENDERS, NOISE_TITLE);
	if (!err)
		err = render_offenders(f, TABLE_TEXT, &r->delay, TOP_OFFENDERS, DELAY_TITLE);
	if (!err)
		err = render_places(f, TABLE_TEXT, r, TOP_PLACES);
	if (!err)
		err = r->attached ? render_worst_tasks(f, r) : render_worst(f, r);
	return err ? err : ferror(f) ? -EIO : 0;
}
