// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "msg.h"

static void line(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/* One stdio call sequence under the lock: lines of threads do not mix. */
static void line(const char *fmt, va_list ap)
{
	flockfile(stderr);
	fputs("tlob-load: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
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
