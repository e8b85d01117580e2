/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_MERGE_H
#define TLOB_MERGE_H

#include "result/result.h"

/*
 * Adds @b to @a, exactly: counters and histograms of the same CPU of the same
 * host add up, and other CPUs are beside them. @name is that of @b, for what is
 * noted. 0, -ENOMEM, or -EINVAL if they did not measure the same; both printed.
 */
int result_merge(struct result *a, struct result *b, const char *name);

#endif /* TLOB_MERGE_H */
