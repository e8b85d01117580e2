/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of kernels by their names. */
#ifndef TLOB_EXPLAIN_KSYMS_NAMES_H
#define TLOB_EXPLAIN_KSYMS_NAMES_H

#include "util/ksyms.h"

/* The function of that name, in any module; NULL: none. */
const struct ksym *ksyms_named(const struct ksyms *k, const char *name);

/*
 * One name for a function in two kernels. Compilers merge functions of equal code, so one address
 * may have the names of several functions. Nothing shows which of them was called, and the other
 * kernel may have them apart: under their own names one would seem to be new.
 */
struct ksym_used {
	const struct ksyms *of;		/* the kernel that @s belongs to */
	struct ksym *s;
	size_t	 same;			/* for ksyms_unite(): the first of those that are one */
};

/*
 * Functions of @list that share a name get the same s->name: the one that most of them have, then
 * the one that most of them were shown by, then the first of the alphabet. The others get their own
 * name again.
 */
void ksyms_unite(struct ksym_used *list, size_t n);

#endif /* TLOB_EXPLAIN_KSYMS_NAMES_H */
