// SPDX-License-Identifier: GPL-2.0
/* The options and the manuals of `tlob-load report` and `merge`. */
#include <errno.h>
#include <string.h>

#include "options/rows.h"
#include "results/config.h"

#define CONFIG	struct report_config

static int read_label(const struct value *v, void *to)
{
	struct report_config *o = to;

	if (o->nlabels == REPORT_LABELS)
		return value_error(v, "--label is given more than %u times", REPORT_LABELS);
	return value_text(v, &o->label[o->nlabels++]);
}

static int read_stacks(const struct value *v, void *to)
{
	struct report_config *o = to;

	if (o->nstacks == 2)
		return value_error(v, "--stacks is given more than twice");
	return value_text(v, &o->stacks[o->nstacks++]);
}

/* The formats of others take one result each, and what names results there is theirs. */
static int check_export(const struct report_config *o, const struct value *v)
{
	if (o->has_metric && o->format != FORMAT_RT_TESTS)
		return value_error(v, "--metric is for --format rt-tests");
	if (o->format < FORMAT_RT_TESTS)
		return 0;
	if (o->nlabels || o->append || o->commit)
		return value_error(v, "--label, --append and --commit are not for foreign formats: name the result with run --tag");
	return v->nrest == 1 && !o->list ? 0 :
	       value_error(v, "foreign formats take one result: merge several first, or call report for each");
}

static int check(void *config, const struct value *v)
{
	static const char * const formats[] = {
		"html", "md", "csv", "text", "json", "rt-tests", "openmetrics",
	};
	struct report_config *o = config;

	o->files = v->rest;
	if (o->hosts && (o->append || o->rows || o->samples || o->nstacks || o->nlabels || o->html ||
			 (o->has_format && o->format != FORMAT_TEXT)))
		return value_error(v, "--hosts prints a table of text: leave out --format, --html, --rows, --append, --label, --samples and --stacks");
	if (o->html && o->append)
		return value_error(v, "--html and --append exclude each other: give one");
	if (o->html && o->format != FORMAT_HTML)
		return value_error(v, "--html writes a page: for --format %s give --output FILE",
				   formats[o->format]);
	if (o->samples && (o->append || o->rows || o->format != FORMAT_HTML))
		return value_error(v, "--samples is for a page of HTML without --rows");
	if (!v->nrest && !o->list && !o->samples)
		return value_error(v, "no result: give the files to show");
	if (o->nlabels && (o->append || o->format == FORMAT_CSV))
		return value_error(v, "--label names results on a page: a line of CSV has --commit");
	if (o->rows && (o->append || o->format != FORMAT_HTML))
		return value_error(v, "--rows is for a page of HTML: CSV already has a line for each result");
	if (o->anonymize && (o->append || o->format == FORMAT_CSV))
		return value_error(v, "--anonymize is not for CSV, whose readers compare hosts: give another --format");
	if (o->anonymize && (o->samples || o->nstacks))
		return value_error(v, "--anonymize is for results only: leave out --samples and --stacks");
	if (check_export(o, v))
		return -EINVAL;
	if (o->nstacks && (o->append || o->rows || o->format != FORMAT_HTML))
		return value_error(v, "--stacks is for a page of HTML without --rows");
	return 0;
}

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ CHOICE("format", 'f', "F", REPORT_FORMATS, format, "format"), GIVEN(has_format), .basic = true,
	  .fallback = "html; text on a terminal", .brief = "html, md (Markdown), csv (a line each), text, json, or a foreign format",
	  .list = ENTRIES(
		{ "json", "the results themselves, a line each" },
		{ "rt-tests", "the JSON of cyclictest, for one run" },
		{ "openmetrics", "for the node exporter's textfile collector" }),
	  .more = "The last two take one result; openmetrics also one of attach, compare or validate. docs/how-to/other-formats.md." },
	{ CHOICE("metric", 0, "M", "wake irq", metric, "metric"), GIVEN(has_metric),
	  .fallback = "wake", .brief = "for rt-tests: wake, cyclictest's number, or irq" },
	{ OUTPUT("output", 'o', output), .basic = true, .fallback = "-",
	  .brief = "output file; - is stdout" },
	{ OUTPUT("html", 0, output), GIVEN(html),
	  .brief = "write the page to FILE, as --format html --output FILE does; - is stdout" },
	{ READ("label", 0, "TEXT", read_label), .noun = "a name for a result", .basic = true,
	  .fallback = "run --label, else the file",
	  .brief = "name for the first result; given again, for the next one" },
	{ TEXT("files-from", 0, "FILE", list, "the name of a file, or - for stdin"),
	  .kind = ARGUMENT_FILE, .basic = true, .fallback = "none",
	  .brief = "also show the files listed in FILE",
	  .more = "One name per line; - is stdin." },
	{ FLAG("rows", 0, rows), .basic = true, .fallback = "for more than 8",
	  .brief = "one HTML row per result, outliers first" },
	{ FLAG("hosts", 0, hosts), .basic = true,
	  .brief = "a line for each host, the slowest first",
	  .more = "And in what their settings differ. For results of single hosts: files, folders, or - for one result in each line of stdin. docs/how-to/many-machines.md." },
	{ READ("stacks", 0, "FILE", read_stacks), .noun = "the name of a file",
	  .kind = ARGUMENT_FILE, .basic = true, .fallback = "none",
	  .brief = "add a flame graph of the stacks that tlob-lab explain has written",
	  .more = "Given twice, it shows how the second FILE differs." },
	{ TEXT("samples", 0, "FILE", samples, "the name of a file"), .kind = ARGUMENT_FILE,
	  .basic = true, .fallback = "none",
	  .brief = "plot the samples of run --samples over time, CSV or CSV.gz",
	  .more = "With results, on their page; otherwise on a page of its own." },
	{ TEXT("append", 0, "FILE", append, "the name of a file"), .kind = ARGUMENT_FILE,
	  .brief = "append a line for each result to a CSV file instead",
	  .more = "For tools that look for changes in a series." },
	{ TEXT("commit", 0, "TEXT", commit, "a name"), .fallback = "empty",
	  .brief = "the column commit of the CSV" },
	ANONYMIZE_OPTION(anonymize),
	HELP_OPTION,
	{ .title = "The page",
	  .text = "Up to 8 results share the plots of a page; more have a row each. The rows begin with outliers: results whose response is far from the median of those with the same work, period and budget. Two results cannot show whether B is worse than A; tlob-load compare decides that from several of each." },
	{ 0 },
};

