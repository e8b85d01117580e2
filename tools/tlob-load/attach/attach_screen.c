// SPDX-License-Identifier: GPL-2.0
/* The table in place of attach: its region, and the worst windows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_render.h"
#include "report/parts_text.h"
#include "report/screen.h"
#include "report/snapshot.h"
#include "result/attach_result.h"
#include "show/progress.h"

#include "util/markup.h"
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

static void put_row(FILE *f, const struct attach_result *r, const struct view *v)
{
	const struct tlob_hist *h = &r->hist[ATTACH_ELAPSED];
	char windows[SCREEN_COUNT_LEN], violations[SCREEN_COUNT_LEN];
	char cut[SCREEN_COUNT_LEN], open[SCREEN_COUNT_LEN];
	struct bar_part part[TLOB_NR_TASK_PARTS];
	unsigned int i;

	fprintf(f, "%7s %5s %5s %5s", screen_count(windows, r->windows, 7),
		screen_count(violations, r->violations, 5), screen_count(cut, r->cut, 5),
		screen_count(open, r->nopen, 5));
	screen_latency(f, snapshot_quantile(h, 0, 500000), snapshot_quantile(h, 0, 999000),
		       h->n ? h->max : SNAPSHOT_FEW);
	fputc(' ', f);
	memcpy(part, bar_parts, sizeof(part));
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		part[i].ns = r->hist[ATTACH_PARTS + i].sum;
	screen_bar(f, v, part, TLOB_NR_TASK_PARTS, BAR_WIDTH);
	fputc('\n', f);
}

static void put_worst(FILE *f, const struct attach_result *r)
{
	char elapsed[SCREEN_US_LEN], task[TASK_TEXT];
	size_t i;

	for (i = 0; i < r->nworst && i < WORST_SHOWN; i++) {
		const struct tlob_task_window *w = &r->worst[i];

		fprintf(f, "%s%7s  %s: ", i ? "      " : "worst ",
			screen_us(elapsed, w->elapsed_ns), task_text(task, w->comm, w->tid));
		attach_cause(f, r, w);
		fputc('\n', f);
	}
}

struct shown {
	const struct attach_result *r;
	uint64_t elapsed_ns, duration_ns;
	const struct view *v;
};

static void put_attach(FILE *f, const void *data)
{
	const struct shown *s = data;
	const struct attach_result *r = s->r;
	const struct view *v = s->v;

	screen_head(f, v, s->elapsed_ns, s->duration_ns, 0, r->budget_ns, r->clock_resolution_ns);
	put_printable(f, "from %s to %s\n", r->start.text, r->stop.text);
	screen_title(f, v, "us                        elapsed           parts");
	screen_title(f, v, "windows  viol   cut  open   p50 p99.9   max");
	put_row(f, r, v);
	put_worst(f, r);
	screen_legend(f, v, bar_parts, TLOB_NR_TASK_PARTS);
}

void screen_attach(FILE *f, const struct attach_result *r, uint64_t elapsed_ns,
		   uint64_t duration_ns, const struct view *v)
{
	const struct shown s = { r, elapsed_ns, duration_ns, v };

	screen_put(f, v, put_attach, &s);
}

static void put_shown(FILE *f, const void *data, const struct view *v)
{
	const struct shown *s = data;

	screen_attach(f, s->r, s->elapsed_ns, s->duration_ns, v);
}

void progress_attach(struct progress *p, const struct attach_result *r,
		     uint64_t elapsed_ns)
{
	const struct shown s = { r, elapsed_ns, p->duration_ns, NULL };

	if (!progress_is_due(p, elapsed_ns))
		return;
	if (p->how == PROGRESS_LINES)
		progress_line(p, elapsed_ns, r->windows, r->violations, NULL, r->budget_ns,
			      r->nworst ? r->worst[0].elapsed_ns : 0);
	else
		progress_draw(p, put_shown, &s);
}
