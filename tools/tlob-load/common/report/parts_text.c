// SPDX-License-Identifier: GPL-2.0
/* Cells, shares and offenders, for the tables of run and of attach. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts_text.h"
#include "result/parts.h"
#include "util/markup.h"
#include "util/printable.h"
#include "util/units.h"

static const struct {
	const char *name;
	unsigned int ppm;
} quantiles[] = {
	{ "p50", 500000 }, { "p99", 990000 }, { "p99.9", 999000 },
};

#define NR_QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

void cell_us(struct table *t, bool known, uint64_t ns)
{
	char buf[DURATION_LEN], exact[DURATION_LEN];

	if (!known || t->form != TABLE_PAGE) {
		table_cell(t, "%s", known ? duration_us(buf, ns) : "-");
		return;
	}
	table_cell(t, "%s", duration_format(buf, ns));
	if (strcmp(duration_exact(exact, ns), buf))
		table_hint(t, exact);
}

void cell_quantile(struct table *t, const struct tlob_hist *h,
		   uint64_t missed, unsigned int ppm)
{
	enum quantile known;
	uint64_t ns = 0;

	known = hist_quantile_missed(h, missed, ppm, &ns);
	if (known == QUANTILE_MISSED)
		table_cell(t, "missed");
	else
		cell_us(t, known == QUANTILE_KNOWN, ns);
	table_bad(t, known == QUANTILE_MISSED);
	if (known == QUANTILE_FEW)
		table_hint(t, "too few windows for this quantile");
	if (known == QUANTILE_MISSED)
		table_hint(t, AMONG_MISSED);
}

/* Nine characters hold 99 ms, so tables during a run keep their width. */
void cell_latency_titles(struct table *t)
{
	size_t i;

	table_cell(t, "%9s\t%9s", "min", "avg");
	for (i = 0; i < NR_QUANTILES; i++)
		table_cell(t, "%9s", quantiles[i].name);
	table_cell(t, "%9s", "max");
}

void cell_latencies(struct table *t, const struct tlob_hist *h, uint64_t missed)
{
	size_t i;

	cell_us(t, h->n, h->min);
	cell_us(t, h->n, hist_mean(h));
	for (i = 0; i < NR_QUANTILES; i++)
		cell_quantile(t, h, missed, quantiles[i].ppm);
	cell_us(t, h->n, h->max);
}

bool latencies_are_few(const struct tlob_hist *h)
{
	return !hist_has_quantile(h, quantiles[NR_QUANTILES - 1].ppm);
}

bool latencies_are_missed(const struct tlob_hist *h, uint64_t missed)
{
	uint64_t ns;
	size_t i;

	for (i = 0; i < NR_QUANTILES; i++)
		if (hist_quantile_missed(h, missed, quantiles[i].ppm, &ns) == QUANTILE_MISSED)
			return true;
	return false;
}

void render_note(FILE *f, const char *label, const char *text)
{
	put_printable(f, "%s  %s\n", label, text);
}

void render_doubts(FILE *f, uint64_t sum_failures, uint64_t errors, uint64_t adjusted_ns,
		   uint64_t clock_steps)
{
	char buf[DURATION_LEN];

	if (sum_failures)
		fprintf(f, "warning: windows whose parts do not add up: %" PRIu64 "; this is a bug in tlob-load, please report it\n",
			sum_failures);
	if (errors)
		fprintf(f, "warning: events out of order, duplicated or missing: %" PRIu64 "; parts are inexact\n",
			errors);
	if (adjusted_ns)
		fprintf(f, "warning: the noise source reported %s of noise that the windows cannot contain; parts are inexact\n",
			duration_format(buf, adjusted_ns));
	if (clock_steps)
		fprintf(f, "warning: clock readings that went backwards: %" PRIu64 "\n",
			clock_steps);
}

#define NOTE_INDENT	9		/* the longest label of a finding and two blanks */

void render_note_wrapped(FILE *f, const char *label, const char *text)
{
	struct line l = { .f = f, .indent = *label ? NOTE_INDENT : 0, .width = NOTE_WIDTH };
	char *s = printable_dup(text);

	l.col = (unsigned int)fprintf(f, "%s", label);
	line_words(&l, "  ", s ? s : "");
	line_end(&l);
	free(s);
}

