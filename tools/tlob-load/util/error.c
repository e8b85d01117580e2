// SPDX-License-Identifier: GPL-2.0
/* Printing messages, and the exit code for an error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/error.h"

static void line(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/*
 * Printed in one go, so that lines of several threads do not mix. File names and
 * words from result files are foreign: characters that move the cursor become '?'.
 * In UTF-8 the control characters U+0080 to U+009F are two bytes.
 */
static void line(const char *fmt, va_list ap)
{
	char text[2048], *c;

	vsnprintf(text, sizeof(text), fmt, ap);
	for (c = text; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') ||
		    *c == 127)
			*c = '?';
		else if ((unsigned char)*c == 0xc2 && (unsigned char)c[1] >= 0x80 &&
			 (unsigned char)c[1] < 0xa0)
			c[0] = c[1] = '?';
	flockfile(stderr);
	fprintf(stderr, "tlob-load: %s\n", text);
	funlockfile(stderr);
}

int fail(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	return err;
}

void warning(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
}

enum exit_code exit_code_of(int err)
{
	switch (err) {
	case 0:
		return EXIT_PASS;
	case -EOPNOTSUPP:
		return EXIT_UNSUPPORTED;
	case -EUSAGE:
		return EXIT_USAGE;
	default:
		return EXIT_ERROR;
	}
}
