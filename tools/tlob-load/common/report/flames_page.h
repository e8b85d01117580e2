/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks on the page: a flame graph of one file, or of what two files differ in. */
#ifndef TLOB_REPORT_FLAMES_PAGE_H
#define TLOB_REPORT_FLAMES_PAGE_H

#include "report/folded.h"

struct flames {
	struct folded stacks;
	const char *name[2];		/* of the files; [1] NULL: one */
};

/*
 * Reads the folded stacks of @files, one or two. Those of two are cut at interrupts and at
 * schedule(), as the flame graphs of `lab --explain` are. 0 or -errno, printed.
 */
int  flames_read(struct flames *fl, const char *const *files, size_t n);
void flames_free(struct flames *fl);

/* A section of the page; nothing if there are no stacks. 0, -ENOMEM or -EIO. */
int  flames_put(FILE *f, const struct flames *fl);

#endif /* TLOB_REPORT_FLAMES_PAGE_H */
