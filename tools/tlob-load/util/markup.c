// SPDX-License-Identifier: GPL-2.0
/* Escaping for Markdown, XML and HTML. */
#include <stdlib.h>
#include <string.h>

#include "util/markup.h"
#include "util/printable.h"

void markdown_text(FILE *f, const char *s)
{
	char *plain = printable_once(s ? s : "unknown"), *p;

	for (p = plain; p && *p; p++) {
		if (strchr("\\`*_{}[]<>|#", *p))
			fputc('\\', f);
		fputc(*p, f);
	}
	free(plain);
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
	char *plain = printable_once(s), *p;

	for (p = plain; p && *p; p++)
		markup_char(f, *p);
	free(plain);
}

void markup_lines(FILE *f, const char *s)
{
	for (; *s; s++)
		markup_char(f, *s);
}
