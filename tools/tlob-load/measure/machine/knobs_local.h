/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by knobs.c and knobs_replay.c. */
#ifndef TLOB_MACHINE_KNOBS_LOCAL_H
#define TLOB_MACHINE_KNOBS_LOCAL_H

#include <stdbool.h>

#include "machine/knobs.h"

void knob_free(struct knob *knob);

/* Returns whether the knob is a directory, which has no values and is removed again. */
static inline bool knob_is_directory(const struct knob *knob)
{
	return knob->kind == KNOB_INSTANCE || knob->kind == KNOB_CGROUP;
}

/* Returns whether it is restored only while the file has what we wanted. */
static inline bool knob_is_guarded(const struct knob *knob)
{
	return knob->kind == KNOB_OURS || knob->kind == KNOB_SHARED;
}

#define KNOB_SHELL	"/bin/sh"

/* Runs a command. 0; -ECANCELED: it failed; -errno. */
int knob_command(const char *command);

/*
 * Reads the CPUs that get the interrupt with the smp_affinity_list @path. 0 or -errno;
 * -ENOENT: the kernel does not say.
 */
int knob_effective(const char *path, char *line, size_t size);

/* *@changed: the knob had our value, and was written. 0 or -errno. */
int knob_restore(const struct knob *knob, bool *changed);
void knob_cannot_restore(const struct knob *knob, int err);	/* a warning */

/*
 * Restores the table, the last change first. Failed knobs, and shared ones that may
 * come back, stay in it; both are printed. *@restored: how many were changed back. 0
 * or the first -errno.
 */
int knobs_replay(struct knobs *k, size_t *restored);

#endif /* TLOB_MACHINE_KNOBS_LOCAL_H */
