// SPDX-License-Identifier: GPL-2.0
/* Parsing the options of `tlob-load attach`. */
#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "cmd/attach_options.h"
#include "cmd/option_value.h"
#include "result/attach_result.h"

enum {
	OPT_START = 256,
	OPT_STOP, OPT_LIBRARY, OPT_JSON, OPT_JUNIT, OPT_KTAP, OPT_MARKDOWN, OPT_HTML,
	OPT_ASSERT, OPT_VERSION, OPT_PROGRESS, OPT_WAITS,
	OPT_WINDOWS, OPT_MAPPINGS, OPT_FUNCTIONS,
};

/* getopt_long() returns this for an argument that is not an option. */
#define ARGUMENT	1

/* '-': arguments may stand among the options and keep their order. */
const char attach_short_options[] = "-:b:p:l:d:aqvh";

const struct option attach_long_options[] = {
	{ "start",	required_argument, NULL, OPT_START },
	{ "stop",	required_argument, NULL, OPT_STOP },
	{ "budget",	required_argument, NULL, 'b' },
	{ "pid",	required_argument, NULL, 'p' },
	{ "library",	required_argument, NULL, 'l' },
	{ "duration",	required_argument, NULL, 'd' },
	{ "all",	no_argument,	   NULL, 'a' },
	{ "waits",	no_argument,	   NULL, OPT_WAITS },
	{ "functions",	required_argument, NULL, OPT_FUNCTIONS },
	{ "json",	required_argument, NULL, OPT_JSON },
	{ "junit",	required_argument, NULL, OPT_JUNIT },
	{ "ktap",	required_argument, NULL, OPT_KTAP },
	{ "markdown",	required_argument, NULL, OPT_MARKDOWN },
	{ "html",	required_argument, NULL, OPT_HTML },
	{ "windows",	required_argument, NULL, OPT_WINDOWS },
	{ "mappings",	required_argument, NULL, OPT_MAPPINGS },
	{ "quiet",	no_argument,	   NULL, 'q' },
	{ "progress",	required_argument, NULL, OPT_PROGRESS },
	{ "verbose",	no_argument,	   NULL, 'v' },
	{ "assert",	required_argument, NULL, OPT_ASSERT },
	{ "help",	optional_argument, NULL, 'h' },
	{ "version",	no_argument,	   NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static int parse_condition(struct condition *c, const char *text, char *err,
			   unsigned int size)
{
	return condition_parse_words(c, &attach_words, text, err, size);
}

/* A uprobe needs one instruction, and a function may return from several. */
static int get_place(const struct value *v, const char **place)
{
	if (!strcmp(v->arg, "return") || !strncmp(v->arg, "return:", 7))
		return value_error(v, "--%s %s: a return is not a place: give the offset of a ret instruction, as in work+0x4a (objdump -d shows it)",
				   v->name, v->arg);
	return value_text(v, "SYMBOL, SYMBOL+OFFSET or 0xOFFSET", place);
}

static int get_pid(const struct value *v, int *pid)
{
	uint64_t n = 0;
	int err = value_count(v, 1, INT_MAX, &n);

	*pid = (int)n;
	return err;
}

static int set_option(void *data, int val, const struct value *v)
{
	struct attach_config *o = data;

	switch (val) {
	case 'h':
		return value_help(v, &o->help);
	case OPT_VERSION:
		o->version = true;
		return 1;
	case ARGUMENT:
		if (o->program)
			return value_error(v, "extra argument '%s': put the arguments of the program after --",
					   v->arg);
		o->program = v->arg;
		return 0;
	case OPT_START:
		return get_place(v, &o->start);
	case OPT_STOP:
		return get_place(v, &o->stop);
	case 'b':
		return value_duration(v, TLOB_THRESHOLD_MIN, TLOB_THRESHOLD_MAX,
				      &o->budget_ns);
	case 'p':
		return get_pid(v, &o->pid);
	case 'l':
		return value_text(v, "the path of a library", &o->library);
	case 'd':
		return value_duration(v, NSEC_PER_MSEC, NO_LIMIT,
				      &o->duration_ns);
	case 'a':
		o->all = true;
		return 0;
	case OPT_WAITS:
		o->waits = true;
		return 0;
	case OPT_FUNCTIONS:
		return function_request_add(&o->functions, v->arg, v->err, v->size);
	case OPT_JSON:
		return value_output(v, &o->json);
	case OPT_JUNIT:
		return value_output(v, &o->junit);
	case OPT_KTAP:
		return value_output(v, &o->ktap);
	case OPT_MARKDOWN:
		return value_output(v, &o->markdown);
	case OPT_HTML:
		return value_output(v, &o->html);
	case OPT_WINDOWS:
		return value_output(v, &o->windows);
	case OPT_MAPPINGS:
		return value_output(v, &o->mappings);
	case 'q':
		o->quiet = true;
		return 0;
	case OPT_PROGRESS:
		o->has_progress = true;
		return value_progress(v, &o->progress_ns);
	case 'v':
		o->verbose = true;
		return 0;
	case OPT_ASSERT:
		return value_condition(v, parse_condition, o->assertion,
				  &o->nassertion);
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* @rest: the words after --, up to NULL. */
static int check_together(struct attach_config *o, char **rest,
			  const struct value *v)
{
	if (!o->program && *rest)
		o->program = *rest++;
	o->args = rest;
	if (o->functions.list)
		return 0;
	if (!o->program && !o->pid)
		return value_error(v, "no program: give PROGRAM, or --pid PID of a running process");
	if (o->program && !*o->program)
		return value_error(v, "PROGRAM is empty: give its name");
	if (o->pid && *rest)
		return value_error(v, "extra argument '%s': --pid is a running process, which takes no arguments",
				   *rest);
	if (o->pid && o->program && o->library)
		return value_error(v, "extra argument '%s': --pid and --library already name process and file",
				   o->program);
	if (!o->start || !o->stop)
		return value_error(v, "--%s is missing: give the place where the region %s",
				   o->start ? "stop" : "start",
				   o->start ? "ends" : "begins");
	if (!strcmp(o->start, o->stop))
		return value_error(v, "--start and --stop are both %s: give two different places",
				   o->start);
	if (!o->budget_ns)
		return value_error(v, "--budget is missing: give the longest time allowed, as in 5ms");
	return value_bind_functions(v, &o->functions, o->assertion, o->nassertion);
}

int attach_options_parse(struct attach_config *o, int argc, char **argv,
			 char *err, unsigned int size)
{
	struct value v = { .options = attach_long_options, .err = err, .size = size };
	int ret;

	*o = (struct attach_config){ .pid = 0 };
	ret = options_read(o, argc, argv, attach_short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	return check_together(o, argv + optind, &v);
}
