/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms in result files. */
#ifndef TLOB_RESULT_HIST_JSON_H
#define TLOB_RESULT_HIST_JSON_H

#include "hist.h"
#include "util/json_write.h"

/*
 * @h must not change before @to is printed. For a page it has steps instead of buckets, eight an
 * octave: see page.js.
 */
void put_hist(struct builder *b, struct json_object *to, const char *key,
	      const struct tlob_hist *h);

/* An element of a list of pairs of counts, [[1024,5],[1088,2]]. */
void put_pair(struct builder *b, struct json_object *list, uint64_t first, uint64_t second);

/* For a serializer of such a list: @before is '[' or ','. Less than 0: out of memory. */
int print_pair(struct printbuf *to, char before, uint64_t first, uint64_t second);

#endif /* TLOB_RESULT_HIST_JSON_H */
