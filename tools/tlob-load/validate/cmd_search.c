// SPDX-License-Identifier: GPL-2.0
/* `tlob-load search`: its options, and what it prints and writes. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/config.h"
#include "options/command.h"
#include "options/rows.h"
#include "ranges.h"
#include "util/file.h"
#include "util/scratch.h"
#include "validate/search.h"

#define WINDOWS_MAX	1000000000ULL

enum { OUT_JSON, OUT_HTML, NR_OUTPUTS };

struct search_options {
	struct search search;
	const char *out[NR_OUTPUTS];
};

#define CONFIG	struct search_options

static int read_for(const struct value *v, void *to)
{
	unsigned int word;
	int err = value_choice(v, &word);

	if (!err)
		*(bool *)to = word;
	return err;
}

/* The search sets what varies; the options of run set everything else. */
static int take_run_options(struct search *s, const struct value *v)
{
	char why[REASON_LEN];
	struct run_config r;
	int ret;

	v->rest[-1] = (char *)"run";
	ret = options_parse(&manual_run, &r, v->nrest + 1, v->rest - 1, why, sizeof(why));
	if (ret < 0)
		return value_error(v, "options of run: %s", why);
	/* signal:SIG would be for the search, which starts the runs */
	if (r.act.n || r.act.nend)
		return value_error(v, "options of run: --on-violation and --on-end are not for search, whose runs are over the budget on purpose: leave them out");
	if (r.json || r.output_dir || r.windows || r.duration_ns || r.nstop_on || r.nassertion)
		return value_error(v, "options of run: search sets --windows and --json, and takes no --output-dir, --duration, --stop-on and --assert");
	if (run_config_writes(&r))
		return value_error(v, "options of run: each run would write the same file: leave it out");
	if (ret || run_config_lists(&r))
		return value_error(v, "options of run: --tune=list, --functions=list, --help and --version are not for search: leave them out");
	s->work = r.work;
	if (!s->period && (r.work.type == TLOB_WORK_NONE || r.work.type == TLOB_WORK_PHASES))
		return value_error(v, "options of run: --work %s has no amount that search could change", r.work_text);
	s->first = s->period ? r.period_ns : r.work.amount;
	/* without --budget it is the period, which varies with --for period */
	if (!s->budget_ns && !s->period)
		s->budget_ns = r.budget_ns;
	return 0;
}

static int check(void *config, const struct value *v)
{
	struct search_options *o = config;
	struct search *s = &o->search;
	uint64_t least;

	if (v->nrest && strcmp(v->rest[-1], "--"))
		return value_error(v, "extra argument '%.60s': put the options of run after --", v->rest[0]);
	s->options = v->rest;
	s->noptions = v->nrest;
	if (take_run_options(s, v))
		return -EINVAL;
	least = search_windows(s->miss);
	if (!s->windows)
		s->windows = search_confirming(s->miss);
	if (s->windows < least)
		return value_error(v, "--windows %llu cannot show a share below %g with 95 %% confidence: give %llu or more",
				   (unsigned long long)s->windows, s->miss, (unsigned long long)least);
	if (o->out[OUT_JSON] && o->out[OUT_HTML] && !strcmp(o->out[OUT_JSON], o->out[OUT_HTML]))
		return value_error(v, "--json and --html both write to %s: give two names", o->out[OUT_JSON]);
	return 0;
}

