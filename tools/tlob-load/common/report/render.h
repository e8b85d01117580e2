/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Prints a result for people, for programs and for gnuplot, to an open file. All functions return 0, -ENOMEM, or -EIO if the file has an
 * error; they print no error themselves.
 */
#ifndef TLOB_REPORT_RENDER_H
#define TLOB_REPORT_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "report/layout.h"
#include "result/result.h"
#include "util/printable.h"

/*
 * The tables, notes and warnings. @with_worst adds render_split() and the overhead;
 * a table in between leaves them out.
 */
int render_text(FILE *f, const struct result *r, bool with_worst);

/*
 * The outcome in one sentence, without a newline: how many windows kept the budget,
 * what made most violations, the worst one and, if it exceeded the budget, the part that
 * made it long, by name.
 */
int render_outcome(FILE *f, const struct result *r);

/* The sentence begins with "OK": no violation, no missed expiry, no assertion that failed or is undecided, no doubt. */
bool outcome_is_good(const struct result *r);

/* The first reason to distrust the result besides late windows, to follow "but"; or NULL. */
const char *outcome_doubt(const struct result *r);

/*
 * The cause that the first line says: of most violations, or the next one if it made a share that
 * matters. NULL: it says none. Nothing is said of what made fewer than two.
 */
const struct cause_count *outcome_cause(const struct result *r, bool next);

/* Prints a line for each of the notes that @add adds. 0 or -ENOMEM. */
int render_notes_of(FILE *f, const struct result *r,
		    int (*add)(char ***lines, const struct result *r));

/*
 * Adds what is known of the worst case to @lines, like notes_add(): the sum of the
 * worst of each part on the CPU where it is largest, and the bound of the share of
 * expiries over the budget or missed. Nothing without windows. 0 or -ENOMEM.
 */
int outcome_bounds(char ***lines, const struct result *r);

/*
 * Adds what limits the outcome to @lines, like notes_add(): missed expiries, work
 * that exceeds the period or the budget, RT throttling; of attach periods without an
 * activation. 0 or -ENOMEM.
 */
int outcome_limits(char ***lines, const struct result *r);

/* One line for each reason to doubt the numbers. */
void render_warnings(FILE *f, const struct result *r);

/* The parts of the mean and of the worst window, in lines of @width columns at most. */
void render_mean_and_worst(FILE *f, const struct result *r, unsigned int width);

/*
 * The end of a measurement on one page, see pager.h, the outcome first; and its head alone: the
 * outcome and what limits it.
 */
int render_summary(FILE *f, const struct result *r);
int render_summary_head(FILE *f, const struct result *r);

/* The part of render_text() that shows where the time went, and the offenders. */
int render_split(FILE *f, const struct result *r);

/* A row for each CPU, so that the worst stands out in its column. 0, -ENOMEM or -EIO. */
int render_overview(FILE *f, enum table_form form, const struct result *r);

/* Prints the counts of the operating system over the run: @r->all.os is not NULL. */
int render_os(FILE *f, enum table_form form, const struct result *r);

/* One JSON object on one line: docs/reference/result.md. */
int render_json(FILE *f, const struct result *r);

/*
 * The forms for other programs. Those for CI systems have @r->assertions as test cases, Markdown
 * as a list before the tables. RENDER_TIMELINE: trace events.
 */
enum render_form {
	RENDER_JSON, RENDER_HTML, RENDER_JUNIT, RENDER_KTAP, RENDER_MARKDOWN, RENDER_HIST,
	RENDER_TIMELINE,
};

int render_as(FILE *f, const struct result *r, enum render_form form);

/* Latencies in rows of 1 us: all CPUs, then each CPU, as blocks for gnuplot. */
int render_hist(FILE *f, const struct result *r);

#endif /* TLOB_REPORT_RENDER_H */
