/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page: sections that are printed in order, as many as the terminal has room for. The first one
 * that does not fit is left out as a whole, and so is what comes after it. What is no terminal has
 * room for all.
 */
#ifndef TLOB_REPORT_PAGER_H
#define TLOB_REPORT_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct page {
	FILE	*f;
	unsigned int width;		/* of a line: see tty_page_width() */
	unsigned int lines;		/* of the page: those of the terminal but two, see page_begin() */
	bool	 colour;		/* escape sequences are wanted */
	bool	 must;			/* print the next sections, whether they fit or not */
	unsigned int left;		/* lines that may still be printed */
	bool	 begun;
	bool	 full;			/* a section did not fit */
	int	 err;
};

enum page_colour { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD };

/*
 * Two lines of the terminal are left for the command and for the prompt after it. @reserve: lines at
 * the end that page_section() leaves free. @p->lines is of a terminal of 24 lines where @f is none.
 */
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
