// SPDX-License-Identifier: GPL-2.0
/* Building JSON objects: see json_write.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_write.h"
#include "util/printable.h"

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
	if (!to || (json_object_is_type(to, json_type_array) ? json_object_array_add(to, NULL) :
							json_object_object_add(to, key, NULL)))
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

void put_double(struct builder *b, struct json_object *to, const char *key,
		double val)
{
	if (isfinite(val))
		put(b, to, key, json_object_new_double(val));
	else
		put_null(b, to, key);
}

void put_known(struct builder *b, struct json_object *to, const char *key,
	       bool known, uint64_t val)
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

void put_made(struct builder *b, struct json_object *to, const char *key, char *text)
{
	if (!text)
		b->err = -ENOMEM;
	put_text(b, to, key, text);
	free(text);
}

void put_printed(struct builder *b, struct json_object *to, const char *key, char *text)
{
	put(b, to, key, text ? json_object_new_string(text) : NULL);
	free(text);
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

static const char *json_text(struct json_object *o, size_t *n)
{
	return json_object_to_json_string_length(o, JSON_C_TO_STRING_PLAIN |
						 JSON_C_TO_STRING_NOSLASHESCAPE,
						 n);
}

int json_print(FILE *f, struct json_object *o)
{
	size_t n;
	const char *text = json_text(o, &n);

	if (!text)
		return -ENOMEM;
	return fwrite(text, 1, n, f) != n || fputc('\n', f) < 0 ? -EIO : 0;
}

int json_end(struct builder *b, FILE *f, struct json_object *o)
{
	int err = b->err ? b->err : o ? json_print(f, o) : -ENOMEM;

	json_object_put(o);
	return err;
}

int json_print_part(FILE *f, struct json_object *o, bool braces)
{
	size_t n;
	const char *text = json_text(o, &n);

	if (!text)
		return -ENOMEM;
	if (!braces) {
		text++;
		n -= 2;
	}
	return fwrite(text, 1, n, f) == n ? 0 : -EIO;
}
