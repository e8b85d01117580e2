/* SPDX-License-Identifier: GPL-2.0 */
/* One self-contained page of HTML: no network, and whole without its script. */
#ifndef TLOB_PAGE_PAGE_H
#define TLOB_PAGE_PAGE_H

#include <stdio.h>

#include "show/report.h"

struct attach_result;

/* The page up to its body, with its style; and its script and what ends it. */
void html_begin(FILE *f, const char *title);
void html_end(FILE *f);

/* 0, -ENOMEM or -EIO; prints no error itself. @name: how each of the @n results is called. */
int page_results(FILE *f, const struct report *rep);
int page_attach(FILE *f, const struct attach_result *const a[], const char *const *name, size_t n);

#endif /* TLOB_PAGE_PAGE_H */
