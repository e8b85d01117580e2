// SPDX-License-Identifier: GPL-2.0
/* Printing tables and wrapped lines. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "report/layout.h"
#include "result/result.h"
#include "util/array.h"
#include "util/json_write.h"
#include "util/markup.h"
#include "util/printable.h"

#define TITLE_LEN	128

/* Takes the text over. */
static void add_cell(struct table *t, char *text)
{
	struct cell *cell = text ? array_add(t->cell, t->n, t->room) : NULL;

	if (!cell) {
		t->err = -ENOMEM;
		free(text);
		return;
	}
	*cell = (struct cell){ .text = text };
	t->n++;
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

void table_bad(struct table *t, bool is_bad)
{
	if (is_bad && t->n)
		t->cell[t->n - 1].class = "bad";
}

void table_made(struct table *t, char *text)
{
	if (text)
		table_cell(t, "%s", text);
	else
		t->err = -ENOMEM;
	free(text);
}

void table_hint(struct table *t, const char *hint)
{
	char *copy = t->err || t->form != TABLE_PAGE ? NULL : strdup(hint);

	if (copy)
		t->cell[t->n - 1].hint = copy;
	else if (t->form == TABLE_PAGE)
		t->err = -ENOMEM;
}

void table_note(struct table *t, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0 || notes_add(&t->notes, "%s", text))
		t->err = -ENOMEM;
	if (len >= 0)
		free(text);
}

static size_t column_width(const struct table *t, size_t column, size_t ncols)
{
	size_t max = 0;
	size_t i, width;

	for (i = column; i < t->n; i += ncols) {
		width = printable_width(t->cell[i].text);
		if (width > max)
			max = width;
	}
	return max;
}

/* The columns that go, so that a row fits: a bit for each. Of those behind the labels the last one stays. */
static uint64_t columns_out(const struct table *t, const size_t *width)
{
	size_t ncols = strlen(t->align), sum = t->indent, i, n = 0, column;
	size_t most = t->least ? strlen(t->least) : ncols > t->labels ? ncols - t->labels - 1 : 0;
	uint64_t out = 0;

	for (i = 0; i < ncols; i++)
		sum += width[i] + (i ? t->gap : 0);
	for (; t->width && sum > t->width && n < most; n++) {
		column = t->least ? (size_t)(t->least[n] - 'a') : t->labels + n;
		sum -= width[column] + t->gap;
		out |= UINT64_C(1) << column;
	}
	return out;
}

static void print_text(const struct table *t, const size_t *width, FILE *f)
{
	size_t ncols = strlen(t->align), i, pad, spaces = 0;
	uint64_t out = columns_out(t, width);

	for (i = 0; i < t->n; i++) {
		size_t c = i % ncols;

		if (out & UINT64_C(1) << c)
			continue;
		if (!c) {
			if (i)
				fputc('\n', f);
			spaces = t->indent;
		} else {
			spaces += t->gap;
		}
		pad = width[c] - printable_width(t->cell[i].text);
		if (t->align[c] == 'r')
			spaces += pad;
		/* Spaces are printed before the next text, so no line ends with one. */
		if (*t->cell[i].text) {
			fprintf(f, "%*s%s", (int)spaces, "", t->cell[i].text);
			spaces = 0;
		}
		if (t->align[c] != 'r')
			spaces += pad;
	}
	if (t->n)
		fputc('\n', f);
}

static size_t titles_of(const struct table *t)
{
	return t->titles ? t->titles : 1;
}

/* "max us" and "max, us" become "max". */
static void cut_unit(char *title)
{
	size_t len = strlen(title);

	if (len < 3 || strcmp(title + len - 3, " us"))
		return;
	len -= 3;
	title[title[len - 1] == ',' || title[len - 1] == ';' ? len - 1 : len] = 0;
}

/* The title of a column in one line; on a page without its unit. */
static const char *column_title(char *buf, size_t size, const struct table *t, size_t column)
{
	size_t ncols = strlen(t->align), row, len = 0;

	*buf = 0;
	for (row = 0; row < titles_of(t) && len < size; row++) {
		const char *text = t->cell[row * ncols + column].text;

		text += strspn(text, " ");
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len && *text ? " " : "", text);
	}
	if (t->form == TABLE_PAGE)
		cut_unit(buf);
	return buf;
}

static void print_markdown(const struct table *t, FILE *f)
{
	size_t ncols = strlen(t->align), i;
	char title[TITLE_LEN];

	fputs("\n|", f);
	for (i = 0; i < ncols; i++)
		markdown(f, " %s |", column_title(title, sizeof(title), t, i));
	fputs("\n|", f);
	for (i = 0; i < ncols; i++)
		fputs(t->align[i] == 'r' ? "---:|" : "---|", f);
	for (i = ncols * titles_of(t); i < t->n; i++)
		markdown(f, i % ncols ? " %s |" : "\n| %s |", t->cell[i].text);
	fputc('\n', f);
}

/* A text, or an object that also says what is under the pointer and how it looks. */
static void put_page_cell(struct builder *b, struct json_object *row, const struct cell *cell)
{
	struct json_object *o;

	if (!cell->class && !cell->hint) {
		put_printed(b, row, NULL, strdup(cell->text));
		return;
	}
	o = put_object(b, row, NULL);
	put_printed(b, o, "t", strdup(cell->text));
	if (cell->class)
		put_text(b, o, "c", cell->class);
	if (cell->hint)
		put_printed(b, o, "h", strdup(cell->hint));
}

