/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison as one self-contained page, like that of a run. */
#ifndef TLOB_PAGE_COMPARE_H
#define TLOB_PAGE_COMPARE_H

#include <stdio.h>

struct comparison;

/* The verdict, the pairs, where it moved, each CPU. 0, -ENOMEM or -EIO; prints no error itself. */
int page_compare(FILE *f, const struct comparison *all);

#endif /* TLOB_PAGE_COMPARE_H */