static int by_share(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	double dx = x->wake + x->work, dy = y->wake + y->work;

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void put_share(struct line *l, const char *sep, const struct share *s)
{
	double sum = s->wake + s->work;

	if (sum < 0.0005)
		line_put(l, sep, "%s <0.1%%", s->name);
	else if (s->wake >= 0.0005 && s->work >= 0.0005)
		line_put(l, sep, "%s %.1f%% (wake %.1f, work %.1f)", s->name,
			 100 * sum, 100 * s->wake, 100 * s->work);
	else
		line_put(l, sep, "%s %.1f%%", s->name, 100 * sum);
}

void render_shares(struct line *l, const char *label, const char *what, uint64_t ns,
		   struct share *shares, size_t n)
{
	char us[DURATION_LEN];
	size_t k;

	qsort(shares, n, sizeof(*shares), by_share);
	l->col = (unsigned int)fprintf(l->f, "%-5s  %s %sus", label, what,
				       duration_us(us, ns));
	for (k = 0; k < n; k++)
		put_share(l, k ? " + " : " = ", &shares[k]);
	line_end(l);
}

/* True for interrupts that have a vector and no irq number. Both noise sources use these names. */
static bool is_vector(const char *name)
{
	static const char * const vectors[] = {
		"local_timer", "reschedule", "call_function",
		"call_function_single", "irq_work", "x86_platform_ipi",
		"platform_ipi", "spurious_apic", "error_apic", "thermal_apic",
		"threshold_apic", "deferred_error_apic", "deferred_error",
	};
	size_t i;

	/* the record may have cut the name off */
	for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		if (!strncmp(vectors[i], name, TLOB_NAME_LEN - 1))
			return true;
	return false;
}

/* The id of a noise with its meaning: "irq 25", "vector 236", "pid 117". */
static const char *id_text(char buf[32], unsigned int kind, int32_t id,
			   const char *name)
{
	buf[0] = 0;
	if (kind == TLOB_NOISE_IRQ)
		snprintf(buf, 32, is_vector(name) ? "vector %d" : "irq %d", id);
	else if (kind == TLOB_NOISE_SOFTIRQ)
		snprintf(buf, 32, "nr %d", id);
	else if (kind == TLOB_NOISE_THREAD)
		snprintf(buf, 32, "pid %d", id);
	return buf;
}

static int by_total(const void *a, const void *b)
{
	const struct offender *x = *(const struct offender * const *)a;
	const struct offender *y = *(const struct offender * const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? 1 : -1;
	if (x->max_ns != y->max_ns)
		return x->max_ns < y->max_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

void cell_foreign(struct table *t, const char *text)
{
	table_made(t, printable_dup(text));
}

int render_offenders(FILE *f, enum table_form form, const struct offenders *list, size_t top,
		     const char *title)
{
	const struct offender *sorted[RESULT_OFFENDERS];
	bool hosts = *list->at[0].host;
	struct table t = {
		.title = title, .align = hosts ? "lllrrrl" : "lllrrr", .indent = 2, .gap = 2,
		.form = form,
	};
	char name[PRINTABLE_NAME], id[32];
	size_t i;

	if (!list->n)
		return 0;
	for (i = 0; i < list->n; i++)
		sorted[i] = &list->at[i];
	qsort(sorted, list->n, sizeof(sorted[0]), by_total);
	table_cell(&t, "kind\tname\tid\twindows\ttotal us\tmax us%s", hosts ? "\tmax on" : "");
	for (i = 0; i < list->n && i < top; i++) {
		const struct offender *o = sorted[i];

		table_cell(&t, "%s\t%s\t%s\t%" PRIu64, noise_kind_name(o->kind),
			   printable(name, o->name, TLOB_NAME_LEN),
			   id_text(id, o->kind, o->id, o->name), o->windows);
		cell_us(&t, true, o->total_ns);
		cell_us(&t, true, o->max_ns);
		if (hosts)
			cell_foreign(&t, o->host);
	}
	if (list->n > top)
		table_note(&t, "and %zu more", list->n - top);
	if (list->evicted)
		table_note(&t, "%" PRIu64 " smaller offenders were dropped: the list was full",
			   list->evicted);
	return table_print(&t, f);
}

const char *noise_text(char *buf, size_t size, const struct tlob_noise *noise)
{
	char name[PRINTABLE_NAME], id[32];

	printable(name, noise->name, TLOB_NAME_LEN);
	id_text(id, noise->kind, noise->id, noise->name);
	snprintf(buf, size, *id ? "%s %s (%s)" : "%s %s",
		 noise_kind_name(noise->kind), name, id);
	return buf;
}

const char *noise_name(char *buf, size_t size, const struct tlob_noise *noise)
{
	return noise_text(buf, size, noise) + strlen(noise_kind_name(noise->kind)) + 1;
}

const char *task_text(char buf[TASK_TEXT], const char comm[TLOB_NAME_LEN], uint32_t tid)
{
	printable(buf, comm, TLOB_NAME_LEN);
	snprintf(buf + strlen(buf), TASK_TEXT - strlen(buf), "/%" PRIu32, tid);
	return buf;
}

const char *since_text(char buf[SINCE_LEN], uint64_t began_ns, uint64_t at_ns)
{
	uint64_t ns = at_ns > began_ns ? at_ns - began_ns : 0;

	snprintf(buf, SINCE_LEN, "%" PRIu64 ".%03u", ns / 1000000000,
		 (unsigned int)(ns % 1000000000 / 1000000));
	return buf;
}
