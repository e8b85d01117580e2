/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks as flame graphs need them: "ROOT;...;FUNCTION" with what was spent there, by one or two
 * sides. Pure: no I/O but the printing.
 */
#ifndef TLOB_REPORT_FOLDED_H
#define TLOB_REPORT_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stack {
	char	*text;			/* names from the root on, with ';' between */
	uint64_t n[2];			/* of each side */
};

struct folded {
	struct stack *stack;
	size_t	 n, room;
};

/* Adds @n to the stack @text of @side, 0 or 1. Equal texts are one stack. 0 or -ENOMEM. */
int  folded_add(struct folded *f, const char *text, unsigned int side, uint64_t n);

/* The same, but does not look for an equal text. */
int  folded_append(struct folded *f, const char *text, unsigned int side, uint64_t n);

/* Sorts by text, a stack behind its callers. */
void folded_sort(struct folded *f);
void folded_free(struct folded *f);

/* "TEXT N" lines of one side, which other programs for flame graphs read. 0 or -EIO. */
int  folded_print(FILE *to, const struct folded *f, unsigned int side);

/* True if stacks of two kernels are compared from the function @name on: see flames_page.h. */
bool folded_is_root(const char *name, size_t length);

#endif /* TLOB_REPORT_FOLDED_H */
