/* SPDX-License-Identifier: GPL-2.0 */
/* Binds a budget to a region, through the control file `monitor`. */
#ifndef TLOB_ATTACH_REGION_H
#define TLOB_ATTACH_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "binding.h"
#include "machine/control.h"
#include "machine/knobs.h"

struct attach_result;

struct region {
	const struct control *control;
	char	name[TLOB_BINDING_NAME];	/* "": not bound */
};

/*
 * Binds the budget of @r to its region, under the name attach_PID. The binding is a
 * knob, so a killed tool leaves none. 0; -EOPNOTSUPP: the kernel part has no
 * bindings; -errno. Printed.
 */
int  region_bind(struct region *b, const struct control *c, struct knobs *k,
		 const struct attach_result *r);

/* knobs_set() for a control file. 0 or -errno, printed. */
int  region_set(const struct control *c, struct knobs *k, const char *file,
		const char *wanted, const char *saved);

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
int  region_read_counts(const struct region *b, struct attach_result *r);

#endif /* TLOB_ATTACH_REGION_H */
