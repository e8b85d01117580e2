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

static void effect_cells(struct table *table, const struct contrast *c)
{
	char tail[TRIAL_LINE], episodes[TRIAL_LINE];

	if (contrast_looks(c->n))
		table_cell(table, "%zu\t%s\t%s\t%s", c->n, try_verdict_name(c->verdict),
			   trial_effect_text(tail, &c->at[TRY_TAIL], TRY_TAIL),
			   trial_effect_text(episodes, &c->at[TRY_EPISODES], TRY_EPISODES));
	else
		table_cell(table, "%zu\t-\t-\t-", c->n);
}

/* A question under each condition, with @name in its first line. */
static void question_rows(struct table *table, const struct trial *t, unsigned int question, const char *name)
{
	const char *verdict = try_verdict_name(experiment_verdict(&t->e, question));
	unsigned int c;

	for (c = 0; c < t->e.nconditions; c++) {
		cell_foreign(table, c ? "" : name);
		table_cell(table, "%s", c ? "" : verdict);
		cell_foreign(table, t->condition[c]);
		effect_cells(table, &t->e.question[question].at[c]);
	}
}

static void setting_rows(struct table *table, const struct trial *t, unsigned int i)
{
	const struct trial_setting *s = &t->setting[i];

	if (s->gone) {
		cell_foreign(table, s->name);
		table_cell(table, "not tried\t\t\t\t\t");
	} else {
		question_rows(table, t, TRY_ALONE(i), s->name);
	}
}

/* The table by effect: the settings, and all of them together. */
static int put_table(FILE *f, const struct trial *t)
{
	struct table table = { .align = "lllrlll", .gap = 2, .labels = 2,
		.width = layout_width(f, TABLE_WIDTH) };
	unsigned int order[TRY_SETTINGS], i;

	table_cell(&table, "setting\tverdict\tcondition\tpairs\t\t%s\tepisodes in a run", t->statistic.text);
	trial_order(t, order);
	for (i = 0; i < t->e.nsettings; i++)
		setting_rows(&table, t, order[i]);
	if (t->e.question[TRY_ALL].set)
		question_rows(&table, t, TRY_ALL, "all together");
	return table_print(&table, f);
}

/* Why a setting was not tried, or fails; and what would decide an open one. */
static void put_reasons(FILE *f, const struct trial *t)
{
	char line[TRIAL_LINE];
	unsigned int i, c;

	for (i = 0; i < t->e.nsettings; i++) {
		const struct trial_setting *s = &t->setting[i];
		enum try_verdict v = experiment_verdict(&t->e, TRY_ALONE(i));

		if (s->gone || v == TRY_FAILS)
			wrap_printable(f, "%s: %s\n", s->name, trial_evidence(line, t, i));
		for (c = 0; v == TRY_OPEN && !s->gone && c < t->e.nconditions; c++)
			if (*trial_needed_text(line, t, TRY_ALONE(i), c))
				wrap_printable(f, "%s, %s: %s\n", s->name, t->condition[c], line);
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
