/* SPDX-License-Identifier: GPL-2.0 */
/* Writes runs as lines of a CSV file. */
#ifndef TLOB_COMPARE_CSV_H
#define TLOB_COMPARE_CSV_H

#include <stdio.h>

#include "compare/campaign.h"

/* Print the header, and the line of one run; @commit may be NULL. 0 or -EIO. */
int csv_header(FILE *f);
int csv_line(FILE *f, const struct campaign_run *run, const char *commit);

/*
 * Adds @text, a header and lines, to the file; only an empty file gets the header.
 * It takes a lock and writes once, so two writers do not mix their lines, and a
 * full disk leaves the file as it was. 0 or -errno, printed.
 */
int csv_append(const char *path, const char *text, size_t n);

#endif /* TLOB_COMPARE_CSV_H */
