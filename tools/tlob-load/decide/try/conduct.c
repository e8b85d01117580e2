// SPDX-License-Identifier: GPL-2.0
/* An experiment from its directory to its report. */
#include <string.h>

#include "try/trial.h"
#include "util/process.h"
#include "util/wrap.h"

#define LEAST_MARGIN	0.032		/* two buckets of a histogram */

const char *trial_refuses(const struct statistic *s, double margin)
{
	if (s->kind == STATISTIC_MISS_RATE)
		return "--metric miss-rate: a rate of 0 has no ratio, and late expiries are compared in any case: give a time";
	if (margin < LEAST_MARGIN)
		return "--margin: a value may be 1.6 % too high, so no difference below 3.2 % can be told: give more";
	return NULL;
}

void trial_print_plan(FILE *f, const struct trial *t, char *const options[], int n)
{
	char line[TRIAL_LINE];
	unsigned int i;

	fprintf(f, "\n%u setting%s, CPUs %s", t->e.nsettings, t->e.nsettings > 1 ? "s" : "", t->cpus);
	for (i = 0; i < t->e.nconditions; i++)
		fprintf(f, ", %s", t->condition[i]);
	fprintf(f, "\none after the other against none: %s\neach run: tlob-load run", trial_estimate(line, t));
	for (i = 0; i < (unsigned int)n; i++) {
		fputc(' ', f);
		shell_word(f, options[i]);
	}
	fputc('\n', f);
}

static int write_outputs(const struct trial *t, struct output out[NR_TRIAL_OUTPUTS])
{
	int err = trial_text(outputs_people(out, NR_TRIAL_OUTPUTS), t);

	if (out[TRIAL_JSON].f)
		keep_error(&err, trial_json(out[TRIAL_JSON].f, t));
	return outputs_end(out, NR_TRIAL_OUTPUTS, err);
}

int trial_conduct(struct trial *t, struct output out[NR_TRIAL_OUTPUTS])
{
	char line[TRIAL_LINE];
	int err = trial_check_time(t);

	if (!err)
		err = trial_claim(t);
	if (err)
		return err;
	if (!t->quiet)
		wrap_print(stderr, "%u setting%s, CPUs %s: %s; results in %s\n", t->e.nsettings,
			   t->e.nsettings > 1 ? "s" : "", t->cpus, trial_estimate(line, t), t->dir);
	err = trial_carry_out(t);
	if (!err)
		err = trial_keep(t);
	if (!err)
		err = write_outputs(t, out);
	/* old findings must not pass for those of an experiment that failed; one that is refused has none */
	if (err)
		outputs_remove(out, NR_TRIAL_OUTPUTS);
	return err;
}

enum exit_code trial_exit(const struct trial *t)
{
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++)
		if (experiment_verdict(&t->e, i) == TRY_OPEN)
			return EXIT_INCONCLUSIVE;
	return EXIT_PASS;
}
