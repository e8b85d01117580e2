// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functions/sets.h"
#include "result/result.h"

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

int functions_begin(struct result *r, const struct traced_sets *traced)
{
	size_t i;
	int err = 0;

	r->functions = function_sets_new(traced);
	if (!r->functions)
		return -ENOMEM;
	for (i = 0; traced->notes && traced->notes[i] && !err; i++)
		err = result_note(r, "--functions %s", traced->notes[i]);
	if (!err)
		err = function_sets_describe(r);
	return err ? err : result_init_functions(r);
}

int functions_take(struct window_functions *to, const struct tlob_functions *from,
		   const struct traced_sets *traced)
{
	size_t i;

	if (from->version != TLOB_FUNCTIONS_VERSION || from->size != sizeof(*from) ||
	    from->sets != traced->n)
		return -EINVAL;
	*to = (struct window_functions){ .missed = from->missed, .n = traced->n };
	for (i = 0; i < to->n; i++) {
		const struct tlob_function_time *t = &from->set[i];

		memcpy(to->at[i].part_ns, t->part_ns, sizeof(to->at[i].part_ns));
		to->at[i].calls = t->calls;
		to->at[i].unreturned = t->unreturned;
		function_time_longest(&to->at[i], traced, t->max_ns, t->max_function);
	}
	return 0;
}
