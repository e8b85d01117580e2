/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A search keeps its runs in a directory of its own below file_temporary_dir(), which
 * another process can remove if the search was killed.
 */
#ifndef TLOB_UTIL_SCRATCH_H
#define TLOB_UTIL_SCRATCH_H

#include <limits.h>

/* Makes the directory, claimed until this process ends. A descriptor, or -errno, not printed. */
int scratch_make(char dir[PATH_MAX]);

/* Removes the directories of this user that no process has claimed. */
void scratch_sweep(void);

#endif /* TLOB_UTIL_SCRATCH_H */
