// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "functions/sets.h"

struct function_sets *function_sets_new(const struct traced_sets *traced)
{
	struct function_sets *sets = calloc(1, sizeof(*sets));
	size_t i;

	if (!sets)
		return NULL;
	sets->n = traced->n;
	for (i = 0; i < sets->n; i++) {
		memcpy(sets->at[i].name, traced->at[i].of->name, FUNCTION_SET_NAME);
		sets->at[i].functions = traced->at[i].n;
		sets->at[i].words = strdup(traced->at[i].of->words);
		if (!sets->at[i].words) {
			function_sets_free(sets);
			return NULL;
		}
	}
	return sets;
}

void function_time_longest(struct function_time *to, const struct traced_sets *traced,
			   uint64_t max_ns, uint64_t address)
{
	const char *name = max_ns ? traced_name(traced, address) : NULL;

	to->max_ns = max_ns;
	snprintf(to->longest, FUNCTION_NAME, "%s", name ? name : "");
}
