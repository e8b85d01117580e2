// SPDX-License-Identifier: GPL-2.0
/* `tlob-load doctor`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/option_value.h"
#include "doctor/doctor.h"
#include "doctor/render.h"
#include "terminal/page.h"
#include "util/near.h"

/* Between two readings of counters. A signal shortens it, and ends the tool. */
#define OBSERVED_S	1

struct doctor_config {
	const char *cpus;		/* NULL: chosen by doctor_prepare() */
	enum pattern pattern;
	bool	json, version;
	const struct check *why;	/* only this rule; NULL: all */
	bool all;			/* every rule, not the first findings only */
	enum help_wanted help;
};

enum { OPT_PATTERN = 256, OPT_JSON, OPT_ALL, OPT_WHY, OPT_VERSION };

static const char short_options[] = ":c:h";

static const struct option long_options[] = {
	{ "cpus",	required_argument, NULL, 'c' },
	{ "pattern",	required_argument, NULL, OPT_PATTERN },
	{ "json",	no_argument,	   NULL, OPT_JSON },
	{ "all",	no_argument,	   NULL, OPT_ALL },
	{ "why",	required_argument, NULL, OPT_WHY },
	{ "help",	optional_argument, NULL, 'h' },
	{ "version",	no_argument,	   NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int get_pattern(const struct value *v, enum pattern *pattern)
{
	if (!strcmp(v->arg, "periodic"))
		*pattern = PATTERN_PERIODIC;
	else if (!strcmp(v->arg, "polling"))
		*pattern = PATTERN_POLLING;
	else
		return value_error(v, "--%s '%s': give periodic or polling", v->name, v->arg);
	return 0;
}

/* The rule whose name is nearest to @word, or NULL. */
static const char *nearest(const char *word)
{
	const struct checks * const *t;
	unsigned int best = NEAR_NOT, n;
	const char *id = NULL;
	size_t i;

	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++) {
			n = near_edits((*t)->at[i].id, word);
			if (n < best) {
				best = n;
				id = (*t)->at[i].id;
			}
		}
	return id;
}

static int unknown_rule(const struct value *v, const char *why)
{
	const char *near = nearest(why);

	if (near)
		return value_error(v, "--why '%s': no such rule: did you mean %s?", why, near);
	return value_error(v, "--why '%s': no such rule: man tlob-load-doctor lists them", why);
}

/* The pattern may come behind the rule on the command line. */
struct parse {
	struct doctor_config *o;
	const char *why;
};

static int set_option(void *data, int val, const struct value *v)
{
	struct parse *p = data;

	switch (val) {
	case 'h':
		return value_help(v, &p->o->help);
	case OPT_VERSION:
		p->o->version = true;
		return 1;
	case 'c':
		return value_text(v, "a list of CPUs", &p->o->cpus);
	case OPT_PATTERN:
		return get_pattern(v, &p->o->pattern);
	case OPT_JSON:
		p->o->json = true;
		return 0;
	case OPT_ALL:
		p->o->all = true;
		return 0;
	case OPT_WHY:
		return value_text(v, "a rule", &p->why);
	}
	return value_error(v, "unknown option --%s", v->name);
}

static int parse_options(struct doctor_config *o, int argc, char **argv, char *err,
			 unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	struct parse p = { .o = o };
	int ret;

	*o = (struct doctor_config){ .pattern = PATTERN_PERIODIC };
	ret = options_read(&p, argc, argv, short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	if (optind < argc)
		return value_error(&v, "extra argument '%.60s'", argv[optind]);
	if (p.why && o->json)
		return value_error(&v, "--why and --json exclude each other: the JSON has every rule");
	if (p.why) {
		o->why = check_find(p.why, o->pattern);
		if (!o->why)
			return unknown_rule(&v, p.why);
	}
	return 0;
}

static void observe(void *data)
{
	(void)data;
	sleep(OBSERVED_S);
}

/* A copy of another machine's /proc and /sys, or this machine. */
static const char *root_dir(void)
{
	const char *root = getenv("TLOB_ROOT");

	return root ? root : "";
}

static int report(const struct doctor *d, const struct doctor_config *o, time_t started)
{
	int err;

	if (o->why)
		err = doctor_report_rule(stdout, d, &d->finding[0], page_wants_colour(stdout));
	else if (o->json)
		err = doctor_report_json(stdout, d, started);
	else
		err = doctor_report_text(stdout, d, o->all, page_wants_colour(stdout));
	if (!err && fflush(stdout))
		err = -errno;
	return err ? fail(err, "cannot write the report: %s", strerror(-err)) : 0;
}

static enum exit_code examine(const struct doctor_config *o)
{
	struct doctor d = { .root = root_dir(), .pattern = o->pattern };
	time_t started = time(NULL);
	struct doctor_tally t;
	int err;

	if (!*d.root)
		d.wait = observe;
	err = doctor_prepare(&d, o->cpus);
	if (!err)
		err = doctor_examine(&d, o->why);
	if (!err)
		err = report(&d, o, started);
	doctor_count(&d, &t);
	doctor_free(&d);
	return err ? exit_code_of(err) : (enum exit_code)doctor_exit(&t);
}

static enum exit_code call(int argc, char **argv)
{
	struct doctor_config o;
	char line[512];

	if (parse_options(&o, argc, argv, line, sizeof(line)))
		return command_usage(&cmd_doctor, line);
	if (o.help)
		return command_help(&cmd_doctor, o.help);
	if (o.version) {
		puts("tlob-load " TLOB_VERSION);
		return EXIT_PASS;
	}
	return examine(&o);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.manual = &manual_doctor,
	.options = long_options,
	.letters = short_options,
	.run = call,
};
