// SPDX-License-Identifier: GPL-2.0
/* Escaping for Markdown, XML and HTML. */
#include <stdlib.h>
#include <string.h>

#include "util/markup.h"
#include "util/printable.h"

void markdown_text(FILE *f, const char *s)
{
	char *plain = printable_dup(s ? s : "unknown"), *p;

	for (p = plain; p && *p; p++) {
		if (strchr("\\`*_{}[]<>|#", *p))
			fputc('\\', f);
		fputc(*p, f);
	}
	free(plain);
}

void markup_text(FILE *f, const char *s)
{
	char *plain = printable_dup(s), *p;

	for (p = plain; p && *p; p++)
		switch (*p) {
		case '&': fputs("&amp;", f); break;
		case '<': fputs("&lt;", f); break;
		case '>': fputs("&gt;", f); break;
		case '"': fputs("&quot;", f); break;
		default: fputc(*p, f);
		}
	free(plain);
}
