/* SPDX-License-Identifier: GPL-2.0 */
/* Counts the instructions that each function of a path executes. Pure: no I/O. */
#ifndef TLOB_EXPLAIN_TALLY_H
#define TLOB_EXPLAIN_TALLY_H

#include "explain/callers.h"

/* A piece of a window. */
enum span {
	SPAN_WAKE,			/* to t2 */
	SPAN_WORK,			/* t2 to t3 */
};

struct row {
	const struct ksym *function;
	uint64_t net[NR_PHASES];
	/* with all that it called; a function within itself counts once */
	uint64_t inclusive[NR_PHASES];
	/* of those up to t2, if the path is divided: net, and with all that it called */
	uint64_t part[WAKE_PARTS], part_inclusive[WAKE_PARTS];
	const struct ksym *caller;	/* under which most of it was; NULL: unknown */
	uint64_t below_caller;
	const struct node *from;	/* the node that has counted last */
};

struct tally {
	struct row *row;
	size_t	 n;
	bool	 divided;		/* into parts */
	unsigned int lines[2];		/* of code, 64 bytes, distinct: to t2, from t2 on */
	unsigned int branches[2];	/* conditional, taken or not */
};

/* 0 or -ENOMEM. */
int  tally_make(struct tally *t, const struct tree *tree,
		const struct profile *p, const struct path *path);
void tally_free(struct tally *t);

#endif /* TLOB_EXPLAIN_TALLY_H */
