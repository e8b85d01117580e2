/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Renders screens: text of at most rows lines and cols - 1 columns, so that no terminal
 * wraps it. Pure: what is shown and how comes in, lines go to a file.
 */
#ifndef TLOB_REPORT_SCREEN_H
#define TLOB_REPORT_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "result/parts.h"

struct result;
struct snapshot;
struct snapshot_cpu;

#define SCREEN_CUT_MARK	">"	/* the last column of a line that was cut */
#define SCREEN_MORE_MARK	" ..."	/* the end of the last line, if there are more */
#define SCREEN_HEADER_ROWS	3	/* above the first CPU: the run, two lines of titles */

enum screen_sort {
	SORT_CPU, SORT_VIOLATIONS, SORT_MISSED, SORT_WAKE, SORT_RESPONSE, SCREEN_NR_SORTS,
};

struct view {
	unsigned int cols, rows;
	bool	colour;			/* escape sequences for colours */
	const char *hint;		/* what the keys do, at the end of the first line */
	/* For screen_cpus(): */
	enum screen_sort sort;
	size_t	 first;			/* rows that have been scrolled away */
	int	 cursor;		/* this row of the screen is reversed; -1: none */
};

/* "cpu", "violations", ... */
const char *screen_sort_name(enum screen_sort sort);

/*
 * The table in place: a row for each CPU and their sum. With more CPUs than lines: those
 * with the most violations and the longest responses.
 */
void screen_run(FILE *f, const struct snapshot *s, const struct view *v);

/* The CPUs of @s in the order of @sort, as indices, to @order[@s->n]. */
void screen_order(const struct snapshot *s, enum screen_sort sort, size_t *order);

/* The full screen: all CPUs in that order, from the one at @v->first. */
void screen_cpus(FILE *f, const struct snapshot *s, const struct view *v);

/* How many CPUs fit on it. */
size_t screen_cpus_room(const struct view *v);

/* One CPU: its parts, and its worst windows with their causes. */
void screen_cpu(FILE *f, const struct snapshot *s, const struct snapshot_cpu *c,
		const struct view *v);

/* The keys of the full screen, and what its columns mean. */
void screen_help(FILE *f, const struct view *v);

/* The table of attach: one region, its parts and its worst windows. @duration_ns 0: no limit. */
void screen_attach(FILE *f, const struct result *r, uint64_t elapsed_ns,
		   uint64_t duration_ns, const struct view *v);

/* Pieces that these have in common. */

/* Prints the first @v->rows lines of @text, each cut at @v->cols - 1 columns, with a mark. */
void screen_cut(FILE *f, const char *text, const struct view *v);

/* The same of what @put prints of @data. */
void screen_put(FILE *f, const struct view *v, void (*put)(FILE *f, const void *data),
		const void *data);

/* The first line: "12s of 60s, period 1ms, budget 200us". 0: no limit, no period, no clock. */
void screen_head(FILE *f, const struct view *v, uint64_t elapsed_ns, uint64_t duration_ns,
		 uint64_t period_ns, uint64_t budget_ns, uint64_t clock_ns);

/* A line of titles. */
void screen_title(FILE *f, const struct view *v, const char *title);

/* "  3   12345  1.2k     0": the CPU and its counts, the first one in @width columns. */
void screen_cpu_counts(FILE *f, const struct snapshot_cpu *c, const struct view *v, int width);

/* " 4.61 12.30  46.1": p50, p99.9, max. */
void screen_latency(FILE *f, uint64_t p50, uint64_t p999, uint64_t max);

/* "  4.61", "46100", " 123m", "  miss": ns in five columns. */
#define SCREEN_US_LEN	24
const char *screen_us(char buf[SCREEN_US_LEN], uint64_t ns);

/* A count in at most @width columns, 4 or more: 12345, "123k", "1.23M". */
#define SCREEN_COUNT_LEN	24
const char *screen_count(char buf[SCREEN_COUNT_LEN], uint64_t n, int width);

/* A part of a bar: its letter, its colour (one of 256), its time. */
struct bar_part {
	char	 letter;
	unsigned char colour;
	const char *name;		/* NULL: not in the legend */
	uint64_t ns;
};

/* @width characters, shared among the parts by their times; spaces without any time. */
void screen_bar(FILE *f, const struct view *v, const struct bar_part *part, size_t n,
		unsigned int width);

/* "i irq  t thread  ...": what the letters mean. */
void screen_legend(FILE *f, const struct view *v, const struct bar_part *part, size_t n);

#endif /* TLOB_REPORT_SCREEN_H */
