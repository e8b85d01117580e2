/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Escapes foreign bytes for a terminal and for JSON. A task can have any name:
 * prctl(PR_SET_NAME) checks nothing.
 *
 * Invalid UTF-8, control characters, invisible ones that change how others are shown
 * (U+202E), and a backslash before an x become \xNN, with the byte in hexadecimal. Everything else stays. So the result is valid
 * UTF-8 on one line, plain names do not change, and printable_undo() restores
 * the original.
 */
#ifndef TLOB_UTIL_PRINTABLE_H
#define TLOB_UTIL_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <linux/tlob.h>

/* Bytes that the printable form of @n bytes may need, with its NUL. */
#define PRINTABLE_LEN(n)	(4 * (n) + 1)
#define PRINTABLE_NAME		PRINTABLE_LEN(TLOB_NAME_LEN)

/*
 * The length of the UTF-8 character at the start of the @n bytes at @s, @n > 0: 1 to 4,
 * or 0 for a byte that must be escaped.
 */
size_t printable_char(const char *s, size_t n);

/* Escapes @in, up to its NUL or @n bytes, into @out. Returns @out. */
char *printable(char *out, const char *in, size_t n);

/* The same for a string, into new memory (malloc); NULL if there is none, or none was for @in. */
char *printable_dup(const char *in);

/*
 * The same for a text whose escapes stay as they are: parts of it may have been escaped before.
 * printable_undo() cannot restore such a text. So pages may have it, and result files may not.
 */
char *printable_once(const char *in);

/*
 * Returns whether one of both has ever had no memory. Then a report lacks a text, or has "?" in its
 * place, and main() fails for all of them.
 */
bool printable_missed(void);

/* As printable_dup(), or without @twice as printable_once(), but needs no memory: @put gets each byte. */
void printable_put(FILE *f, const char *s, bool twice, void (*put)(FILE *f, char c));

/* Turns every \xNN back into its byte, in place; \x00 stays. Returns @s. */
char *printable_undo(char *s);

/* The number of characters of a valid UTF-8 string: its width in columns. */
size_t printable_width(const char *s);

#endif /* TLOB_UTIL_PRINTABLE_H */
