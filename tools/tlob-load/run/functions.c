// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/expand.h"
#include "result/result.h"
#include "run/functions.h"

int functions_begin(struct result *r, const struct traced_sets *traced)
{
	struct function_sets *sets = calloc(1, sizeof(*sets));
	int err = 0;
	size_t i;

	if (!sets)
		return -ENOMEM;
	r->functions = sets;
	sets->n = traced->n;
	for (i = 0; i < sets->n; i++) {
		memcpy(sets->at[i].name, traced->at[i].of->name, FUNCTION_SET_NAME);
		sets->at[i].functions = traced->at[i].n;
		sets->at[i].words = strdup(traced->at[i].of->words);
		if (!sets->at[i].words)
			return -ENOMEM;
	}
	for (i = 0; traced->notes && traced->notes[i] && !err; i++)
		err = result_note(r, "--functions %s", traced->notes[i]);
	if (!err)
		err = function_sets_describe(r);
	return err ? err : result_init_functions(r);
}

int functions_take(struct window_functions *to, const struct tlob_functions *from,
		   const struct traced_sets *traced)
{
	const char *name;
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
		to->at[i].max_ns = t->max_ns;
		name = t->max_ns ? traced_name(traced, t->max_function) : NULL;
		snprintf(to->at[i].longest, FUNCTION_NAME, "%s", name ? name : "");
	}
	return 0;
}