const struct manual manual_report = {
	.name = "report",
	.summary = "show results as an HTML page, Markdown, CSV or text",
	.usage = { "report [OPTION]... RESULT...", "report [OPTION]... --samples FILE" },
	.operands = ARGUMENT_FILE,
	.brief = "Show results on one self-contained HTML page, or as text. Several results share the plots; with two of them a plot shows how each quantile moved.",
	.more = "- reads a result from stdin.\nFor one or two results of waits, the page is a flame graph and a table; --format text prints the table.",
	.options = options,
	.exits = ENTRIES({ "0", "shown" }, { "1", "error" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "find results -name '*.json' | tlob-load report --files-from - --html rows.html",
		  "Find the outlier among many results:" },
		{ "tlob-load report --hosts /shared/results", "A line for each machine:" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .output = "-" },
	.check = CALL(check),
};

#undef CONFIG
#define CONFIG	struct merge_config

static int check_merge(void *config, const struct value *v)
{
	struct merge_config *o = config;

	o->files = v->rest;
	return v->nrest || o->list ? 0 : value_error(v, "no result: give the files to merge");
}

static const struct manual_option options_of_merge[] = {
	{ .title = "Options" },
	{ OUTPUT("json", 'o', json), .basic = true, .fallback = "-",
	  .brief = "file for the sum; - is stdout" },
	{ TEXT("files-from", 0, "FILE", list, "the name of a file, or - for stdin"),
	  .kind = ARGUMENT_FILE, .basic = true, .fallback = "none",
	  .brief = "also merge the files listed in FILE",
	  .more = "One name per line; - is stdin." },
	{ FLAG("across-hosts", 0, across_hosts), .basic = true,
	  .brief = "add up CPUs with the same number, also across hosts",
	  .more = "Without it each host keeps its own CPUs, and the sum of a hundred hosts is larger than tlob-load reads." },
	ANONYMIZE_OPTION(anonymize),
	HELP_OPTION,
	{ .title = "Memory",
	  .text = "Only one file at a time is in memory, next to the sum, which takes up to half a megabyte per CPU and holds up to 8192 CPUs." },
	{ .title = "Quantiles",
	  .text = "A quantile of the sum is the quantile of all windows together. compare needs the single results instead, because it measures how much runs differ." },
	{ 0 },
};

const struct manual manual_merge = {
	.name = "merge",
	.summary = "add up results of several runs or machines",
	.usage = { "merge [OPTION]... FILE|DIR..." },
	.operands = ARGUMENT_FILE,
	.brief = "Add up results of several runs, CPUs or machines. The sum is exact: it adds histograms and counters. Results with different backends, work or settings are refused.",
	.more = "DIR stands for all its files *.json and *.json.gz. - reads results from stdin, one per line.",
	.options = options_of_merge,
	.exits = ENTRIES({ "0", "merged" }, { "1", "error" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "find results -name '*.json' | tlob-load merge --files-from - -o all.json",
		  "Add up all results of a directory:" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .json = "-" },
	.check = CALL(check_merge),
};
