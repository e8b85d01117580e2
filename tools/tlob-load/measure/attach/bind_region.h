/* SPDX-License-Identifier: GPL-2.0 */
/* Binds a budget to a region, through the control file `monitor`, and sets of functions. */
#ifndef TLOB_ATTACH_BIND_REGION_H
#define TLOB_ATTACH_BIND_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/tlob.h>
#include "binding.h"
#include "functions/expand.h"
#include "machine/control.h"
#include "machine/knobs.h"

struct result;

struct region {
	const struct control *control;
	char	name[TLOB_BINDING_NAME];	/* "": no region: threads are watched */
};

/*
 * Binds the budget of @r to its region, under the name attach_PID. The binding is a
 * knob, so a killed tool leaves none. 0; -EOPNOTSUPP: the kernel part has no
 * bindings; -errno. Printed.
 */
int  region_bind(struct region *b, const struct control *c, struct knobs *k,
		 const struct result *r);

/* Switches the monitor on, if it is off, until knobs_end(). 0 or -errno, printed. */
int  region_enable(const struct region *b, struct knobs *k);

/* Switches the profiler of waits on for tasks in windows, until knobs_end(). 0 or -errno, printed. */
int  region_profile_waits(const struct region *b, struct knobs *k);

/*
 * 0; -ECANCELED: another process removed the binding or switched the monitor off;
 * -errno. Printed.
 */
int  region_check(const struct region *b);

/* Reads the kernel's counters of the binding into @r. 0 or -errno, printed. */
int  region_read_counts(const struct region *b, struct result *r);

/* --functions: the sets, and their times in windows. */
struct attach_functions {
	const struct control *control;
	int owner;			/* of the sets while there is a control: functions_own() */
	struct traced_sets traced;
};

/*
 * Finds what @requests name in this kernel and puts the sets into @r. Nothing without
 * requests. 0 or -errno, printed; then attach_functions_free().
 */
int  attach_functions_find(struct attach_functions *a, struct result *r,
			   const struct function_requests *requests);

/* Gives the sets to the monitor, until knobs_end(). 0 or -errno, printed. */
int  attach_functions_begin(struct attach_functions *a, const struct control *c,
			    struct knobs *k);

/* The times of a record; NULL: they were not measured, or there are no sets. */
const struct window_functions *attach_functions_take(const struct attach_functions *a,
						     const struct tlob_task_functions *from,
						     struct window_functions *to);

/* Reads what the probes have missed, before knobs_end(). 0 or -errno, printed. */
int  attach_functions_count(const struct attach_functions *a, struct result *r);

/* After knobs_end(): removes the sets. */
void attach_functions_end(struct attach_functions *a);
void attach_functions_free(struct attach_functions *a);

#endif /* TLOB_ATTACH_BIND_REGION_H */
