// SPDX-License-Identifier: GPL-2.0
/* Printing tables and wrapped lines. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "report/layout.h"
#include "util/printable.h"

/* Takes the cell over. */
static void add_cell(struct table *t, char *text)
{
	size_t room = t->room ? 2 * t->room : 64;
	char **cell = t->cell;

	if (t->n == t->room) {
		cell = realloc(cell, room * sizeof(*cell));
		if (cell) {
			t->cell = cell;
			t->room = room;
		}
	}
	if (!cell || !text) {
		t->err = -ENOMEM;
		free(text);
		return;
	}
	cell[t->n++] = text;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	char *text, *at, *next;
	va_list ap;
	int len;

	if (t->err)
		return;
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		t->err = -ENOMEM;
		return;
	}
	for (next = at = text; next && !t->err; at = next) {
		strsep(&next, "\t");
		add_cell(t, printable_once(at));
	}
	free(text);
}

static size_t column_width(const struct table *t, size_t column, size_t ncols)
{
	size_t max = 0;
	size_t i, width;

	for (i = column; i < t->n; i += ncols) {
		width = printable_width(t->cell[i]);
		if (width > max)
			max = width;
	}
	return max;
}

static void print_rows(const struct table *t, const size_t *width, FILE *f)
{
	size_t ncols = strlen(t->align);
	size_t i, pad, spaces = 0;

	for (i = 0; i < t->n; i++) {
		size_t c = i % ncols;

		if (!c) {
			if (i)
				fputc('\n', f);
			spaces = t->indent;
		} else {
			spaces += t->gap;
		}
		pad = width[c] - printable_width(t->cell[i]);
		if (t->align[c] == 'r')
			spaces += pad;
		/* Spaces are printed before the next text, so no line ends with one. */
		if (*t->cell[i]) {
			fprintf(f, "%*s%s", (int)spaces, "", t->cell[i]);
			spaces = 0;
		}
		if (t->align[c] != 'r')
			spaces += pad;
	}
	if (t->n)
		fputc('\n', f);
}

int table_print(struct table *t, FILE *f)
{
	size_t ncols = strlen(t->align);
	size_t *width = calloc(ncols, sizeof(*width));
	int err = t->err;
	size_t i;

	if (!width)
		err = -ENOMEM;
	if (!err) {
		for (i = 0; i < ncols; i++)
			width[i] = column_width(t, i, ncols);
		print_rows(t, width, f);
		if (ferror(f))
			err = -EIO;
	}
	free(width);
	for (i = 0; i < t->n; i++)
		free(t->cell[i]);
	free(t->cell);
	t->cell = NULL;
	t->n = 0;
	t->room = 0;
	t->err = 0;
	return err;
}

/* The width of the terminal, but at most the width of the line; of a file the latter. */
static unsigned int width_of(const struct line *l)
{
	unsigned int most = l->width ? l->width : LAYOUT_WIDTH;
	struct winsize size;

	if (ioctl(fileno(l->f), TIOCGWINSZ, &size) || !size.ws_col ||
	    size.ws_col > most)
		return most;
	return size.ws_col < LAYOUT_NARROW ? LAYOUT_NARROW : size.ws_col;
}

void line_put(struct line *l, const char *sep, const char *fmt, ...)
{
	char *text, *piece = NULL;
	unsigned int width;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		piece = printable_once(text);
		free(text);
	}
	va_end(ap);
	if (!piece) {
		fputs("...", l->f);
		return;
	}
	width = (unsigned int)(printable_width(piece) + strlen(sep));
	/* Keep two columns for the next separator. */
	if (l->col > l->indent && l->col + width > width_of(l) - 2) {
		/* at the end of a line " + " becomes " +", ", " becomes ",", " " nothing */
		if (sep[strspn(sep, " ")])
			fprintf(l->f, "%.*s", (int)strcspn(sep + 1, " ") + 1, sep);
		line_end(l);
	}
	if (!l->col) {
		sep = "";
		l->col = (unsigned int)fprintf(l->f, "%*s", (int)l->indent, "");
	}
	fprintf(l->f, "%s%s", sep, piece);
	l->col += width;
	free(piece);
}

void line_end(struct line *l)
{
	fputc('\n', l->f);
	l->col = 0;
}

void line_foreign(struct line *l, const char *sep, const char *label, const char *text)
{
	char *s = text ? printable_dup(text) : NULL;

	if (text)
		line_put(l, sep, "%s%s", label, s ? s : "");
	free(s);
}

void line_words(struct line *l, const char *sep, const char *text)
{
	size_t n;

	for (; *text; text += n) {
		text += strspn(text, " ");
		n = strcspn(text, " ");
		if (n)
			line_put(l, sep, "%.*s", (int)n, text);
		sep = " ";
	}
}
