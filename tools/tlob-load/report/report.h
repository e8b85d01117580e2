/* SPDX-License-Identifier: GPL-2.0 */
/* Results that are shown together. */
#ifndef TLOB_REPORT_REPORT_H
#define TLOB_REPORT_REPORT_H

#include <stdio.h>

#include "result/result.h"

struct flames;

#define REPORT_MAX	8		/* results on one page */

struct report {
	struct result *r;		/* [n] */
	const char *const *name;	/* [n]: labels, or file names */
	size_t	 n;
	const struct flames *flames;	/* for a page: explain/flames_page.h; NULL: none */
};

/* Prints tables in Markdown. 0 or -EIO. */
int report_markdown(FILE *f, const struct report *rep);

#endif /* TLOB_REPORT_REPORT_H */
