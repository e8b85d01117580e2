/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results in the formats of others: docs/how-to/other-formats.md has the mapping. All functions
 * return 0, -ENOMEM or -EIO and print no error themselves.
 */
#ifndef TLOB_RESULTS_EXPORT_H
#define TLOB_RESULTS_EXPORT_H

#include <stdio.h>

#include "result/result.h"
#include "results/verdict_file.h"

/* Of a run. @metric: TLOB_METRIC_WAKE or TLOB_METRIC_IRQ */
int export_rt_tests(FILE *f, const struct result *r, unsigned int metric);

/* Of a run, or of attach; of compare and of validate. */
int export_openmetrics(FILE *f, const struct result *r);
int export_verdict_openmetrics(FILE *f, const struct verdict_file *v);

#endif /* TLOB_RESULTS_EXPORT_H */
