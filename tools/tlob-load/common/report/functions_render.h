/* SPDX-License-Identifier: GPL-2.0 */
/* Time in functions: text, page, screen. A result without --functions prints nothing. */
#ifndef TLOB_REPORT_FUNCTIONS_RENDER_H
#define TLOB_REPORT_FUNCTIONS_RENDER_H

#include <stdio.h>

#include "report/screen.h"
#include "report/snapshot.h"
#include "result/result.h"

/*
 * The table of all sets, in lines of @width columns at most, and what the probes cost. With @each
 * also a row for each CPU. 0, -ENOMEM or -EIO.
 */
int  render_functions(FILE *f, const struct result *r, unsigned int width, bool each);

/* The sets in one window, a line each. Nothing without @t. 0, -ENOMEM or -EIO. */
int  render_window_functions(FILE *f, const struct function_sets *sets,
			     const struct window_functions *t);

/* "lock 19.012": the set with the most time in the window; "-": none. */
#define TOP_FUNCTION	48
const char *top_function(char buf[TOP_FUNCTION], const struct function_sets *sets,
			 const struct window_functions *t);

/* The same in Markdown, without rows of CPUs. 0, -ENOMEM or -EIO. */
int  markdown_functions(FILE *f, const struct result *r);

/* One line for each reason to doubt the times in functions. */
void render_functions_warnings(FILE *f, const struct function_sets *sets,
			       const struct function_totals *t);

/* The same on a page. 0, -ENOMEM or -EIO. */
int  page_functions(FILE *f, const struct result *r);

/* On a screen: two lines of titles, a row for a CPU, and the line below: a column for each set. */
void functions_titles(FILE *f, const struct snapshot *s, const struct view *v);
void functions_row(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c,
		   const struct view *v);
void functions_legend(FILE *f);

/* A line for each set in the windows of a CPU. */
void functions_of_cpu(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c);

#endif /* TLOB_REPORT_FUNCTIONS_RENDER_H */
