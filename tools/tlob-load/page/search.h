/* SPDX-License-Identifier: GPL-2.0 */
/* What a search found, as one self-contained page with a curve. */
#ifndef TLOB_PAGE_SEARCH_H
#define TLOB_PAGE_SEARCH_H

#include <stdio.h>

struct search;

/* 0, -ENOMEM or -EIO. */
int page_search(FILE *f, const struct search *s);

#endif /* TLOB_PAGE_SEARCH_H */
