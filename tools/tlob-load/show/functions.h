/* SPDX-License-Identifier: GPL-2.0 */
/* Time in functions, for people. A result without --functions has none of it. */
#ifndef TLOB_SHOW_FUNCTIONS_H
#define TLOB_SHOW_FUNCTIONS_H

#include <stdio.h>

#include "result/result.h"

/*
 * The table of all sets, in lines of @width columns at most, and what the probes cost.
 * With @each also a row for each CPU. 0, -ENOMEM or -EIO.
 */
int  render_functions(FILE *f, const struct result *r, unsigned int width, bool each);

/* The sets in one window, a line each. Nothing without @t. 0, -ENOMEM or -EIO. */
int  render_window_functions(FILE *f, const struct function_sets *sets,
			     const struct window_functions *t);

/* "lock 19.012": the set with the most time in the window; "-": none. */
#define TOP_FUNCTION	48
const char *top_function(char buf[TOP_FUNCTION], const struct function_sets *sets,
			 const struct window_functions *t);

/* What the probes add to @calls calls, in ns: one for each instruction. 0: not known. */
uint64_t functions_cost_ns(const struct function_sets *sets, uint64_t calls);

/* All calls of a window. */
uint64_t window_calls(const struct window_functions *t);

/* One line for each reason to doubt the times in functions. */
void render_functions_warnings(FILE *f, const struct result *r);

#endif /* TLOB_SHOW_FUNCTIONS_H */
