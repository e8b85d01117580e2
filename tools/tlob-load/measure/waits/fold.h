/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of the table: tasks of one name are one. */
#ifndef TLOB_WAITS_FOLD_H
#define TLOB_WAITS_FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "waits/profile.h"

struct wait_group {
	const struct wait_row *row;	/* its task with the most blocked time */
	size_t	tasks;
	bool	numbered;		/* their names differ in the digits at the end */
	struct tlob_wait_total blocked, runnable;
	struct wait_path worst;		/* all waits on the worst stack; the frames are the profile's */
};

/*
 * Makes groups of the rows of @p in *@group (malloc), by descending blocked time. @threads: each
 * task is a group of its own. 0 or -ENOMEM.
 */
int  wait_fold(const struct wait_profile *p, bool threads, struct wait_group **group, size_t *n);

#endif /* TLOB_WAITS_FOLD_H */
