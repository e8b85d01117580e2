/* SPDX-License-Identifier: GPL-2.0 */
/* What `compare` prints of two results of waits. */
#ifndef TLOB_BLOCKED_TEXT_H
#define TLOB_BLOCKED_TEXT_H

#include <stdio.h>

#include "blocked/result.h"

/* A table in 80 columns: the stacks whose time changed most, with counts. 0, -ENOMEM or -EIO. */
int waits_compare_text(FILE *f, const struct waits_result side[2], const char *const name[2]);

/* The stacks of one result, those with the most time first. 0, -ENOMEM or -EIO. */
int waits_result_text(FILE *f, const struct waits_result *r);

/*
 * "futex_wait < pthread_cond_wait < main" of an entry's text: without its task, and without
 * functions that every wait has. @width: of a line, that begins with four blanks; 0: one line.
 */
void waits_path_text(FILE *f, const char *text, unsigned int width);

#endif /* TLOB_BLOCKED_TEXT_H */
