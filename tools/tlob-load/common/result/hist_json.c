// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "result/hist_json.h"

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
