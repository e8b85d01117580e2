// SPDX-License-Identifier: GPL-2.0
/* `tlob-load plan`: the options, and which form of the plan to make. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/decidable.h"
#include "cmd/option_value.h"
#include "cmd/run_options.h"
#include "compare/sequential.h"
#include "compare/statistic.h"
#include "compare/stats.h"
#include "run/beside.h"
#include "series/plan.h"
#include "util/random.h"

struct plan_options {
	struct plan plan;
	bool	 json, run, pairs;
	enum help_wanted help;
};

enum {
	OPT_SEED = 256,
	OPT_DIR, OPT_SETUP, OPT_VARY, OPT_FORMAT, OPT_RUN, OPT_SEQUENTIAL,
	OPT_MARGIN, OPT_TUNE,
};

static const char short_options[] = "-:n:m:h";

static const struct option long_options[] = {
	{ "pairs",  required_argument, NULL, 'n' },
	{ "seed",   required_argument, NULL, OPT_SEED },
	{ "dir",    required_argument, NULL, OPT_DIR },
	{ "setup",  required_argument, NULL, OPT_SETUP },
	{ "vary",   required_argument, NULL, OPT_VARY },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "before-after-tune", no_argument, NULL, OPT_TUNE },
	{ "run",    no_argument,       NULL, OPT_RUN },
	{ "sequential", no_argument,   NULL, OPT_SEQUENTIAL },
	{ "margin", required_argument, NULL, OPT_MARGIN },
	{ "metric", required_argument, NULL, 'm' },
	{ "help",   optional_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int add_metric(const struct value *v, struct plan *p)
{
	struct statistic s;
	char why[REASON_LEN];

	if (p->nmetrics == STATISTICS_MAX)
		return value_error(v, "--metric is given more than %d times: leave some out",
				   STATISTICS_MAX);
	if (statistic_parse(&s, v->arg, why, sizeof(why)))
		return value_error(v, "--metric: %s", why);
	p->metric[p->nmetrics++] = v->arg;
	return 0;
}

/* gate --sequential has its own numbers of pairs, and one margin for all looks. */
static int check_sequential(struct plan_options *o, const struct value *v)
{
	struct plan *p = &o->plan;

	if (!p->sequential && (p->margin || p->nmetrics))
		return value_error(v, "--margin and --metric need --sequential");
	if (!p->sequential)
		return 0;
	if (!o->run)
		return value_error(v, "--sequential needs --run");
	if (!p->margin)
		return value_error(v, "--sequential needs --margin: a margin from the spread changes with each look");
	if (o->pairs)
		return value_error(v, "--sequential ends after %d pairs at most: leave out --pairs",
				   SEQUENTIAL_MOST);
	p->pairs = SEQUENTIAL_MOST;
	return 0;
}

static int set_option(void *data, int val, const struct value *v)
{
	struct plan_options *o = data;
	struct plan *p = &o->plan;
	double margin;

	switch (val) {
	case 'n':
		o->pairs = true;
		return value_count(v, 1, STATS_MAX_PAIRS, &p->pairs);
	case OPT_SEED:
		return value_count(v, 0, UINT32_MAX, &p->seed);
	case OPT_DIR:
		if (*v->arg == '-' || strlen(v->arg) > PATH_MAX - 100)
			return value_error(v, "--dir: the name is too long or begins with -: give ./%.20s",
					   v->arg);
		return value_text(v, "the name of a directory", &p->dir);
	case OPT_SETUP:
		return value_text(v, "a command", &p->setup);
	case OPT_VARY:
		return value_vary(v, &p->vary);
	case OPT_FORMAT:
		o->json = !strcmp(v->arg, "json");
		if (!o->json && strcmp(v->arg, "sh"))
			return value_error(v, "--format: unknown format '%s': use sh or json",
					   v->arg);
		return 0;
	case OPT_RUN:
		o->run = true;
		return 0;
	case OPT_TUNE:
		p->tune = true;
		return 0;
	case OPT_SEQUENTIAL:
		p->sequential = true;
		return 0;
	case OPT_MARGIN:
		p->margin = v->arg;
		return value_percent(v, 10, &margin);
	case 'm':
		return add_metric(v, p);
	case 'h':
		return value_help(v, &o->help);
	case 1:				/* an argument among the options */
		if (p->name[0] && p->name[1])
			return value_error(v, "extra name '%s': put the options of the runs after --",
					   v->arg);
		p->name[!!p->name[0]] = v->arg;
		return 0;
	}
	return value_error(v, "unknown option --%s", v->name);
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
			return value_error(v, "invalid name '%.60s': put an argument of the kernel after each +, as in 6.12+nohz=off",
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
	char *facts = beside_facts(o), *fact, *rest = NULL;
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
static int check_options(struct plan *p, int argc, char **argv,
			 const struct value *v)
{
	struct statistic s[STATISTICS_MAX];
	char why[REASON_LEN];
	struct run_config o;
	unsigned int n;

	p->options = argv + optind;
	p->noptions = argc - optind;
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
	argv[optind - 1] = (char *)"run";
	if (run_options_parse(&o, p->noptions + 1, argv + optind - 1, why,
			  sizeof(why)))
		return value_error(v, "after --: %s", why);
	if (run_options_only_print(&o) || o.json || o.has_seed || o.hist || o.trace)
		return value_error(v, "after --: --json, --hist, --trace, --seed, --tune=list, --functions=list, --help and --version are not for plan: leave them out");
	if (p->tune && o.tune)
		return value_error(v, "after --: --before-after-tune gives --tune to the runs of B: leave it out");
	if (p->tune && vary_tuning(&p->vary, &o, why))
		return value_error(v, "--before-after-tune: %s", why);
	if (!o.duration_ns && !o.windows)
		return value_error(v, "after --: the length of a run is missing: give one, as in -d 30s");
	for (n = 0; n < p->nmetrics; n++)	/* parsed before: see add_metric() */
		statistic_parse(&s[n], p->metric[n], why, sizeof(why));
	if (!n)
		n = default_statistics(s, false);
	return check_decidable(v, p->pairs, s, n, &o);
}

static int parse(struct plan_options *o, int argc, char **argv, char *err,
		 unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	int ret;

	*o = (struct plan_options){
		.plan = {
			.pairs = 20, .dir = "tlob-plan", .seed = random_seed(),
		},
	};
	ret = options_read(o, argc, argv, short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = check_sequential(o, &v);
	return ret ? ret : check_options(&o->plan, argc, argv, &v);
}

static enum exit_code call(int argc, char **argv)
{
	enum exit_code code = EXIT_PASS;
	struct plan_options o;
	char why[1024];
	int err;

	if (parse(&o, argc, argv, why, sizeof(why)))
		return command_usage(&cmd_plan, why);
	if (o.help)
		return command_help(&cmd_plan, o.help);
	err = plan_draw_order(&o.plan);
	if (err)
		return exit_code_of(err);
	if (o.run) {
		err = plan_carry_out(&o.plan, &code);
	} else {
		err = o.json ? plan_write_json(stdout, &o.plan) :
			       plan_write_script(stdout, &o.plan);
		if (err)
			fail(err, "cannot write the plan: %s", strerror(-err));
	}
	free(o.plan.order);
	return err ? exit_code_of(err) : code;
}

const struct command cmd_plan = {
	.name = "plan",
	.manual = &manual_plan,
	.options = long_options,
	.letters = short_options,
	.run = call,
};
