/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by knobs.c and knobs_replay.c. */
#ifndef TLOB_MACHINE_KNOBS_LOCAL_H
#define TLOB_MACHINE_KNOBS_LOCAL_H

#include "machine/knobs.h"

void knob_free(struct knob *knob);

/*
 * Restores the table, the last change first. Failed knobs, and shared ones that may
 * come back, stay in it; both are printed. *@restored: how many were changed back. 0
 * or the first -errno.
 */
int knobs_replay(struct knobs *k, size_t *restored);

#endif /* TLOB_MACHINE_KNOBS_LOCAL_H */
