/* SPDX-License-Identifier: GPL-2.0 */
/* What the tables of `run` and of `attach` are made of. */
#ifndef TLOB_RENDER_PARTS_H
#define TLOB_RENDER_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"
#include "show/layout.h"

/* "thread kworker/0:1 (pid 117)" into @buf, which is returned. */
const char *noise_text(char *buf, size_t size, const struct tlob_noise *noise);

/* Microseconds, or a dash for what is not known. */
void cell_us(struct table *t, bool known, uint64_t ns);
void cell_quantile(struct table *t, const struct tlob_hist *h,
		   unsigned int ppm);

/* Six cells: min, avg, three quantiles, max. */
void cell_latency_titles(struct table *t);
void cell_latencies(struct table *t, const struct tlob_hist *h);

/* A dash stands for one of the quantiles. */
bool latencies_are_few(const struct tlob_hist *h);
#define FEW_LATENCIES "-: too few windows for this quantile\n"

/* Parts of both phases under one name; a window can be a mean one. */
struct share {
	const char *name;
	double wake, work;		/* of the whole, 0 ... 1 */
};

/* "LABEL  WHAT 12.345us = on_cpu 97.5% + irq 2.5%". Sorts @shares. */
void render_shares(FILE *f, const char *label, const char *what, uint64_t ns,
		   struct share *shares, size_t n);

/* The largest totals with their names. 0 or -errno. */
int render_offenders(FILE *f, const struct offenders *list, const char *title);

/* "LABEL  TEXT", with foreign bytes made harmless. */
void render_note(FILE *f, const char *label, const char *text);

#endif /* TLOB_RENDER_PARTS_H */
