/* SPDX-License-Identifier: GPL-2.0 */
/* What a search found: text, JSON, page. Its sentence is the same in all. */
#ifndef TLOB_VALIDATE_SEARCH_RENDER_H
#define TLOB_VALIDATE_SEARCH_RENDER_H

#include <stdio.h>

#include "validate/search.h"

/* In one sentence, without a newline, which the caller frees; NULL without memory. */
char *search_sentence(const struct search *s);

/* A table, one JSON object, a page. 0, -ENOMEM or -EIO. */
int  search_text(FILE *f, const struct search *s);
int  search_json(FILE *f, const struct search *s);
int  page_search(FILE *f, const struct search *s);

#endif /* TLOB_VALIDATE_SEARCH_RENDER_H */
