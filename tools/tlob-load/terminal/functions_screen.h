/* SPDX-License-Identifier: GPL-2.0 */
/* The sets of --functions on the screens of top: lines of 80 columns at most. */
#ifndef TLOB_TERMINAL_FUNCTIONS_SCREEN_H
#define TLOB_TERMINAL_FUNCTIONS_SCREEN_H

#include <stdio.h>

#include "terminal/screen.h"
#include "terminal/snapshot.h"

/* Two lines of titles, a row for a CPU, and the line below: a column for each set. */
void functions_titles(FILE *f, const struct snapshot *s, const struct view *v);
void functions_row(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c,
		   const struct view *v);
void functions_legend(FILE *f);

/* A line for each set in the windows of a CPU. */
void functions_of_cpu(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c);

#endif /* TLOB_TERMINAL_FUNCTIONS_SCREEN_H */
