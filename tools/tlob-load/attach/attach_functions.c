// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/attach_functions.h"
#include "attach/region.h"
#include "backend/tlob.h"
#include "functions/sets.h"
#include "result/attach_result.h"
#include "util/error.h"

int attach_functions_find(struct attach_functions *a, struct attach_result *r,
			  const struct function_requests *requests)
{
	int err;
	char **note;

	if (!requests->n)
		return 0;
	err = traced_expand(&a->traced, requests, "");
	if (err)
		return err;
	r->functions = function_sets_new(&a->traced);
	r->function_totals = function_totals_new(a->traced.n);
	if (!r->functions || !r->function_totals)
		return fail(-ENOMEM, "out of memory");
	r->functions->of_tasks = true;
	function_totals_set_step(r->function_totals, r->clock_resolution_ns);
	for (note = a->traced.notes; note && *note && !err; note++)
		err = notes_add(&r->notes, "%s", *note);
	return err ? fail(err, "out of memory") : 0;
}

int attach_functions_begin(struct attach_functions *a, const struct control *c,
			   struct knobs *k)
{
	int fd;

	if (!a->traced.n)
		return 0;
	fd = functions_own(c, &a->traced);
	if (fd < 0)
		return fd;
	a->owner = fd;
	a->control = c;
	return region_set(c, k, "functions_monitor", "1", "0");
}

const struct window_functions *attach_functions_take(const struct attach_functions *a,
						     const struct tlob_task_functions *from,
						     struct window_functions *to)
{
	unsigned int k;
	size_t i;

	if (!a->traced.n || from->sets != a->traced.n)
		return NULL;
	*to = (struct window_functions){ .missed = from->missed, .n = a->traced.n };
	for (i = 0; i < to->n; i++) {
		const struct tlob_task_function_time *t = &from->set[i];

		for (k = 0; k < TLOB_NR_TASK_PARTS; k++)
			to->at[i].part_ns[attach_part_of_run(k)] = t->part_ns[k];
		to->at[i].calls = t->calls;
		to->at[i].unreturned = t->unreturned;
		function_time_longest(&to->at[i], &a->traced, t->max_ns, t->max_function);
	}
	return to;
}

int attach_functions_count(const struct attach_functions *a, struct attach_result *r)
{
	return a->control ? functions_read(a->control, r->functions) : 0;
}

void attach_functions_end(struct attach_functions *a)
{
	if (a->control)
		close(a->owner);
	a->control = NULL;
}

void attach_functions_free(struct attach_functions *a)
{
	traced_free(&a->traced);
}
