/* SPDX-License-Identifier: GPL-2.0 */
/* The request for report and merge: results/report_options.c fills it in. */
#ifndef TLOB_RESULTS_CONFIG_H
#define TLOB_RESULTS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* From FORMAT_RT_TESTS on they are the formats of others. */
enum report_format {
	FORMAT_HTML, FORMAT_MD, FORMAT_CSV, FORMAT_TEXT, FORMAT_JSON,
	FORMAT_RT_TESTS, FORMAT_OPENMETRICS,
};
#define REPORT_FORMATS	"html md csv text json rt-tests openmetrics"

enum report_metric { REPORT_WAKE, REPORT_IRQ };

#define REPORT_LABELS	64U		/* more names than fit anywhere */

struct report_config {
	enum report_format format;
	const char *output, *append, *commit;
	enum report_metric metric;	/* of FORMAT_RT_TESTS */
	bool	 has_format, has_metric;
	bool	 html;			/* --html named the output */
	const char *label[REPORT_LABELS];
	size_t	 nlabels;
	const char *list;		/* --files-from, or NULL */
	bool	 rows;			/* a row for each result, also of few */
	bool	 hosts;			/* a line for each host */
	const char *stacks[2];		/* files for a flame graph */
	size_t	 nstacks;
	const char *samples;		/* a file of run --samples, or NULL */
	bool	 anonymize;
	struct aliases *aliases;	/* of the call, for it */
	char	**files;		/* ends with NULL */
};

struct merge_config {
	bool	 anonymize;
	bool	 across_hosts;
	const char *json;
	const char *list;		/* --files-from, or NULL */
	char	**files;		/* ends with NULL */
};

#endif /* TLOB_RESULTS_CONFIG_H */
