// SPDX-License-Identifier: GPL-2.0
/* The options and the manual of `tlob-load compare`. */
#include "compare/compare_rows.h"

#define CONFIG	struct compare_config

static const struct manual_option options[] = {
	{ .title = "Options", .after = "FILE may be - for stdout." },
	COMPARISON_OPTIONS(),
	HELP_OPTION,
	{ .title = "The verdict",
	  .list = ENTRIES(
		{ "REGRESSION", "slower by more than the margin, beyond chance" },
		{ "OK", "not slower by more than the margin, beyond chance" },
		{ "INCONCLUSIVE", "these runs cannot decide; more pairs may" }),
	  .after = "docs/explanation/statistics.md describes the method and its error rates." },
	{ 0 },
};

#define OF_WAITS "Two results of waits show which stacks block more, with counts, and have no verdict; --html draws a flame graph of the difference. Scope and threshold must be the same."

static int check(void *config, const struct value *v)
{
	return compare_check(config, v);
}

static const struct compare_config defaults = { .alpha = DEFAULT_ALPHA };

const struct manual manual_compare = {
	.name = "compare",
	.summary = "decide whether B is worse than A, from several runs of each",
	.usage = { "compare [OPTION]... A... -- B..." },
	.operands = ARGUMENT_FILE,
	.brief = "Decide whether the latencies of B are worse than those of A, from several runs of each. One run of each decides nothing.",
	.more = COMPARED_PAIRS "\n" COMPARED_ATTACH "\n" OF_WAITS,
	.options = options,
	.exits = ENTRIES({ "0", "compared, whatever the verdict" }, { "1", "error" },
			 { "129", "usage error" }),
	.size = sizeof(defaults), .defaults = &defaults, .options_first = true, .check = CALL(check),
};
