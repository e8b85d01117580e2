/* SPDX-License-Identifier: GPL-2.0 */
/* Questions about strings. */
#ifndef TLOB_UTIL_TEXT_H
#define TLOB_UTIL_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The name of a file: what stands behind its folders. */
static inline const char *without_folders(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif /* TLOB_UTIL_TEXT_H */
