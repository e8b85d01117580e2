/* SPDX-License-Identifier: GPL-2.0 */
/* Waits of a file: one result alone, or two compared. */
#ifndef TLOB_REPORT_WAITS_RENDER_H
#define TLOB_REPORT_WAITS_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/waits_result.h"

/* A table in 80 columns: the stacks whose time changed most, with counts. 0, -ENOMEM or -EIO. */
int waits_compare_text(FILE *f, const struct waits_result side[2], const char *const name[2]);

/* The stacks of one result, those with the most time first. 0, -ENOMEM or -EIO. */
int waits_result_text(FILE *f, const struct waits_result *r);

/*
 * The next name of a stack, on a line that has @col columns: after " < ", or on a new line if it
 * has no room with @behind columns in @width. 0: one line.
 */
#define WAITS_INDENT	4		/* of a stack */
void waits_put_frame(FILE *f, const char *name, unsigned int width, size_t behind,
		     unsigned int *col);

/*
 * "futex_wait < pthread_cond_wait < main" of an entry's text: without its task, and without
 * functions that every wait has. @width: of a line, that begins with four blanks; 0: one line.
 */
void waits_path_text(FILE *f, const char *text, unsigned int width);

/* "longest wait 1.2 s: worker in futex_wait", one line. */
void waits_longest_text(FILE *f, const struct waits_result *r);

/* What is not in the entries, a line each. */
void waits_left_out_text(FILE *f, const struct waits_result *r);

/* A page of @n results, 1 or 2; two are comparable. 0, -ENOMEM or -EIO. */
int page_waits(FILE *f, const struct waits_result *r, const char *const *name, size_t n);

#endif /* TLOB_REPORT_WAITS_RENDER_H */
