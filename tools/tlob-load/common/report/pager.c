// SPDX-License-Identifier: GPL-2.0
/* Printing sections on one page. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/pager.h"
#include "util/memstream.h"
#include "util/signals.h"
#include "util/tty.h"
#include "util/wrap.h"

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

	if (isatty(fileno(f)))
		signals_end_echo(f);
	tty_size(fileno(f), &cols, &rows);
	lines = rows > AROUND + reserve ? rows - AROUND : reserve;
	*p = (struct page){
		.f = f, .width = tty_page_width(fileno(f)), .lines = lines,
		.left = isatty(fileno(f)) ? lines - reserve : UINT_MAX, .colour = page_wants_colour(f),
	};
}

static void add_text(struct page *p, bool apart, enum page_colour colour, const char *text)
{
	unsigned int lines = wrap_text(NULL, p->width, text);

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
	wrap_text(p->f, p->width, text);
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
