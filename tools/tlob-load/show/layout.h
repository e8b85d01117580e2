/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text in columns: tables whose columns are as wide as their widest cell, and
 * lists that are wrapped at LAYOUT_WIDTH, or where a terminal ends.
 */
#ifndef TLOB_LAYOUT_H
#define TLOB_LAYOUT_H

#include <stddef.h>
#include <stdio.h>

#define LAYOUT_WIDTH	100
#define LAYOUT_NARROW	60	/* of a terminal that is narrower still */

/*
 * Cells are added row by row. An error (-ENOMEM) is kept until
 * table_print(), so that adding needs no check.
 */
struct table {
	const char *align;	/* one letter a column: l or r */
	unsigned int indent;	/* spaces in front of a row */
	unsigned int gap;	/* spaces between columns */
	char	**cell;
	size_t	 n, room;
	int	 err;
};

void table_cell(struct table *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints all rows, the last may be short, and empties @t. 0 or -errno. */
int table_print(struct table *t, FILE *f);

/*
 * Starts in column @col and continues in column @indent of the next line when
 * it is full.
 */
struct line {
	FILE	*f;
	unsigned int indent;
	unsigned int col;
};

/* Writes a piece that is not broken; @sep stands between it and the last one. */
void line_put(struct line *l, const char *sep, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Each word of @text is a piece; @sep stands before the first. */
void line_words(struct line *l, const char *sep, const char *text);

void line_end(struct line *l);

#endif /* TLOB_LAYOUT_H */
