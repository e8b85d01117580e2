// SPDX-License-Identifier: GPL-2.0
/* The manuals of `tlob-load compare` and `gate`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_option options[] = {
	{ "metric", 'm', true, "STAT", ARGUMENT_WORDS,
	  "p99.9(response) p99(response) p50(wake) p99(wake) es99(wake) avg(response) miss-rate",
	  "p99.9(response)", "statistic that decides (repeatable)",
	  "STAT is pNN(METRIC), esNN(METRIC) (the mean of what is above that quantile) or avg(METRIC) of the worst CPU, or miss-rate. For counted instructions the default is p50(wake), p99(wake), p99.9(wake) and es99(wake).",
	  NULL },
	{ "margin", 0, true, "P%", ARGUMENT_TEXT, NULL, "from the spread",
	  "slowdown that does not matter, 0.01% to 1000%",
	  "For miss-rate P more of 100 expiries.", NULL },
	{ "alpha", 0, false, "P%", ARGUMENT_TEXT, NULL, "5%",
	  "risk of each wrong verdict, 0.01% to 20%", NULL, NULL },
	{ "sequential", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "decide after 8, 12, 16 ... 40 pairs",
	  "It decides as soon as the verdict is certain, and says how many pairs are next. All looks together keep to alpha. Needs --margin.",
	  NULL },
	{ "vary", 0, true, "FACTS", ARGUMENT_TEXT, NULL, NULL,
	  "facts in which A and B are meant to differ",
	  "FACTS is FACT[,FACT], such as smt, policy or period. Each side must be of one kind.",
	  NULL },
	{ "force", 0, false, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "compare even if anything else differs", "The output lists the differences.", NULL },
	{ "json", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL, "write JSON",
	  "docs/reference/comparison.md describes it.", NULL },
	{ "junit", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL, "write JUnit XML", NULL, NULL },
	{ "ktap", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write KTAP, the kernel's test format", NULL, NULL },
	{ "markdown", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write a summary in Markdown", NULL, NULL },
	{ "html", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "write a page of HTML",
	  "It is one file: the verdict, each pair, how quantiles, parts and CPUs moved.", NULL },
	{ "append", 0, false, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "append a line for each run to a CSV file",
	  "It is for tools that look for changes in a series.", NULL },
	{ "commit", 0, false, "TEXT", ARGUMENT_TEXT, NULL, "empty",
	  "the column commit of the lines of B", NULL, NULL },
	{ "verbose", 'v', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print all metrics, margins and notes, not one screen", NULL, NULL },
	{ "quiet", 'q', true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print no text, only write the files", NULL, NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_entry verdicts[] = {
	{ "REGRESSION", "slower by more than the margin, beyond chance" },
	{ "OK", "not slower by more than the margin, beyond chance" },
	{ "INCONCLUSIVE", "these runs cannot decide; more pairs may" },
	{ NULL, NULL },
};

#define PAIRS "Runs are compared in pairs, in the order given: the first of A with the first of B. tlob-load plan writes their order, and a script that makes the runs."
#define OF_ATTACH "Results of attach compare with one another: response is the time of the region, work.PART its parts (work.on_cpu is running, work.thread waiting, work.sleep sleeping). A window over its budget that never ended counts as missed."

#define OF_WAITS "Two results of waits show which stacks block more, with counts, and have no verdict; --html draws a flame graph of the difference. Scope and threshold must be the same."

#define STDOUT "FILE may be - for stdout."

static const struct manual_section of_compare[] = {
	{ "Options", NULL, options, NULL, STDOUT },
	{ "The verdict", NULL, NULL, verdicts,
	  "docs/explanation/statistics.md describes the method and its error rates." },
	{ 0 },
};

static const struct manual_entry exits_of_compare[] = {
	{ "0", "compared, whatever the verdict" }, { "1", "error" }, { "129", "usage" },
	{ NULL, NULL },
};

static const char * const usage_of_compare[] = { "compare [OPTION]... A... -- B...", NULL };

const struct manual manual_compare = {
	.name = "compare",
	.summary = "decide whether B is worse than A, from several runs of each",
	.usage = usage_of_compare,
	.operands = ARGUMENT_FILE,
	.brief = "Decide whether the latencies of B are worse than those of A, from several runs of each. One run of each decides nothing.",
	.more = PAIRS "\n" OF_ATTACH "\n" OF_WAITS,
	.sections = of_compare,
	.exits = exits_of_compare,
};

static const struct manual_section of_gate[] = {
	{ "Options", NULL, options, NULL, STDOUT },
	{ 0 },
};

static const struct manual_entry exits_of_gate[] = {
	{ "0", "OK" }, { "1", "error" }, { "2", "REGRESSION" }, { "3", "INCONCLUSIVE" },
	{ "129", "usage" }, { NULL, NULL },
};

static const char * const usage_of_gate[] = { "gate [OPTION]... A... -- B...", NULL };

const struct manual manual_gate = {
	.name = "gate",
	.summary = "compare, with an exit code for each verdict, for CI",
	.usage = usage_of_gate,
	.operands = ARGUMENT_FILE,
	.brief = "The same as compare, with an exit code for each verdict, for CI.",
	.more = PAIRS "\nA result that is missing or cut off, or whose run failed, is an error. Nothing passes without data.\n" OF_ATTACH,
	.sections = of_gate,
	.exits = exits_of_gate,
};
