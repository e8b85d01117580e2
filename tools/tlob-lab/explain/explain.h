/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The explanation of one kernel's windows, or of the difference between two kernels, and its
 * forms. docs/how-to/explain.md shows them.
 */
#ifndef TLOB_EXPLAIN_EXPLAIN_H
#define TLOB_EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "explain/difference.h"
#include "explain/executed.h"

struct side {
	const char *name;		/* of the kernel, as given */
	struct executed *boot;		/* [boots] */
	unsigned int boots;
	/* [pairs]: the ones that are explained, of the boots in turn; free() */
	size_t	*window;
};

/* The boot of window @i of a side. */
static inline struct executed *side_boot(const struct side *s, unsigned int i)
{
	return &s->boot[i % s->boots];
}

/* The region of a program that is explained instead of a wake-up. */
struct explained_region {
	const char *program, *start, *stop;	/* as given */
};

struct explanation {
	const struct explained_region *region;	/* NULL: the windows belong to a run */
	struct side side[2];
	unsigned int sides;
	unsigned int pairs;		/* of windows: set by explain_prepare() */
	bool	 mean;			/* of all windows of the boots */
	const char *which;		/* "p50", "p99" or "max": of executed_time() in a boot; "mean" */
	/* without, or with the time asleep: see explain_prepare() */
	struct difference wake, work;
	struct difference tail;		/* of one kernel: the p99 window against the p50 window */
	size_t	 typical, late;		/* those windows, of the first pair */
};

/*
 * Chooses the windows of the boots in @x->side: one of each, or all. Compares them. 0 or -errno,
 * printed.
 */
int  explain_prepare(struct explanation *x);
void explain_free(struct explanation *x);	/* not the boots */

/* The difference that is explained: @x->wake, or for a region @x->work. */
static inline const struct difference *explained(const struct explanation *x)
{
	return x->region ? &x->work : &x->wake;
}

/* Sums of a side's windows over the pairs. */
struct measured {
	uint64_t wake, work;		/* ns */
	uint64_t asleep;		/* ns */
	uint64_t instructions;		/* to t2; of a region all */
	uint64_t part[WAKE_PARTS];	/* ns */
	uint64_t code[2], data[2];	/* lines, to t2 and from t2 on */
	uint64_t branches[2];
	uint32_t step;			/* of the clock, ns */
};

/* -ENOMEM, printed, or 0. */
int  explain_measured(const struct explanation *x, unsigned int side,
		      struct measured *m);

/* One function's name, with its module if it has one: "on_wakeup [tlob_slow]". */
#define FUNCTION_LEN	192
const char *function_name(char buf[FUNCTION_LEN], const char *name, const char *module);

/* All write to @f and return 0 or -errno, printed. */
int  explain_text(FILE *f, const struct explanation *x);
int  explain_json(FILE *f, const struct explanation *x);

/* "ROOT;...;FUNCTION N" of the first pair's window of @side, for other tools. */
int  explain_folded(FILE *f, const struct explanation *x, unsigned int side);

/* A flame graph as SVG: of one kernel, or of what differs. */
int  explain_flame(FILE *f, const struct explanation *x);

#endif /* TLOB_EXPLAIN_EXPLAIN_H */
