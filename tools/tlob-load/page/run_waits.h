/* SPDX-License-Identifier: GPL-2.0 */
/* The longest waits of the worst windows of a run, on its page. */
#ifndef TLOB_PAGE_RUN_WAITS_H
#define TLOB_PAGE_RUN_WAITS_H

#include <stdio.h>

#include "result/result.h"

/* A row for each of the first @n of them, if waits were measured. */
void page_run_waits(FILE *f, const struct result *r, size_t n);

#endif /* TLOB_PAGE_RUN_WAITS_H */
