/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A region of a program, as attach measured it. What render.h and report.h print of a result from
 * attach_view() consists of the pieces here.
 */
#ifndef TLOB_REPORT_REGION_H
#define TLOB_REPORT_REGION_H

#include <stdio.h>

#include "report/layout.h"
#include "result/attach_result.h"

/* Prints one line: window @w ended over its budget. What is not known of @kept is not printed. */
void region_line(FILE *f, const struct attach_result *a, const struct tlob_task_window *w,
		 const struct kept *kept);

/* Prints one line: window @open is over its budget and still open at @now_ns. */
void region_open_line(FILE *f, const struct attach_result *a, const struct attach_open *open,
		      uint64_t now_ns);

/*
 * --windows: the names of the columns, and a line if @w has ended. Comma-separated; times are ns,
 * start_ns is CLOCK_MONOTONIC.
 */
void region_windows_head(FILE *f);
void region_windows_line(FILE *f, const struct tlob_task_window *w);

/* What follows the task of a window that has not ended: ", cut off" or ", open". Else "". */
const char *region_unfinished(const struct tlob_task_window *w);

/* For a cell or for memstream_of(): cause_of_region_text() of this, the wait of a struct attach_wait. */
struct region_window {
	const struct attach_result *a;
	const struct kept_region *k;
};

void region_put_cause(FILE *f, const void *window);
void region_put_wait(FILE *f, const void *wait);

/* All of the text. 0, -ENOMEM or -EIO. */
int  region_text(FILE *f, const struct result *r);

/*
 * Pieces of it: what was watched, in lines of @width columns at most; a row for each part that was
 * not 0 in all windows, @width as there, or 0 for any; a line for each kind of window that was left
 * out; a line for each reason to doubt the numbers. The tables return 0, -ENOMEM or -EIO.
 */
void region_header(FILE *f, const struct attach_result *a, unsigned int width);
int  region_quantiles(FILE *f, enum table_form form, const struct attach_result *a, unsigned int width);
int  region_counters(FILE *f, enum table_form form, const struct attach_result *a);
int  region_worst(FILE *f, enum table_form form, const struct attach_result *a);
void region_left_out(FILE *f, const struct attach_result *a);
void region_warnings(FILE *f, const struct attach_result *a);

/* The threads of activations, if threads were watched, and what is missing. 0, -ENOMEM or -EIO. */
int  threads_table(FILE *f, enum table_form form, const struct attach_result *a);
void threads_warnings(FILE *f, const struct attach_result *a);

#endif /* TLOB_REPORT_REGION_H */
