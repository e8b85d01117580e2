// SPDX-License-Identifier: GPL-2.0
/* `tlob-load plan`: the options, and which form of the plan to make. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/option_value.h"
#include "cmd/run_options.h"
#include "compare/stats.h"
#include "series/plan.h"
#include "util/random.h"

struct plan_options {
	struct plan plan;
	bool	 json, run, help;
};

enum { OPT_SEED = 256, OPT_DIR, OPT_SETUP, OPT_FORMAT, OPT_RUN };

static const struct option long_options[] = {
	{ "pairs",  required_argument, NULL, 'n' },
	{ "seed",   required_argument, NULL, OPT_SEED },
	{ "dir",    required_argument, NULL, OPT_DIR },
	{ "setup",  required_argument, NULL, OPT_SETUP },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "run",    no_argument,       NULL, OPT_RUN },
	{ "help",   no_argument,       NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int set_option(void *data, int val, const struct value *v)
{
	struct plan_options *o = data;
	struct plan *p = &o->plan;

	switch (val) {
	case 'n':
		return value_count(v, 1, STATS_MAX_PAIRS, &p->blocks);
	case OPT_SEED:
		return value_count(v, 0, UINT32_MAX, &p->seed);
	case OPT_DIR:
		if (*v->arg == '-' || strlen(v->arg) > PATH_MAX - 100)
			return value_error(v, "--dir: the name is too long or begins with -: give ./%.20s",
					   v->arg);
		return value_text(v, "the name of a directory", &p->dir);
	case OPT_SETUP:
		return value_text(v, "a command", &p->setup);
	case OPT_FORMAT:
		o->json = !strcmp(v->arg, "json");
		if (!o->json && strcmp(v->arg, "sh"))
			return value_error(v, "--format: unknown format '%s': use sh or json",
					   v->arg);
		return 0;
	case OPT_RUN:
		o->run = true;
		return 0;
	case 'h':
		o->help = true;
		return 1;
	case 1:				/* an argument among the options */
		if (p->name[0] && p->name[1])
			return value_error(v, "extra name '%s': put the options of the runs after --",
					   v->arg);
		p->name[!!p->name[0]] = v->arg;
		return 0;
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* Checks the options of the runs. They must not set what the plan sets. */
static int check_options(struct plan *p, int argc, char **argv,
			 const struct value *v)
{
	char why[REASON_LEN];
	struct run_config o;

	p->options = argv + optind;
	p->noptions = argc - optind;
	if (!p->name[0] || !p->name[1])
		return value_error(v, "two names are needed: give A and B");
	if (!*p->name[0] || !*p->name[1])
		return value_error(v, "a name is empty: give A and B");
	if (!strcmp(p->name[0], p->name[1]) && p->setup)
		return value_error(v, "both sides are %s: give two names",
				   p->name[0]);
	argv[optind - 1] = (char *)"run";
	if (run_options_parse(&o, p->noptions + 1, argv + optind - 1, why,
			  sizeof(why)))
		return value_error(v, "after --: %s", why);
	if (o.help || o.version || o.json || o.has_seed || o.hist || o.trace)
		return value_error(v, "after --: --json, --hist, --trace, --seed, --help and --version are not for plan: leave them out");
	if (!o.duration_ns && !o.windows)
		return value_error(v, "after --: the length of a run is missing: give one, as in -d 30s");
	return 0;
}

static int parse(struct plan_options *o, int argc, char **argv, char *err,
		 unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	int ret;

	*o = (struct plan_options){
		.plan = {
			.blocks = 20, .dir = "tlob-plan", .seed = random_seed(),
		},
	};
	ret = options_read(o, argc, argv, "-:n:h", &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	return check_options(&o->plan, argc, argv, &v);
}

static enum exit_code call(int argc, char **argv)
{
	struct plan_options o;
	char why[1024];
	int err;

	if (parse(&o, argc, argv, why, sizeof(why)))
		return command_usage(&cmd_plan, why);
	if (o.help)
		return command_help(&cmd_plan);
	err = plan_draw_order(&o.plan);
	if (err)
		return exit_code_of(err);
	if (o.run) {
		err = plan_carry_out(&o.plan);
	} else {
		err = o.json ? plan_write_json(stdout, &o.plan) :
			       plan_write_script(stdout, &o.plan);
		if (err)
			fail(err, "cannot write the plan");
	}
	free(o.plan.order);
	return exit_code_of(err);
}

const struct command cmd_plan = {
	.name = "plan",
	.summary = "order the runs of a comparison, or make them",
	.help =
"Usage: tlob-load plan [OPTION]... A B [-- OPTION OF run]...\n"
"Write the order for the runs of a comparison: blocks of A, A' and B, each in\n"
"random order. A against A' shows how much equal runs differ, A against B shows\n"
"the effect. Drift changes all runs of a block in the same way.\n"
"A and B are names. --setup turns a name into a setting of the machine.\n"
"\n"
"  -n, --pairs N     number of blocks, 1 to 400                              [20]\n"
"      --setup CMD   command before each run: sh -c CMD with the name as $1, as\n"
"                    in './boot-setting \"$1\"'                              [none]\n"
"      --dir DIR     directory for the results                        [tlob-plan]\n"
"      --seed N      seed of the order, 0 to 4294967295; the same seed repeats or\n"
"                    continues a plan                                    [random]\n"
"      --format F    sh, a script that can be restarted, or json             [sh]\n"
"      --run         make the runs here, and compare\n"
"  -h, --help        print this text\n"
"\n"
"Exit codes\n"
"  0 written, or run and compared   1 error   129 usage\n"
"\n"
"Example\n"
"  tlob-load plan 0 1 --setup 'sysctl -w kernel.timer_migration=$1' --run \\\n"
"      -- -c 2-3 -p 250us -w loops:20000 -d 30s\n",
	.run = call,
};
