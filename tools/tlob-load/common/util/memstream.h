/* SPDX-License-Identifier: GPL-2.0 */
/* Texts that are printed into memory. */
#ifndef TLOB_UTIL_MEMSTREAM_H
#define TLOB_UTIL_MEMSTREAM_H

#include <stdio.h>
#include <stdlib.h>

/*
 * Ends what was printed to @f, which open_memstream() opened for *@text. Returns the text, which
 * the caller frees, or NULL without memory; so it does if @f is NULL.
 */
static inline char *memstream_text(FILE *f, char **text)
{
	if (f && !fclose(f))
		return *text;
	free(*text);
	*text = NULL;
	return NULL;
}

/* Returns what @put prints of @data. The caller frees it; NULL without memory. */
static inline char *memstream_of(void (*put)(FILE *f, const void *data), const void *data)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f)
		put(f, data);
	return memstream_text(f, &text);
}

#endif /* TLOB_UTIL_MEMSTREAM_H */
