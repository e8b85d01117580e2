/* SPDX-License-Identifier: GPL-2.0 */
/* From the stacks of a late window to the place in the kernel that made it late. */
#ifndef TLOB_CULPRIT_CULPRIT_H
#define TLOB_CULPRIT_CULPRIT_H

#include <linux/tlob.h>

#include "culprit/telling.h"

struct cause;
struct ksyms;
struct kernel_place;

/* The names of @size bytes of @frame; < 0: none. */
void trail_of(struct trail *t, const struct ksyms *k, const __u64 *frame, __s64 size);

/* Fills @to with the place where @cause was, as far as @late knows it. */
void culprit_place(struct kernel_place *to, const struct cause *cause, const struct tlob_late *late,
		   const struct ksyms *k);

#endif /* TLOB_CULPRIT_CULPRIT_H */