static void put_page_column(struct builder *b, struct json_object *list, const struct table *t, size_t i)
{
	struct json_object *column = put_array(b, list, NULL);
	char title[TITLE_LEN];

	put_text(b, column, NULL, column_title(title, sizeof(title), t, i));
	put_text(b, column, NULL, t->align[i] == 'l' ? "l" : "r");
	if (t->cell[i].hint)
		put_text(b, column, NULL, t->cell[i].hint);
}

/* The title on a page: without its unit, which each cell has. */
static void page_title(char title[TITLE_LEN], const struct table *t)
{
	snprintf(title, TITLE_LEN, "%s", t->title);
	*title = (char)toupper((unsigned char)*title);
	cut_unit(title);
}

/* An element of a list, behind another one: page.js draws it. */
static int print_page(const struct table *t, FILE *f)
{
	struct json_object *o = json_object_new_object(), *list, *row = NULL;
	size_t ncols = strlen(t->align), i;
	struct builder b = { 0 };
	char title[TITLE_LEN];
	int err;

	if (t->title) {
		page_title(title, t);
		put_text(&b, o, "title", title);
	}
	list = put_array(&b, o, "columns");
	for (i = 0; i < ncols; i++)
		put_page_column(&b, list, t, i);
	list = put_array(&b, o, "rows");
	for (i = ncols * titles_of(t); i < t->n; i++) {
		if (i % ncols == 0)
			row = put_array(&b, list, NULL);
		put_page_cell(&b, row, &t->cell[i]);
	}
	if (t->notes)
		put_texts(&b, o, "notes", t->notes);
	fputs(",\n", f);
	err = b.err ? b.err : json_print_part(f, o, true);
	json_object_put(o);
	return err;
}

/* What stands above the table, and each line below it. */
static void print_title(const struct table *t, FILE *f)
{
	char title[TITLE_LEN];

	if (!t->title)
		return;
	if (t->form == TABLE_TEXT) {
		fprintf(f, "\n%s\n", t->title);
		return;
	}
	snprintf(title, sizeof(title), "%s", t->title);
	*title = (char)toupper((unsigned char)*title);
	markdown(f, "\n%s:\n", title);
}

static void print_notes(const struct table *t, FILE *f)
{
	char **note;

	for (note = t->notes; note && *note; note++)
		if (t->form == TABLE_TEXT)
			fprintf(f, "%*s%s\n", (int)t->indent, "", *note);
		else
			markdown(f, "\n%s\n", *note);
}

static void print_rows(const struct table *t, const size_t *width, FILE *f)
{
	if (t->form == TABLE_TEXT)
		print_text(t, width, f);
	else
		print_markdown(t, f);
}

static void empty(struct table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		free(t->cell[i].text);
		free(t->cell[i].hint);
	}
	free(t->cell);
	notes_free(t->notes);
	t->cell = NULL;
	t->notes = NULL;
	t->n = 0;
	t->room = 0;
	t->err = 0;
}

int table_print(struct table *t, FILE *f)
{
	size_t ncols = strlen(t->align);
	size_t *width = calloc(ncols, sizeof(*width));
	int err = t->err;
	size_t i;

	if (!width)
		err = -ENOMEM;
	if (t->title && t->n <= ncols * titles_of(t)) {
		;	/* no rows: no table */
	} else if (!err && t->form == TABLE_PAGE) {
		err = print_page(t, f);
	} else if (!err) {
		for (i = 0; i < ncols; i++)
			width[i] = column_width(t, i, ncols);
		print_title(t, f);
		print_rows(t, width, f);
		print_notes(t, f);
		if (ferror(f))
			err = -EIO;
	}
	free(width);
	empty(t);
	return err;
}

unsigned int layout_width(FILE *f, unsigned int most)
{
	struct winsize size;

	if (ioctl(fileno(f), TIOCGWINSZ, &size) || !size.ws_col ||
	    size.ws_col > most)
		return most;
	return size.ws_col < LAYOUT_NARROW ? LAYOUT_NARROW : size.ws_col;
}

static unsigned int width_of(const struct line *l)
{
	return layout_width(l->f, l->width ? l->width : LAYOUT_WIDTH);
}

void line_put(struct line *l, const char *sep, const char *fmt, ...)
{
	char *text, *piece;
	unsigned int width;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	piece = printable_once(text);
	free(text);
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

/* The length of the next word. A number keeps its groups of digits and its unit: "320 000", "-0.91 %". */
static size_t next_word(const char *text)
{
	static const char digits[] = "0123456789";
	size_t n = strcspn(text, " ");

	while (n && strchr(digits, text[n - 1]) && text[n] == ' ' &&
	       (text[n + 1] == '%' || strspn(text + n + 1, digits) == 3))
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

void line_words(struct line *l, const char *sep, const char *text)
{
	size_t n;

	for (; *text; text += n) {
		text += strspn(text, " ");
		n = next_word(text);
		if (n)
			line_put(l, sep, "%.*s", (int)n, text);
		sep = " ";
	}
}
