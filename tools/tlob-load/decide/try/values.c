// SPDX-License-Identifier: GPL-2.0
/* What an experiment compares, from the result of a run. */
#include <string.h>

#include "compare/campaign.h"
#include "try/trial.h"

#define EPISODE_ROW	2		/* of one gap in all runs: 32 periods */

static int take(struct trial_run *to, const struct campaign_run *run, const struct statistic *s)
{
	char why[TRIAL_WHY - 30];
	int err = statistic_value(s, &run->r, &to->value[TRY_TAIL], why, sizeof(why));

	if (err)
		snprintf(to->why, sizeof(to->why), "%s: make the runs longer", why);
	to->value[TRY_EPISODES] = run->r.episodes.n ? (double)run->r.episodes.at[EPISODE_ROW].n : 0;
	return err;
}

int trial_values(struct trial_run *to, const char *path, const struct statistic *s, char **tune)
{
	struct campaign_run run = { 0 };
	int err = campaign_run_read(&run, path);

	if (err)
		snprintf(to->why, sizeof(to->why), "its result cannot be used");
	else
		err = take(to, &run, s);
	if (!err && tune) {
		*tune = run.r.tune;
		run.r.tune = NULL;
	}
	campaign_run_free(&run);
	return err;
}
