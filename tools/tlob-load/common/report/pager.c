// SPDX-License-Identifier: GPL-2.0
/* Printing sections on one page. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/pager.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/tty.h"

#define HANGING		2	/* columns in front of a continued line */
#define AROUND		2	/* lines of the command and of the prompt after it */

static const char * const sequences[] = {
	[PAGE_PLAIN] = "", [PAGE_GOOD] = "\033[1;32m", [PAGE_BAD] = "\033[1;31m",
};

bool page_wants_colour(FILE *f)
{
	const char *no = getenv("NO_COLOR");

	return tty_knows_sequences(fileno(f)) && !(no && *no);
}

void page_begin(struct page *p, FILE *f, unsigned int reserve)
{
	unsigned int cols, rows, lines;

	tty_size(fileno(f), &cols, &rows);
	lines = rows > AROUND + reserve ? rows - AROUND : reserve;
	*p = (struct page){
		.f = f, .width = tty_page_width(fileno(f)), .lines = lines,
		.left = isatty(fileno(f)) ? lines - reserve : UINT_MAX, .colour = page_wants_colour(f),
	};
}

/*
 * The bytes of @line, @len long, that fit in @width columns; at least one word. A
 * percent sign stays with its number.
 */
static size_t fitting(const char *line, size_t len, size_t width)
{
	size_t i, end = 0, columns = 0, indent = strspn(line, " ");

	for (i = 0; i < len; i++) {
		if (line[i] == ' ' && columns <= width && i > indent && i + 1 < len && line[i + 1] != '%')
			end = i;
		/* a byte that continues a character takes no column */
		columns += ((unsigned char)line[i] & 0xc0) != 0x80;
		if (columns > width && end)
			return end;
	}
	return len;
}

/* Prints one line, wrapped at @width. Returns its number of lines; @f may be NULL to count. */
static unsigned int wrap(FILE *f, unsigned int width, const char *line, size_t len)
{
	unsigned int lines = 0;
	size_t n, indent = 0;

	do {
		n = fitting(line, len, width - indent);
		if (f)
			fprintf(f, "%*s%.*s\n", (int)indent, "", (int)n, line);
		lines++;
		line += n;
		len -= n;
		while (len && *line == ' ') {
			line++;
			len--;
		}
		indent = HANGING;
	} while (len);
	return lines;
}

/* The same for all lines of @text. */
static unsigned int wrap_all(FILE *f, unsigned int width, const char *text)
{
	unsigned int lines = 0;
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		lines += wrap(f, width, text, len);
	}
	return lines;
}

static void add_text(struct page *p, bool apart, enum page_colour colour, const char *text)
{
	unsigned int lines = wrap_all(NULL, p->width, text);

	apart = apart && p->begun;
	if (!lines)
		return;
	if (!p->must && (p->full || lines + apart > p->left)) {
		p->full = true;
		return;
	}
	if (apart)
		fputc('\n', p->f);
	if (p->colour)
		fputs(sequences[colour], p->f);
	wrap_all(p->f, p->width, text);
	if (p->colour && colour != PAGE_PLAIN)
		fputs("\033[0m", p->f);
	p->left -= lines + apart < p->left ? lines + apart : p->left;
	p->begun = true;
}

void page_section(struct page *p, bool apart, enum page_colour colour, page_put put,
		  const void *data)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int err = f ? put(f, data, p->width) : -ENOMEM;

	if (!memstream_text(f, &text) && !err)
		err = -ENOMEM;
	if (!p->err)
		p->err = err;
	if (!p->err)
		add_text(p, apart, colour, text);
	free(text);
}

int page_end(struct page *p)
{
	return p->err ? p->err : ferror(p->f) ? -EIO : 0;
}
