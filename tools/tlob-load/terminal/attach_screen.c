// SPDX-License-Identifier: GPL-2.0
/* The table in place of attach: its region, and the worst windows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "result/attach_result.h"
#include "show/attach_render.h"
#include "terminal/screen.h"
#include "terminal/snapshot.h"
#include "util/printable.h"
#include "util/units.h"

#define BAR_WIDTH	24
#define WORST_SHOWN	5

/* Of the monitor, which never has hw: it has no name. */
static const struct bar_part bar_parts[TLOB_NR_TASK_PARTS] = {
	[TLOB_TASK_PART_RUNNING] = { '=', 36, "running", 0 },
	[TLOB_TASK_PART_IRQ] = { 'i', 214, "irq", 0 },
	[TLOB_TASK_PART_SOFTIRQ] = { 's', 175, "softirq", 0 },
	[TLOB_TASK_PART_NMI] = { 'n', 97, "nmi", 0 },
	[TLOB_TASK_PART_WAITING] = { 't', 166, "waiting", 0 },
	[TLOB_TASK_PART_SLEEPING] = { 'z', 144, "sleeping", 0 },
};

static void put_region(FILE *f, const struct attach_result *r)
{
	char *start = r->start.text ? printable_dup(r->start.text) : NULL;
	char *stop = r->stop.text ? printable_dup(r->stop.text) : NULL;

	fprintf(f, "from %s to %s\n", start ? start : "", stop ? stop : "");
	free(start);
	free(stop);
}

static uint64_t quantile(const struct tlob_hist *h, unsigned int ppm)
{
	return hist_has_quantile(h, ppm) ? hist_quantile(h, ppm) : SNAPSHOT_FEW;
}

static void put_row(FILE *f, const struct attach_result *r, const struct view *v)
{
	const struct tlob_hist *h = &r->hist[ATTACH_ELAPSED];
	char windows[SCREEN_COUNT_LEN], violations[SCREEN_COUNT_LEN];
	char cut[SCREEN_COUNT_LEN], open[SCREEN_COUNT_LEN];
	char p50[SCREEN_US_LEN], p999[SCREEN_US_LEN], max[SCREEN_US_LEN];
	struct bar_part part[TLOB_NR_TASK_PARTS];
	unsigned int i;

	fprintf(f, "%7s %5s %5s %5s", screen_count(windows, r->windows, 7),
		screen_count(violations, r->violations, 5), screen_count(cut, r->cut, 5),
		screen_count(open, r->nopen, 5));
	fprintf(f, " %5s %5s %5s ", screen_us(p50, quantile(h, 500000)),
		screen_us(p999, quantile(h, 999000)),
		screen_us(max, h->n ? h->max : SNAPSHOT_FEW));
	memcpy(part, bar_parts, sizeof(part));
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		part[i].ns = r->hist[ATTACH_PARTS + i].sum;
	screen_bar(f, v, part, TLOB_NR_TASK_PARTS, BAR_WIDTH);
	fputc('\n', f);
}

static void put_worst(FILE *f, const struct attach_result *r)
{
	char elapsed[SCREEN_US_LEN], name[PRINTABLE_NAME];
	size_t i;

	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];

		fprintf(f, "%s%7s  %s/%" PRIu32 ": ", i ? "      " : "worst ",
			screen_us(elapsed, w->elapsed_ns),
			printable(name, w->comm, TLOB_NAME_LEN), w->tid);
		attach_cause(f, r, w);
		fputc('\n', f);
	}
}

static void put_attach(FILE *f, const struct attach_result *r, uint64_t elapsed_ns,
		       uint64_t duration_ns, const struct view *v)
{
	const char *bold = v->colour ? "\033[1m" : "", *plain = v->colour ? "\033[0m" : "";
	char budget[DURATION_LEN], step[DURATION_LEN];

	fprintf(f, "%" PRIu64 "s", elapsed_ns / 1000000000);
	if (duration_ns)
		fprintf(f, " of %" PRIu64 "s", (duration_ns + 999999999) / 1000000000);
	fprintf(f, ", budget %s", duration_exact(budget, r->budget_ns));
	if (r->clock_resolution_ns > 1)
		fprintf(f, ", clock %s", duration_exact(step, r->clock_resolution_ns));
	if (v->hint)
		fprintf(f, "   %s", v->hint);
	fputc('\n', f);
	put_region(f, r);
	fprintf(f, "%sus                        elapsed           parts%s\n", bold, plain);
	fprintf(f, "%swindows  viol   cut  open   p50 p99.9   max%s\n", bold, plain);
	put_row(f, r, v);
	put_worst(f, r);
	screen_legend(f, v, bar_parts, TLOB_NR_TASK_PARTS);
}

void screen_attach(FILE *f, const struct attach_result *r, uint64_t elapsed_ns,
		   uint64_t duration_ns, const struct view *v)
{
	char *text = NULL;
	size_t len;
	FILE *whole = open_memstream(&text, &len);

	if (!whole)
		return;
	put_attach(whole, r, elapsed_ns, duration_ns, v);
	fclose(whole);
	screen_cut(f, text ? text : "", v);
	free(text);
}
