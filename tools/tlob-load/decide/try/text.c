// SPDX-License-Identifier: GPL-2.0
/* The report of an experiment for people. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "try/trial.h"
#include "util/markup.h"
#include "util/units.h"
#include "util/wrap.h"

#define TABLE_WIDTH	200		/* in a file: names of settings are long */

/* A setting under each condition, with its name in the first line. */
static void setting_rows(struct table *table, const struct trial *t, unsigned int i)
{
	char verdict[TRIAL_LINE], tail[TRIAL_LINE], events[TRIAL_LINE];
	unsigned int c;

	for (c = 0; c < t->e.nconditions; c++) {
		const struct try_pairs *p = &t->e.setting[i].at[c];

		cell_foreign(table, c ? "" : t->setting[i].name);
		table_cell(table, "%s", c ? "" : try_verdict_name(experiment_verdict(&t->e, i)));
		cell_foreign(table, t->condition[c]);
		if (try_has_looked(p))
			table_cell(table, "%zu\t%s\t%s\t%s", p->n, trial_verdict_text(verdict, t, p),
				   trial_tail_text(tail, p), trial_events_text(events, p));
		else
			table_cell(table, "%zu\t-\t-\t-", p->n);
	}
}

static int put_table(FILE *f, const struct trial *t)
{
	struct table table = { .align = "lllrlll", .gap = 2, .labels = 2,
		.width = layout_width(f, TABLE_WIDTH) };
	unsigned int i;

	table_cell(&table, "setting\tverdict\tcondition\tpairs\t\t%s\tlate expiries", t->statistic.text);
	for (i = 0; i < t->e.nsettings; i++) {
		if (!t->setting[i].gone) {
			setting_rows(&table, t, i);
			continue;
		}
		cell_foreign(&table, t->setting[i].name);
		table_cell(&table, "not tried\t\t\t\t\t");
	}
	return table_print(&table, f);
}

/* Why a setting was not tried, or fails; and what may decide an open one. */
static void put_reasons(FILE *f, const struct trial *t)
{
	char line[TRIAL_LINE];
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++) {
		if (t->setting[i].gone || experiment_verdict(&t->e, i) == TRY_FAILS)
			wrap_printable(f, "%s: %s\n", t->setting[i].name, trial_evidence(line, t, i));
		else if (*trial_needed_text(line, t, i))
			wrap_printable(f, "%s: %s\n", t->setting[i].name, line);
	}
}

static void put_keep(FILE *f, const struct trial *t)
{
	const char *sep = "\nto keep: ";
	unsigned int k;

	for (k = 0; k < NR_KEEP; k++)
		if (trial_keeps_any(t, k)) {
			fprintf(f, "%s%s/%s", sep, t->dir, trial_keep_names[k]);
			sep = ", ";
		}
	if (*sep == ',')
		fputc('\n', f);
}

int trial_text(FILE *f, const struct trial *t)
{
	char took[DURATION_LEN], n[COUNT_LEN], *sentence = trial_sentence(t), **at;
	int err;

	if (!sentence)
		return -ENOMEM;
	wrap_printable(f, "%s\n\n", sentence);
	free(sentence);
	err = put_table(f, t);
	fputc('\n', f);
	put_reasons(f, t);
	for (at = t->lowered; at && *at; at++)
		wrap_printable(f, "but %s\n", *at);
	if (t->signal)
		fprintf(f, "interrupted by %s: --resume continues\n", t->signal);
	wrap_print(f, "%s runs in %s, CPUs %s, margin %g %%, results in %s\n", count_prose(n, experiment_measured(&t->e)),
		   duration_prose(took, (uint64_t)(t->took_s * 1e9)), t->cpus, 100 * t->e.margin, t->dir);
	if (t->conditions)
		wrap_printable(f, "under %s\n", t->conditions);
	put_keep(f, t);
	return err ? err : ferror(f) ? -EIO : 0;
}
