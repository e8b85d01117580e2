/* SPDX-License-Identifier: GPL-2.0 */
/* Names that resemble a mistyped one. Pure: no I/O. */
#ifndef TLOB_UTIL_NEAR_H
#define TLOB_UTIL_NEAR_H

#define NEAR_NOT	1000U	/* not near */

/*
 * The number of characters to insert, delete or replace to make @wanted of @name
 * (Levenshtein's distance). NEAR_NOT if that is more than a third of @wanted and
 * one, or if one of them is longer than 96 characters.
 */
unsigned int near_edits(const char *name, const char *wanted);

#endif /* TLOB_UTIL_NEAR_H */
