// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "util/markup.h"
#include "util/testcases.h"

static void put_outcome(FILE *f, const struct testcase *t)
{
	if (t->outcome == TESTCASE_PASSED)
		return;
	fprintf(f, "<%s type=\"", t->outcome == TESTCASE_FAILED ? "failure" : "error");
	markup_text(f, t->type);
	fputs("\" message=\"", f);
	markup_text(f, *t->why ? t->why : t->found);
	fputs("\"/>\n", f);
}

static void put_case(FILE *f, const char *command, const struct testcase *t)
{
	fprintf(f, "<testcase classname=\"tlob-load.%s\" name=\"", command);
	markup_text(f, t->name);
	fputs("\">\n", f);
	put_outcome(f, t);
	fputs("<system-out>", f);
	markup_text(f, t->found);
	fputs("</system-out>\n</testcase>\n", f);
}

static void put_property(FILE *f, const char *name, const char *value)
{
	fprintf(f, "<property name=\"%s\" value=\"", name);
	markup_text(f, value);
	fputs("\"/>\n", f);
}

static void put_properties(FILE *f, const struct testsuite *suite)
{
	char *const *why;

	if (!suite->conditions)
		return;
	fputs("<properties>\n", f);
	put_property(f, "conditions", suite->conditions);
	for (why = suite->lowered; why && *why; why++)
		put_property(f, "lowered", *why);
	fputs("</properties>\n", f);
}

int testcases_junit(FILE *f, const struct testsuite *suite)
{
	size_t i, failures = 0, errors = 0;

	for (i = 0; i < suite->n; i++) {
		failures += suite->at[i].outcome == TESTCASE_FAILED;
		errors += suite->at[i].outcome == TESTCASE_ERROR;
	}
	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"<testsuite name=\"tlob-load %s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n",
		suite->command, suite->n, failures, errors);
	put_properties(f, suite);
	for (i = 0; i < suite->n; i++)
		put_case(f, suite->command, &suite->at[i]);
	fputs("</testsuite>\n</testsuites>\n", f);
	return ferror(f) ? -EIO : 0;
}

/* Documentation/dev-tools/ktap.rst: diagnostics come before their result. */
int testcases_ktap(FILE *f, const struct testsuite *suite)
{
	const struct testcase *t;
	char *const *why;
	size_t i;

	fprintf(f, "KTAP version 1\n1..%zu\n", suite->n);
	if (suite->conditions)
		fprintf(f, "# under: %s\n", suite->conditions);
	for (why = suite->lowered; why && *why; why++)
		fprintf(f, "# but: %s\n", *why);
	for (i = 0; i < suite->n; i++) {
		t = &suite->at[i];
		fprintf(f, "# %s\n", t->found);
		if (*t->why)
			fprintf(f, "# %s: %s\n", t->type, t->why);
		fprintf(f, "%s %zu %s\n", t->outcome == TESTCASE_PASSED ? "ok" : "not ok",
			i + 1, t->name);
	}
	return ferror(f) ? -EIO : 0;
}
