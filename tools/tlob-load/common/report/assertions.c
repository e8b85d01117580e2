// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "report/assertions.h"
#include "util/markup.h"

static enum testcase_outcome outcome_of(const struct assertion *a)
{
	return a->outcome == CONDITION_TRUE ? TESTCASE_PASSED :
	       a->outcome == CONDITION_FALSE ? TESTCASE_FAILED : TESTCASE_ERROR;
}

static const char *type_of(const struct assertion *a)
{
	return a->outcome == CONDITION_NO_DATA ? "no data" : "assertion";
}

int assertions_cases(FILE *f, const char *command, const char *measured,
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

void assertions_markdown(FILE *f, const struct assertions *all)
{
	size_t i;

	fprintf(f, "## tlob-load: %s\n\n",
		!all->n ? "measured" : all->failed ? "FAILED" : "passed");
	for (i = 0; i < all->n; i++) {
		fprintf(f, "- **%s** ", all->at[i].outcome == CONDITION_TRUE ? "passed" : "FAILED");
		markdown(f, "%s: %s\n", all->at[i].text, all->at[i].found);
	}
	if (all->n)
		fputc('\n', f);
}

void page_assertions(FILE *f, const struct said *said)
{
	size_t i;

	for (i = 0; i < said->n; i++) {
		const struct said_assertion *a = &said->at[i];

		markup(f, "<p><span class=\"%s\">%s</span> %s <span class=\"dim\">found %s</span></p>\n",
		       a->holds ? "good" : "bad", a->holds ? "holds" : "FAILED", a->condition, a->found);
	}
}

void markdown_said(FILE *f, const struct said *said)
{
	size_t i;

	for (i = 0; i < said->n; i++) {
		fprintf(f, "%s- %s: ", i ? "" : "\n", said->at[i].holds ? "holds" : "**FAILED**");
		markdown(f, "%s, found %s\n", said->at[i].condition, said->at[i].found);
	}
}

void markdown_notes(FILE *f, const char *label, char *const *notes)
{
	for (; notes && *notes; notes++)
		markdown(f, "\n> %s%s\n", label, *notes);
}
