// SPDX-License-Identifier: GPL-2.0
/* Reads what the command lines of compare and gate share. */
#include <string.h>

#include "compare/compare_rows.h"
#include "result/stats.h"
#include "util/units.h"

int compare_read_metric(const struct value *v, void *to)
{
	struct compare_config *o = to;

	return add_statistic(v, o->statistic, &o->nstatistics);
}

int compare_read_cut_short(const struct value *v, void *to)
{
	struct compare_config *o = to;
	char a[8], *comma = strchr(v->arg, ',');

	snprintf(a, sizeof(a), "%.*s", (int)strcspn(v->arg, ","), v->arg);
	if (!comma || comma - v->arg >= (ptrdiff_t)sizeof(a) || count_parse(a, &o->cut_short[0]) ||
	    count_parse(comma + 1, &o->cut_short[1]) || o->cut_short[0] > STATS_MAX_PAIRS ||
	    o->cut_short[1] > STATS_MAX_PAIRS)
		return value_error(v, "--cut-short %.40s: give two numbers from 0 to %d, of A and of B, as in 0,1",
				   v->arg, STATS_MAX_PAIRS);
	return 0;
}

int compare_check(struct compare_config *o, const struct value *v)
{
	/* In "compare -- B" getopt has taken the -- for the end of the options. */
	const bool taken = !strcmp(v->rest[-1], "--");
	char **word = v->rest - taken;
	const int n = v->nrest + taken;
	int i = 0;

	o->a = word;
	while (i < n && strcmp(word[i], "--"))
		i++;
	o->na = (size_t)i;
	if (i == n)
		return value_error(v, "-- is missing: put it between the results of A and the results of B");
	o->b = word + i + 1;
	o->nb = (size_t)(n - i - 1);
	for (i++; i < n; i++)
		if (!strcmp(word[i], "--"))
			return value_error(v, "-- is given twice");
	for (i = 0; i < n; i++)
		if (*word[i] == '-' && word[i][1] && strcmp(word[i], "--"))
			return value_error(v, "%s comes after a result: put options before the first one, and give a file of that name as ./%s",
					   word[i], word[i]);
	if (!o->na || !o->nb)
		return value_error(v, "no results %s --", o->na ? "after" : "before");
	if (o->append && !strcmp(o->append, "-"))
		return value_error(v, "--append cannot write to stdout: give the name of a file");
	return 0;
}
