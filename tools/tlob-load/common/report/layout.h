/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints tables, as text whose columns fit their widest cell, as Markdown or on a page; and lists
 * that wrap at LAYOUT_WIDTH or at the width of the terminal. No byte in a cell or in a piece reaches
 * a terminal as a control character: printable_once(). cell_foreign() and line_foreign() also
 * escape what looks like an escape.
 */
#ifndef TLOB_REPORT_LAYOUT_H
#define TLOB_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LAYOUT_WIDTH	100
#define LAYOUT_NARROW	60	/* the least width, also on a narrower terminal */

/* A page shows each time with its unit: there the titles of columns name none. */
enum table_form { TABLE_TEXT, TABLE_MARKDOWN, TABLE_PAGE };

struct cell {
	char	*text;		/* "-": not known */
	const char *class;	/* on a page; or NULL */
	char	*hint;		/* under the pointer on a page; or NULL */
};

/*
 * Cells are added row by row, one or several at a time: a tab separates them. table_print()
 * reports an -ENOMEM of any of them, so table_cell() needs no check.
 */
struct table {
	const char *title;	/* above it, after an empty line; or NULL. Then no rows: no table */
	const char *align;	/* one letter for each column: l or r */
	unsigned int indent;	/* spaces in front of a row of text */
	unsigned int gap;	/* spaces between columns of text */
	unsigned int width;	/* of a row of text, at most; 0: any */
	unsigned int labels;	/* columns that stay if a row is wider; of the others, the first ones go */
	const char *least;	/* instead of that: columns that go, in this order, a for the first; or NULL */
	enum table_form form;
	unsigned int titles;	/* rows with the titles of columns, 0 for one; joined, but in text */
	struct cell *cell;
	size_t	 n, room;
	char	**notes;	/* lines below it */
	int	 err;
};

void table_cell(struct table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A cell with a text that was made for it, and is freed; NULL: there was no memory for it. */
void table_made(struct table *t, char *text);

/* What a page adds to the last cell: that it is bad; a @hint, which is copied. */
void table_bad(struct table *t, bool is_bad);
void table_hint(struct table *t, const char *hint);

void table_note(struct table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The width of the terminal, but at most @most; of a file @most. */
unsigned int layout_width(FILE *f, unsigned int most);

/* Prints all rows and empties @t. The last row may be short in text. 0, -ENOMEM or -EIO. */
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
/* Prints each word of @text as a piece, the first one after @sep. A number keeps its unit. */
void line_words(struct line *l, const char *sep, const char *text);

void line_end(struct line *l);

#endif /* TLOB_REPORT_LAYOUT_H */
