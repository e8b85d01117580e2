/* SPDX-License-Identifier: GPL-2.0 */
/* The page of one result of waits, or of two: flame graph and table. */
#ifndef TLOB_PAGE_WAITS_H
#define TLOB_PAGE_WAITS_H

#include <stddef.h>
#include <stdio.h>

#include "blocked/result.h"

/* @n is 1 or 2; two are comparable. 0, -ENOMEM or -EIO. */
int page_waits(FILE *f, const struct waits_result *r, const char *const *name, size_t n);

#endif /* TLOB_PAGE_WAITS_H */
