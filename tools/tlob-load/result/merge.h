/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_RESULT_MERGE_H
#define TLOB_RESULT_MERGE_H

#include "result/result.h"

/*
 * Adds @b to @a, exactly. Counters and histograms of the same CPU of the same host
 * are added; other CPUs are appended. Notes call @b by @name. 0; -ENOMEM; -EINVAL if
 * the two measured different things. Both errors have been printed.
 */
int result_merge(struct result *a, struct result *b, const char *name);

#endif /* TLOB_RESULT_MERGE_H */
