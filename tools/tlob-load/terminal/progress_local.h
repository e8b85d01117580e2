/* SPDX-License-Identifier: GPL-2.0 */
/* What progress of a run and of attach have in common. */
#ifndef TLOB_TERMINAL_PROGRESS_LOCAL_H
#define TLOB_TERMINAL_PROGRESS_LOCAL_H

#include <stdio.h>

#include "terminal/progress.h"
#include "terminal/screen.h"

/* True when something is to be shown now; then sets when it is the next time. */
bool progress_is_due(struct progress *p, uint64_t elapsed_ns);

/* Prints "tlob-load: 20s of 60s: ", the time as a multiple of the interval. */
void progress_put_time(const struct progress *p, uint64_t elapsed_ns);

/* Prints the lines that wait for the next table, in its place. */
void progress_put_lines(struct progress *p);

/* How to draw on the terminal as it is now. */
void progress_view(const struct progress *p, struct view *v);

/* Opens a screen to print to, or NULL; draws what was printed, and closes it. */
FILE *progress_open(struct progress *p);
void progress_draw(struct progress *p, FILE *screen);

#endif /* TLOB_TERMINAL_PROGRESS_LOCAL_H */
