// SPDX-License-Identifier: GPL-2.0
/* Prints what run and attach found, and their assertions, for CI systems. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "show/attach_render.h"
#include "show/render.h"
#include "show/report.h"
#include "util/markup.h"
#include "util/testcases.h"

typedef int (*testcases_printer)(FILE *f, const struct testsuite *suite);

static enum testcase_outcome outcome_of(const struct assertion *a)
{
	return a->outcome == CONDITION_TRUE ? TESTCASE_PASSED :
	       a->outcome == CONDITION_FALSE ? TESTCASE_FAILED : TESTCASE_ERROR;
}

static const char *type_of(const struct assertion *a)
{
	return a->outcome == CONDITION_NO_DATA ? "no data" : "assertion";
}

/*
 * The first case is that windows were measured, as @measured says: a CI takes a suite
 * without a case for one that was not run.
 */
static int print_cases(FILE *f, const char *command, const char *measured,
		       const struct assertions *all, testcases_printer print)
{
	struct testcase *t = calloc(all->n + 1, sizeof(*t));
	const struct testsuite suite = { command, t, all->n + 1 };
	size_t i;
	int err;

	if (!t)
		return -ENOMEM;
	t[0].name = "windows";
	snprintf(t[0].found, sizeof(t[0].found), "%s", measured);
	for (i = 0; i < all->n; i++) {
		t[i + 1].outcome = outcome_of(&all->at[i]);
		t[i + 1].name = all->at[i].text;
		t[i + 1].type = type_of(&all->at[i]);
		snprintf(t[i + 1].found, sizeof(t[0].found), "%s", all->at[i].found);
	}
	err = print(f, &suite);
	free(t);
	return err;
}

static int print_run(FILE *f, const struct result *r, testcases_printer print)
{
	char measured[TESTCASE_LINE];

	snprintf(measured, sizeof(measured),
		 "%" PRIu64 " windows, %" PRIu64 " violations, %" PRIu64 " missed",
		 r->all.windows, r->all.violations, r->all.missed);
	return print_cases(f, "run", measured, &r->assertions, print);
}

int render_junit(FILE *f, const struct result *r)
{
	return print_run(f, r, testcases_junit);
}

int render_ktap(FILE *f, const struct result *r)
{
	return print_run(f, r, testcases_ktap);
}

static int print_attach(FILE *f, const struct attach_result *r, testcases_printer print)
{
	char measured[TESTCASE_LINE];

	snprintf(measured, sizeof(measured),
		 "%" PRIu64 " windows, %" PRIu64 " violations, %" PRIu64 " cut, %" PRIu64 " open",
		 r->windows, r->violations, r->cut, r->open);
	return print_cases(f, "attach", measured, &r->assertions, print);
}

int attach_junit(FILE *f, const struct attach_result *r)
{
	return print_attach(f, r, testcases_junit);
}

int attach_ktap(FILE *f, const struct attach_result *r)
{
	return print_attach(f, r, testcases_ktap);
}

static void markdown_assertions(FILE *f, const struct assertions *all)
{
	size_t i;

	fprintf(f, "## tlob-load: %s\n\n",
		!all->n ? "measured" : all->failed ? "FAILED" : "passed");
	for (i = 0; i < all->n; i++) {
		fprintf(f, "- **%s** ", all->at[i].outcome == CONDITION_TRUE ? "passed" : "FAILED");
		markdown_text(f, all->at[i].text);
		fputs(": ", f);
		markdown_text(f, all->at[i].found);
		fputc('\n', f);
	}
	if (all->n)
		fputc('\n', f);
}

int render_markdown(FILE *f, const struct result *r)
{
	const char *name = "run";
	const struct report one = { .r = (struct result *)r, .name = &name, .n = 1 };

	markdown_assertions(f, &r->assertions);
	return report_markdown(f, &one);
}

int attach_markdown(FILE *f, const struct attach_result *r)
{
	markdown_assertions(f, &r->assertions);
	return attach_tables(f, r);
}
