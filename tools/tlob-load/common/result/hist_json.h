/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms in result files. */
#ifndef TLOB_RESULT_HIST_JSON_H
#define TLOB_RESULT_HIST_JSON_H

#include "hist.h"
#include "util/json_read.h"
#include "util/json_write.h"

/*
 * @h must not change before @to is printed. For a page it has steps instead of buckets, eight an
 * octave: see page.js.
 */
void put_hist(struct builder *b, struct json_object *to, const char *key,
	      const struct tlob_hist *h);
/* @h is zeroed. */
void read_hist(struct reader *rd, struct json_object *parent, const char *key,
	       struct tlob_hist *h);

/* A list of pairs of counts, [[1024,5],[1088,2]]: element @i is a pair, or an error in @rd. */
void read_pair(struct reader *rd, struct json_object *list, size_t i, const char *key,
	       uint64_t pair[2]);
/*
 * The list of @o's @key, at most @max pairs, wherever it is: in the text, or taken out of it by
 * pairs_take().
 */
struct buckets {
	const uint64_t (*taken)[2];
	struct json_object *list;
	size_t n;
};
struct buckets read_buckets(struct reader *rd, struct json_object *o, const char *key, size_t max);
void get_bucket(struct reader *rd, const struct buckets *b, size_t i, const char *key,
		uint64_t pair[2]);

void put_pair(struct builder *b, struct json_object *list, uint64_t first, uint64_t second);

/* For a serializer of such a list: @before is '[' or ','. Less than 0: out of memory. */
int print_pair(struct printbuf *to, char before, uint64_t first, uint64_t second);

#endif /* TLOB_RESULT_HIST_JSON_H */
