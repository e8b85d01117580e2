/* SPDX-License-Identifier: GPL-2.0 */
/* From the stacks of a late window to the place in the kernel that made it late. */
#ifndef TLOB_CULPRIT_CULPRIT_H
#define TLOB_CULPRIT_CULPRIT_H

#include <stdbool.h>

#include <linux/tlob.h>

struct cause;
struct ksyms;
struct kernel_place;

/* Returns whether @late may know the place of @cause. */
bool culprit_has_stack(const struct cause *cause, const struct tlob_late *late);

/* Fills @to with the place where @cause was, as far as @late knows it. */
void culprit_place(struct kernel_place *to, const struct cause *cause, const struct tlob_late *late,
		   const struct ksyms *k);

#endif /* TLOB_CULPRIT_CULPRIT_H */
