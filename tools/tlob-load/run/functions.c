// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "functions/sets.h"
#include "result/result.h"
#include "run/functions.h"

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
