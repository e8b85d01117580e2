/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of pairs of counts in JSON, [[1024,5],[1088,2]]. A large result is made of them,
 * and json-c needs an object for each number.
 */
#ifndef TLOB_READ_PAIRS_H
#define TLOB_READ_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pairs {
	size_t	 first, n;		/* in pair_lists.pair */
};

struct pair_lists {
	char	*text;			/* the JSON without them; [size], no NUL */
	size_t	 size;
	uint64_t (*pair)[2];		/* of all lists */
	struct pairs *list;
	size_t	 npairs, nlists;
	size_t	 room;			/* for pairs */
};

/*
 * Copies @text, @n bytes, and replaces each list of pairs under one of @keys by its index in
 * @l->list. Returns false, with nothing to free, unless each value of these keys is such a list
 * of at most @max pairs below 2^64, exactly as JSON has it, or an object, and there are at most
 * 1000 lists, and memory suffices. Then json-c must read @text, and finds what is wrong. Does not
 * look at the rest of @text. @keys ends with NULL; no key has a character that JSON escapes.
 */
bool pairs_take(struct pair_lists *l, const char *text, size_t n, const char *const *keys,
		size_t max);
void pairs_free(struct pair_lists *l);

#endif /* TLOB_READ_PAIRS_H */
