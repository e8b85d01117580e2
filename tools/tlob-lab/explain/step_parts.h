/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the part of `wake` to which each step of a path belongs: wake.irq_delay, wake.irq and so
 * on, as the module has charged them. Pure: no I/O.
 */
#ifndef TLOB_EXPLAIN_STEP_PARTS_H
#define TLOB_EXPLAIN_STEP_PARTS_H

#include "explain/trace_windows.h"
#include "explain/callers.h"

/*
 * The module charges time when its hooks read the clock, and a path has each of these readings. So
 * a path can be divided as its windows were.
 *
 * Sets @path->part. It stays NULL if the instructions between the readings are not the parts of
 * @r: then an nmi came, whose time is only known as a duration, or the module ran with osnoise,
 * which reads other clocks. @asleep: executed_asleep(). 0 or -ENOMEM.
 */
int  parts_divide(struct path *path, const struct profile *p,
		  const struct place *place, const struct record *r,
		  uint64_t asleep);

/* Returns whether @path also has the parts of @r, another window that took it. */
bool parts_agree(const struct path *path, const struct profile *p,
		 const struct record *r, uint64_t asleep);

#endif /* TLOB_EXPLAIN_STEP_PARTS_H */
