/* SPDX-License-Identifier: GPL-2.0 */
/* Flame graphs on a page: of one side, or of what two sides differ in. */
#ifndef TLOB_REPORT_FLAMES_PAGE_H
#define TLOB_REPORT_FLAMES_PAGE_H

#include "report/folded.h"
#include "report/html.h"

struct flames {
	struct folded stacks;
	const char *name[2];		/* of the files; [1] NULL: one */
};

/* The member "flames" of the page; nothing if there are no stacks. 0, -ENOMEM or -EIO. */
int  flames_put(struct html *p, const struct flames *fl);

struct flame_words {
	const char *title, *text;
	const char *unit;		/* of what was spent: "us" */
	const char *side[2];		/* [1] NULL: one side */
};

/* An element of a list, behind another one: page.js draws it. 0, -ENOMEM or -EIO. */
int  flame_print(FILE *f, const struct folded *stacks, const struct flame_words *w);

#endif /* TLOB_REPORT_FLAMES_PAGE_H */
