// SPDX-License-Identifier: GPL-2.0
/* `tlob-load compare`, whose other name is gate: two sides of results, or a session and its history. */
#include <string.h>

#include "compare/compare.h"
#include "compare/decidable.h"
#include "history/gate.h"
#include "history/names.h"
#include "options/command.h"
#include "options/rows.h"
#include "read/names.h"
#include "util/units.h"

#define CONFIG	struct compare_config

static int read_metric(const struct value *v, void *to)
{
	struct compare_config *o = to;

	return add_statistic(v, o->statistic, &o->nstatistics);
}

static int read_cut_short(const struct value *v, void *to)
{
	struct compare_config *o = to;
	char a[8], *comma = strchr(v->arg, ',');

	snprintf(a, sizeof(a), "%.*s", (int)strcspn(v->arg, ","), v->arg);
	if (!comma || comma - v->arg >= (ptrdiff_t)sizeof(a) || count_parse(a, &o->cut_short[0]) ||
	    count_parse(comma + 1, &o->cut_short[1]) || o->cut_short[0] > STATS_MAX_PAIRS ||
	    o->cut_short[1] > STATS_MAX_PAIRS)
		return value_error(v, "--cut-short %.40s: give two numbers from 0 to %d, of A and of B, as in 0,1",
				   v->arg, STATS_MAX_PAIRS);
	return 0;
}

/* The rules of a history are fixed, so that its error rates hold. */
static int check_history(struct compare_config *o, const struct value *v)
{
	int i;

	if (o->alpha != DEFAULT_ALPHA || o->sequential || o->vary.n || o->force || o->verbose || o->out[OUT_HTML] || o->append)
		return value_error(v, "--history: leave out --alpha, --sequential, --vary, --force, --verbose, --html and --append");
	for (i = 0; i < v->nrest; i++)
		if (!strcmp(v->rest[i], "--"))
			return value_error(v, "--history needs the results of one session: leave out --");
	if (!v->nrest)
		return value_error(v, "--history needs the results of the new session");
	if (!(o->margin > 0))
		o->margin = SCREEN_MARGIN;
	o->a = v->rest;
	o->na = (size_t)v->nrest;
	return 0;
}

/* Splits the results into those before and those after --. */
static int check_sides(struct compare_config *o, const struct value *v)
{
	/* In "compare -- B" getopt has taken the -- for the end of the options. */
	const bool taken = !strcmp(v->rest[-1], "--");
	char **word = v->rest - taken;
	const int n = v->nrest + taken;
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
			return value_error(v, "%s comes after a result: put options before the first one, and give a file of that name as ./%s",
					   word[i], word[i]);
	return o->na && o->nb ? 0 : value_error(v, "no results %s --", o->na ? "after" : "before");
}

static int check(void *config, const struct value *v)
{
	struct compare_config *o = config;

	if (o->history)
		return check_history(o, v);
	if (o->switch_to || o->names.build || o->names.nlabels)
		return value_error(v, "--switch, --build and --label are for --history");
	if (o->append && !strcmp(o->append, "-"))
		return value_error(v, "--append cannot write to stdout: give the name of a file");
	return check_sides(o, v);
}

