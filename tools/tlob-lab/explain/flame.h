/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs as SVG files, without a script: a box for each function of a stack, as wide as the
 * instructions in it and in what it called; the caller is below. A pointer over a box shows its
 * numbers. With two sides a box is as wide as the larger one, red where the second is larger and
 * blue where it is smaller. Pages draw their own: page/flame.js. Pure: no I/O but the printing.
 */
#ifndef TLOB_EXPLAIN_FLAME_H
#define TLOB_EXPLAIN_FLAME_H

#include "report/folded.h"

struct flame {
	const char *title;
	const char *side[2];		/* [1] NULL: one side */
};

/* Writes the stacks, which are sorted: folded_sort(). 0, -ENOMEM or -EIO. */
int flame_write(FILE *to, const struct folded *f, const struct flame *how);

#endif /* TLOB_EXPLAIN_FLAME_H */
