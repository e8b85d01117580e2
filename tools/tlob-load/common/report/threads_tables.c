// SPDX-License-Identifier: GPL-2.0
/* The threads whose activations were watched, as text, Markdown and page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "report/pieces.h"
#include "report/region.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

#define TOP_THREADS	10
#define JITTER_LEN	32
#define JITTER_SAMPLES	100	/* p1 and p99 need them */
#define P1	10000
#define P50	500000
#define P99	990000

/* What the rows of all three have. */
struct cells {
	char	task[TASK_TEXT];
	char	wake50[QUANTILE_LEN], wake99[QUANTILE_LEN];
	char	interval50[QUANTILE_LEN], interval99[QUANTILE_LEN];
	char	jitter[JITTER_LEN], period[32];
	char	skipped[24];
	char	waker[128];
};

static void put_wakers(FILE *f, const void *data)
{
	const struct activation_thread *t = data;
	char name[PRINTABLE_NAME];
	uint64_t all = t->other_wakers;
	const char *sep = "";
	size_t i;

	for (i = 0; i < t->nwaker; i++)
		all += t->waker[i].count;
	for (i = 0; i < t->nwaker; i++) {
		if (!t->waker[i].count || t->waker[i].count * 100 < all)
			continue;
		fprintf(f, "%s%s %.0f %%", sep,
			printable(name, t->waker[i].name, sizeof(t->waker[i].name)),
			100 * (double)t->waker[i].count / (double)all);
		sep = ", ";
	}
}

/* p99 less p1. Two quantiles in one bucket are less apart than the bucket may be wide. */
static void jitter_text(char text[JITTER_LEN], const struct tlob_hist *interval)
{
	uint64_t p1 = hist_quantile(interval, P1), p99 = hist_quantile(interval, P99);

	if (interval->n < JITTER_SAMPLES)
		snprintf(text, JITTER_LEN, "-");
	else if (p1 == p99 && interval->min < interval->max)
		snprintf(text, JITTER_LEN, "<%.1f", (double)p99 / TLOB_HIST_SUB / 1e3);
	else
		snprintf(text, JITTER_LEN, "%.1f", (double)(p99 - p1) / 1e3);
}

static void fill(struct cells *c, const struct activation_thread *t)
{
	char *wakers = memstream_of(put_wakers, t);

	task_text(c->task, t->comm, t->tid);
	quantile_text(c->wake50, &t->wake, 0, P50, "-");
	quantile_text(c->wake99, &t->wake, 0, P99, "-");
	quantile_text(c->interval50, &t->interval, 0, P50, "-");
	quantile_text(c->interval99, &t->interval, 0, P99, "-");
	jitter_text(c->jitter, &t->interval);
	snprintf(c->skipped, sizeof(c->skipped), "-");
	snprintf(c->period, sizeof(c->period), "-");
	if (t->period_ns) {
		snprintf(c->skipped, sizeof(c->skipped), "%" PRIu64, t->skipped);
		snprintf(c->period, sizeof(c->period), "%.1f", (double)t->period_ns / 1e3);
	}
	snprintf(c->waker, sizeof(c->waker), "%s", wakers ? wakers : "?");
	free(wakers);
}

int threads_table(FILE *f, const struct attach_result *r)
{
	struct table t = { .align = "lrrrrrrrrrrrl", .gap = 2 };
	size_t order[ACTIVATION_THREADS], i;
	struct cells c;

	if (!r->activations.n)
		return 0;
	fputs("\nthreads, those first that were late most often; us\n", f);
	activations_sort(&r->activations, order);
	table_cell(&t, "thread\tactivations\tlate\tmax\twake p50\tp99\tmax\tperiod\tinterval p50\tp99\tjitter\tskipped\twoken by");
	for (i = 0; i < r->activations.n && i < TOP_THREADS; i++) {
		const struct activation_thread *one = &r->activations.thread[order[i]];

		fill(&c, one);
		table_cell(&t, "%s\t%" PRIu64 "\t%" PRIu64, c.task, one->windows, one->violations);
		cell_us(&t, true, one->max_ns);
		table_cell(&t, "%s\t%s", c.wake50, c.wake99);
		cell_us(&t, one->wake.n, one->wake.max);
		table_cell(&t, "%s\t%s\t%s\t%s\t%s\t%s", c.period, c.interval50, c.interval99, c.jitter,
			   c.skipped, c.waker);
	}
	if (r->activations.n > TOP_THREADS)
		table_cell(&t, "and %zu more", r->activations.n - TOP_THREADS);
	return table_print(&t, f);
}

void threads_markdown(FILE *f, const struct attach_result *r)
{
	size_t order[ACTIVATION_THREADS], i;
	struct cells c;

	if (!r->activations.n)
		return;
	activations_sort(&r->activations, order);
	fputs("\n| thread | activations | late | max us | wake p50 us | p99 | period us | interval p50 us | p99 | skipped | woken by |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n", f);
	for (i = 0; i < r->activations.n && i < TOP_THREADS; i++) {
		const struct activation_thread *one = &r->activations.thread[order[i]];

		fill(&c, one);
		markdown(f, "| %s | ", c.task);
		fprintf(f, "%" PRIu64 " | %" PRIu64 " | %.1f | %s | %s | %s | %s | %s | %s | ",
			one->windows, one->violations, (double)one->max_ns / 1e3, c.wake50,
			c.wake99, c.period, c.interval50, c.interval99, c.skipped);
		markdown(f, "%s |\n", c.waker);
	}
}

void threads_page(FILE *f, const struct attach_result *r)
{
	size_t order[ACTIVATION_THREADS], i;
	struct cells c;

	if (!r->activations.n)
		return;
	activations_sort(&r->activations, order);
	fputs("<h2>Threads</h2>\n<div class=\"wide\"><table>\n<tr><th>thread<th>activations<th>late<th>max<th>wake p50, us<th>p99<th>period, us<th>interval p50, us<th>p99<th>skipped<th class=\"l\">woken by\n", f);
	for (i = 0; i < r->activations.n; i++) {
		const struct activation_thread *one = &r->activations.thread[order[i]];

		fill(&c, one);
		markup(f, "<tr><td>%s", c.task);
		fprintf(f, "<td>%" PRIu64 "<td%s>%" PRIu64, one->windows,
			one->violations ? " class=\"bad\"" : "", one->violations);
		cell_time(f, true, one->max_ns);
		fprintf(f, "<td>%s<td>%s<td>%s<td>%s<td>%s<td>%s", c.wake50, c.wake99, c.period,
			c.interval50, c.interval99, c.skipped);
		markup(f, "<td class=\"l\">%s\n", c.waker);
	}
	fputs("</table></div>\n", f);
}

void threads_warnings(FILE *f, const struct attach_result *r)
{
	if (r->activations.further)
		fprintf(f, "warning: windows of further threads than the %d that are kept apart: %" PRIu64 "\n",
			ACTIVATION_THREADS, r->activations.further);
}
