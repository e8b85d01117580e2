// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "result/hist_json.h"
#include "result/read_pairs.h"

#define PAIR_LEN	(4 + 2 * 20)	/* ",[" "," "]" and two numbers of 64 bits */

/* The number in front of @end. Returns where it begins. */
static char *digits(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

int print_pair(struct printbuf *to, char before, uint64_t first, uint64_t second)
{
	char pair[PAIR_LEN], *at = pair + PAIR_LEN;

	*--at = ']';
	at = digits(at, second);
	*--at = ',';
	at = digits(at, first);
	*--at = '[';
	*--at = before;
	return printbuf_memappend(to, at, (int)(pair + PAIR_LEN - at));
}

/*
 * Prints the buckets from the histogram itself: as objects of json-c they would take
 * most of the time and memory of writing a result.
 */
static int print_buckets(struct json_object *o, struct printbuf *to, int level,
			 int flags)
{
	const struct tlob_hist *h = json_object_get_userdata(o);
	unsigned int i, last = tlob_hist_index(h->max);
	char sep = '[';
	int err = 0;

	(void)level;
	(void)flags;
	for (i = tlob_hist_index(h->min); i <= last && err >= 0; i++) {
		if (!h->bucket[i])
			continue;
		err = print_pair(to, sep, tlob_hist_lower(i), h->bucket[i]);
		sep = ',';
	}
	return err < 0 ? err : printbuf_memappend(to, "]", 1);
}

#define STEP_BITS	3		/* of a page: eight steps an octave */

/* The step of bucket @i: both are log-linear, so a step is whole buckets. */
static unsigned int step_of(unsigned int i)
{
	uint64_t ns = tlob_hist_lower(i);
	unsigned int shift;

	if (ns < 2U << STEP_BITS)
		return (unsigned int)ns;
	shift = 63 - (unsigned int)__builtin_clzll(ns) - STEP_BITS;
	return (shift << STEP_BITS) + (unsigned int)(ns >> shift);
}

static void put_steps(struct builder *b, struct json_object *o, const struct tlob_hist *h)
{
	unsigned int i = tlob_hist_index(h->min), last = tlob_hist_index(h->max), step = step_of(i);
	struct json_object *list;
	uint64_t n = 0;

	if (h->step > 1)
		put_u64(b, o, "step", h->step);
	put_u64(b, o, "bits", STEP_BITS);
	put_u64(b, o, "first", step);
	list = put_array(b, o, "steps");
	for (; i <= last; i++) {
		for (; step < step_of(i); step++, n = 0)
			put_u64(b, list, NULL, n);
		n += h->bucket[i];
	}
	put_u64(b, list, NULL, n);
}

/* A part has no curve: its mean is all that a page draws. */
static void put_hist_of_page(struct builder *b, struct json_object *to, const char *key,
			     const struct tlob_hist *h)
{
	struct json_object *o;

	if (!h->sum)
		return;
	o = put_object(b, to, key);
	put_u64(b, o, "n", h->n);
	put_u64(b, o, "sum", h->sum);
	if (strchr(key, '.'))
		return;
	put_u64(b, o, "min", h->min);
	put_u64(b, o, "max", h->max);
	put_steps(b, o, h);
}

void put_hist(struct builder *b, struct json_object *to,
	      const char *key, const struct tlob_hist *h)
{
	struct json_object *o, *buckets;

	if (b->page) {
		put_hist_of_page(b, to, key, h);
		return;
	}
	o = put_object(b, to, key);
	put_u64(b, o, "n", h->n);
	put_u64(b, o, "sum", h->sum);
	put_known(b, o, "min", h->n, h->min);
	put_known(b, o, "max", h->n, h->max);
	buckets = put_array(b, o, "buckets");
	if (buckets && h->n)
		json_object_set_serializer(buckets, print_buckets, (void *)h,
					   NULL);
}

void put_pair(struct builder *b, struct json_object *list, uint64_t first, uint64_t second)
{
	struct json_object *pair = put_array(b, list, NULL);

	put_u64(b, pair, NULL, first);
	put_u64(b, pair, NULL, second);
}

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

