/* SPDX-License-Identifier: GPL-2.0 */
/* What a search found, in text and in JSON; its sentence is that of the page, too. */
#ifndef TLOB_VERDICT_SEARCH_H
#define TLOB_VERDICT_SEARCH_H

#include <stdio.h>

#include "series/search.h"

/* In one sentence, without a newline, which the caller frees; NULL without memory. */
char *search_sentence(const struct search *s);

/* A table, and one JSON object. 0, -ENOMEM or -EIO. */
int  search_text(FILE *f, const struct search *s);
int  search_json(FILE *f, const struct search *s);

#endif /* TLOB_VERDICT_SEARCH_H */
