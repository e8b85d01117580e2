// SPDX-License-Identifier: GPL-2.0
/* `tlob-load validate`: its options, and what it prints and writes. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/option_value.h"
#include "cmd/run_options.h"
#include "load/load.h"
#include "page/validate.h"
#include "series/validate.h"
#include "util/file.h"
#include "util/process.h"
#include "util/units.h"
#include "verdict/validate.h"

enum { OPT_MISS = 256, OPT_DIR, OPT_RESUME, OPT_LOAD, OPT_LOAD_CPUS, OPT_TUNE, OPT_BACKEND, OPT_POLICY,
       OPT_JSON, OPT_HTML };
enum { OUT_JSON, OUT_HTML, NR_OUTPUTS };

struct validate_options {
	struct validate validate;
	struct call run;		/* the options of run, behind its name */
	const char *out[NR_OUTPUTS];
	enum help_wanted help;
};

static const char short_options[] = ":c:p:b:w:d:qh";

static const struct option long_options[] = {
	{ "cpus",	required_argument, NULL, 'c' },
	{ "period",	required_argument, NULL, 'p' },
	{ "budget",	required_argument, NULL, 'b' },
	{ "work",	required_argument, NULL, 'w' },
	{ "duration",	required_argument, NULL, 'd' },
	{ "miss",	required_argument, NULL, OPT_MISS },
	{ "load",	required_argument, NULL, OPT_LOAD },
	{ "load-cpus",	required_argument, NULL, OPT_LOAD_CPUS },
	{ "tune",	no_argument,	   NULL, OPT_TUNE },
	{ "backend",	required_argument, NULL, OPT_BACKEND },
	{ "policy",	required_argument, NULL, OPT_POLICY },
	{ "dir",	required_argument, NULL, OPT_DIR },
	{ "resume",	no_argument,	   NULL, OPT_RESUME },
	{ "json",	required_argument, NULL, OPT_JSON },
	{ "html",	required_argument, NULL, OPT_HTML },
	{ "quiet",	no_argument,	   NULL, 'q' },
	{ "help",	optional_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int add_load(const struct value *v, struct validate *to)
{
	if (!*v->arg)
		return value_error(v, "--load is empty: give a command, or a preset such as @cpu");
	if (*v->arg == '@' && !load_preset_find(v->arg + 1))
		return value_error(v, "--load: unknown preset '%s': tlob-load run --help=all lists them", v->arg);
	if (to->nload == RUN_MAX_LOADS)
		return value_error(v, "--load is given more than %d times: leave some out", RUN_MAX_LOADS);
	to->load[to->nload++] = v->arg;
	return 0;
}

static int set_option(void *data, int val, const struct value *v)
{
	struct validate_options *o = data;
	struct validate *to = &o->validate;

	switch (val) {
	case 'c':
		return value_text(v, "a CPU list, as in 0,2-5", &to->cpus);
	case OPT_MISS:
		return value_miss(v, &to->miss);
	case OPT_LOAD:
		return add_load(v, to);
	case OPT_LOAD_CPUS:
		return value_text(v, "a CPU list, as in 0,2-5", &to->load_cpus);
	case OPT_TUNE:
		call_add(&o->run, "--tune");
		return 0;
	case 'p': case 'b': case 'w': case 'd': case OPT_BACKEND: case OPT_POLICY:
		call_add(&o->run, "--%s=%s", v->name, v->arg);
		return 0;
	case OPT_DIR:
		if (*v->arg == '-' || strlen(v->arg) > PATH_MAX - 100)
			return value_error(v, "--dir: the name is too long or begins with -: give ./%.20s", v->arg);
		return value_text(v, "the name of a directory", &to->dir);
	case OPT_RESUME:
		to->resume = true;
		return 0;
	case OPT_JSON:
		return value_output(v, &o->out[OUT_JSON]);
	case OPT_HTML:
		return value_output(v, &o->out[OUT_HTML]);
	case 'q':
		to->quiet = true;
		return 0;
	case 'h':
		return value_help(v, &o->help);
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* Each phase has its own result, so a file that all of them would write is a mistake. */
static int check_run_options(struct validate *to, int argc, char **argv, const struct value *v)
{
	char why[REASON_LEN], period[DURATION_LEN], duration[DURATION_LEN], least[DURATION_LEN], n[COUNT_LEN];
	struct run_config r;
	uint64_t needed;

	if (run_options_parse(&r, argc, argv, why, sizeof(why)))
		return value_error(v, "%s", why);
	if (r.cpus || r.load_cpus || r.nload)
		return value_error(v, "--cpus, --load and --load-cpus are options of validate itself: put them before --");
	if (r.json || r.hist || r.trace || r.timeline_json || r.junit || r.ktap || r.markdown)
		return value_error(v, "after --: each phase would write the same file: use the results in --dir");
	if (r.windows || r.nstop_on || r.nassertion || r.verbose || run_options_only_print(&r))
		return value_error(v, "after --: --windows, --stop-on, --assert, --tune=list, --functions=list, --verbose, --help and --version are not for validate: leave them out");
	to->period_ns = r.period_ns;
	to->budget_ns = r.budget_ns;
	to->duration_ns = r.duration_ns;
	to->tune = r.tune;
	needed = validate_windows(to->miss);
	if (r.duration_ns / r.period_ns < needed)
		return value_error(v, "-d %s with -p %s has %s expiries on each CPU, which cannot show a share below %g with 95 %% confidence: give -d %s or more",
				   duration_exact(duration, r.duration_ns), duration_exact(period, r.period_ns),
				   count_prose(n, r.duration_ns / r.period_ns), to->miss,
				   duration_exact(least, (needed * r.period_ns / NSEC_PER_SEC + 1) * NSEC_PER_SEC));
	return 0;
}

static int parse_options(struct validate_options *o, int argc, char **argv, char *err, unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	struct validate *to = &o->validate;
	static char names[16][24];	/* "@cpu" of each preset */
	int ret, i;

	*o = (struct validate_options){ .validate = { .dir = "tlob-validate" } };
	call_add(&o->run, "run");
	call_add(&o->run, "--duration=10m");
	ret = options_read(o, argc, argv, short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	if (optind < argc && strcmp(argv[optind - 1], "--"))
		return value_error(&v, "extra argument '%.60s': put other options of run after --", argv[optind]);
	for (i = optind; i < argc; i++)
		call_add(&o->run, "%s", argv[i]);
	for (i = 0; !to->nload && load_presets[i].name; i++)
		snprintf(names[i], sizeof(names[i]), "@%s", load_presets[i].name);
	for (; to->nload < (unsigned int)i && *names[to->nload]; to->nload++)
		to->load[to->nload] = names[to->nload];
	if (o->run.failed)
		return value_error(&v, "out of memory");
	to->options = o->run.argv + 1;
	to->noptions = (int)o->run.n - 1;
	if (o->out[OUT_JSON] && o->out[OUT_HTML] && !strcmp(o->out[OUT_JSON], o->out[OUT_HTML]))
		return value_error(&v, "--json and --html both write to %s: give two names", o->out[OUT_JSON]);
	return check_run_options(to, (int)o->run.n, o->run.argv, &v);
}

static int write_outputs(struct output out[], const struct validate *to)
{
	static int (*const write[NR_OUTPUTS])(FILE *f, const struct validate *v) = {
		[OUT_JSON] = validate_json, [OUT_HTML] = page_validate,
	};
	bool stdout_taken = out[OUT_JSON].f == stdout || out[OUT_HTML].f == stdout;
	int err = validate_text(stdout_taken ? stderr : stdout, to), i;

	for (i = 0; i < NR_OUTPUTS; i++) {
		if (!out[i].f)
			continue;
		keep_error(&err, write[i](out[i].f, to));
		keep_error(&err, output_commit(&out[i]));
	}
	if (fflush(stdout))
		keep_error(&err, -errno);
	return err ? fail(err, "cannot write what was found: %s", strerror(-err)) : 0;
}

static enum exit_code carry_out(struct validate_options *o)
{
	struct validate *to = &o->validate;
	struct output out[NR_OUTPUTS] = { 0 };
	int err = outputs_open(out, o->out, NR_OUTPUTS);

	if (!err)
		err = validate_prepare(to);
	if (!err)
		err = validate_carry_out(to);
	if (!err)
		err = write_outputs(out, to);
	/* an old verdict must not pass for that of a validation which failed */
	if (err)
		outputs_remove(out, NR_OUTPUTS);
	outputs_discard(out, NR_OUTPUTS);
	return err ? exit_code_of(err) : validate_exit(validate_judge(to));
}

static enum exit_code call(int argc, char **argv)
{
	struct validate_options *o = malloc(sizeof(*o));
	char line[REASON_LEN + 64];
	enum exit_code code;

	if (!o)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	if (parse_options(o, argc, argv, line, sizeof(line)))
		code = command_usage(&cmd_validate, line);
	else if (o->help)
		code = command_help(&cmd_validate, o->help);
	else
		code = carry_out(o);
	validate_free(&o->validate);
	call_free(&o->run);
	free(o);
	return code;
}

const struct command cmd_validate = {
	.name = "validate",
	.manual = &manual_validate,
	.options = long_options,
	.letters = short_options,
	.run = call,
};
