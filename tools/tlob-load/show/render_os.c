// SPDX-License-Identifier: GPL-2.0
/* Prints what the operating system counted over the whole run. */
#include <inttypes.h>

#include "show/layout.h"
#include "show/render.h"
#include "show/render_parts.h"
#include "util/printable.h"
#include "util/units.h"

#define CPUS_IN_FULL	8		/* with more only their sum is shown */
#define TOP_NAMES	6		/* of interrupts, and of softirqs */

static void cell_count(struct table *t, bool known, uint64_t n)
{
	if (known)
		table_cell(t, "%" PRIu64, n);
	else
		table_cell(t, "-");
}

static void os_row(struct table *t, const struct result_cpu *c)
{
	const struct os_counts *os = c->os;

	if (c->cpu < 0)
		table_cell(t, "all");
	else
		table_cell(t, "%d", c->cpu);
	cell_us(t, os->known & OS_RUN_DELAY, os->run_delay_ns);
	cell_count(t, os->known & OS_SWITCHES, os->voluntary);
	cell_count(t, os->known & OS_SWITCHES, os->involuntary);
	cell_us(t, os->known & OS_STEAL, os->steal_ns);
	cell_us(t, os->known & OS_GAPS, os->gap_ns);
	cell_us(t, os->known & OS_GAPS, os->gap_max_ns);
}

static int render_threads(FILE *f, const struct result *r)
{
	static const char * const titles[] = {
		"", "thread waited", "went to", "was", "stolen by the",
		"hw-or-interrupt", "most in",
		"cpu", "for its CPU, us", "sleep", "preempted", "hypervisor, us",
		"in work, us", "one window",
	};
	struct table t = { .align = "rrrrrrr", .gap = 2 };
	size_t i;

	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		table_cell(&t, "%s", titles[i]);
	for (i = 0; r->ncpus <= CPUS_IN_FULL && i < r->ncpus; i++)
		if (r->cpu[i].os)
			os_row(&t, &r->cpu[i]);
	if (r->ncpus > 1)
		os_row(&t, &r->all);
	fputs("\nover the whole run, as the operating system counts\n", f);
	return table_print(&t, f);
}

static void name_rows(struct table *t, const char *kind, const struct os_list *list,
		      uint64_t duration_ns)
{
	char name[PRINTABLE_LEN(OS_NAME_LEN)];
	size_t i;

	for (i = 0; i < list->n && i < TOP_NAMES; i++) {
		table_cell(t, "%s", i ? "" : kind);
		table_cell(t, "%s", printable(name, list->at[i].name, OS_NAME_LEN));
		table_cell(t, "%" PRIu64, list->at[i].count);
		if (duration_ns)
			table_cell(t, "%.1f", 1e9 * (double)list->at[i].count /
				   (double)duration_ns);
		else
			table_cell(t, "-");
	}
}

/* Which of them fell into a window is not known, nor how long they took. */
static int render_names(FILE *f, const struct result *r)
{
	const struct os_counts *os = r->all.os;
	struct table t = { .align = "llrr", .indent = 2, .gap = 2 };

	if (!os->irq.n && !os->softirq.n)
		return 0;
	fputs("\ninterrupts and softirqs on the measured CPUs, in windows or not\n", f);
	table_cell(&t, "kind");
	table_cell(&t, "name");
	table_cell(&t, "count");
	table_cell(&t, "per second");
	name_rows(&t, "irq", &os->irq, r->duration_ns);
	name_rows(&t, "softirq", &os->softirq, r->duration_ns);
	return table_print(&t, f);
}

int render_os(FILE *f, const struct result *r)
{
	int err = render_threads(f, r);

	return err ? err : render_names(f, r);
}
