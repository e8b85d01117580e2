// SPDX-License-Identifier: GPL-2.0
/* `tlob-load plan`: its options. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/decidable.h"
#include "compare/decision.h"
#include "compare/plan.h"
#include "compare/statistic.h"
#include "options/command.h"
#include "options/rows.h"
#include "options/run_config.h"
#include "options/started.h"
#include "result/stats.h"
#include "tuning/tune_facts.h"
#include "util/random.h"

struct plan_options {
	struct plan plan;
	bool	 pairs, has_seed;
};

#define CONFIG	struct plan_options

static int read_metric(const struct value *v, void *to)
{
	struct plan *p = to;

	return add_statistic(v, p->metric, &p->nmetrics);
}

/* compare --sequential has its own numbers of pairs. */
static int check_sequential(struct plan_options *o, const struct value *v)
{
	struct plan *p = &o->plan;

	if (!p->sequential)
		return 0;
	if (o->pairs)
		return value_error(v, "--sequential ends after %d pairs at most: leave out --pairs",
				   SEQUENTIAL_MOST);
	p->pairs = SEQUENTIAL_MOST;
	return 0;
}

/* A word among the options. */
static int read_name(const struct value *v, void *config)
{
	struct plan_options *o = config;
	struct plan *p = &o->plan;

	if (p->name[0] && p->name[1])
		return value_error(v, "extra name '%s': put the options of the runs after --",
				   v->arg);
	p->name[!!p->name[0]] = v->arg;
	return 0;
}

/* "6.12+nohz=off": the arguments of a kernel, which differ between A and B. */
static int take_arguments(struct plan *p, const struct value *v)
{
	char why[REASON_LEN], *at;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const char *from = strchr(p->name[i], '+');

		if (!from)
			continue;
		if (!from[1] || strstr(from, "++") || strchr(from, ' ') ||
		    from[strlen(from) - 1] == '+' || strlen(from) > sizeof(p->arguments[i]))
			return value_error(v, "invalid name '%.60s': put a kernel argument after each +, as in 6.12+nohz=off",
					   p->name[i]);
		memcpy(p->arguments[i], from + 1, strlen(from));
		for (at = p->arguments[i]; (at = strchr(at, '+')); )
			*at = ' ';
	}
	if (!strcmp(p->arguments[0], p->arguments[1]))
		return 0;
	if (!p->setup)
		return value_error(v, "--setup is missing: it boots the kernels of %.60s and %.60s",
				   p->name[0], p->name[1]);
	if (!vary_has(&p->vary, "kernel_arguments") &&
	    vary_add(&p->vary, "kernel_arguments", why, sizeof(why)))
		return value_error(v, "--vary: %s", why);
	return 0;
}

/* Names the facts of a result that --tune changes on this machine. */
static int vary_tuning(struct vary *vary, const struct run_config *o, char why[REASON_LEN])
{
	char *facts = tune_facts(o->cpus, o->housekeeping), *fact, *rest = NULL;
	int err = 0;

	if (!facts) {
		snprintf(why, REASON_LEN, "the settings of this machine cannot be read");
		return -EINVAL;
	}
	for (fact = strtok_r(facts, ",", &rest); fact && !err; fact = strtok_r(NULL, ",", &rest))
		if (!vary_has(vary, fact))
			err = vary_add(vary, fact, why, REASON_LEN);
	free(facts);
	return err;
}

/* Checks the options of the runs. They must not set what the plan sets. */
static int check_options(struct plan *p, const struct value *v)
{
	struct statistic s[STATISTICS_MAX];
	char why[REASON_LEN];
	struct run_config o;

	p->options = v->rest;
	p->noptions = v->nrest;
	if (p->tune && !p->name[0]) {
		p->name[0] = "before";
		p->name[1] = "after";
	}
	if (!p->name[0] || !p->name[1])
		return value_error(v, "two names are needed: give A and B");
	if (!*p->name[0] || !*p->name[1])
		return value_error(v, "a name is empty: give A and B");
	if (!strcmp(p->name[0], p->name[1]) && (p->setup || p->tune))
		return value_error(v, "both sides are %s: give two names",
				   p->name[0]);
	if (take_arguments(p, v))
		return -EINVAL;
	v->rest[-1] = (char *)"run";
	if (options_started(v, &o, p->noptions + 1, v->rest - 1, NULL))
		return -EINVAL;
	if (p->tune && o.tune)
		return value_error(v, "after --: --before-after-tune gives --tune to the runs of B: leave it out");
	if (p->tune && vary_tuning(&p->vary, &o, why))
		return value_error(v, "--before-after-tune: %s", why);
	if (!o.duration_ns && !o.windows)
		return value_error(v, "after --: the length of a run is missing: give one, as in -d 30s");
	if (p->nmetrics)
		return check_decidable(v, p->pairs, p->metric, p->nmetrics, &o);
	return check_decidable(v, p->pairs, s, default_statistics(s, false), &o);
}

