/* SPDX-License-Identifier: GPL-2.0 */
/* Pieces of the page: bars, cells, and what the operating system counted. */
#ifndef TLOB_PAGE_PIECES_H
#define TLOB_PAGE_PIECES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "result/result.h"

/* A word of ours, with its meaning under the pointer if the glossary has it. */
void page_word(FILE *f, const char *name);

/* A cell with three significant digits and the unit, all digits under the pointer; or a dash. */
void cell_time(FILE *f, bool known, uint64_t ns);

/* The same of a quantile, which may be missed or not resolvable. */
void cell_resolved(FILE *f, enum quantile known, uint64_t ns);

/* A term of a list and foreign text that explains it; nothing without a @value. */
void fact(FILE *f, const char *name, const char *value);
void fact_duration(FILE *f, const char *name, uint64_t ns);

/* What @put prints, as text of the page with its lines. 0, -ENOMEM or what @put returns. */
int put_as_text(FILE *f, int (*put)(FILE *f, const void *data), const void *data);

/* The button that copies what @put prints, in Markdown. 0, -ENOMEM or what @put returns. */
int copy_button(FILE *f, int (*put)(FILE *f, const void *data), const void *data);

/* The parts, and the two phases for a window whose parts are unavailable. */
enum bar_piece { BAR_WAKE = TLOB_NR_PARTS, BAR_WORK, NR_BAR_PIECES };

struct bar {
	double ns[NR_BAR_PIECES];
	double whole;			/* their sum */
	bool of_task;			/* of attach: on_cpu is called running, and so on */
};

/* The mean window of @c; all is 0 if it has none. */
void bar_of_mean(struct bar *b, const struct result_cpu *c);
void bar_of_window(struct bar *b, const struct tlob_window *w);

/* The bar, whose width stands for @width ns. */
void bar_put(FILE *f, const struct bar *b, double width);

/* Its pieces in words, the largest first; those of both phases together. */
void bar_legend(FILE *f, const struct bar *b);

/* The names of @list with their times, the first ones; nothing if there is none. */
void offenders_table(FILE *f, const struct offenders *list, const char *title);

/* What render_os() prints: @r->all.os is there. */
void report_os(FILE *f, const struct result *r);

#endif /* TLOB_PAGE_PIECES_H */
