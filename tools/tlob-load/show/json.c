// SPDX-License-Identifier: GPL-2.0
#include "result/attach_result.h"
#include "result/parts.h"
#include "show/json.h"

void put_counters(struct builder *b, struct json_object *to,
		  const struct counters *list, const void *data)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		put_u64(b, to, list->at[i].name,
			counter_get(&list->at[i], data));
}

#define PAIR_LEN	(4 + 2 * 20)	/* ",[" "," "]" and two numbers of 64 bits */

/* The number in front of @end. Returns where it begins. */
static char *digits(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

/*
 * Prints the buckets from the histogram itself: as objects of json-c they would take
 * most of the time and memory of writing a result.
 */
static int print_buckets(struct json_object *o, struct printbuf *to, int level,
			 int flags)
{
	const struct tlob_hist *h = json_object_get_userdata(o);
	char pair[PAIR_LEN], *at;
	unsigned int i;
	char sep = '[';
	int err = 0;

	(void)level;
	(void)flags;
	for (i = 0; i < TLOB_HIST_BUCKETS && err >= 0; i++) {
		if (!h->bucket[i])
			continue;
		at = pair + PAIR_LEN;
		*--at = ']';
		at = digits(at, h->bucket[i]);
		*--at = ',';
		at = digits(at, tlob_hist_lower(i));
		*--at = '[';
		*--at = sep;
		err = printbuf_memappend(to, at, (int)(pair + PAIR_LEN - at));
		sep = ',';
	}
	return err < 0 ? err : printbuf_memappend(to, "]", 1);
}

void put_hist(struct builder *b, struct json_object *to,
	      const char *key, const struct tlob_hist *h)
{
	struct json_object *o = put_object(b, to, key);
	struct json_object *buckets;

	put_u64(b, o, "n", h->n);
	put_u64(b, o, "sum", h->sum);
	put_known(b, o, "min", h->n, h->min);
	put_known(b, o, "max", h->n, h->max);
	buckets = put_array(b, o, "buckets");
	if (buckets && h->n)
		json_object_set_serializer(buckets, print_buckets, (void *)h,
					   NULL);
}

void put_host(struct builder *b, struct json_object *to, const char *host)
{
	if (*host)
		put_text(b, to, "host", host);
}

void put_counts(struct builder *b, struct json_object *to,
		const char *key, const __u32 count[TLOB_NR_NOISE])
{
	struct json_object *o = put_object(b, to, key);
	unsigned int k;

	for (k = 0; k < TLOB_NR_NOISE; k++)
		put_u64(b, o, noise_kind_name(k), count[k]);
}

/* An interruption, or null and NULL if there was none. */
struct json_object *put_noise(struct builder *b, struct json_object *to,
			      const char *key, const struct tlob_noise *n)
{
	struct json_object *o;

	if (!n->ns) {
		put_null(b, to, key);
		return NULL;
	}
	o = put_object(b, to, key);
	put(b, o, "kind", json_object_new_string(noise_kind_name(n->kind)));
	put_int(b, o, "id", n->id);
	put_name(b, o, "name", n->name);
	put_u64(b, o, "ns", n->ns);
	return o;
}

void put_offenders(struct builder *b, struct json_object *to,
		   const char *key, const struct offenders *list)
{
	struct json_object *o = put_object(b, to, key);
	struct json_object *names, *e;
	size_t i;

	put_u64(b, o, "evicted", list->evicted);
	names = put_array(b, o, "names");
	for (i = 0; i < list->n; i++) {
		const struct offender *at = &list->at[i];

		e = put_object(b, names, NULL);
		put(b, e, "kind",
		    json_object_new_string(noise_kind_name(at->kind)));
		put_int(b, e, "id", at->id);
		put_name(b, e, "name", at->name);
		put_u64(b, e, "windows", at->windows);
		put_u64(b, e, "total_ns", at->total_ns);
		put_u64(b, e, "max_ns", at->max_ns);
		put_host(b, e, at->host);
	}
}

void put_causes(struct builder *b, struct json_object *to, const struct causes *all, bool of_task)
{
	struct json_object *o, *list, *e;
	size_t i;

	if (!all->n && !all->others)
		return;
	o = put_object(b, to, "causes");
	put_u64(b, o, "others", all->others);
	list = put_array(b, o, "list");
	for (i = 0; i < all->n; i++) {
		const struct cause_count *at = &all->at[i];

		e = put_object(b, list, NULL);
		put_text(b, e, "part", cause_part_name(at->part, of_task));
		put_u64(b, e, "windows", at->windows);
		if (!at->has_name)
			continue;
		put_text(b, e, "kind", noise_kind_name(at->kind));
		put_int(b, e, "id", at->id);
		put_name(b, e, "name", at->name);
	}
}

void put_assertions(struct builder *b, struct json_object *to, const struct assertions *all)
{
	struct json_object *list, *o;
	size_t i;

	if (!all->n)
		return;
	list = put_array(b, to, "assertions");
	for (i = 0; i < all->n; i++) {
		o = put_object(b, list, NULL);
		put_text(b, o, "condition", all->at[i].text);
		put_bool(b, o, "holds", all->at[i].outcome == CONDITION_TRUE);
		put_known(b, o, "value", all->at[i].has_value, all->at[i].value);
		put_text(b, o, "found", all->at[i].found);
	}
}
