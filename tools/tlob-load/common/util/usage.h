/* SPDX-License-Identifier: GPL-2.0 */
/* Messages about wrong input: formatted here, printed by the command. */
#ifndef TLOB_UTIL_USAGE_H
#define TLOB_UTIL_USAGE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Prints what --help and --version ask for. */
enum help_wanted { HELP_NOT, HELP_SHORT, HELP_ALL, HELP_VERSION };

/*
 * Formats one line into @err, of @size bytes, and returns -EINVAL. Control
 * characters in the user's input become '?': the message stays on one line and
 * cannot move the cursor.
 */
__attribute__((format(printf, 3, 4)))
static inline int usage_error(char *err, unsigned int size, const char *fmt, ...)
{
	va_list ap;

	if (!size)
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(err, size, fmt, ap);
	va_end(ap);
	for (; *err; err++)
		if ((unsigned char)*err < ' ' || *err == 127)
			*err = '?';
	return -EINVAL;
}

#endif /* TLOB_UTIL_USAGE_H */
