/* SPDX-License-Identifier: GPL-2.0 */
/* Pieces that the tables of run and of attach have in common. */
#ifndef TLOB_REPORT_PARTS_TEXT_H
#define TLOB_REPORT_PARTS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/layout.h"
#include "result/result.h"
#include "util/printable.h"
#include "util/units.h"

/* Writes "thread kworker/0:1 (pid 117)" to @buf and returns it. */
const char *noise_text(char *buf, size_t size, const struct tlob_noise *noise);

/* Writes the same without the kind to @buf: "kworker/0:1 (pid 117)". Returns it. */
const char *noise_name(char *buf, size_t size, const struct tlob_noise *noise);

/* Writes "worker/4242" to @buf, escaped, and returns it. */
#define TASK_TEXT	(PRINTABLE_NAME + 12)
const char *task_text(char buf[TASK_TEXT], const char comm[TLOB_NAME_LEN], uint32_t tid);

/* Writes "12.345" to @buf and returns it: the seconds from @began_ns to @at_ns, or 0. */
#define SINCE_LEN	32
const char *since_text(char buf[SINCE_LEN], uint64_t began_ns, uint64_t at_ns);

/* A cell with microseconds, of a page with its unit; or a dash if the value is not @known. */
void cell_us(struct table *t, bool known, uint64_t ns);

/* A cell with a quantile of the windows and the @missed expiries; a dash with too few windows. */
void cell_quantile(struct table *t, const struct tlob_hist *h,
		   uint64_t missed, unsigned int ppm);

/* Six cells: min, avg, three quantiles, max. Missed expiries count in the quantiles. */
void cell_latency_titles(struct table *t);
void cell_latencies(struct table *t, const struct tlob_hist *h, uint64_t missed);

/* True if one of the quantiles is shown as a dash. */
bool latencies_are_few(const struct tlob_hist *h);
#define FEW_LATENCIES "-: too few windows for this quantile"

/* The same of "missed". */
bool latencies_are_missed(const struct tlob_hist *h, uint64_t missed);
#define AMONG_MISSED "this quantile lies among the missed expiries"

/* The share of a part in a window or in the mean window, in both phases. */
struct share {
	const char *name;
	double wake, work;		/* 0 ... 1 of the window */
};

/* Prints "LABEL  WHAT 12.345us = on_cpu 97.5% + irq 2.5%". Sorts @shares. */
void render_shares(struct line *l, const char *label, const char *what, uint64_t ns,
		   struct share *shares, size_t n);

/*
 * Prints the @top offenders with the largest totals under @title; nothing for an empty
 * list. 0, -ENOMEM or -EIO.
 */
#define TOP_OFFENDERS	8
#define OFFENDERS_ON_PAGE 12
#define NOISE_TITLE	"largest interruption of each window, by name"
#define DELAY_TITLE	"who delayed the timer interrupt (irq_delay)"
int render_offenders(FILE *f, enum table_form form, const struct offenders *list, size_t top,
		     const char *title);

/* The number of the CPU, or "all"; in Markdown and on a page also the host of a merged result. */
void cell_cpu(struct table *t, const struct result_cpu *c);

/*
 * A row for each latency, irq only where it is measured: the CPU, the name of the
 * latency, cell_latencies().
 */
void cell_latency_rows(struct table *t, const struct result_cpu *c);

/* A cell with foreign text, such as the name of a host, escaped. */
void cell_foreign(struct table *t, const char *text);

/* For a deterministic guest, where ten executed instructions are 10 ns. */
#define EXECUTED_INSTRUCTIONS "Times are executed instructions: they show path length, not caches or devices."

/* Prints "LABEL  TEXT" with foreign bytes escaped. */
void render_note(FILE *f, const char *label, const char *text);

/* A warning for each of these reasons to doubt the parts that is not 0. */
void render_doubts(FILE *f, uint64_t sum_failures, uint64_t errors, uint64_t adjusted_ns,
		   uint64_t clock_steps);

/* The same in lines of 80 columns at most; without a @label only the text. */
#define NOTE_WIDTH	80
void render_note_wrapped(FILE *f, const char *label, const char *text);

#endif /* TLOB_REPORT_PARTS_TEXT_H */
