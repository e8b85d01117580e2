/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of two sides, paired by name: what B executes more and less than A. The
 * changes add up to the difference of the instructions, because each instruction is in one
 * function. Pure: no I/O.
 */
#ifndef TLOB_EXPLAIN_DIFFERENCE_H
#define TLOB_EXPLAIN_DIFFERENCE_H

#include "explain/tally.h"

enum likely {
	LIKELY_NOTHING,
	LIKELY_RENAMED,			/* one side only, the other has it by another name */
	LIKELY_INLINED,			/* one side only, its caller has it on the other */
};

/* [0] is A, [1] is B; sums over all pairs of runs. */
struct change {
	const char *name, *module;
	uint64_t net[2], inclusive[2];	/* instructions */
	/* net and inclusive of each part, with SPAN_WAKE; see divided */
	uint64_t part[2][WAKE_PARTS], part_inclusive[2][WAKE_PARTS];
	unsigned int in[2];		/* in so many pairs it executed any */
	unsigned int changed;		/* in so many pairs net differs */
	const char *caller[2];		/* NULL: unknown */
	enum likely likely;
	size_t	 with;			/* number of the other change, unless LIKELY_NOTHING */
};

struct difference {
	struct change *change;		/* the largest first */
	size_t	 n;
	unsigned int pairs;
	bool	 divided;		/* all of it is divided into parts */
	uint64_t net[2];
};

static inline int64_t change_of(const struct change *c)
{
	return (int64_t)(c->net[1] - c->net[0]);
}

/* The part with the largest change of net; @d is divided. */
unsigned int change_part(const struct change *c);

/*
 * @a and @b: one tally for each of @pairs; @b NULL: only A is shown, the largest net first. Names
 * stay owned by the tallies. 0 or -ENOMEM.
 */
int  difference_make(struct difference *d, const struct tally *const *a,
		     const struct tally *const *b, unsigned int pairs,
		     enum span span);
void difference_free(struct difference *d);

#endif /* TLOB_EXPLAIN_DIFFERENCE_H */
