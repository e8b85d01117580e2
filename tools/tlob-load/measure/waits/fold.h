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
	struct wait_path longest;	/* the same for the stack with the longest wait */
	const struct wait_row *chained;	/* the one whose longest wait with a chain is the longest, or NULL */
	struct wait_path other;		/* of those that no timer of the task's own ends; or no frames */
	struct tlob_wait_total left_out; /* of threads of the kernel: for work; not in @blocked */
	bool	idle;			/* nothing else is known of them */
};

/*
 * Makes groups of the rows of @p in *@group (malloc), by descending blocked time. @threads: each
 * task is a group of its own. Unless @idle is set, the time in which threads of the kernel wait
 * for work is left out of their groups. 0 or -ENOMEM.
 */
int  wait_fold(const struct wait_profile *p, bool threads, bool idle, struct wait_group **group,
	       size_t *n);

/*
 * Returns whether a thread of the kernel that sleeps on @path waits for work: its own main function
 * has called the scheduler. What waits inside of work has further functions. Without frames of the
 * kernel it is not known.
 */
bool wait_path_is_idle(const struct wait_path *path);

/* Returns whether a task that sleeps on @path has asked for the time at which it wakes up. */
bool wait_path_is_timer(const struct wait_path *path);

#endif /* TLOB_WAITS_FOLD_H */
