// SPDX-License-Identifier: GPL-2.0
/* Levenshtein's distance between two names, and the names with the smallest one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/near.h"

#define NAME_MAX_LEN	96

static unsigned int edits(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int row[NAME_MAX_LEN + 1];
	size_t i, j;

	for (j = 0; j <= nb; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= na; i++) {
		unsigned int diagonal = row[0], best;

		row[0] = (unsigned int)i;
		for (j = 1; j <= nb; j++) {
			best = diagonal + (a[i - 1] != b[j - 1]);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[nb];
}

unsigned int near_edits(const char *name, const char *wanted)
{
	size_t n = strnlen(name, NAME_MAX_LEN + 1);
	size_t m = strnlen(wanted, NAME_MAX_LEN + 1);
	/* of three letters two others are another word */
	size_t most = m <= 3 ? 1 : m / 3 + 1, differ = n > m ? n - m : m - n;
	unsigned int d;

	if (n > NAME_MAX_LEN || m > NAME_MAX_LEN || differ > most)
		return NEAR_NOT;
	d = edits(name, n, wanted, m);
	return d <= most ? d : NEAR_NOT;
}

void near_keep(struct near_names *best, const char *name, unsigned int distance)
{
	size_t at, i;
	char *copy;

	for (i = 0; i < best->n; i++)
		if (!strcmp(best->name[i], name))
			return;
	for (at = 0; at < best->n && best->distance[at] <= distance; at++)
		;
	copy = at < NEAR_BEST && distance < NEAR_NOT ? strdup(name) : NULL;
	if (!copy)
		return;
	if (best->n < NEAR_BEST)
		best->n++;
	else
		free(best->name[NEAR_BEST - 1]);
	for (i = best->n - 1; i > at; i--) {
		best->name[i] = best->name[i - 1];
		best->distance[i] = best->distance[i - 1];
	}
	best->name[at] = copy;
	best->distance[at] = distance;
}

bool near_list(struct near_names *best, char *text, size_t size)
{
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < best->n; i++) {
		if (used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%.200s",
						 !i ? "" : i + 1 < best->n ? ", " : " or ",
						 best->name[i]);
		free(best->name[i]);
	}
	return best->n;
}
