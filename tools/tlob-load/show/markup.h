/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_MARKUP_H
#define TLOB_MARKUP_H

#include <stdio.h>

/* Foreign text @s without a meaning in Markdown; NULL is "unknown". */
void markdown_text(FILE *f, const char *s);

/* The same for XML and HTML, in text and in attributes. */
void markup_text(FILE *f, const char *s);

#endif /* TLOB_MARKUP_H */
