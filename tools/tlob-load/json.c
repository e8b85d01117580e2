// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "printable.h"
#include "render_parts.h"

struct json_object *put(struct builder *b, struct json_object *to,
			const char *key, struct json_object *val)
{
	if (!to || !val ||
	    (json_object_is_type(to, json_type_array) ?
	     json_object_array_add(to, val) :
	     json_object_object_add(to, key, val))) {
		json_object_put(val);
		b->err = -ENOMEM;
		return NULL;
	}
	return val;
}

void put_null(struct builder *b, struct json_object *to,
	      const char *key)
{
	if (!to || json_object_object_add(to, key, NULL))
		b->err = -ENOMEM;
}

void put_u64(struct builder *b, struct json_object *to,
	     const char *key, uint64_t val)
{
	put(b, to, key, json_object_new_uint64(val));
}

void put_int(struct builder *b, struct json_object *to,
	     const char *key, int val)
{
	put(b, to, key, json_object_new_int(val));
}

/* 0 says that it was not measured, which JSON has a word for. */
void put_known(struct builder *b, struct json_object *to,
	       const char *key, bool known, uint64_t val)
{
	if (known)
		put_u64(b, to, key, val);
	else
		put_null(b, to, key);
}

void put_text(struct builder *b, struct json_object *to,
	      const char *key, const char *text)
{
	char *s;

	if (!text) {
		put_null(b, to, key);
		return;
	}
	s = printable_dup(text);
	put(b, to, key, s ? json_object_new_string(s) : NULL);
	free(s);
}

void put_name(struct builder *b, struct json_object *to,
	      const char *key, const char name[TLOB_NAME_LEN])
{
	char s[PRINTABLE_NAME];

	put(b, to, key,
	    json_object_new_string(printable(s, name, TLOB_NAME_LEN)));
}

void put_bool(struct builder *b, struct json_object *to,
	      const char *key, bool val)
{
	put(b, to, key, json_object_new_boolean(val));
}

struct json_object *put_object(struct builder *b,
			       struct json_object *to, const char *key)
{
	return put(b, to, key, json_object_new_object());
}

struct json_object *put_array(struct builder *b,
			      struct json_object *to, const char *key)
{
	return put(b, to, key, json_object_new_array());
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

void put_mask(struct builder *b, struct json_object *to, const char *key,
	      uint32_t mask, const char * const *names, unsigned int n)
{
	struct json_object *list = put_array(b, to, key);
	unsigned int i;

	for (i = 0; i < n; i++)
		if (mask & 1U << i)
			put(b, list, NULL, json_object_new_string(names[i]));
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

void put_time(struct builder *b, struct json_object *to, const char *key,
	      time_t t)
{
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	put(b, to, key, json_object_new_string(text));
}

void put_texts(struct builder *b, struct json_object *to, const char *key,
	       char * const *texts)
{
	struct json_object *list = put_array(b, to, key);

	for (; texts && *texts; texts++)
		put_text(b, list, NULL, *texts);
}

int json_print(FILE *f, struct json_object *o)
{
	const char *text;

	text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!text)
		return -ENOMEM;
	return fputs(text, f) < 0 || fputc('\n', f) < 0 ? -EIO : 0;
}
