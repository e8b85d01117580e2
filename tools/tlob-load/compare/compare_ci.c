// SPDX-License-Identifier: GPL-2.0
/* Prints a comparison for CI systems: JUnit XML, KTAP, Markdown. */
#include <errno.h>
#include <stdlib.h>

#include "compare/compare_render.h"
#include "report/assertions.h"
#include "util/markup.h"
#include "util/testcases.h"

static enum testcase_outcome outcome_of(enum decision_verdict v)
{
	return v == VERDICT_OK ? TESTCASE_PASSED :
	       v == VERDICT_REGRESSION ? TESTCASE_FAILED : TESTCASE_ERROR;
}

/* One test for each statistic. INCONCLUSIVE is an error, not a failure. */
static int print_cases(FILE *f, const struct comparison *all,
		       int (*print)(FILE *, const struct testsuite *))
{
	struct testcase *t = calloc(all->c->nstatistics, sizeof(*t));
	const struct testsuite suite = { "gate", t, all->c->nstatistics };
	size_t s;
	int err;

	if (!t)
		return -ENOMEM;
	for (s = 0; s < suite.n; s++) {
		t[s].outcome = outcome_of(all->d[s].verdict);
		t[s].name = all->c->statistic[s].text;
		t[s].type = verdict_name(all->d[s].verdict);
		compare_found(t[s].found, all, s);
		compare_why(t[s].why, all, s);
	}
	err = print(f, &suite);
	free(t);
	return err;
}

int compare_junit(FILE *f, const struct comparison *all)
{
	return print_cases(f, all, testcases_junit);
}

int compare_ktap(FILE *f, const struct comparison *all)
{
	return print_cases(f, all, testcases_ktap);
}

int compare_markdown(FILE *f, const struct comparison *all)
{
	const struct campaign *c = all->c;
	char found[COMPARE_LINE], why[COMPARE_LINE], margin[COMPARE_LINE];
	unsigned int m, at;
	double a, shift;
	size_t s;

	fprintf(f, "## tlob-load: %s\n\n", verdict_name(all->verdict));
	for (s = 0; s < c->nstatistics; s++)
		fprintf(f, "- **%s**: %s; %s. Margin %s.\n",
			verdict_name(all->d[s].verdict),
			compare_found(found, all, s), compare_why(why, all, s),
			compare_margin(margin, all, s));
	if (all->o->sequential)
		fprintf(f, "- Looks: %s.\n", compare_next(found, all));
	fprintf(f, "- Over the budget or missed: %s.\n",
		compare_misses(found, all));
	fprintf(f, "\n| B - A, us | %s | %s | %s | %s | %s |\n|---|---:|---:|---:|---:|---:|\n",
		campaign_at_names[0], campaign_at_names[1],
		campaign_at_names[2], campaign_at_names[3],
		campaign_at_names[4]);
	for (m = 0; m < TLOB_NR_METRICS; m++) {
		if (!campaign_shift(c, m, AT_MEAN, &a, &shift) || (!a && !shift))
			continue;
		fprintf(f, "| %s |", tlob_metric_names[m]);
		for (at = 0; at < NR_AT; at++)
			if (campaign_shift(c, m, at, &a, &shift))
				fprintf(f, " %+.3f |", shift / 1000);
			else
				fputs(" - |", f);
		fputc('\n', f);
	}
	if (compare_functions_markdown(f, c))
		return -ENOMEM;
	markdown(f, "\nA: %s\n\nB: %s\n", campaign_a(c, 0)->r.kernel, campaign_b(c, 0)->r.kernel);
	for (s = 0; s < c->nvaried; s++)
		markdown(f, "\n> varied: %s: %s in A, %s in B\n", c->varied[s].fact,
			 c->varied[s].a, c->varied[s].b);
	markdown_notes(f, "", c->notes);
	markdown_notes(f, "forced: ", c->differences);
	return ferror(f) ? -EIO : 0;
}
