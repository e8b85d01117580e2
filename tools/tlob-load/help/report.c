// SPDX-License-Identifier: GPL-2.0
/* The manuals of `tlob-load report`, `merge` and `restore`. */
#include "help/manual.h"
#include "help/shared.h"

static const struct manual_option of_report[] = {
	{ "format", 'f', true, "F", ARGUMENT_WORDS, "html md csv text", "html",
	  "html, md (Markdown), csv (a line each) or text", NULL, NULL },
	{ "output", 'o', true, "FILE", ARGUMENT_FILE, NULL, "-",
	  "output file; - is stdout", NULL, NULL },
	HTML_OPTION("write the page to FILE, as --format html --output FILE does"),
	{ "label", 0, true, "TEXT", ARGUMENT_TEXT, NULL, "of run --label, or the file",
	  "how to name the first result; again: the next one", NULL, NULL },
	{ "files-from", 0, true, "FILE", ARGUMENT_FILE, NULL, "none",
	  "show the files that FILE names, too",
	  "One name in a line; - is stdin.", NULL },
	{ "rows", 0, true, NULL, ARGUMENT_TEXT, NULL, "with more than 8",
	  "a row of HTML for each result, outliers first", NULL, NULL },
	{ "stacks", 0, true, "FILE", ARGUMENT_FILE, NULL, "none",
	  "add a flame graph of the stacks that lab --explain has written",
	  "Given twice it shows what the second FILE differs in.", NULL },
	{ "append", 0, true, "FILE", ARGUMENT_FILE, NULL, NULL,
	  "append a line for each result to a CSV file instead",
	  "It is for tools that look for changes in a series.", NULL },
	{ "commit", 0, true, "TEXT", ARGUMENT_TEXT, NULL, "empty",
	  "the column commit of the CSV", NULL, NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section report_sections[] = {
	{ "Options", NULL, of_report, NULL, NULL },
	{ "The page",
	  "Up to 8 results share the plots of a page; more have a row each. The rows begin with outliers: results whose response is far from the median of those with the same work, period and budget. Two results cannot show whether B is worse than A: tlob-load compare decides from several of each.",
	  NULL, NULL, NULL },
	{ 0 },
};

static const struct manual_entry report_examples[] = {
	{ "find results -name '*.json' | tlob-load report --files-from - --html rows.html",
	  "Find the odd one of many machines:" },
	{ NULL, NULL },
};

static const struct manual_entry report_exits[] = {
	{ "0", "shown" }, { "1", "error" }, { "129", "usage" },
	{ NULL, NULL },
};

static const char * const report_usage[] = { "report [OPTION]... RESULT...", NULL };

const struct manual manual_report = {
	.name = "report",
	.summary = "show results as an HTML page, Markdown, CSV or text",
	.usage = report_usage,
	.operands = ARGUMENT_FILE,
	.brief = "Show results on one self-contained HTML page, or as text. Several results share the plots; with two of them a plot shows how each quantile moved.",
	.more = "Of one or two results of waits the page is a flame graph and a table; --format text prints the table.",
	.sections = report_sections,
	.exits = report_exits,
	.examples = report_examples,
};

static const struct manual_option of_merge[] = {
	{ "json", 'o', true, "FILE", ARGUMENT_FILE, NULL, "-",
	  "file for the sum; - is stdout", NULL, NULL },
	{ "files-from", 0, true, "FILE", ARGUMENT_FILE, NULL, "none",
	  "merge the files that FILE names, too",
	  "One name in a line; - is stdin.", NULL },
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section merge_sections[] = {
	{ "Options", NULL, of_merge, NULL, NULL },
	{ "Memory",
	  "One file is in memory at a time. The histograms wait in a temporary file, in $TMPDIR or /tmp, which takes up to a third of the size of the results.",
	  NULL, NULL, NULL },
	{ "Quantiles",
	  "A quantile of the sum is the quantile of all windows together. compare needs the single results instead, because it measures how much runs differ.",
	  NULL, NULL, NULL },
	{ 0 },
};

static const struct manual_entry merge_exits[] = {
	{ "0", "merged" }, { "1", "error" }, { "129", "usage" }, { NULL, NULL },
};

static const struct manual_entry merge_examples[] = {
	{ "find results -name '*.json' | tlob-load merge --files-from - -o all.json",
	  "Add up all results of a directory:" },
	{ NULL, NULL },
};

static const char * const merge_usage[] = { "merge [OPTION]... RESULT...", NULL };

const struct manual manual_merge = {
	.name = "merge",
	.summary = "add up results of several runs or machines",
	.usage = merge_usage,
	.operands = ARGUMENT_FILE,
	.brief = "Add up results of several runs, CPUs or machines. The sum is exact: it adds histograms and counters. Results with different backends, work or settings are refused.",
	.sections = merge_sections,
	.exits = merge_exits,
	.examples = merge_examples,
};

static const struct manual_option of_restore[] = {
	HELP_OPTION,
	{ 0 },
};

static const struct manual_section restore_sections[] = {
	{ "Options", NULL, of_restore, NULL, NULL },
	{ 0 },
};

static const struct manual_entry restore_exits[] = {
	{ "0", "everything is restored" },
	{ "1", "error, a run is in progress, or another user of osnoise may still bring a setting back" },
	{ "129", "usage" }, { NULL, NULL },
};

static const char * const restore_usage[] = { "restore", NULL };

const struct manual manual_restore = {
	.name = "restore",
	.summary = "restore the settings that a killed run has changed",
	.usage = restore_usage,
	.brief = "Restore the settings that a killed run has changed in the system, and those of osnoise that another user of osnoise brought back after a run. The next run does the same.",
	.more = "The changes are listed in /run/tlob-load.state, or in $TLOB_STATE_FILE.",
	.sections = restore_sections,
	.exits = restore_exits,
};
