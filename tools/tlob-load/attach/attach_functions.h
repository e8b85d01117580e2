/* SPDX-License-Identifier: GPL-2.0 */
/* --functions of attach: the sets, and their times in windows. */
#ifndef TLOB_ATTACH_ATTACH_FUNCTIONS_H
#define TLOB_ATTACH_ATTACH_FUNCTIONS_H

#include <linux/tlob.h>
#include "functions/expand.h"
#include "machine/control.h"
#include "machine/knobs.h"

struct attach_result;

struct attach_functions {
	const struct control *control;
	int owner;			/* of the sets while there is a control: functions_own() */
	struct traced_sets traced;
};

/*
 * Finds what @requests name in this kernel and puts the sets into @r. Nothing without
 * requests. 0 or -errno, printed; then attach_functions_free().
 */
int  attach_functions_find(struct attach_functions *a, struct attach_result *r,
			   const struct function_requests *requests);

/* Gives the sets to the monitor, until knobs_end(). 0 or -errno, printed. */
int  attach_functions_begin(struct attach_functions *a, const struct control *c,
			    struct knobs *k);

/* The times of a record; NULL: they were not measured, or there are no sets. */
const struct window_functions *attach_functions_take(const struct attach_functions *a,
						     const struct tlob_task_functions *from,
						     struct window_functions *to);

/* What the probes have missed, before knobs_end(). 0 or -errno, printed. */
int  attach_functions_count(const struct attach_functions *a, struct attach_result *r);

/* After knobs_end(): removes the sets. */
void attach_functions_end(struct attach_functions *a);
void attach_functions_free(struct attach_functions *a);

#endif /* TLOB_ATTACH_ATTACH_FUNCTIONS_H */
