/* SPDX-License-Identifier: GPL-2.0 */
/* Questions about strings. */
#ifndef TLOB_UTIL_TEXT_H
#define TLOB_UTIL_TEXT_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static inline bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Returns whether the @n bytes at @word are a word of @text, whose words have blanks between. */
static inline bool has_word_of(const char *text, const char *word, size_t n)
{
	while (text && (strncmp(text, word, n) || (text[n] && text[n] != ' '))) {
		text = strchr(text, ' ');
		text = text ? text + 1 : NULL;
	}
	return text;
}

static inline bool has_word(const char *text, const char *word)
{
	return has_word_of(text, word, strlen(word));
}

/* A copy (malloc) of @text, which may be NULL. Without memory *@err becomes -ENOMEM. */
static inline char *text_copy(const char *text, int *err)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*err = -ENOMEM;
	return copy;
}

/* Cuts the line at *@rest off, and moves *@rest behind it. NULL: no more lines. */
static inline char *text_line(char **rest)
{
	char *line = *rest;

	if (!line || !*line)
		return NULL;
	*rest = strchr(line, '\n');
	if (*rest)
		*(*rest)++ = 0;
	return line;
}

/* The name of a file: what stands behind its folders. */
static inline const char *without_folders(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* True for PROVIDER:NAME, as in libstdcxx:throw: the name of a static probe. */
static inline bool is_probe_name(const char *place)
{
	const char *colon = strchr(place, ':');

	return colon && colon > place && colon[1] && !strchr(colon + 1, ':') &&
	       !strpbrk(place, " (<");
}

#endif /* TLOB_UTIL_TEXT_H */
