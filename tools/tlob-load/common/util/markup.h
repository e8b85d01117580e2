/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Escapes foreign text for a terminal, Markdown, XML and HTML. Text that a table has made is
 * printable already, and a name of a task is not: both are given as they are, but to a terminal,
 * whose text must be as it was.
 */
#ifndef TLOB_UTIL_MARKUP_H
#define TLOB_UTIL_MARKUP_H

#include <stdio.h>

/*
 * Like fprintf(), but the text of each %s is escaped, and nothing else is. They know %s without
 * width and precision, and d, u, f, g, e, also with those and the sizes l, ll and z. For NULL a
 * terminal gets nothing and Markdown "unknown"; XML and HTML take no NULL.
 */
void put_printable(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for whole lines, which wrap_put() prints. */
void wrap_printable(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void markdown(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void markup(FILE *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints @s so that nothing in it has a meaning in text and attributes of XML and HTML; not NULL. */
void markup_text(FILE *f, const char *s);

/* The same for lines of text that is printable already: it keeps their ends. */
void markup_lines(FILE *f, const char *s);

#endif /* TLOB_UTIL_MARKUP_H */
