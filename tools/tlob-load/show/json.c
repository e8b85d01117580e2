// SPDX-License-Identifier: GPL-2.0
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

void put_hist(struct builder *b, struct json_object *to,
	      const char *key, const struct tlob_hist *h)
{
	struct json_object *o = put_object(b, to, key);
	struct json_object *buckets, *pair;
	unsigned int i;

	put_u64(b, o, "n", h->n);
	put_u64(b, o, "sum", h->sum);
	put_known(b, o, "min", h->n, h->min);
	put_known(b, o, "max", h->n, h->max);
	buckets = put_array(b, o, "buckets");
	for (i = 0; h->n && i < TLOB_HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		pair = put_array(b, buckets, NULL);
		put_u64(b, pair, NULL, tlob_hist_lower(i));
		put_u64(b, pair, NULL, h->bucket[i]);
	}
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
	}
}
