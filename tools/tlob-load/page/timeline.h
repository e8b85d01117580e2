/* SPDX-License-Identifier: GPL-2.0 */
/* What happened in the worst windows, in its order and to scale. */
#ifndef TLOB_PAGE_TIMELINE_H
#define TLOB_PAGE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "result/result.h"

/* True if worst window @i of @r has one that can be drawn. */
bool timeline_can_draw(const struct result *r, size_t i);

/* Its bar: each span has its place and its width, and its name under the pointer. */
void timeline_bar(FILE *f, const struct result *r, size_t i);

/*
 * The first @n worst windows, each with its bar and the list of its spans. The lists are
 * open without a script and on paper; with one a click on a window opens its list.
 */
void timelines(FILE *f, const struct result *r, size_t n);

#endif /* TLOB_PAGE_TIMELINE_H */
