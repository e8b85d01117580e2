// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load search`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_option options[] = {
	{ "for", 0, true, "WHAT", ARGUMENT_WORDS, "work period", "work",
	  "work: the largest work; period: the shortest period",
	  "The kind of work and its first amount are those of --work, as in -- -w loops:20000.", NULL },
	{ "budget", 'b', true, "T", ARGUMENT_TEXT, NULL, "the period",
	  "longest response allowed; 1us to 3600s", NULL, NULL },
	{ "miss", 0, true, "P", ARGUMENT_TEXT, NULL, "1e-4",
	  "share of expiries that may be over the budget or missed; 1e-7 to 0.5, or in %",
	  "Kept means: on each CPU its upper bound with 95 % confidence, by Clopper and Pearson, is below P.", NULL },
	{ "resolution", 0, true, "P%", ARGUMENT_TEXT, NULL, "1%",
	  "how close what keeps the rate and what does not must be", NULL, NULL },
	{ "windows", 'n', true, "N", ARGUMENT_TEXT, NULL, "the fewest for P",
	  "windows of each run on each CPU",
	  "The fewest are those of which one may be over: 47 437 for 1e-4.", NULL },
	JSON_OPTION("docs/reference/search.schema.json describes it."),
	{ "html", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write a page with the curve; - is stdout", NULL, NULL },
	{ "quiet", 'q', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "do not say on stderr how it goes", NULL, NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Options", NULL, options, NULL, NULL },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "found" }, { "1", "error" }, { "2", "nothing that was tried keeps the rate" }, { "129", "usage" },
	{ NULL, NULL },
};

static const struct manual_entry examples[] = {
	{ "tlob-load search --budget 500us --miss 1e-4 -- -c 2-3 -p 1ms -w loops:20000",
	  "How much work fits into 500 us?" },
	{ "tlob-load search --for period --miss 1e-3 -- -c 2 -w mem:chase,ws=1M",
	  "How short may the period be?" },
	{ NULL, NULL },
};

static const char * const usage[] = { "search [OPTION]... [-- OPTION OF run]...", NULL };

const struct manual manual_search = {
	.name = "search",
	.summary = "find the largest work, or the shortest period, that keeps a budget",
	.usage = usage,
	.brief = "Make runs to find the largest work, or the shortest period, that keeps a budget but for a share of the expiries. Each run says where the next one should look, so five to ten are enough.",
	.sections = sections,
	.exits = exits,
	.examples = examples,
};
