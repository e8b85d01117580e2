/* SPDX-License-Identifier: GPL-2.0 */
/* The options of a comparison. history/cmd_compare.c fills them in. */
#ifndef TLOB_COMPARE_CONFIG_H
#define TLOB_COMPARE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/statistic.h"
#include "result/vary.h"

/* The forms of a comparison that go to files. */
enum { OUT_JSON, OUT_JUNIT, OUT_KTAP, OUT_MARKDOWN, OUT_HTML, NR_OUTPUTS };

/* Their rows, @field is the array. @json: a sentence on where its format is described. For files with options/rows.h. */
#define COMPARISON_OUTPUTS(field, json) \
	{ OUTPUT("json", 0, field[OUT_JSON]), .basic = true, .brief = "write JSON", .more = json }, \
	{ OUTPUT("junit", 0, field[OUT_JUNIT]), .basic = true, .brief = "write JUnit XML" }, \
	{ OUTPUT("ktap", 0, field[OUT_KTAP]), .brief = "write KTAP, the kernel's test format" }, \
	{ OUTPUT("markdown", 0, field[OUT_MARKDOWN]), .basic = true, .brief = "write a summary in Markdown" }, \
	{ OUTPUT("html", 0, field[OUT_HTML]), .basic = true, .brief = "write a page of HTML", \
	  .more = "It is one file: the verdict, each pair, how quantiles, parts and CPUs moved." }

#define SESSION_LABELS	16

/* What a new session of a history is called. The lines of --append have the commit as well. */
struct session_names {
	const char *build, *commit;	/* or NULL */
	const char *label[SESSION_LABELS];
	unsigned int nlabels;
};

struct compare_config {
	struct statistic statistic[STATISTICS_MAX];
	unsigned int nstatistics;		/* 0: the default */
	double	 margin;		/* 0.05 is 5 %; 0: the default */
	double	 alpha;			/* 0.05 is 5 % */
	bool	 sequential;		/* stop at the first look that decides */
	uint64_t cut_short[2];		/* runs of A and of B that failed and are not among the results */
	struct vary vary;		/* facts in which A and B are meant to differ */
	bool	 force, quiet, verbose;
	const char *out[NR_OUTPUTS], *append;	/* files, or NULL */
	struct session_names names;
	const char *history, *switch_to; /* a folder: @a are of one session; or NULL */
	char	**a, **b;		/* results, in the argv */
	size_t	 na, nb;
};

#endif /* TLOB_COMPARE_CONFIG_H */
