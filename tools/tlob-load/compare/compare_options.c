// SPDX-License-Identifier: GPL-2.0
/* The options and the manuals of `tlob-load compare` and `gate`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare/config.h"
#include "compare/decidable.h"
#include "options/rows.h"

#define CONFIG	struct compare_config

static int read_metric(const struct value *v, void *to)
{
	struct compare_config *o = to;

	return add_statistic(v, o->statistic, &o->nstatistics);
}

/* Splits the results into those before and those after --. */
static int check(void *config, const struct value *v)
{
	/* In "compare -- B" getopt has taken the -- for the end of the options. */
	const bool taken = !strcmp(v->rest[-1], "--");
	char **word = v->rest - taken;
	const int n = v->nrest + taken;
	struct compare_config *o = config;
	int i = 0;

	o->a = word;
	while (i < n && strcmp(word[i], "--"))
		i++;
	o->na = (size_t)i;
	if (i == n)
		return value_error(v, "-- is missing: put it between the results of A and the results of B");
	o->b = word + i + 1;
	o->nb = (size_t)(n - i - 1);
	for (i++; i < n; i++)
		if (!strcmp(word[i], "--"))
			return value_error(v, "-- is given twice");
	for (i = 0; i < n; i++)
		if (*word[i] == '-' && word[i][1] && strcmp(word[i], "--"))
			return value_error(v, "%s stands behind a result: put options before the first one, and give a file of that name as ./%s",
					   word[i], word[i]);
	if (!o->na || !o->nb)
		return value_error(v, "no results %s --", o->na ? "after" : "before");
	if (o->sequential && !(o->margin > 0))
		return value_error(v, "--sequential needs --margin: a margin from the spread changes with each look");
	if (o->append && !strcmp(o->append, "-"))
		return value_error(v, "--append cannot write to stdout: give the name of a file");
	return 0;
}

static const struct manual_option options[] = {
	{ .title = "Options", .after = "FILE may be - for stdout." },
	{ READ("metric", 'm', "STAT", read_metric),
	  WORDS("p99.9(response) p99(response) p50(wake) p99(wake) es99(wake) avg(response) miss-rate"),
	  .basic = true, .fallback = "p99.9(response) and miss-rate",
	  .brief = "statistic that decides (repeatable)",
	  .more = "STAT is pNN(METRIC), esNN(METRIC) (the mean of what is above that quantile) or avg(METRIC) of the worst CPU, or miss-rate. For counted instructions the default is p50(wake), p99(wake), p99.9(wake) and es99(wake)." },
	{ PERCENT("margin", margin, 1000), .basic = true, .fallback = "from the spread",
	  .brief = "slowdown that does not matter, 0.01% to 1000%",
	  .more = "For a miss-rate that --metric names, P more of 100 expiries. Without --metric the miss-rate has the margin of its spread." },
	{ PERCENT("alpha", alpha, 20), .fallback = "5%",
	  .brief = "risk of each wrong verdict, 0.01% to 20%" },
	{ FLAG("sequential", 0, sequential), .basic = true,
	  .brief = "decide after 8, 12, 16 ... 40 pairs",
	  .more = "It decides as soon as the verdict is certain, and says how many pairs are next. All looks together keep to alpha. Needs --margin." },
	{ READ("vary", 0, "FACTS", value_vary), .at = AT(struct vary, vary), .basic = true,
	  .brief = "facts in which A and B are meant to differ",
	  .more = "FACTS is FACT[,FACT], such as smt, policy or period. Each side must be of one kind." },
	{ FLAG("force", 0, force), .brief = "compare even if anything else differs",
	  .more = "The output lists the differences." },
	{ OUTPUT("json", 0, out[OUT_JSON]), .basic = true, .brief = "write JSON",
	  .more = "docs/reference/comparison.md describes it." },
	{ OUTPUT("junit", 0, out[OUT_JUNIT]), .basic = true, .brief = "write JUnit XML" },
	{ OUTPUT("ktap", 0, out[OUT_KTAP]), .basic = true, .brief = "write KTAP, the kernel's test format" },
	{ OUTPUT("markdown", 0, out[OUT_MARKDOWN]), .basic = true, .brief = "write a summary in Markdown" },
	{ OUTPUT("html", 0, out[OUT_HTML]), .basic = true, .brief = "write a page of HTML",
	  .more = "It is one file: the verdict, each pair, how quantiles, parts and CPUs moved." },
	{ TEXT("append", 0, "FILE", append, "the name of a file"), .kind = ARGUMENT_FILE,
	  .brief = "append a line for each run to a CSV file",
	  .more = "It is for tools that look for changes in a series." },
	{ TEXT("commit", 0, "TEXT", commit, "a name"), .fallback = "empty",
	  .brief = "the column commit of the lines of B" },
	{ FLAG("verbose", 'v', verbose), .basic = true,
	  .brief = "print all metrics, margins and notes, not one screen" },
	{ FLAG("quiet", 'q', quiet), .basic = true,
	  .brief = "print no text, only write the files" },
	HELP_OPTION,
	{ .title = "The verdict", .only = "compare",
	  .list = ENTRIES(
		{ "REGRESSION", "slower by more than the margin, beyond chance" },
		{ "OK", "not slower by more than the margin, beyond chance" },
		{ "INCONCLUSIVE", "these runs cannot decide; more pairs may" }),
	  .after = "docs/explanation/statistics.md describes the method and its error rates." },
	{ 0 },
};

#define PAIRS "Runs are compared in pairs, in the order given: the first of A with the first of B. tlob-load plan writes their order, and a script that makes the runs."
#define OF_ATTACH "Results of attach compare with one another: response is the time of the region, work.PART its parts (work.on_cpu is running, work.thread waiting, work.sleep sleeping). A window over its budget that never ended counts as missed."

#define OF_WAITS "Two results of waits show which stacks block more, with counts, and have no verdict; --html draws a flame graph of the difference. Scope and threshold must be the same."

#define PARSER \
	.size = sizeof(defaults), .defaults = &defaults, .options_first = true, .check = CALL(check)

static const struct compare_config defaults = { .alpha = DEFAULT_ALPHA };

const struct manual manual_compare = {
	.name = "compare",
	.summary = "decide whether B is worse than A, from several runs of each",
	.usage = { "compare [OPTION]... A... -- B..." },
	.operands = ARGUMENT_FILE,
	.brief = "Decide whether the latencies of B are worse than those of A, from several runs of each. One run of each decides nothing.",
	.more = PAIRS "\n" OF_ATTACH "\n" OF_WAITS,
	.options = options,
	.exits = ENTRIES({ "0", "compared, whatever the verdict" }, { "1", "error" },
			 { "129", "usage" }),
	PARSER,
};

const struct manual manual_gate = {
	.name = "gate",
	.summary = "compare, with an exit code for each verdict, for CI",
	.usage = { "gate [OPTION]... A... -- B..." },
	.operands = ARGUMENT_FILE,
	.brief = "The same as compare, with an exit code for each verdict, for CI.",
	.more = PAIRS "\nA result that is missing or cut off, or whose run failed, is an error. Nothing passes without data.\n" OF_ATTACH,
	.options = options,
	.exits = ENTRIES({ "0", "OK" }, { "1", "error" }, { "2", "REGRESSION" },
			 { "3", "INCONCLUSIVE" }, { "129", "usage" }),
	PARSER,
};
