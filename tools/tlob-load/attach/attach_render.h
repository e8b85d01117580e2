/* SPDX-License-Identifier: GPL-2.0 */
/* Prints what attach found, for people and for programs. */
#ifndef TLOB_ATTACH_ATTACH_RENDER_H
#define TLOB_ATTACH_ATTACH_RENDER_H

#include <stdio.h>

#include "result/attach_result.h"

/* Prints one line: window @w ended over its budget. @functions may be NULL. */
void attach_show(FILE *f, const struct attach_result *r, const struct tlob_task_window *w,
		 const struct window_functions *functions);

/* Prints one line: window @open is over its budget and still open at @now_ns. */
void attach_show_open(FILE *f, const struct attach_result *r,
		      const struct attach_open *open, uint64_t now_ns);

/*
 * --windows: the names of the columns, and a line if @w has ended. Comma-separated; times are ns,
 * start_ns is CLOCK_MONOTONIC.
 */
void attach_windows_head(FILE *f);
void attach_windows_line(FILE *f, const struct tlob_task_window *w);

/* Prints all of the result. 0, -ENOMEM or -EIO. */
int  attach_text(FILE *f, const struct attach_result *r);

/*
 * Pieces of it: what was watched, in lines of @width columns at most; a row for each
 * part that was not 0 in all windows; the sets of --functions, if there are any; the parts of the mean and of the worst window; a
 * line for each kind of window that was left out, and for each reason to doubt the
 * numbers.
 */
void attach_header(FILE *f, const struct attach_result *r, unsigned int width);
int  attach_quantiles(FILE *f, const struct attach_result *r);
int  attach_functions_table(FILE *f, const struct attach_result *r, unsigned int width);
void attach_mean_and_worst(FILE *f, const struct attach_result *r, unsigned int width);
void attach_left_out(FILE *f, const struct attach_result *r);
void attach_warnings(FILE *f, const struct attach_result *r);

/*
 * The outcome in one sentence, without a newline: as render_outcome() for a run. It
 * begins with "OK" if attach_outcome_is_good(). 0 or -EIO.
 */
int  attach_outcome(FILE *f, const struct attach_result *r, unsigned int failed);
bool attach_outcome_is_good(const struct attach_result *r, unsigned int failed);

/* The part that made window @w long, in words: "97 % sleeping". */
void attach_cause(FILE *f, const struct attach_result *r, const struct tlob_task_window *w);

/* The same as a text, which the caller frees; NULL without memory. */
char *attach_cause_text(const struct attach_result *r, const struct tlob_task_window *w);

/* Prints one JSON object on one line: docs/reference/result.md. 0, -ENOMEM or -EIO. */
int  attach_json(FILE *f, const struct attach_result *r);

/* For CI systems, as render_junit() and its siblings. 0, -ENOMEM or -EIO. */
int  attach_junit(FILE *f, const struct attach_result *r);
int  attach_ktap(FILE *f, const struct attach_result *r);
int  attach_markdown(FILE *f, const struct attach_result *r);

/* The tables alone, in Markdown. 0 or -EIO. */
int  attach_tables(FILE *f, const struct attach_result *r);

/* A page of HTML. @name: how each of the @n results is called. 0, -ENOMEM or -EIO. */
int page_attach(FILE *f, const struct attach_result *const a[], const char *const *name, size_t n);

#endif /* TLOB_ATTACH_ATTACH_RENDER_H */
