/* SPDX-License-Identifier: GPL-2.0 */
/* What happened in the windows that a result keeps, in its order and to scale. */
#ifndef TLOB_PAGE_TIMELINE_H
#define TLOB_PAGE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "result/result.h"

/* True if worst window @i of @r has one that can be drawn. */
bool timeline_can_draw(const struct result *r, size_t i);

/* Its bar: each span has its place and its width, and its name under the pointer. */
void timeline_bar(FILE *f, const struct result *r, size_t i);

/*
 * The first @n worst windows, and the violations behind them, each with its bar and the
 * list of its spans. Without a script and on paper the lists of the first are open; a
 * click on a window opens its list. Windows that do not fit into @room spans are counted.
 */
void timelines(FILE *f, const struct result *r, size_t n, uint32_t room);

#endif /* TLOB_PAGE_TIMELINE_H */
