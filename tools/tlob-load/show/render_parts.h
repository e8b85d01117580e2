/* SPDX-License-Identifier: GPL-2.0 */
/* Pieces that the tables of run and of attach have in common. */
#ifndef TLOB_SHOW_RENDER_PARTS_H
#define TLOB_SHOW_RENDER_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"
#include "show/layout.h"

/* Writes "thread kworker/0:1 (pid 117)" to @buf and returns it. */
const char *noise_text(char *buf, size_t size, const struct tlob_noise *noise);

/* A cell with microseconds, or a dash if the value is not @known. */
void cell_us(struct table *t, bool known, uint64_t ns);
void cell_quantile(struct table *t, const struct tlob_hist *h,
		   unsigned int ppm);

/* Six cells: min, avg, three quantiles, max. */
void cell_latency_titles(struct table *t);
void cell_latencies(struct table *t, const struct tlob_hist *h);

/* True if one of the quantiles is shown as a dash. */
bool latencies_are_few(const struct tlob_hist *h);
#define FEW_LATENCIES "-: too few windows for this quantile\n"

/* The share of a part in a window or in the mean window, in both phases. */
struct share {
	const char *name;
	double wake, work;		/* 0 ... 1 of the window */
};

/* Prints "LABEL  WHAT 12.345us = on_cpu 97.5% + irq 2.5%". Sorts @shares. */
void render_shares(FILE *f, const char *label, const char *what, uint64_t ns,
		   struct share *shares, size_t n);

/* Prints the offenders with the largest totals under @title. 0, -ENOMEM or -EIO. */
int render_offenders(FILE *f, const struct offenders *list, const char *title);

/* Prints "LABEL  TEXT" with foreign bytes escaped. */
void render_note(FILE *f, const char *label, const char *text);

#endif /* TLOB_SHOW_RENDER_PARTS_H */
