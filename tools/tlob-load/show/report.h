/* SPDX-License-Identifier: GPL-2.0 */
/* Prints results as an HTML page or as Markdown. */
#ifndef TLOB_SHOW_REPORT_H
#define TLOB_SHOW_REPORT_H

#include <stdio.h>

#include "result/result.h"

#define REPORT_MAX	8		/* results on one page */

struct report {
	struct result *r;		/* [n] */
	const char *const *name;	/* [n]: file names */
	size_t	 n;
};

/*
 * Prints one self-contained page: no network, no script. gnuplot draws the plots.
 * 0; -EOPNOTSUPP: gnuplot is missing, printed; -errno.
 */
int report_html(FILE *f, const struct report *rep);

/* Prints tables in Markdown. 0 or -EIO. */
int report_markdown(FILE *f, const struct report *rep);

#endif /* TLOB_SHOW_REPORT_H */
