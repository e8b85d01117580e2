// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/pairs.h"
#include "util/array.h"

#define MOST_LISTS	1000U

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

/* Returns the length of the one of @keys that is at @at, with its quotes, or 0. */
static size_t key_at(const char *at, const char *end, const char *const *keys)
{
	size_t n;

	for (; *keys; keys++) {
		n = strlen(*keys);
		if ((size_t)(end - at) >= n + 2 && at[n + 1] == '"' && !memcmp(at + 1, *keys, n))
			return n + 2;
	}
	return 0;
}

/*
 * A key is known by its quotes and the colon. Inside of a string a quote has a backslash
 * before it, so this finds the key, or one that ends like it, whose value is never read.
 */
static bool take_all(struct pair_lists *l, const char *text, size_t n, const char *const *keys,
		     size_t max)
{
	struct rest r = { .at = text, .end = text + n };
	const char *from = text;
	size_t len;

	/* "\\u0062uckets" is the same key */
	if (memchr(text, '\\', n) && memmem(text, n, "\\u", 2))
		return false;
	while ((r.at = memchr(r.at, '"', (size_t)(r.end - r.at)))) {
		len = key_at(r.at, r.end, keys);
		r.at += len ? len : 1;
		if (!len || !skip(&r, ':'))
			continue;
		skip_space(&r);
		if (r.at < r.end && *r.at == '{')
			continue;
		put(l, from, r.at);
		if (l->nlists == MOST_LISTS || !take_list(l, &r, max))
			return false;
		l->size += (size_t)sprintf(l->text + l->size, "%zu", l->nlists - 1);
		from = r.at;
	}
	put(l, from, text + n);
	return true;
}

bool pairs_take(struct pair_lists *l, const char *text, size_t n, const char *const *keys,
		size_t max)
{
	bool all;

	memset(l, 0, sizeof(*l));
	/* an index has at most three digits, and takes the place of "[]" or more */
	l->text = malloc(n + MOST_LISTS + 1);
	l->list = calloc(MOST_LISTS, sizeof(*l->list));
	all = l->text && l->list && take_all(l, text, n, keys, max);
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
