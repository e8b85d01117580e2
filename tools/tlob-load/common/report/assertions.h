/* SPDX-License-Identifier: GPL-2.0 */
/* The assertions of a result, for CI systems. */
#ifndef TLOB_REPORT_ASSERTIONS_H
#define TLOB_REPORT_ASSERTIONS_H

#include <stdio.h>

#include "result/assertion.h"
#include "util/json_write.h"
#include "util/testcases.h"

typedef int (*testcases_printer)(FILE *f, const struct testsuite *suite);

/*
 * A suite of the name @command. The first case is that windows were measured, as @measured
 * says: a CI takes a suite without a case for one that was not run. 0, -ENOMEM or -EIO.
 */
int assertions_cases(FILE *f, const char *command, const char *measured,
		     const struct result *r, testcases_printer print);

/* A heading with the outcome, a list, what it holds for and what lowers it. 0 or -ENOMEM. */
int assertions_markdown(FILE *f, const struct result *r);

/* The last two. */
int meaning_markdown(FILE *f, const struct result *r);

/* For a page: what became of each --assert of a result that was read. */
void assertions_page(struct builder *b, struct json_object *o, const struct said *said);

/* The same in Markdown, and its notes. */
void markdown_said(FILE *f, const struct said *said);
void markdown_notes(FILE *f, const char *label, char *const *notes);

#endif /* TLOB_REPORT_ASSERTIONS_H */