/* Refuses outputs that would overwrite one of the results: -EUSAGE, printed. */
static int check_outputs(const struct compare_config *o)
{
	const char *path;
	int i, err = 0;

	for (i = 0; i <= NR_OUTPUTS && !err; i++) {
		path = i < NR_OUTPUTS ? o->out[i] : o->append;
		err = names_check_output(path, o->a, o->na);
		if (!err)
			err = names_check_output(path, o->b, o->nb);
	}
	return err;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	static const enum exit_code codes[] = {
		[VERDICT_OK] = EXIT_PASS, [VERDICT_REGRESSION] = EXIT_ASSERTION,
		[VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
	};
	struct compare_config *o = config;
	enum decision_verdict verdict;
	int err = check_outputs(o);

	(void)argc;
	(void)argv;
	if (!err)
		err = o->history ? gate_carry_out(o, &verdict) : compare_carry_out(o, &verdict);
	return err ? exit_code_of(err) : codes[verdict];
}

static const struct manual_option options[] = {
	{ .title = "Options", .after = "FILE may be - for stdout." },
	{ READ("metric", 'm', "STAT", read_metric),
	  WORDS("p99.9(response) p99(response) p50(wake) p99(wake) es99(wake) avg(response) max(response) miss-rate"),
	  .basic = true, .fallback = "p99.9(response), miss-rate",
	  .brief = "statistic that decides (repeatable)",
	  .more = "STAT is pNN(METRIC), esNN(METRIC) (the mean of what is above that quantile), avg(METRIC) or max(METRIC) of the worst CPU, or miss-rate, the expiries over the budget or missed of all CPUs. For counted instructions the default is p50(wake), p99(wake), p99.9(wake) and es99(wake)." },
	{ PERCENT("margin", margin, 1000), .basic = true, .fallback = "10%; counted instructions: 1%",
	  .brief = "ignore smaller slowdowns; 0.01% to 1000%",
	  .more = "Of a miss-rate it is a share of A's, and at least one in 10 000 expiries." },
	{ PERCENT("alpha", alpha, 20), .fallback = "5%",
	  .brief = "risk of each wrong verdict, 0.01% to 20%" },
	{ FLAG("sequential", 0, sequential), .basic = true,
	  .brief = "decide after 10, 20 or 40 pairs",
	  .more = "It decides as soon as the verdict is certain, and says how many pairs are next. All looks together keep to alpha." },
	{ READ("cut-short", 0, "A,B", read_cut_short),
	  .fallback = "0,0", .brief = "runs of A and of B that are missing, 0 to 400 each",
	  .more = "They failed, or were cut short, and were left out or made again. Each counts as the worst run of its side: a verdict that this would change is INCONCLUSIVE. tlob-load plan counts them." },
	{ READ("vary", 0, "SETTINGS", value_vary), .at = AT(struct vary, vary), .basic = true,
	  .brief = "settings in which A and B are meant to differ",
	  .more = "SETTINGS is NAME[,NAME], such as smt, policy or period. Each side must be of one kind." },
	{ FLAG("force", 0, force), .brief = "compare even if anything else differs",
	  .more = "The output lists the differences." },
	COMPARISON_OUTPUTS(out, "docs/reference/comparison.md describes it."),
	{ TEXT("append", 0, "FILE", append, "the name of a file"), .kind = ARGUMENT_FILE,
	  .brief = "append a line for each run to a CSV file",
	  .more = "For tools that look for changes in a series." },
	{ FLAG("verbose", 'v', verbose), .basic = true,
	  .brief = "print all metrics, margins and notes, not one screen" },
	{ FLAG("quiet", 'q', quiet), .basic = true,
	  .brief = "print no text, only write the files" },
	HELP_OPTION,
	{ .title = "With a history",
	  .text = "The session is added to the history and screened. If it is more than 20 % over the median of the last 10 accepted sessions of its machine, settings and tuning, has more episodes than all of them by more than chance, or continues a step upward, its build is measured again against the third last accepted one, or the third last before the step, by plan --sequential --margin 10%. Only a REGRESSION there fails. Until the comparison is made the verdict is INCONCLUSIVE; the same command continues it, also after a reboot." },
	{ TEXT("history", 0, "DIR", history, "the folder of a history"), .kind = ARGUMENT_DIR, .basic = true,
	  .brief = "screen the results of one session with the history in DIR" },
	{ TEXT("switch", 0, "CMD", switch_to, "a command"), .basic = true, .fallback = "none",
	  .brief = "command that boots or starts a build, to confirm",
	  .more = "It is run as sh -c CMD before each run, with {build} replaced, e.g. './boot-kernel {build}'. It must return at once if that build is already running." },
	SESSION_OPTIONS,
	{ .title = "The verdict",
	  .list = ENTRIES(
		{ "REGRESSION", "slower by more than the margin, beyond chance" },
		{ "OK", "not slower by more than the margin, beyond chance" },
		{ "INCONCLUSIVE", "these runs cannot decide; more pairs may" }),
	  .after = "docs/explanation/statistics.md describes the method and its error rates." },
	{ 0 },
};

#define MANUAL \
	.usage = { "compare [OPTION]... A... -- B...", "compare --history DIR [OPTION]... RESULT..." }, \
	.operands = ARGUMENT_FILE, \
	.brief = "Decide whether the latencies of B are worse than those of A, from several runs of each; with --history of one session and those before it.", \
	.more = "One run of each decides nothing. Runs are compared in pairs, in the order given: the first of A with the first of B. tlob-load plan makes the runs in random order. Runs of A that all came before those of B are INCONCLUSIVE: for successive nights, use --history.\nA result that is missing or cut off, or whose run failed, is an error. Nothing passes without data.\nResults of attach compare with one another: response is the time of the region, work.PART its parts. A window over its budget that never ended counts as missed.\nTwo results of waits show which stacks block more, with counts, and have no verdict; --html draws a flame graph of the difference. Scope and threshold must be the same.", \
	.options = options, \
	.exits = ENTRIES({ "0", "OK, or results of waits" }, { "1", "error" }, { "2", "REGRESSION" }, \
			 { "3", "INCONCLUSIVE" }, { "129", "usage error" }), \
	.examples = ENTRIES( \
		{ "tlob-load compare before-*.json -- after-*.json", \
		  "Is the change worse? With the results of tlob-load plan:" }, \
		{ "for i in 1 2 3 4 5; do tlob-load run -q -c 2-3 -d 1m --json night-$i.json; done", \
		  "A nightly job: five runs," }, \
		{ "tlob-load gate --history nights night-*.json", \
		  "and the nights before; the first are INCONCLUSIVE:" }), \
	.size = sizeof(CONFIG), \
	.defaults = &(const CONFIG){ .alpha = DEFAULT_ALPHA }, \
	.options_first = true, \
	.check = CALL(check)

const struct manual manual_compare = {
	.name = "compare", .summary = "decide whether B is worse than A, from several runs of each", MANUAL,
};

const struct manual manual_gate = {
	.name = "gate", .is = "compare", .summary = "the other name of compare, for CI", MANUAL,
};

const struct command cmd_compare = { .manual = &manual_compare, .run = CALL(call) };
const struct command cmd_gate = { .manual = &manual_gate, .run = CALL(call) };
