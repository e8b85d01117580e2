// SPDX-License-Identifier: GPL-2.0
/* The threads whose activations were watched. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "report/region.h"
#include "util/memstream.h"
#include "util/printable.h"

#define TOP_THREADS	10
#define JITTER_LEN	32
#define JITTER_SAMPLES	100	/* p1 and p99 need them */
#define P1	10000
#define P50	500000
#define P99	990000

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

static void row(struct table *t, const struct activation_thread *one)
{
	char task[TASK_TEXT], jitter[JITTER_LEN];

	table_cell(t, "%s\t%" PRIu64 "\t%" PRIu64, task_text(task, one->comm, one->tid), one->windows,
		   one->violations);
	table_bad(t, one->violations);
	cell_us(t, true, one->max_ns);
	cell_quantile(t, &one->wake, 0, P50);
	cell_quantile(t, &one->wake, 0, P99);
	cell_us(t, one->wake.n, one->wake.max);
	if (one->period_ns)
		table_cell(t, "%.1f", (double)one->period_ns / 1e3);
	else
		table_cell(t, "-");
	cell_quantile(t, &one->interval, 0, P50);
	cell_quantile(t, &one->interval, 0, P99);
	jitter_text(jitter, &one->interval);
	table_cell(t, "%s", jitter);
	if (one->period_ns)
		table_cell(t, "%" PRIu64, one->skipped);
	else
		table_cell(t, "-");
	table_made(t, memstream_of(put_wakers, one));
}

int threads_table(FILE *f, enum table_form form, const struct result *r)
{
	const struct activations *a = &r->attached->activations;
	struct table t = {
		.title = "threads, those first that were late most often; us",
		.align = "lrrrrrrrrrrrl", .gap = 2, .form = form,
	};
	size_t shown = form == TABLE_PAGE ? ACTIVATION_THREADS : TOP_THREADS;
	size_t order[ACTIVATION_THREADS], i;

	activations_sort(a, order);
	table_cell(&t, "thread\tactivations\tlate\tmax\twake p50\tp99\tmax\tperiod%s\tinterval p50\tp99\tjitter%s\tskipped\twoken by",
		   form == TABLE_PAGE ? " (us)" : "", form == TABLE_PAGE ? " (us)" : "");
	for (i = 0; i < a->n && i < shown; i++)
		row(&t, &a->thread[order[i]]);
	if (a->n > shown)
		table_note(&t, "and %zu more", a->n - shown);
	return table_print(&t, f);
}
