// SPDX-License-Identifier: GPL-2.0
/* Prints what the operating system counted over the whole run. */
#include <inttypes.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "report/render.h"
#include "util/printable.h"

#define CPUS_IN_FULL	8		/* with more only their sum is shown */
#define TOP_NAMES	6		/* of interrupts, and of softirqs */

static void os_row(struct table *t, const struct result_cpu *c)
{
	const struct os_counts *os = c->os;

	cell_cpu(t, c);
	cell_us(t, os->known & OS_RUN_DELAY, os->run_delay_ns);
	if (os->known & OS_SWITCHES)
		table_cell(t, "%" PRIu64 "\t%" PRIu64, os->voluntary, os->involuntary);
	else
		table_cell(t, "-\t-");
	cell_us(t, os->known & OS_STEAL, os->steal_ns);
	cell_us(t, os->known & OS_GAPS, os->gap_ns);
	cell_us(t, os->known & OS_GAPS, os->gap_max_ns);
}

static int render_threads(FILE *f, enum table_form form, const struct result *r)
{
	struct table t = {
		.title = "over the whole run, as the operating system counts", .align = "rrrrrrr",
		.gap = 2, .titles = 2, .form = form,
	};
	size_t i;

	table_cell(&t, "\tthread waited\twent to\twas\tstolen by the\thw-or-interrupt\tmost in");
	table_cell(&t, "cpu\tfor its CPU, us\tsleep\tpreempted\thypervisor, us\tin work, us\tone window");
	for (i = 0; (form == TABLE_PAGE || r->ncpus <= CPUS_IN_FULL) && i < r->ncpus; i++)
		if (r->cpu[i].os)
			os_row(&t, &r->cpu[i]);
	if (r->ncpus > 1)
		os_row(&t, &r->all);
	return table_print(&t, f);
}

static void name_rows(struct table *t, const char *kind, const struct os_list *list,
		      uint64_t duration_ns)
{
	char name[PRINTABLE_LEN(OS_NAME_LEN)];
	size_t i;

	for (i = 0; i < list->n && i < TOP_NAMES; i++) {
		table_cell(t, "%s\t%s\t%" PRIu64, i && !t->form ? "" : kind,
			   printable(name, list->at[i].name, OS_NAME_LEN), list->at[i].count);
		if (duration_ns)
			table_cell(t, "%.1f", 1e9 * (double)list->at[i].count /
				   (double)duration_ns);
		else
			table_cell(t, "-");
	}
}

/* Which of them fell into a window is not known, nor how long they took. */
static int render_names(FILE *f, enum table_form form, const struct result *r)
{
	const struct os_counts *os = r->all.os;
	struct table t = {
		.title = "interrupts and softirqs on the measured CPUs, in windows or not",
		.align = "llrr", .indent = 2, .gap = 2, .form = form,
	};

	if (!os->irq.n && !os->softirq.n)
		return 0;
	table_cell(&t, "kind\tname\tcount\tper second");
	name_rows(&t, "irq", &os->irq, r->duration_ns);
	name_rows(&t, "softirq", &os->softirq, r->duration_ns);
	return table_print(&t, f);
}

int render_os(FILE *f, enum table_form form, const struct result *r)
{
	int err = render_threads(f, form, r);

	return err ? err : render_names(f, form, r);
}
