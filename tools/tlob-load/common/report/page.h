/* SPDX-License-Identifier: GPL-2.0 */
/* Pages of results: self-contained, no network, whole without their script. */
#ifndef TLOB_REPORT_PAGE_H
#define TLOB_REPORT_PAGE_H

#include <stdio.h>

#include "report/curves.h"
#include "result/result.h"

struct row;

/* Results next to each other, all of run or all of attach. 0, -ENOMEM or -EIO; prints no error itself. */
int page_results(FILE *f, const struct report *rep);

/* The same as tables in Markdown. 0 or -EIO. */
int report_markdown(FILE *f, const struct report *rep);

/* The outcome as verdict, and the assertions. 0, -ENOMEM or -EIO. */
int page_verdict(FILE *f, const struct result *r);

/* Many results, a row for each: outliers first. Zeroed: no rows yet. */
struct rows {
	struct row *at;
	size_t	 n, room;
};

/*
 * Keeps what a row shows of @r, which may be freed then; @name is how it is called.
 * 0 or -ENOMEM.
 */
int  rows_add(struct rows *rows, const struct result *r, const char *name);
void rows_free(struct rows *rows);

/* Sorts the rows and prints the page. 0, -ENOMEM or -EIO; prints no error itself. */
int  page_rows(FILE *f, struct rows *rows);

#endif /* TLOB_REPORT_PAGE_H */
