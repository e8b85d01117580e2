/* SPDX-License-Identifier: GPL-2.0 */
/* Files of run --samples: result/sample_file.h has their rows. */
#ifndef TLOB_READ_SAMPLES_H
#define TLOB_READ_SAMPLES_H

#include "report/samples_plot.h"
#include "result/sample_file.h"

/* Reads a row without its newline. False: it is none. */
bool sample_parse(const char *line, struct sample *s);

/* Calls @row for each row of a CSV file, compressed or not. 0 or -errno, printed. */
int  sample_each(const char *path, void (*row)(void *data, const struct sample *s), void *data);

/* Reads a file of run --samples twice. 0 or -errno, printed; then samples_plot_free(). */
int  samples_plot_read(struct samples_plot *p, const char *path);
void samples_plot_free(struct samples_plot *p);

#endif /* TLOB_READ_SAMPLES_H */
