// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read/pieces.h"

/* The same, after what has none of @some; NULL: all counts. A NUL is behind the text. */
static char next_of(struct json_scan *s, const char *some)
{
	if (some)
		s->at += strcspn(s->at, some);
	return json_next(s);
}

static int add_piece(struct reader *r, struct piece **list, size_t *n,
		     const char *from, const char *to)
{
	struct piece *p = realloc(*list, (*n + 1) * sizeof(*p));

	if (!p)
		return reader_fail(r, "", "out of memory");
	*list = p;
	p[*n].text = from;
	p[(*n)++].n = (size_t)(to - from);
	return 0;
}

static bool is_key(const struct json_scan *s, const char *from, const char *key)
{
	size_t n = strlen(key);

	return (size_t)(s->at - from) == n + 2 && !memcmp(from + 1, key, n);
}

/*
 * Cuts the list at @s, just behind its '[', into its elements '{...}' and stops
 * behind its ']'. One comma must separate them; their insides are parsed later.
 */
static int cut_list(struct reader *r, struct json_scan *s, struct piece **list,
		    size_t *n)
{
	const char *from = NULL;
	bool comma = true;		/* an element may follow */
	int depth = 0;
	char c;

	while ((c = next_of(s, depth ? "\"{}" : NULL))) {
		if (depth) {
			/* what is wrong with brackets is found when the element is parsed */
			depth += (c == '{') - (c == '}');
			if (!depth && add_piece(r, list, n, from, s->at))
				return -EINVAL;
			continue;
		}
		if (isspace((unsigned char)c))
			continue;
		if (c == ']' && (!*n || !comma))
			return 0;
		if (c == '{' && comma)
			from = s->at - 1;
		else if (c != ',' || comma)
			break;
		depth = c == '{';
		comma = c == ',';
	}
	return c ? reader_fail(r, "", "not a list of objects") :
		   reader_fail(r, "", "cut off");
}

/* Moves behind the '[' that is the value of the top object's @key. */
static bool find_list(struct json_scan *s, const char *key)
{
	bool is_value = false;
	int depth = 0;
	char c;

	for (;;) {
		const char *from = s->at;

		c = json_next(s);
		if (!c)
			return false;
		if (c == '"')
			is_value = depth == 1 && is_key(s, from, key);
		else if (c == '[' && is_value)
			return true;
		else if (c != ':' && !isspace((unsigned char)c))
			is_value = false;
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
	}
}

struct json_object *reader_parse_but(struct reader *r, const char *text,
				     const char *key, struct piece **piece,
				     size_t *npieces)
{
	struct json_scan s = { .at = text, .end = text + strlen(text) };
	struct json_object *o;
	size_t before, place;
	char *rest;

	*piece = NULL;
	*npieces = 0;
	if (!find_list(&s, key))
		return reader_parse(r, text, strlen(text));
	before = (size_t)(s.at - text);
	place = reader_enter(r, key, -1);
	cut_list(r, &s, piece, npieces);
	reader_leave(r, place);
	rest = *r->error ? NULL : malloc(before + (size_t)(s.end - s.at) + 2);
	if (!rest) {
		reader_fail(r, "", "out of memory");
		return NULL;
	}
	memcpy(rest, text, before);
	rest[before] = ']';
	memcpy(rest + before + 1, s.at, (size_t)(s.end - s.at) + 1);
	o = reader_parse(r, rest, strlen(rest));
	free(rest);
	return o;
}
