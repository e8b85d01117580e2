/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Results in the formats of others: docs/how-to/other-formats.md has the mapping. All functions
 * return 0, -ENOMEM or -EIO and print no error themselves, unless they say so.
 */
#ifndef TLOB_SHOW_EXPORT_H
#define TLOB_SHOW_EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include "result/result.h"
#include "show/verdict_file.h"

struct export_options {
	unsigned int metric;		/* rt-tests: TLOB_METRIC_WAKE or TLOB_METRIC_IRQ */
	const char *build;		/* kcidb: ORIGIN:ID */
};

/* Of a run, or of attach as attach_view() makes it. */
int export_rt_tests(FILE *f, const struct result *r, const struct export_options *o);
int export_openmetrics(FILE *f, const struct result *r);
int export_kcidb(FILE *f, const struct result *r, const struct export_options *o);
int export_bmf(FILE *f, const struct result *r);

/* Of compare and of validate. */
int export_verdict_openmetrics(FILE *f, const struct verdict_file *v);
int export_verdict_kcidb(FILE *f, const struct verdict_file *v, const struct export_options *o);
int export_verdict_bmf(FILE *f, const struct verdict_file *v);

/* The metrics that are exported, and their names: of attach there is one, "elapsed". */
unsigned int export_metrics(const struct result *r);
const char *export_metric_name(const struct result *r, unsigned int metric);

/* The quantiles that are exported; the last one is the maximum. */
#define EXPORT_QUANTILES	4
extern const char *const export_quantile_names[EXPORT_QUANTILES];

/*
 * Quantile @q of all windows, in ns, with its bounds at 95 % confidence; 0: no bound. Missed
 * expiries are the latest of all.
 */
struct export_quantile {
	enum quantile kind;		/* @ns is set with QUANTILE_KNOWN only */
	uint64_t ns, lower_ns, upper_ns;
};

struct export_quantile export_quantile(const struct result_cpu *c, unsigned int metric,
				       unsigned int q);

#endif /* TLOB_SHOW_EXPORT_H */
