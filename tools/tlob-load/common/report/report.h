/* SPDX-License-Identifier: GPL-2.0 */
/* Results that are shown together: on a page, or as tables in Markdown. */
#ifndef TLOB_REPORT_REPORT_H
#define TLOB_REPORT_REPORT_H

#include <stdio.h>

#include "result/result.h"

struct flames;
struct samples_plot;

#define REPORT_MAX	8		/* results on one page */

struct report {
	struct result *r;		/* [n] */
	const char *const *name;	/* [n]: labels, or file names */
	size_t	 n;
	const struct samples_plot *samples; /* of --samples; NULL: none */
	const struct flames *flames;	/* report/flames_page.h; NULL: none */
};

/* A page of results that are all of run or all of attach. 0, -ENOMEM or -EIO; prints no error itself. */
int page_results(FILE *f, const struct report *rep);

/* The same as tables in Markdown. 0 or -EIO. */
int report_markdown(FILE *f, const struct report *rep);

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

#endif /* TLOB_REPORT_REPORT_H */
