/* SPDX-License-Identifier: GPL-2.0 */
/* Result files back into memory. */
#ifndef TLOB_RESULT_READ_H
#define TLOB_RESULT_READ_H

#include "result/result.h"
#include "util/json_read.h"

/*
 * The text of a result file, which anybody may have written. Everything
 * docs/result.md says must be there is, with its type, in its range, and true to
 * itself: a histogram's counts add up to its n, its extremes are in its first and
 * last bucket. Keys beyond are ignored. The sum of the CPUs is made anew.
 *
 * 0, or -EINVAL with the reason in @reader, and @r is empty.
 */
int result_parse(struct result *r, const char *text, struct reader *reader);

/* The same of a file; one line on stderr. 0 or -errno. */
int result_load(struct result *r, const char *path);

#endif /* TLOB_RESULT_READ_H */
