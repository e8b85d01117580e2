/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of result files. */
#ifndef TLOB_READ_HISTOGRAM_H
#define TLOB_READ_HISTOGRAM_H

#include "hist.h"
#include "util/json_read.h"

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

#endif /* TLOB_READ_HISTOGRAM_H */
