// SPDX-License-Identifier: GPL-2.0
/* Parsing foreign JSON, and the checks that json-c does not make. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_read.h"
#include "util/printable.h"

int reader_fail(struct reader *r, const char *key, const char *fmt, ...)
{
	char why[READER_ERROR / 4], *c;
	va_list ap;

	if (*r->error)
		return -EINVAL;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (!*r->place && !*key)
		snprintf(r->error, sizeof(r->error), "%s", why);
	else
		snprintf(r->error, sizeof(r->error), "%s%s%.60s: %.100s", r->place,
			 *r->place && *key && *key != '[' ? "." : "", key, why);
	/* Keys and words come from a foreign file. */
	for (c = r->error; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return -EINVAL;
}

char json_next(struct json_scan *s)
{
	if (s->at == s->end)
		return 0;
	if (*s->at != '"')
		return *s->at++;
	for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
		if (*s->at == '\\' && s->at + 1 < s->end)
			s->at++;
	if (s->at < s->end)
		s->at++;
	return '"';
}

/* A colon outside of strings stands behind each key. */
static size_t keys_written(const char *text, size_t n)
{
	struct json_scan s = { .at = text, .end = text + n };
	size_t colons = 0;
	char c;

	while ((c = json_next(&s)))
		colons += c == ':';
	return colons;
}

/* json-c accepts single quotes even when strict: a " between them would hide keys. */
static bool has_single_quote(const char *text, size_t n)
{
	struct json_scan s = { .at = text, .end = text + n };
	char c;

	if (!memchr(text, '\'', n))	/* as in most files */
		return false;
	while ((c = json_next(&s)))
		if (c == '\'')
			return true;
	return false;
}

/* json-c makes 2^64 - 1 of each larger integer. Returns where one is, or NULL. */
static const char *too_large(const char *text, size_t n)
{
	static const char most[] = "18446744073709551615";
	struct json_scan s = { .at = text, .end = text + n };
	const char *from;
	char c, before = ' ';
	size_t digits;

	while ((c = json_next(&s))) {
		if (!isdigit((unsigned char)c)) {
			before = c;
			continue;
		}
		for (from = s.at - 1; s.at < s.end && isdigit((unsigned char)*s.at); s.at++)
			;
		digits = (size_t)(s.at - from);
		/* with a fraction or an exponent it is a double; a sign is refused elsewhere */
		if (!strchr(".eE+-", before) && (s.at == s.end || !strchr(".eE", *s.at)) &&
		    (digits >= sizeof(most) ||
		     (digits == sizeof(most) - 1 && memcmp(from, most, digits) > 0)))
			return from;
		before = c;
	}
	return NULL;
}

static size_t keys_kept(struct json_object *o)
{
	size_t i, n, keys = 0;

	switch (json_object_get_type(o)) {
	case json_type_object: {
		json_object_object_foreach(o, key, val) {
			(void)key;
			keys += 1 + keys_kept(val);
		}
		break;
	}
	case json_type_array:
		n = json_object_array_length(o);
		for (i = 0; i < n; i++)
			keys += keys_kept(json_object_array_get_idx(o, i));
		break;
	default:
		break;
	}
	return keys;
}

static void parse_failed(struct reader *r, enum json_tokener_error err,
			 size_t at, size_t n)
{
	if (err == json_tokener_continue)
		reader_fail(r, "", "cut off after %zu bytes", n);
	else if (err == json_tokener_error_depth)
		reader_fail(r, "", "nested more than %d levels deep", READER_DEPTH);
	else
		reader_fail(r, "", "invalid JSON at byte %zu: %s", at,
			    json_tokener_error_desc(err));
}

/* json-c silently keeps the last of equal keys: comparing the numbers finds them. */
struct json_object *reader_parse(struct reader *r, const char *text, size_t n)
{
	struct json_tokener *tok = json_tokener_new_ex(READER_DEPTH);
	struct json_object *o = NULL;
	const char *large;

	if (!tok) {
		reader_fail(r, "", "out of memory");
		return NULL;
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	if (n <= INT32_MAX)
		o = json_tokener_parse_ex(tok, text, (int)n);
	if (json_tokener_get_error(tok) != json_tokener_success || !o)
		parse_failed(r, json_tokener_get_error(tok),
			     json_tokener_get_parse_end(tok), n);
	else if (!json_object_is_type(o, json_type_object))
		reader_fail(r, "", "not a JSON object");
	else if (has_single_quote(text, n))
		reader_fail(r, "", "invalid JSON: strings need double quotes");
	else if (keys_kept(o) != keys_written(text, n))
		reader_fail(r, "", "a key occurs twice");
	else if ((large = too_large(text, n)))
		reader_fail(r, "", "a number above 18446744073709551615 at byte %zu",
			    (size_t)(large - text));
	json_tokener_free(tok);
	if (*r->error) {
		json_object_put(o);
		o = NULL;
	}
	return o;
}

size_t reader_enter(struct reader *r, const char *key, int index)
{
	size_t before = strlen(r->place);
	char subscript[16] = "";

	if (index >= 0)
		snprintf(subscript, sizeof(subscript), "[%d]", index);
	snprintf(r->place + before, sizeof(r->place) - before, "%s%s%s",
		 before ? "." : "", key, subscript);
	return before;
}

void reader_leave(struct reader *r, size_t before)
{
	r->place[before] = 0;
}

struct json_object *reader_find(struct json_object *o, const char *key)
{
	struct json_object *val = NULL;

