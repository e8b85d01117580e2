/* SPDX-License-Identifier: GPL-2.0 */
/* Lines that break between words, so that no terminal breaks a word. */
#ifndef TLOB_UTIL_WRAP_H
#define TLOB_UTIL_WRAP_H

#include <stdio.h>

/*
 * Prints the lines of @text, each broken where it exceeds @width columns; what continues is
 * indented. Colours take no column. Returns how many lines that makes; @f may be NULL to count them.
 */
unsigned int wrap_text(FILE *f, unsigned int width, const char *text);

/* Prints @text: to a terminal broken at tty_page_width(), else as it is. */
void wrap_put(FILE *f, const char *text);

/* The same, printf-like; for whole lines. */
void wrap_print(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* TLOB_UTIL_WRAP_H */
