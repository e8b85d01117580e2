/* SPDX-License-Identifier: GPL-2.0 */
/* Files of folded stacks. */
#ifndef TLOB_READ_STACKS_H
#define TLOB_READ_STACKS_H

#include "report/flames_page.h"

/*
 * Adds the stacks of @text, which has such lines and is changed, to @side, and sorts all. @cut:
 * each stack begins at its innermost interrupt or schedule(), if it has one. 0, -ENOMEM, or -EINVAL
 * with the line and what is wrong with it in @why.
 */
int  folded_read(struct folded *f, char *text, unsigned int side, bool cut, char *why, size_t size);

/*
 * Reads the folded stacks of @files, one or two. Those of two are cut at interrupts and at
 * schedule(), as the flame graphs of `tlob-lab explain` are. 0 or -errno, printed.
 */
int  flames_read(struct flames *fl, const char *const *files, size_t n);
void flames_free(struct flames *fl);

#endif /* TLOB_READ_STACKS_H */
