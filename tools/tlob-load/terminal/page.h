/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page for a terminal of 80 x 24: sections that are printed in order as long as there
 * is room. What does not fit is left out as a whole.
 */
#ifndef TLOB_TERMINAL_PAGE_H
#define TLOB_TERMINAL_PAGE_H

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
	FILE	*section;		/* the one that is being written, or NULL */
	char	*text;
	size_t	 len;
	int	 err;
};

enum page_colour { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD };

/* @reserve: lines at the end that page_add() leaves free. */
void page_begin(struct page *p, FILE *f, unsigned int reserve);

/* Opens a section: print it to what this returns, NULL without memory. */
FILE *page_open(struct page *p);

/*
 * Ends the section and prints it, its lines wrapped at @p->width. @apart: after an
 * empty line.
 */
void page_add(struct page *p, bool apart, enum page_colour colour);

/* 0, -ENOMEM, or -EIO if the file has an error. */
int page_end(struct page *p);

/* Whether @f is a terminal whose user wants colours: not with NO_COLOR, nor TERM=dumb. */
bool page_wants_colour(FILE *f);

#endif /* TLOB_TERMINAL_PAGE_H */
