// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "read/histogram.h"
#include "read/pairs.h"

void read_pair(struct reader *rd, struct json_object *list, size_t i, const char *key,
	       uint64_t pair[2])
{
	struct json_object *o = json_object_array_get_idx(list, i);

	pair[0] = pair[1] = 0;
	if (!json_object_is_type(o, json_type_array) || json_object_array_length(o) != 2) {
		reader_fail(rd, key, "not pairs");
		return;
	}
	pair[0] = reader_u64_at(rd, o, 0);
	pair[1] = reader_u64_at(rd, o, 1);
}

/* [smallest value, count]: ascending, and each the beginning of a bucket. */
static uint64_t read_bucket(struct reader *rd, const uint64_t pair[2],
			    struct tlob_hist *h, unsigned int *above)
{
	uint64_t lower = pair[0], count = pair[1];
	unsigned int i = tlob_hist_index(lower);

	if (!*rd->error && (tlob_hist_lower(i) != lower || i < *above || !count))
		reader_fail(rd, "buckets", "%llu does not begin a bucket, or is out of order",
			    (unsigned long long)lower);
	*above = i + 1;
	h->bucket[i] = count;
	return count;
}

/* A number in the text is an index: pairs_take() took the list. */
struct buckets read_buckets(struct reader *rd, struct json_object *o, const char *key, size_t max)
{
	struct buckets b = { 0 };
	int i;

	if (rd->taken && json_object_is_type(reader_find(o, key), json_type_int)) {
		i = reader_int(rd, o, key, 0, (int)rd->taken->nlists - 1);
		if (*rd->error)
			return b;
		b.taken = (const uint64_t (*)[2])rd->taken->pair + rd->taken->list[i].first;
		b.n = rd->taken->list[i].n;
		if (b.n > max)
			reader_fail(rd, key, "more than %zu elements", max);
		return b;
	}
	b.list = reader_list(rd, o, key, max);
	b.n = b.list ? json_object_array_length(b.list) : 0;
	return b;
}

void get_bucket(struct reader *rd, const struct buckets *b, size_t i, const char *key,
		uint64_t pair[2])
{
	if (b->taken)
		memcpy(pair, b->taken[i], sizeof(*b->taken));
	else
		read_pair(rd, b->list, i, key, pair);
}

/* The sum of one CPU wraps after 584 years; the sum of all CPUs may wrap earlier. */
static bool sum_is_possible(const struct tlob_hist *h)
{
	uint64_t least, most;

	return !__builtin_mul_overflow(h->n, h->min, &least) && least <= h->sum &&
	       (__builtin_mul_overflow(h->n, h->max, &most) || most >= h->sum);
}

void read_hist(struct reader *rd, struct json_object *parent, const char *key,
	       struct tlob_hist *h)
{
	struct json_object *o = reader_object(rd, parent, key);
	size_t place = reader_enter(rd, key, -1), i;
	unsigned int above = 0, first = 0;
	uint64_t left, pair[2], count;
	struct buckets b;

	h->n = reader_u64(rd, o, "n");
	h->sum = reader_u64(rd, o, "sum");
	h->min = reader_known(rd, o, "min");
	h->max = reader_known(rd, o, "max");
	b = read_buckets(rd, o, "buckets", (size_t)TLOB_HIST_BUCKETS);
	for (i = 0, left = h->n; i < b.n && !*rd->error; i++) {
		get_bucket(rd, &b, i, "buckets", pair);
		count = read_bucket(rd, pair, h, &above);
		if (!i)
			first = above - 1;
		if (!*rd->error && count > left)
			reader_fail(rd, "n", "smaller than the sum of the buckets");
		left -= count;
	}
	if (!*rd->error && left)
		reader_fail(rd, "n", "larger than the sum of the buckets");
	if (!*rd->error && h->n &&
	    (tlob_hist_index(h->min) != first || h->min > h->max ||
	     tlob_hist_index(h->max) + 1 != above))
		reader_fail(rd, "min", "or max lies outside the outermost bucket");
	if (!*rd->error && h->n && !sum_is_possible(h))
		reader_fail(rd, "sum", "must lie between n * min and n * max");
	if (!*rd->error && !h->n && (h->sum || h->min || h->max))
		reader_fail(rd, "n", "is 0, but sum, min or max is not");
	reader_leave(rd, place);
}