static int write_outputs(struct output out[], const struct search *s)
{
	int err = search_text(outputs_people(out, NR_OUTPUTS), s);

	if (out[OUT_JSON].f)
		keep_error(&err, search_json(out[OUT_JSON].f, s));
	if (out[OUT_HTML].f)
		keep_error(&err, page_search(out[OUT_HTML].f, s));
	return outputs_end(out, NR_OUTPUTS, err);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct search_options *o = config;
	char dir[PATH_MAX];
	struct output out[NR_OUTPUTS] = { 0 };
	enum exit_code code;
	int err = outputs_open(out, o->out, NR_OUTPUTS), claimed;

	(void)argc;
	(void)argv;
	if (err)
		return exit_code_of(err);
	scratch_sweep();
	claimed = scratch_make(dir);
	if (claimed < 0) {
		code = exit_code_of(fail(claimed, "%.200s: %s", dir, strerror(-claimed)));
	} else {
		code = search_carry_out(&o->search, dir);
		if ((code == EXIT_PASS || code == EXIT_ASSERTION) && write_outputs(out, &o->search))
			code = EXIT_ERROR;
		remove(dir);
		close(claimed);
	}
	/* an old answer must not pass for the answer of a search that failed */
	if (code != EXIT_PASS && code != EXIT_ASSERTION)
		outputs_remove(out, NR_OUTPUTS);
	outputs_discard(out, NR_OUTPUTS);
	return code;
}

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ READ("for", 0, "WHAT", read_for), .at = AT(bool, search.period), WORDS("work period"),
	  .basic = true, .fallback = "work",
	  .brief = "work: the largest work; period: the shortest period",
	  .more = "--work gives the kind of work and its first amount, as in -- -w loops:20000." },
	{ DURATION("budget", 'b', search.budget_ns, TLOB_BUDGET_MIN, TLOB_BUDGET_MAX),
	  .basic = true, .fallback = "the period",
	  .brief = "longest response allowed; 1us to 3600s" },
	{ READ("miss", 0, "P", value_miss), .at = AT(double, search.miss), .basic = true,
	  .fallback = "1e-4",
	  .brief = "share of expiries that may be over the budget or missed; 1e-7 to 0.5, or in %",
	  .more = "Kept means: on each CPU the upper bound of their share with 95 % confidence is below P. They come in episodes, which are counted: docs/explanation/statistics.md." },
	{ PERCENT("resolution", search.resolution, 50), .basic = true, .fallback = "1%",
	  .brief = "how close what keeps the rate and what does not must be" },
	{ COUNT("windows", 'n', "N", search.windows, 1, WINDOWS_MAX), .basic = true,
	  .fallback = "220 / P", .brief = "windows of the longest run on each CPU",
	  .more = "The last run confirms the answer with so many; runs before it begin with the fewest of which one may be over, 47 439 for 1e-4. With 220 / P an episode of 50 expiries would have been seen." },
	JSON_OPTION(out[OUT_JSON], "docs/reference/search.schema.json describes it."),
	{ OUTPUT("html", 0, out[OUT_HTML]), .basic = true,
	  .brief = "write a page with the curve; - is stdout" },
	{ FLAG("quiet", 'q', search.quiet), .basic = true,
	  .brief = "do not say on stderr how it goes" },
	HELP_OPTION,
	{ 0 },
};

const struct manual manual_search = {
	.name = "search",
	.summary = "find the largest work, or the shortest period, that keeps a budget",
	.usage = { "search [OPTION]... [-- OPTION OF run]..." },
	.brief = "Make runs to find the largest work, or the shortest period, that keeps a budget but for a share of the expiries. Each run says where the next one should look, so five to ten are enough. A longer run confirms the answer.",
	.options = options,
	.exits = ENTRIES({ "0", "found" }, { "1", "error" },
			 { "2", "nothing was confirmed to keep the rate" }, { "129", "usage" }),
	.examples = ENTRIES(
		{ "tlob-load search --budget 500us --miss 1e-4 -- -c 2-3 -p 1ms -w loops:20000",
		  "How much work fits into 500 us?" },
		{ "tlob-load search --for period --miss 1e-3 -- -c 2 -w mem:chase,ws=1M",
		  "How short may the period be?" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .search = { .miss = 1e-4, .resolution = 0.01 } },
	.check = CALL(check),
};

const struct command cmd_search = { .manual = &manual_search, .run = CALL(call) };
