/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_CSV_H
#define TLOB_CSV_H

#include <stdio.h>

#include "compare/campaign.h"

/* The header, and the line of one run; @commit may be NULL. 0 or -EIO. */
int csv_header(FILE *f);
int csv_line(FILE *f, const struct campaign_run *run, const char *commit);

/*
 * Adds @text, a header and lines, to the file, without the header if there is
 * something in it already. Under a lock and in one write: two that append at once
 * do not mix, and a full disk leaves what was there. 0 or -errno, printed.
 */
int csv_append(const char *path, const char *text, size_t n);

#endif /* TLOB_CSV_H */
