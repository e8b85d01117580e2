/* SPDX-License-Identifier: GPL-2.0 */
/* The one line that tells a user what is wrong with what he wrote. */
#ifndef TLOB_USAGE_ERROR_H
#define TLOB_USAGE_ERROR_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/*
 * Formats the line into @err and returns -EINVAL. What the user wrote may
 * contain control characters; they become '?', so that it stays one line and
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

#endif /* TLOB_USAGE_ERROR_H */
