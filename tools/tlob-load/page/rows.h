/* SPDX-License-Identifier: GPL-2.0 */
/* A page of many results: a row for each, outliers first. */
#ifndef TLOB_PAGE_ROWS_H
#define TLOB_PAGE_ROWS_H

#include <stdio.h>

#include "result/result.h"

struct row;

/* Zeroed: no rows yet. */
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

#endif /* TLOB_PAGE_ROWS_H */
