// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/signals.h"
#include "util/tty.h"
#include "util/wrap.h"

#define HANGING		2	/* columns in front of a continued line */

static size_t skip_colour(const char *at, size_t len)
{
	const char *end = memchr(at, 'm', len);

	return end ? (size_t)(end - at) + 1 : len;
}

/*
 * The bytes of @line, @len long, that fit in @width columns; at least one word. A
 * percent sign stays with its number.
 */
static size_t fitting(const char *line, size_t len, size_t width)
{
	size_t i, end = 0, columns = 0, indent = strspn(line, " ");

	for (i = 0; i < len; i++) {
		while (i < len && line[i] == '\033')
			i += skip_colour(line + i, len - i);
		if (i == len)
			break;
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

unsigned int wrap_text(FILE *f, unsigned int width, const char *text)
{
	unsigned int lines = 0;
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		lines += wrap(f, width, text, len);
	}
	return lines;
}

void wrap_put(FILE *f, const char *text)
{
	int fd = fileno(f), saved = errno;

	/* isatty() sets errno on a file, and who prints a message may still need its own */
	if (fd < 0 || !isatty(fd)) {
		fputs(text, f);
	} else {
		signals_end_echo(f);
		wrap_text(f, tty_page_width(fd), text);
	}
	errno = saved;
}

void wrap_print(FILE *f, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	wrap_put(f, text ? text : "...\n");
	free(text);
}
