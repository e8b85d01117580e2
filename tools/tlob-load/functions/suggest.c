// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "functions/suggest.h"
#include "util/near.h"

#define SUGGESTED	3
#define NAME_LEN	97

struct best {
	const char *name[SUGGESTED];
	unsigned int edits[SUGGESTED];
	size_t	 n;
};

static void consider(struct best *b, const char *name, unsigned int edits)
{
	size_t i, at;

	for (i = 0; i < b->n; i++)
		if (!strcmp(b->name[i], name))
			return;
	for (at = 0; at < b->n && b->edits[at] <= edits; at++)
		;
	if (at == SUGGESTED)
		return;
	if (b->n < SUGGESTED)
		b->n++;
	for (i = b->n - 1; i > at; i--) {
		b->name[i] = b->name[i - 1];
		b->edits[i] = b->edits[i - 1];
	}
	b->name[at] = name;
	b->edits[at] = edits;
}

/* The letters of a pattern, without * and ?. */
static void plain(char buf[NAME_LEN], const char *word)
{
	size_t n = 0;

	for (; *word && n < NAME_LEN - 1; word++)
		if (!strchr("*?[]", *word))
			buf[n++] = *word;
	buf[n] = 0;
}

bool suggest(char buf[SUGGEST_LEN], const struct kernel_functions *k, const char *word)
{
	struct best best = { .n = 0 };
	char name[NAME_LEN];
	unsigned int edits;
	size_t i, n = 0;

	plain(name, word);
	for (i = 0; i < k->n; i++) {
		if (k->at[i].traceable != TRACEABLE_YES || *k->at[i].module)
			continue;
		edits = near_edits(name, k->at[i].name);
		if (edits != NEAR_NOT)
			consider(&best, k->at[i].name, edits);
	}
	*buf = 0;
	for (i = 0; i < best.n && n < SUGGEST_LEN; i++)
		n += (size_t)snprintf(buf + n, SUGGEST_LEN - n, "%s%s",
				      !i ? "" : i + 1 == best.n ? " or " : ", ", best.name[i]);
	return best.n;
}
