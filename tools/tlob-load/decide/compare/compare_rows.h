/* SPDX-License-Identifier: GPL-2.0 */
/* What the tables of options of compare and gate share. */
#ifndef TLOB_COMPARE_COMPARE_ROWS_H
#define TLOB_COMPARE_COMPARE_ROWS_H

#include "compare/config.h"
#include "compare/decidable.h"
#include "options/rows.h"

/*
 * Rows of a table whose CONFIG begins with a struct compare_config: @in is the name of that member
 * with a dot, or nothing if CONFIG is that struct.
 */
#define COMPARISON_OPTIONS(in) \
	{ READ("metric", 'm', "STAT", compare_read_metric), \
	  WORDS("p99.9(response) p99(response) p50(wake) p99(wake) es99(wake) avg(response) max(response) miss-rate"), \
	  .basic = true, .fallback = "p99.9(response) and miss-rate", \
	  .brief = "statistic that decides (repeatable)", \
	  .more = "STAT is pNN(METRIC), esNN(METRIC) (the mean of what is above that quantile), avg(METRIC) or max(METRIC) of the worst CPU, or miss-rate, the expiries over the budget or missed of all CPUs. For counted instructions the default is p50(wake), p99(wake), p99.9(wake) and es99(wake)." }, \
	{ PERCENT("margin", in margin, 1000), .basic = true, .fallback = "10%, or 1% for counted instructions", \
	  .brief = "slowdown that does not matter, 0.01% to 1000%", \
	  .more = "Of a miss-rate it is a share of A's, and at least one in 10 000 expiries." }, \
	{ PERCENT("alpha", in alpha, 20), .fallback = "5%", \
	  .brief = "risk of each wrong verdict, 0.01% to 20%" }, \
	{ FLAG("sequential", 0, in sequential), .basic = true, \
	  .brief = "decide after 10, 20 or 40 pairs", \
	  .more = "It decides as soon as the verdict is certain, and says how many pairs are next. All looks together keep to alpha." }, \
	{ READ("cut-short", 0, "A,B", compare_read_cut_short), \
	  .fallback = "0,0", .brief = "runs of A and of B that are missing, 0 to 400 each", \
	  .more = "They failed, or were cut short, and were left out or made again. Each counts as the worst run of its side: a verdict that this would change is INCONCLUSIVE. tlob-load plan counts them." }, \
	{ READ("vary", 0, "FACTS", value_vary), .at = AT(struct vary, in vary), .basic = true, \
	  .brief = "facts in which A and B are meant to differ", \
	  .more = "FACTS is FACT[,FACT], such as smt, policy or period. Each side must be of one kind." }, \
	{ FLAG("force", 0, in force), .brief = "compare even if anything else differs", \
	  .more = "The output lists the differences." }, \
	{ OUTPUT("json", 0, in out[OUT_JSON]), .basic = true, .brief = "write JSON", \
	  .more = "docs/reference/comparison.md describes it." }, \
	{ OUTPUT("junit", 0, in out[OUT_JUNIT]), .basic = true, .brief = "write JUnit XML" }, \
	{ OUTPUT("ktap", 0, in out[OUT_KTAP]), .basic = true, .brief = "write KTAP, the kernel's test format" }, \
	{ OUTPUT("markdown", 0, in out[OUT_MARKDOWN]), .basic = true, .brief = "write a summary in Markdown" }, \
	{ OUTPUT("html", 0, in out[OUT_HTML]), .basic = true, .brief = "write a page of HTML", \
	  .more = "It is one file: the verdict, each pair, how quantiles, parts and CPUs moved." }, \
	{ TEXT("append", 0, "FILE", in append, "the name of a file"), .kind = ARGUMENT_FILE, \
	  .brief = "append a line for each run to a CSV file", \
	  .more = "For tools that look for changes in a series." }, \
	{ TEXT("commit", 0, "TEXT", in commit, "a name"), .fallback = "empty", \
	  .brief = "the column commit of the lines of B" }, \
	{ FLAG("verbose", 'v', in verbose), .basic = true, \
	  .brief = "print all metrics, margins and notes, not one screen" }, \
	{ FLAG("quiet", 'q', in quiet), .basic = true, \
	  .brief = "print no text, only write the files" }

#define COMPARED_PAIRS "Runs are compared in pairs, in the order given: the first of A with the first of B. tlob-load plan makes the runs in random order."
#define COMPARED_ATTACH "Results of attach compare with one another: response is the time of the region, work.PART its parts (work.on_cpu is running, work.thread waiting, work.sleep sleeping). A window over its budget that never ended counts as missed."

/* Reads --metric, --cut-short into a struct compare_config. */
int compare_read_metric(const struct value *v, void *to);
int compare_read_cut_short(const struct value *v, void *to);

/* Splits the results into those before and those after --, and checks the other options. */
int compare_check(struct compare_config *o, const struct value *v);

#endif /* TLOB_COMPARE_COMPARE_ROWS_H */
