/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms and slices in a file, as short as they are sparse: most of the 19 KB of a
 * struct tlob_hist are empty buckets. Only the process that writes such a file reads it.
 */
#ifndef TLOB_RESULT_HIST_PACK_H
#define TLOB_RESULT_HIST_PACK_H

#include <stdio.h>

#include "hist.h"
#include "result/slices.h"

/* Appends @h at the position of @f. 0 or -EIO. */
int hist_pack(FILE *f, const struct tlob_hist *h);

/* Adds the next histogram of @f to @h. 0 or -EIO. */
int hist_unpack(FILE *f, struct tlob_hist *h);

/* The same for slices. */
int slices_pack(FILE *f, const struct slices *s);
int slices_unpack(FILE *f, struct slices *s);

#endif /* TLOB_RESULT_HIST_PACK_H */
