/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of the runs of a comparison, for a shell, for a program, or
 * carried out: blocks of A, A' and B, each in random order.
 */
#ifndef TLOB_PLAN_H
#define TLOB_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct plan {
	const char *name[2];		/* of A and B, as --setup gets them */
	uint64_t blocks, seed;
	const char *dir, *setup;	/* setup: a command, or NULL */
	char	**options;		/* of the runs */
	int	 noptions;
	unsigned int *order;		/* [blocks * 3] */
};

/* Draws @p->order (malloc) from the seed. 0 or -ENOMEM, printed. */
int plan_draw_order(struct plan *p);

/* 0, -ENOMEM or -EIO. */
int plan_write_script(FILE *f, const struct plan *p);
int plan_write_json(FILE *f, const struct plan *p);

/* Makes the runs that are missing, then becomes compare. -errno, printed. */
int plan_carry_out(const struct plan *p);

#endif /* TLOB_PLAN_H */