	return o && json_object_object_get_ex(o, key, &val) ? val : NULL;
}

/* False, and an error, if @key is missing; *@val may be null. */
static bool get(struct reader *r, struct json_object *o, const char *key,
		struct json_object **val)
{
	*val = NULL;
	if (*r->error)
		return false;
	if (!o || !json_object_object_get_ex(o, key, val)) {
		reader_fail(r, key, "missing");
		return false;
	}
	return true;
}

/* A number beyond 64 bits is a double or an error of the parser. */
static bool is_u64(struct json_object *val)
{
	return json_object_is_type(val, json_type_int) &&
	       json_object_get_int64(val) >= 0;
}

static uint64_t as_u64(struct reader *r, struct json_object *val,
		       const char *key)
{
	if (!is_u64(val)) {
		reader_fail(r, key, "not a count");
		return 0;
	}
	return json_object_get_uint64(val);
}

uint64_t reader_u64(struct reader *r, struct json_object *o, const char *key)
{
	struct json_object *val;

	return get(r, o, key, &val) ? as_u64(r, val, key) : 0;
}

uint64_t reader_known(struct reader *r, struct json_object *o, const char *key)
{
	struct json_object *val;

	return get(r, o, key, &val) && val ? as_u64(r, val, key) : 0;
}

int reader_int(struct reader *r, struct json_object *o, const char *key,
	       int min, int max)
{
	struct json_object *val;
	int64_t n;

	if (!get(r, o, key, &val))
		return 0;
	n = json_object_get_int64(val);
	if (!json_object_is_type(val, json_type_int) || n < min || n > max) {
		reader_fail(r, key, "not a number from %d to %d", min, max);
		return 0;
	}
	return (int)n;
}

void reader_version(struct reader *r, struct json_object *o, int version)
{
	struct json_object *val;

	if (!get(r, o, "version", &val))
		return;
	if (!json_object_is_type(val, json_type_int))
		reader_fail(r, "version", "not a number");
	else if (json_object_get_int64(val) != version)
		reader_fail(r, "", "the file has version %lld, but this tlob-load reads version %d: use the tlob-load that wrote it",
			    (long long)json_object_get_int64(val), version);
}

bool reader_bool(struct reader *r, struct json_object *o, const char *key)
{
	struct json_object *val;

	if (!get(r, o, key, &val))
		return false;
	if (!json_object_is_type(val, json_type_boolean))
		reader_fail(r, key, "neither true nor false");
	return json_object_get_boolean(val);
}

static struct json_object *typed(struct reader *r, struct json_object *val,
				 const char *key, enum json_type type)
{
	if (val && json_object_is_type(val, type))
		return val;
	reader_fail(r, key, type == json_type_array ? "not a list" :
		    type == json_type_object ? "not an object" : "not a string");
	return NULL;
}

struct json_object *reader_object(struct reader *r, struct json_object *o,
				  const char *key)
{
	struct json_object *val;

	return get(r, o, key, &val) ? typed(r, val, key, json_type_object) :
				      NULL;
}

struct json_object *reader_list(struct reader *r, struct json_object *o,
				const char *key, size_t max)
{
	struct json_object *val;

	if (!get(r, o, key, &val) || !typed(r, val, key, json_type_array))
		return NULL;
	if (json_object_array_length(val) > max) {
		reader_fail(r, key, "more than %zu elements", max);
		return NULL;
	}
	return val;
}

/* A JSON string may contain a NUL, which would cut the C string short. */
static const char *as_word(struct reader *r, struct json_object *val,
			   const char *key)
{
	const char *word;

	if (!typed(r, val, key, json_type_string))
		return "";
	word = json_object_get_string(val);
	if (strlen(word) == (size_t)json_object_get_string_len(val))
		return word;
	reader_fail(r, key, "contains a NUL");
	return "";
}

const char *reader_word(struct reader *r, struct json_object *o,
			const char *key)
{
	struct json_object *val;

	return get(r, o, key, &val) ? as_word(r, val, key) : "";
}

static char *read_text(struct reader *r, struct json_object *o, const char *key, bool null)
{
	struct json_object *val;
	char *text;

	if (!get(r, o, key, &val) || (null && !val))
		return NULL;
	text = strdup(as_word(r, val, key));
	if (!text)
		reader_fail(r, key, "out of memory");
	return text;
}

char *reader_escaped(struct reader *r, struct json_object *o, const char *key,
		     bool null)
{
	char *text = read_text(r, o, key, null);

	return text ? printable_undo(text) : NULL;
}

static const char *number(char buf[24], size_t i)
{
	snprintf(buf, 24, "[%zu]", i);
	return buf;
}

uint64_t reader_u64_at(struct reader *r, struct json_object *list, size_t i)
{
	struct json_object *val = json_object_array_get_idx(list, i);
	char key[24];

	/* Most of a file are such numbers: only an error needs the key. */
	return is_u64(val) ? json_object_get_uint64(val) :
			     as_u64(r, val, number(key, i));
}

const char *reader_word_at(struct reader *r, struct json_object *list,
			   size_t i)
{
	char key[24];

	return as_word(r, json_object_array_get_idx(list, i), number(key, i));
}

struct json_object *reader_object_at(struct reader *r,
				     struct json_object *list, size_t i)
{
	char key[24];

	return typed(r, json_object_array_get_idx(list, i), number(key, i),
		     json_type_object);
}
