// SPDX-License-Identifier: GPL-2.0
/* Escaping for a terminal, Markdown, XML and HTML. */
#include <stdarg.h>
#include <string.h>

#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/wrap.h"

static void markdown_char(FILE *f, char c)
{
	if (strchr("\\`*_{}[]<>|#", c))
		fputc('\\', f);
	fputc(c, f);
}

/* Nothing in @s has a meaning in Markdown then, also in a table. */
static void markdown_text(FILE *f, const char *s)
{
	printable_put(f, s ? s : "unknown", false, markdown_char);
}

static void markup_char(FILE *f, char c)
{
	switch (c) {
	case '&': fputs("&amp;", f); break;
	case '<': fputs("&lt;", f); break;
	case '>': fputs("&gt;", f); break;
	case '"': fputs("&quot;", f); break;
	default: fputc(c, f);
	}
}

void markup_text(FILE *f, const char *s)
{
	printable_put(f, s, false, markup_char);
}

void markup_lines(FILE *f, const char *s)
{
	for (; *s; s++)
		markup_char(f, *s);
}

/* Prints one conversion as printf() does, but %s by @text. Returns what follows it in @fmt. */
static const char *convert(FILE *f, const char *fmt, va_list *ap,
			   void (*text)(FILE *f, const char *s))
{
	size_t flags = 1 + strspn(fmt + 1, "0123456789.+-"), size = strspn(fmt + flags, "lz");
	const char *type = fmt + flags + size;
	char one[16];

	snprintf(one, sizeof(one), "%.*s", (int)(type + 1 - fmt), fmt);
	if (*type == '%')
		fputc('%', f);
	else if (*type == 's')
		text(f, va_arg(*ap, const char *));
	else if (*type != 'd' && *type != 'u')
		fprintf(f, one, va_arg(*ap, double));
	else if (size == 2)
		fprintf(f, one, va_arg(*ap, unsigned long long));
	else if (size)
		fprintf(f, one, va_arg(*ap, size_t));
	else
		fprintf(f, one, va_arg(*ap, unsigned int));
	return type + 1;
}

static void put_escaped(FILE *f, const char *fmt, va_list *ap,
			void (*text)(FILE *f, const char *s))
{
	size_t n;

	for (; *fmt; fmt = fmt[n] ? convert(f, fmt + n, ap, text) : fmt + n) {
		n = strcspn(fmt, "%");
		fwrite(fmt, 1, n, f);
	}
}

static void plain_char(FILE *f, char c)
{
	fputc(c, f);
}

static void printable_text(FILE *f, const char *s)
{
	printable_put(f, s ? s : "", true, plain_char);
}

void put_printable(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_escaped(f, fmt, &ap, printable_text);
	va_end(ap);
}

void wrap_printable(FILE *f, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	va_start(ap, fmt);
	if (m)
		put_escaped(m, fmt, &ap, printable_text);
	va_end(ap);
	wrap_put(f, memstream_text(m, &text) ? text : "...\n");
	free(text);
}

void markdown(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_escaped(f, fmt, &ap, markdown_text);
	va_end(ap);
}

void markup(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_escaped(f, fmt, &ap, markup_text);
	va_end(ap);
}
