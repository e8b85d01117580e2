/* SPDX-License-Identifier: GPL-2.0 */
/* Results as a page or as Markdown. */
#ifndef TLOB_REPORT_H
#define TLOB_REPORT_H

#include <stdio.h>

#include "result/result.h"

#define REPORT_MAX	8		/* results on one page */

struct report {
	struct result *r;		/* [n] */
	const char *const *name;	/* [n]: of the files */
	size_t	 n;
};

/*
 * One page that needs nothing from elsewhere: no network, no script. The plots
 * are gnuplot's. 0 or -errno; -EOPNOTSUPP without gnuplot, printed.
 */
int report_html(FILE *f, const struct report *rep);

int report_markdown(FILE *f, const struct report *rep);

#endif /* TLOB_REPORT_H */
