/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Foreign bytes made fit for a terminal and for JSON. A task may call itself
 * anything, prctl(PR_SET_NAME) checks nothing.
 *
 * What is not valid UTF-8, control characters, and a backslash in front of an
 * x become \xNN, NN being the byte in hexadecimal; all else stays. So the
 * result is valid UTF-8 on one line, plain names are unchanged, and replacing
 * every \xNN by its byte gives the original back.
 */
#ifndef TLOB_PRINTABLE_H
#define TLOB_PRINTABLE_H

#include <stddef.h>

#include <linux/tlob.h>

/* Room for the printable form of @n bytes, with its NUL. */
#define PRINTABLE_LEN(n)	(4 * (n) + 1)
#define PRINTABLE_NAME		PRINTABLE_LEN(TLOB_NAME_LEN)

/* @in ends at its NUL or after @n bytes. Returns @out. */
char *printable(char *out, const char *in, size_t n);

/* The same into new memory, to be freed; NULL if there is none. */
char *printable_dup(const char *in);

/* Back again, in place: every \xNN becomes its byte, but no NUL. Returns @s. */
char *printable_undo(char *s);

/* The characters of a valid UTF-8 string, which is what a column counts. */
size_t printable_width(const char *s);

#endif /* TLOB_PRINTABLE_H */
