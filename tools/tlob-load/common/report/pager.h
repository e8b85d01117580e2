/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page for a terminal of 80 x 24: sections that are printed in order as long as there
 * is room. What does not fit is left out as a whole.
 */
#ifndef TLOB_REPORT_PAGER_H
#define TLOB_REPORT_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PAGE_LINES	22	/* room for the command and for the prompt after it */

struct page {
	FILE	*f;
	unsigned int width;		/* of a line: see tty_page_width() */
	bool	 colour;		/* escape sequences are wanted */
	unsigned int left;		/* lines that may still be printed */
	bool	 begun;
	int	 err;
};

enum page_colour { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD };

/* @reserve: lines at the end that page_section() leaves free. */
void page_begin(struct page *p, FILE *f, unsigned int reserve);

/*
 * Prints what @put prints of @data, its lines wrapped at @p->width; nothing if that is empty.
 * @apart: after an empty line. @put returns 0 or -ENOMEM, which page_end() returns.
 */
typedef int (*page_put)(FILE *f, const void *data, unsigned int width);
void page_section(struct page *p, bool apart, enum page_colour colour, page_put put,
		  const void *data);

/* 0, -ENOMEM, or -EIO if the file has an error. */
int page_end(struct page *p);

/* Returns true if @f is a terminal whose user wants colours: not with NO_COLOR, TERM=dumb or without TERM. */
bool page_wants_colour(FILE *f);

#endif /* TLOB_REPORT_PAGER_H */
