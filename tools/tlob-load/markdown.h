/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_MARKDOWN_H
#define TLOB_MARKDOWN_H

#include <stdio.h>

/* Foreign text @s without a meaning in Markdown; NULL is "unknown". */
void markdown_text(FILE *f, const char *s);

#endif /* TLOB_MARKDOWN_H */
