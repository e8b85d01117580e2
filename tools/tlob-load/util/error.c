// SPDX-License-Identifier: GPL-2.0
/* Printing messages, and the exit code for an error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/error.h"
#include "util/printable.h"

static void line(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/*
 * Printed in one go, so that lines of several threads do not mix. File names and
 * words from result files are foreign: bytes that printable() would escape become '?'.
 */
static void line(const char *fmt, va_list ap)
{
	char text[2048], *c;
	size_t n;

	vsnprintf(text, sizeof(text), fmt, ap);
	for (c = text; *c; c += n) {
		n = printable_char(c, strlen(c));
		if (!n && *c != '\n' && *c != '\t')
			*c = '?';
		n += !n;
	}
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
