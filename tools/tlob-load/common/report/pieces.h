/* SPDX-License-Identifier: GPL-2.0 */
/* Pieces of a page: its frame, bars and cells. */
#ifndef TLOB_REPORT_PIECES_H
#define TLOB_REPORT_PIECES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "result/result.h"

/* A word of ours, with its meaning under the pointer if the glossary has it. */
void page_word(FILE *f, const char *name);

/* A cell with three significant digits and the unit, all digits under the pointer; or a dash. */
void cell_time(FILE *f, bool known, uint64_t ns);

/* The same of a quantile, which may be missed or not resolvable; @missed expiries count in it. */
void cell_resolved(FILE *f, enum quantile known, uint64_t ns);
void cell_quantile_of(FILE *f, const struct tlob_hist *h, uint64_t missed, unsigned int ppm);

/* A cell with foreign text, or with what @put prints of @data (0 or -ENOMEM); a dash for NULL. */
void cell_text(FILE *f, const char *text);
int  cell_printed(FILE *f, void (*put)(FILE *f, const void *data), const void *data);

/* A cell with a count; bad if it is not 0. */
void cell_count(FILE *f, uint64_t n);
void cell_bad(FILE *f, uint64_t n);

/* A paragraph for each of @notes, which may be NULL. */
void page_notes(FILE *f, char *const *notes);

/* Says what the numbers of a deterministic guest are; nothing for another run. */
void page_deterministic(FILE *f, bool deterministic);

/* The name of one of several results, above what the page shows of it. */
void page_heading(FILE *f, const char *name);

/* A term of a list and foreign text that explains it; nothing without a @value. */
void fact(FILE *f, const char *name, const char *value);
void fact_duration(FILE *f, const char *name, uint64_t ns);

/* Prints what @put prints of @data as text of the page, with its lines. 0 or -ENOMEM. */
int put_as_text(FILE *f, void (*put)(FILE *f, const void *data), const void *data);

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

/* Its pieces in words, the largest first, with both phases of a part together. */
void bar_legend(FILE *f, const struct bar *b);

/* A large bar of the mean window with its legend. False: there is no window. */
bool page_mean(FILE *f, const struct result_cpu *c, bool of_task);

/* The page up to its body, with its style. */
void html_begin(FILE *f, const char *title);

/* Its script and what ends it. Returns @err, or -EIO if the file has an error. */
int html_end(FILE *f, int err);

#endif /* TLOB_REPORT_PIECES_H */
