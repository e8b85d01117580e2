// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "report/assertions.h"
#include "result/meaning.h"
#include "result/result.h"
#include "util/markup.h"

static enum testcase_outcome outcome_of(const struct assertion *a)
{
	return a->outcome == CONDITION_TRUE ? TESTCASE_PASSED :
	       a->outcome == CONDITION_FALSE ? TESTCASE_FAILED : TESTCASE_ERROR;
}

static const char *type_of(const struct assertion *a)
{
	return a->outcome == CONDITION_UNDECIDED ? "undecided" : "assertion";
}

/* The same words for an assertion of this process and for one of a file. */
static const char *word_of(bool decided, bool holds)
{
	return !decided ? "UNDECIDED" : holds ? "holds" : "FAILED";
}

int assertions_cases(FILE *f, const char *command, const char *measured,
		     const struct result *r, testcases_printer print)
{
	const struct assertions *all = &r->assertions;
	struct testcase *t = calloc(all->n + 1, sizeof(*t));
	char **lowered = NULL, *conditions = result_conditions(r);
	int err = t && conditions ? result_lowered(r, &lowered) : -ENOMEM;
	const struct testsuite suite = { command, t, all->n + 1, conditions, lowered };
	size_t i;

	if (err)
		goto out;
	t[0].name = "windows";
	snprintf(t[0].found, sizeof(t[0].found), "%s", measured);
	for (i = 0; i < all->n; i++) {
		t[i + 1].outcome = outcome_of(&all->at[i]);
		t[i + 1].name = all->at[i].text;
		t[i + 1].type = type_of(&all->at[i]);
		snprintf(t[i + 1].found, sizeof(t[0].found), "%s", all->at[i].found);
	}
	err = print(f, &suite);
out:
	notes_free(lowered);
	free(conditions);
	free(t);
	return err;
}

int meaning_markdown(FILE *f, const struct result *r)
{
	char **lowered = NULL, *conditions = result_conditions(r);
	int err = conditions ? result_lowered(r, &lowered) : -ENOMEM;

	if (!err) {
		markdown(f, "Under: %s\n", conditions);
		markdown_notes(f, "but: ", lowered);
		fputc('\n', f);
	}
	notes_free(lowered);
	free(conditions);
	return err;
}

int assertions_markdown(FILE *f, const struct result *r)
{
	const struct verdicts v = verdicts_of(&r->assertions, &r->said);
	const struct assertion *a;
	char said[VERDICTS_TEXT];

	fprintf(f, "## tlob-load: %s\n\n", v.n ? verdicts_text(said, v) : "measured");
	for (a = r->assertions.at; a < r->assertions.at + r->assertions.n; a++) {
		fprintf(f, "- **%s** ", word_of(a->outcome != CONDITION_UNDECIDED, a->outcome == CONDITION_TRUE));
		markdown(f, "%s: %s\n", a->text, a->found);
	}
	if (v.n)
		fputc('\n', f);
	return meaning_markdown(f, r);
}

void assertions_page(struct builder *b, struct json_object *o, const struct said *said)
{
	struct json_object *list = put_array(b, o, "assertions"), *one;
	size_t i;

	for (i = 0; i < said->n; i++) {
		const struct said_assertion *a = &said->at[i];

		one = put_object(b, list, NULL);
		put_text(b, one, "outcome", word_of(a->decided, a->holds));
		put_text(b, one, "class", a->holds ? "good" : a->decided ? "bad" : "unsure");
		put_text(b, one, "condition", a->condition);
		put_text(b, one, "found", a->found);
	}
}

void markdown_said(FILE *f, const struct said *said)
{
	size_t i;

	for (i = 0; i < said->n; i++) {
		fprintf(f, said->at[i].holds ? "%s- %s: " : "%s- **%s**: ", i ? "" : "\n",
			word_of(said->at[i].decided, said->at[i].holds));
		markdown(f, "%s, found %s\n", said->at[i].condition, said->at[i].found);
	}
}

void markdown_notes(FILE *f, const char *label, char *const *notes)
{
	for (; notes && *notes; notes++)
		markdown(f, "\n> %s%s\n", label, *notes);
}
