// SPDX-License-Identifier: GPL-2.0
/* What an experiment compares, from the result of a run. */
#include <errno.h>
#include <string.h>

#include "compare/campaign.h"
#include "try/trial.h"

static int take(struct trial_run *to, const struct campaign_run *run, const struct statistic *s)
{
	char why[TRIAL_WHY - 30];
	int err = statistic_value(s, &run->r, &to->value.tail, why, sizeof(why));

	if (err)
		snprintf(to->why, sizeof(to->why), "%s: make the runs longer", why);
	else
		to->value.resolution = statistic_resolution(s, &run->r, to->value.tail);
	campaign_run_events(&to->value.events, &run->r.all);
	return err;
}

/* Those of a run with a setting have the setting. */
static int take_conditions(struct trial *t, const struct trial_run *to, const struct result *r)
{
	if (!t->conditions && to->setting == TRIAL_NONE) {
		t->conditions = result_conditions(r);
		if (!t->conditions)
			return -ENOMEM;
	}
	return result_lowered(r, &t->lowered);
}

static int refuse(struct trial_run *to, struct trial *t, const char *why)
{
	t->undecidable = true;
	snprintf(to->why, sizeof(to->why), "%s", why);
	return -ENODATA;
}

int trial_values(struct trial_run *to, const char *path, struct trial *t, char **tune)
{
	struct campaign_run run = { 0 };
	int err = campaign_run_read(&run, path);
	char why[MEANING_LINE];

	if (err)
		snprintf(to->why, sizeof(to->why), "its result cannot be used");
	else if (result_undecidable(&run.r, why))
		err = refuse(to, t, why);
	else
		err = take(to, &run, &t->statistic);
	if (!err && take_conditions(t, to, &run.r)) {
		snprintf(to->why, sizeof(to->why), "out of memory");
		err = -ENOMEM;
	}
	if (!err && tune) {
		*tune = run.r.tune;
		run.r.tune = NULL;
	}
	campaign_run_free(&run);
	return err;
}
