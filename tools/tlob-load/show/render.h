/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a result for people, for programs and for gnuplot, to an open file. All
 * functions return 0, -ENOMEM, or -EIO if the file has an error; they print no
 * error themselves.
 */
#ifndef TLOB_SHOW_RENDER_H
#define TLOB_SHOW_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"

/*
 * The tables, notes and warnings. @with_worst adds render_split() and the overhead;
 * a table in between leaves them out.
 */
int render_text(FILE *f, const struct result *r, bool with_worst);

/* The part of render_text() that shows where the time went, and the offenders. */
int render_split(FILE *f, const struct result *r);

/* One JSON object on one line: docs/reference/result.md. */
int render_json(FILE *f, const struct result *r);

/* Latencies in rows of 1 us: all CPUs, then each CPU, as blocks for gnuplot. */
int render_hist(FILE *f, const struct result *r);

#endif /* TLOB_SHOW_RENDER_H */
