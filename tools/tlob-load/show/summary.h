/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a run on one page of PAGE_LINES lines: the outcome first. All functions
 * return 0, -ENOMEM or -EIO and print no error themselves.
 */
#ifndef TLOB_SHOW_SUMMARY_H
#define TLOB_SHOW_SUMMARY_H

#include <stdio.h>

#define SUMMARY_END	2	/* lines that summary_end() takes */

struct attach_result;
struct page;
struct result;

/* The outcome and what limits it. @failed: the number of assertions that failed. */
int summary_head(FILE *f, const struct result *r, unsigned int failed);

/* The whole page. */
int summary_run(FILE *f, const struct result *r, unsigned int failed);

/* The same for attach. */
int summary_attach_head(FILE *f, const struct attach_result *r, unsigned int failed);
int summary_attach(FILE *f, const struct attach_result *r, unsigned int failed);

/* Sections of both: the first names of a struct offenders, by page_section(). */
int summary_names(FILE *f, const void *list, unsigned int width);

/*
 * The last line: "-v shows all of it: @what", or the tool as it was called, which need not be in
 * PATH: "tools/tlob-load/tlob-load @command -v shows all of it". It ends the page, as page_end().
 */
int summary_end(struct page *p, const char *command, const char *what);

#endif /* TLOB_SHOW_SUMMARY_H */
