/* SPDX-License-Identifier: GPL-2.0 */
/* Names that resemble a mistyped one. Pure: no I/O. */
#ifndef TLOB_UTIL_NEAR_H
#define TLOB_UTIL_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#define NEAR_NOT	1000U	/* not near */

/*
 * The number of characters to insert, delete or replace to make @wanted of @name
 * (Levenshtein's distance). NEAR_NOT if that is more than a third of @wanted and
 * one, or if one of them is longer than 96 characters.
 */
unsigned int near_edits(const char *name, const char *wanted);

/* The names that are nearest, the best first. Begins with zeros. */
#define NEAR_BEST	3
struct near_names {
	char	*name[NEAR_BEST];
	unsigned int distance[NEAR_BEST];
	size_t	 n;
};

/* Adds a copy of @name if it is one of the best and not there yet, unless @distance is NEAR_NOT. */
void near_keep(struct near_names *best, const char *name, unsigned int distance);

/* Writes "a, b or c" to @text, and frees the names. Returns false without a name. */
bool near_list(struct near_names *best, char *text, size_t size);

#endif /* TLOB_UTIL_NEAR_H */
