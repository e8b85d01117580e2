/* SPDX-License-Identifier: GPL-2.0 */
/* The binding of a budget to a region, in the kernel's file `monitor`. */
#ifndef TLOB_REGION_H
#define TLOB_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "binding.h"
#include "machine/control.h"
#include "machine/knobs.h"

struct attach_result;

struct region {
	const struct control *control;
	char	name[TLOB_BINDING_NAME];	/* "": none was made */
};

/*
 * Binds the budget of @r to its region, under a name of this process. It is in the state
 * file before. 0; -EOPNOTSUPP; -errno. Printed.
 */
int  region_bind(struct region *b, const struct control *c, struct knobs *k,
		 const struct attach_result *r);

/* Switches the monitor on until knobs_end(), unless it is. 0 or -errno, printed. */
int  region_enable(const struct region *b, struct knobs *k);

/* -ECANCELED, printed: somebody has removed the binding, or switched it off. */
int  region_check(const struct region *b);

/* Reads what the kernel has counted of the binding. 0 or -errno, printed. */
int  region_read_counts(const struct region *b, struct attach_result *r);

#endif /* TLOB_REGION_H */
