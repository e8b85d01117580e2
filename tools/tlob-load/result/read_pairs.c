// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/read_pairs.h"
#include "util/array.h"

#define MOST_LISTS	100U		/* an index is no longer than "[]", so the copy fits */
#define LONGEST_KEY	32U

/* The rest of the text. */
struct rest {
	const char *at, *end;
};

static void skip_space(struct rest *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' ||
				  *r->at == '\r'))
		r->at++;
}

static bool skip(struct rest *r, char c)
{
	skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* A number without sign, fraction, exponent or leading zero. */
static bool take_number(struct rest *r, uint64_t *number)
{
	const char *from;

	skip_space(r);
	from = r->at;
	for (*number = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(*r->at - '0'), number))
			return false;
	return r->at > from && (*from != '0' || r->at == from + 1);
}

static bool take_pair(struct rest *r, uint64_t pair[2])
{
	return skip(r, '[') && take_number(r, &pair[0]) && skip(r, ',') &&
	       take_number(r, &pair[1]) && skip(r, ']');
}

static bool take_list(struct pair_lists *l, struct rest *r, size_t max)
{
	struct pairs *list = &l->list[l->nlists++];
	uint64_t (*pair)[2];

	*list = (struct pairs){ .first = l->npairs };
	if (!skip(r, '['))
		return false;
	if (skip(r, ']'))
		return true;
	do {
		pair = array_add(l->pair, l->npairs, l->room);
		if (!pair || list->n++ == max || !take_pair(r, *pair))
			return false;
		l->npairs++;
	} while (skip(r, ','));
	return skip(r, ']');
}

static void put(struct pair_lists *l, const char *from, const char *to)
{
	memcpy(l->text + l->size, from, (size_t)(to - from));
	l->size += (size_t)(to - from);
}

/*
 * A key is known by its quotes and the colon. Inside of a string a quote has a backslash
 * before it, so this finds the key, or one that ends like it, whose value is never read.
 */
static bool take_all(struct pair_lists *l, const char *text, size_t n, const char *key,
		     size_t max)
{
	struct rest r = { .at = text, .end = text + n };
	size_t len = strlen(key);
	const char *from = text;

	/* "\\u0062uckets" is the same key */
	if (memmem(text, n, "\\u", 2))
		return false;
	while ((r.at = memmem(r.at, (size_t)(r.end - r.at), key, len))) {
		r.at += len;
		if (!skip(&r, ':'))
			continue;
		skip_space(&r);
		put(l, from, r.at);
		if (l->nlists == MOST_LISTS || !take_list(l, &r, max))
			return false;
		l->size += (size_t)sprintf(l->text + l->size, "%zu", l->nlists - 1);
		from = r.at;
	}
	put(l, from, text + n);
	return true;
}

bool pairs_take(struct pair_lists *l, const char *text, size_t n, const char *key,
		size_t max)
{
	char quoted[LONGEST_KEY + 3];
	bool all;

	memset(l, 0, sizeof(*l));
	l->text = malloc(n + 1);	/* a NUL behind an index */
	l->list = calloc(MOST_LISTS, sizeof(*l->list));
	snprintf(quoted, sizeof(quoted), "\"%.*s\"", (int)LONGEST_KEY, key);
	all = l->text && l->list && take_all(l, text, n, quoted, max);
	if (!all)
		pairs_free(l);
	return all;
}

void pairs_free(struct pair_lists *l)
{
	free(l->text);
	free(l->list);
	free(l->pair);
	memset(l, 0, sizeof(*l));
}
