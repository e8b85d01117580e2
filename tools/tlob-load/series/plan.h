/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans the runs of a comparison: blocks of A, A' and B, each in random order. The
 * plan becomes a shell script or JSON, or it is carried out.
 */
#ifndef TLOB_SERIES_PLAN_H
#define TLOB_SERIES_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct plan {
	const char *name[2];		/* of A and B; $1 of --setup */
	uint64_t blocks, seed;
	const char *dir, *setup;	/* setup: a command, or NULL */
	char	**options;		/* for run */
	int	 noptions;
	unsigned int *order;		/* [blocks * 3]: 0 A, 1 A', 2 B */
};

/* Draws @p->order (malloc) from the seed. 0 or -ENOMEM, printed. */
int plan_draw_order(struct plan *p);

/* Print the plan. 0, -ENOMEM or -EIO; print no error. */
int plan_write_script(FILE *f, const struct plan *p);
int plan_write_json(FILE *f, const struct plan *p);

/* Makes the missing runs, then executes compare. Returns only -errno, printed. */
int plan_carry_out(const struct plan *p);

#endif /* TLOB_SERIES_PLAN_H */
