/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A result for people, for programs and for gnuplot. Everything is printed to
 * an open file; nothing is computed that is not in the result or its
 * histograms. 0 or -errno: -ENOMEM, or -EIO if the file has an error.
 */
#ifndef TLOB_RENDER_H
#define TLOB_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"

/*
 * The table. @with_worst: also the worst windows, part by part, and the
 * names behind them; without it, as for a live view, only the table and the
 * warnings.
 */
int render_text(FILE *f, const struct result *r, bool with_worst);

/* Second half of render_text(): where the time went, and because of whom. */
int render_split(FILE *f, const struct result *r);

/* One JSON object on one line: docs/reference/result.md. */
int render_json(FILE *f, const struct result *r);

/* Latencies in buckets of 1 us: all CPUs, then each, as gnuplot's indexes. */
int render_hist(FILE *f, const struct result *r);

#endif /* TLOB_RENDER_H */
