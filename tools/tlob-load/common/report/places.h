/* SPDX-License-Identifier: GPL-2.0 */
/* Where in the kernel windows were made late: a table, and a flame graph of these windows only. */
#ifndef TLOB_REPORT_PLACES_H
#define TLOB_REPORT_PLACES_H

#include <stdio.h>

#include "report/layout.h"
#include "result/result.h"

#define TOP_PLACES	8

/*
 * The table, and the flame graph for a page. Both print nothing if no place is known. 0, -ENOMEM or
 * -EIO.
 */
int render_places(FILE *f, enum table_form form, const struct result *r, size_t top);
int places_flame(FILE *f, const struct causes *places);

/* A line "stack: FUNCTION < CALLER < ...", innermost first; nothing if it is not known. */
void place_stack_text(FILE *f, const struct kernel_place *place);

#endif /* TLOB_REPORT_PLACES_H */
