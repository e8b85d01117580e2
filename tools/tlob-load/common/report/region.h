/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What render.h and report.h print of a result of attach only: what was watched, its threads, and
 * lines while it is measured.
 */
#ifndef TLOB_REPORT_REGION_H
#define TLOB_REPORT_REGION_H

#include <stdio.h>

#include "report/layout.h"
#include "result/attached.h"

/* Prints one line: window @k ended over its budget. What is not known of it is not printed. */
void region_line(FILE *f, const struct result *r, const struct kept_window *k);

/* Prints one line: window @open is over its budget and still open at @now_ns. */
void region_open_line(FILE *f, const struct result *r, const struct attach_open *open,
		      uint64_t now_ns);

/*
 * --windows: the names of the columns, and a line if @w has ended. Comma-separated; times are ns,
 * t0_ns is CLOCK_MONOTONIC. @of_key: with begun_by, and elsewhere, which is in sleep_ns.
 */
void region_windows_head(FILE *f, bool of_key);
void region_windows_line(FILE *f, const struct kept_window *k, bool of_key);

/* What follows the task of a window that has not ended: ", cut off" or ", open". Else "". */
const char *region_unfinished(const struct tlob_window *w);

/* For a cell or for memstream_of(): cause_of_region_text() of this, the wait of a struct attach_wait. */
struct region_window {
	const struct result *r;
	const struct kept_window *k;
};

void region_put_cause(FILE *f, const void *window);
void region_put_wait(FILE *f, const void *wait);

/*
 * What was watched, in lines of @width columns at most; the kernel; the counts; a row for the response and for
 * each part that was not 0 in all windows, @width as there, or 0 for any; the worst windows; a line
 * for each kind of window that was left out; a line for each thread or start without room. The tables
 * return 0, -ENOMEM or -EIO.
 */
void region_header(FILE *f, const struct result *r, unsigned int width);
void region_machine(FILE *f, const struct result *r);
int  region_counters(FILE *f, enum table_form form, const struct result *r);
int  region_quantiles(FILE *f, enum table_form form, const struct result *r, unsigned int width);
int  region_worst(FILE *f, enum table_form form, const struct result *r);
void region_left_out(FILE *f, const struct result *r);
void region_warnings(FILE *f, const struct result *r);

/* The threads of activations, if threads were watched. 0, -ENOMEM or -EIO. */
int  threads_table(FILE *f, enum table_form form, const struct result *r);

#endif /* TLOB_REPORT_REGION_H */
