// SPDX-License-Identifier: GPL-2.0
/* Parsing the options of `tlob-load waits`. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "backend/names.h"
#include "cmd/option_value.h"
#include "cmd/waits_options.h"
#include "waitspec.h"

#define CGROUP_ROOT	"/sys/fs/cgroup/"

enum {
	OPT_PID = 256,
	OPT_CGROUP, OPT_IN_WINDOWS, OPT_THRESHOLD, OPT_KERNEL, OPT_USER, OPT_FOLDED,
	OPT_JSON, OPT_HTML, OPT_FOLLOW, OPT_BACKEND, OPT_THREADS, OPT_VERSION,
};

/* '+': the first other word begins COMMAND. */
const char waits_short_options[] = "+:d:n:h";

const struct option waits_long_options[] = {
	{ "duration",	required_argument, NULL, 'd' },
	{ "rows",	required_argument, NULL, 'n' },
	{ "threads",	no_argument,	   NULL, OPT_THREADS },
	{ "pid",	required_argument, NULL, OPT_PID },
	{ "cgroup",	required_argument, NULL, OPT_CGROUP },
	{ "in-windows",	no_argument,	   NULL, OPT_IN_WINDOWS },
	{ "threshold",	required_argument, NULL, OPT_THRESHOLD },
	{ "kernel",	no_argument,	   NULL, OPT_KERNEL },
	{ "user",	no_argument,	   NULL, OPT_USER },
	{ "folded",	required_argument, NULL, OPT_FOLDED },
	{ "json",	required_argument, NULL, OPT_JSON },
	{ "html",	required_argument, NULL, OPT_HTML },
	{ "follow",	no_argument,	   NULL, OPT_FOLLOW },
	{ "backend",	required_argument, NULL, OPT_BACKEND },
	{ "help",	optional_argument, NULL, 'h' },
	{ "version",	no_argument,	   NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

/* The kernel's own grammar decides. */
static int get_pids(const struct value *v, const char **pids)
{
	struct tlob_wait_line line = { .op = TLOB_WAIT_ON };
	const char *s = v->arg;
	int err = tlob_parse_wait_pids(&s, &line);

	if (err || *s)
		return value_error(v, "--%s '%s': give at most %u numbers of processes, as in 12,345",
				   v->name, v->arg, TLOB_WAIT_PIDS_MAX);
	*pids = v->arg;
	return 0;
}

/* With or without the usual mount point, which the kernel does not want. */
static int get_cgroup(const struct value *v, const char **cgroup)
{
	const char *path = v->arg;

	if (!strncmp(path, CGROUP_ROOT, strlen(CGROUP_ROOT)))
		path += strlen(CGROUP_ROOT) - 1;
	if (*path != '/' || strchr(path, '\n'))
		return value_error(v, "--%s '%s': give an absolute path, as in /system.slice",
				   v->name, v->arg);
	*cgroup = path;
	return 0;
}

static int get_side(const struct value *v, enum wait_profile_side side, enum wait_profile_side *to)
{
	if (*to != PROFILE_BOTH && *to != side)
		return value_error(v, "--kernel and --user exclude each other: give one, or none for both");
	*to = side;
	return 0;
}

/* The backend posix sees no waits. */
static int get_backend(const struct value *v, const char **backend)
{
	if (strcmp(v->arg, BACKEND_AUTO) && strcmp(v->arg, "tlob") && strcmp(v->arg, "bpf"))
		return value_error(v, "--%s '%s' has no waits: use auto, tlob or bpf", v->name, v->arg);
	*backend = v->arg;
	return 0;
}

static int set_option(void *data, int val, const struct value *v)
{
	struct waits_config *o = data;

	switch (val) {
	case 'h':
		return value_help(v, &o->help);
	case OPT_VERSION:
		o->version = true;
		return 1;
	case 'd':
		return value_duration(v, NSEC_PER_MSEC, NO_LIMIT, &o->duration_ns);
	case 'n':
		return value_count(v, 1, 1000, &o->rows);
	case OPT_THREADS:
		o->threads = true;
		return 0;
	case OPT_PID:
		return get_pids(v, &o->pids);
	case OPT_CGROUP:
		return get_cgroup(v, &o->cgroup);
	case OPT_IN_WINDOWS:
		o->in_windows = true;
		return 0;
	case OPT_THRESHOLD:
		return value_duration(v, TLOB_WAIT_THRESHOLD_MIN, TLOB_WAIT_THRESHOLD_MAX,
				      &o->threshold_ns);
	case OPT_KERNEL:
		return get_side(v, PROFILE_KERNEL, &o->side);
	case OPT_USER:
		return get_side(v, PROFILE_USER, &o->side);
	case OPT_FOLDED:
		return value_output(v, &o->folded);
	case OPT_JSON:
		return value_output(v, &o->json);
	case OPT_HTML:
		return value_output(v, &o->html);
	case OPT_BACKEND:
		return get_backend(v, &o->backend);
	case OPT_FOLLOW:
		o->follow = true;
		return 0;
	}
	return value_error(v, "unknown option --%s", v->name);
}

static bool is_stdout(const char *file)
{
	return file && !strcmp(file, "-");
}

int waits_options_parse(struct waits_config *o, int argc, char **argv,
			char *err, unsigned int size)
{
	struct value v = { .options = waits_long_options, .err = err, .size = size };
	int ret;

	*o = (struct waits_config){ .threshold_ns = TLOB_WAIT_THRESHOLD, .rows = 20,
				    .backend = BACKEND_AUTO };
	ret = options_read(o, argc, argv, waits_short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	if (optind < argc)
		o->command = argv + optind;
	if (!!o->pids + !!o->cgroup + o->in_windows + !!o->command > 1)
		return value_error(&v, "more than one of COMMAND, --pid, --cgroup and --in-windows: give one");
	if (is_stdout(o->folded) + is_stdout(o->json) + is_stdout(o->html) > 1)
		return value_error(&v, "--folded, --json and --html would mix on stdout: give only one of them -");
	return 0;
}
