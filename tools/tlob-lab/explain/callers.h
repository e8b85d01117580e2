/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds who called whom, from the straight runs of a path alone. Neither registers nor memory are
 * needed:
 *
 * - A call pushes a frame if it goes to the start of a function. Retpolines and the stuffing of
 *   the return stack buffer call places within a function.
 * - A return goes to the frame that waits for its address. If none waits, it leaves a function
 *   that was called before the path began: only now its caller is known, and becomes the root
 *   above everything so far.
 * - A jump out of a function replaces it (a tail call) and keeps its stack. The function's node is
 *   noted: the sum of all that it called includes what it jumped to.
 * - An interrupt, exception or system call begins at an entry of the kernel and ends with iret,
 *   sysret or eret.
 * - The return from __switch_to_asm, of arm64 from cpu_switch_to, goes to another task, whose
 *   frames are again learned from its returns.
 *
 * Net instructions are always those at the function's own addresses. Pure: no I/O.
 */
#ifndef TLOB_EXPLAIN_CALLERS_H
#define TLOB_EXPLAIN_CALLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "explain/plugin_output.h"
#include "util/ksyms.h"

/* Code below the kernel's addresses, and code without a symbol. */
extern const struct ksym ksym_user, ksym_unknown;

/* The beginning of a segment. */
struct place {
	const struct ksym *function;
	bool	start;			/* at its first instruction */
	bool	entry;			/* where the CPU enters the kernel by itself */
};

/* Places of all segments (malloc); NULL: out of memory. */
struct place *places_of(const struct profile *p, const struct ksyms *k);

#define NODE_NONE	UINT32_MAX

struct node {
	const struct ksym *function;	/* NULL: not known; only roots */
	uint32_t parent;		/* number, or NODE_NONE */
	bool	 entered;		/* by an interrupt, exception or system call */
	/* 1 + the number of the node that ended with a jump to here (a tail call); 0: none */
	uint32_t jumped_from;
	uint32_t below;			/* 1 + the number of the last node that is below; 0: none */
	uint32_t before;		/* 1 + that of the one before, below the same parent */
	uint64_t net[NR_PHASES];	/* instructions */
	uint64_t part[WAKE_PARTS];	/* those up to t2, if the path is divided */
};

struct tree {
	struct node *node;
	size_t	 n;
};

/* 0 or -ENOMEM. */
int  unwind(struct tree *t, const struct profile *p, const struct place *place,
	    const struct path *path);
void tree_free(struct tree *t);

/* The node whose callees include @n: it jumped to @n, or called it. NULL: not known. */
const struct node *tree_above(const struct tree *t, const struct node *n);

/* The caller of @n; NULL: not known. */
const struct node *tree_caller(const struct tree *t, const struct node *n);

#endif /* TLOB_EXPLAIN_CALLERS_H */
