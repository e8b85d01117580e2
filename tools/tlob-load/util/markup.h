/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Escapes foreign text for Markdown, XML and HTML. Text that a table has made is printable already,
 * and a name of a task is not: both are given as they are.
 */
#ifndef TLOB_UTIL_MARKUP_H
#define TLOB_UTIL_MARKUP_H

#include <stdio.h>

/* Prints @s so that nothing in it has a meaning in Markdown, also in a table. NULL: "unknown". */
void markdown_text(FILE *f, const char *s);

/* The same for text and attributes of XML and HTML; @s must not be NULL. */
void markup_text(FILE *f, const char *s);

/* The same for lines of text that is printable already: it keeps their ends. */
void markup_lines(FILE *f, const char *s);

#endif /* TLOB_UTIL_MARKUP_H */