static int check(void *config, const struct value *v)
{
	struct plan_options *o = config;

	if (!o->has_seed)
		o->plan.seed = random_seed();
	return check_sequential(o, v) ? -EINVAL : check_options(&o->plan, v);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct plan_options *o = config;
	enum exit_code code = EXIT_PASS;
	int err = plan_draw_order(&o->plan);

	(void)argc;
	(void)argv;
	if (!err)
		err = plan_carry_out(&o->plan, &code);
	free(o->plan.order);
	return err ? exit_code_of(err) : code;
}

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ COUNT("pairs", 'n', "N", plan.pairs, 1, STATS_MAX_PAIRS), GIVEN(pairs), .basic = true,
	  .fallback = "20", .brief = "number of pairs, 1 to 400" },
	{ TEXT("setup", 0, "CMD", plan.setup, "a command"), .basic = true, .fallback = "none",
	  .brief = "command before each run; its $1 is A or B",
	  .more = "It is run as sh -c CMD with the name as $1, e.g. './boot-setting \"$1\"'." },
	{ READ("vary", 0, "SETTINGS", value_vary), .at = AT(struct vary, plan.vary), .basic = true,
	  .brief = "settings that CMD changes, for compare",
	  .more = "SETTINGS is NAME[,NAME], named as in the key tuning of a result. compare refuses any other difference." },
	{ READ("dir", 0, "DIR", value_dir), .at = AT(const char *, plan.dir), .kind = ARGUMENT_DIR,
	  .basic = true, .fallback = "tlob-plan", .brief = "directory for the results" },
	{ COUNT("seed", 0, "N", plan.seed, 0, UINT32_MAX), GIVEN(has_seed), .basic = true,
	  .fallback = "random", .brief = "seed of the order, 0 to 4294967295",
	  .more = "The same seed repeats or continues a plan: runs with a result are skipped." },
	{ FLAG("before-after-tune", 0, plan.tune), .basic = true,
	  .brief = "tune for the runs of B, and vary what --tune sets",
	  .more = "The names are before and after if none are given. See tlob-load run." },
	{ FLAG("dry-run", 0, plan.dry_run), .basic = true,
	  .brief = "print the commands, one per line, and run none" },
	{ FLAG("sequential", 0, plan.sequential), .basic = true,
	  .brief = "decide after 10, 20 or 40 pairs",
	  .more = "Like compare --sequential. It stops as soon as the verdict is certain." },
	{ PERCENT_TEXT("margin", plan.margin, 1000), .basic = true,
	  .brief = "as in tlob-load compare" },
	{ READ("metric", 'm', "STAT", read_metric), .at = AT(struct plan, plan), .basic = true,
	  .brief = "as in tlob-load compare", .more = "Repeatable." },
	HELP_OPTION,
	{ 0 },
};

const struct manual manual_plan = {
	.name = "plan",
	.summary = "make the runs of a comparison in random order",
	.usage = { "plan [OPTION]... A B [-- OPTION OF run]...",
		   "plan --before-after-tune [OPTION]... [-- OPTION OF run]..." },
	.brief = "Make the runs of a comparison, and compare them: pairs of A and B, each in random order. Drift changes both runs of a pair in nearly the same way.",
	.more = "A and B are names. --setup turns a name into a setting of the machine. In a name KERNEL+ARGUMENT[+ARGUMENT]... CMD gets the arguments as $2, separated by spaces, and they are compared as with --vary kernel_arguments: 6.12 6.12+nohz=off.",
	.options = options,
	.exits = ENTRIES({ "0", "OK" }, { "1", "error" }, { "2", "REGRESSION" }, { "3", "INCONCLUSIVE" },
			 { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load plan 0 1 --setup 'sysctl -w kernel.timer_migration=$1' --vary timer_migration -- -c 2-3 -p 250us -w loops:20000 -d 30s",
		  "Does timer_migration matter?" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .plan = { .pairs = 20, .dir = "tlob-plan" } },
	.behind = &manual_run,
	.operand = CALL(read_name),
	.check = CALL(check),
};

const struct command cmd_plan = { .manual = &manual_plan, .run = CALL(call) };
