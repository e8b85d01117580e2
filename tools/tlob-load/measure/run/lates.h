/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The late windows of a run, until their places in the kernel have names. That is at its end, because
 * reading the names would disturb it; or before, if a screen or an action has read them.
 */
#ifndef TLOB_RUN_LATES_H
#define TLOB_RUN_LATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "backend/late_names.h"

#define LATES_MOST	1024		/* 1 MB; then the names are read */

struct kernel_place;
struct kept_window;
struct result;

struct late {
	struct late_window of;
	uint64_t usual_ns;		/* the mean time of the work, by then */
	bool	 counts;		/* the window belongs to the run, as far as is known */
};

/* Zeroes at first. */
struct lates {
	struct late_names names;
	struct late *at;
	size_t	 n, room;
};

void lates_free(struct lates *l);

/* Returns the copy of @late that is kept; NULL: out of memory, printed. */
struct late *lates_add(struct lates *l, const struct late *late);

/* @w counts, which was kept before. */
void lates_counts(struct lates *l, const struct tlob_window *w);

/* The place of @late. */
struct kernel_place lates_place(struct lates *l, const struct late *late);

/*
 * Gives their places to @r and to @stopped, the window that stopped the run, as far as these have the
 * windows, and forgets the windows that count. @may_read: if that needs the names. 0 or -ENOMEM,
 * printed.
 */
int  lates_settle(struct lates *l, bool may_read, struct result *r, struct kept_window *stopped);

#endif /* TLOB_RUN_LATES_H */
