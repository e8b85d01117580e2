/* SPDX-License-Identifier: GPL-2.0 */
/* The binding of a budget to a region, in the kernel's file `monitor`. */
#ifndef TLOB_BIND_H
#define TLOB_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "binding.h"
#include "control.h"
#include "knobs.h"

struct attach_result;

struct bind {
	const struct control *control;
	char	name[TLOB_BINDING_NAME];	/* "": none was made */
};

/*
 * Binds the budget of @r to its region, under a name of this process. It is in the state
 * file before. 0; -EOPNOTSUPP; -errno. Printed.
 */
int  bind_region(struct bind *b, const struct control *c, struct knobs *k,
		 const struct attach_result *r);

/* Switches the monitor on until knobs_end(), unless it is. 0 or -errno, printed. */
int  bind_enable(const struct bind *b, struct knobs *k);

/* -ECANCELED, printed: somebody has removed the binding, or switched it off. */
int  bind_check(const struct bind *b);

/* Reads what the kernel has counted of the binding. 0 or -errno, printed. */
int  bind_read_counts(const struct bind *b, struct attach_result *r);

#endif /* TLOB_BIND_H */
