/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints text in columns: tables whose columns fit their widest cell, and lists that
 * wrap at LAYOUT_WIDTH or at the width of the terminal. No byte in a cell or in a piece reaches a
 * terminal as a control character: printable_once(). cell_foreign() and line_foreign() also
 * escape what looks like an escape.
 */
#ifndef TLOB_REPORT_LAYOUT_H
#define TLOB_REPORT_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

#define LAYOUT_WIDTH	100
#define LAYOUT_NARROW	60	/* the least width, also on a narrower terminal */

/*
 * Cells are added row by row, one or several at a time: a tab separates them. table_print()
 * reports an -ENOMEM of any of them, so table_cell() needs no check.
 */
struct table {
	const char *align;	/* one letter for each column: l or r */
	unsigned int indent;	/* spaces in front of a row */
	unsigned int gap;	/* spaces between columns */
	char	**cell;
	size_t	 n, room;
	int	 err;
};

void table_cell(struct table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints all rows and empties @t. The last row may be short. 0, -ENOMEM or -EIO. */
int table_print(struct table *t, FILE *f);

/*
 * A line that starts in column @col. When it is full it continues in column @indent
 * of the next line.
 */
struct line {
	FILE	*f;
	unsigned int indent;
	unsigned int col;
	unsigned int width;	/* the most columns; 0: LAYOUT_WIDTH */
};

/* Prints a piece, which is never broken, after @sep. */
void line_put(struct line *l, const char *sep, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Prints a foreign @text behind @label as a piece, with its bytes escaped; nothing for NULL. */
void line_foreign(struct line *l, const char *sep, const char *label, const char *text);
/* Prints each word of @text as a piece, the first one after @sep. */
void line_words(struct line *l, const char *sep, const char *text);

void line_end(struct line *l);

#endif /* TLOB_REPORT_LAYOUT_H */
