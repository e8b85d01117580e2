// SPDX-License-Identifier: GPL-2.0
/* `tlob-load validate`: its options, and what it prints and writes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/backend_names.h"
#include "options/command.h"
#include "options/load_presets.h"
#include "options/rows.h"
#include "options/started.h"
#include "util/file.h"
#include "util/process.h"
#include "util/units.h"
#include "validate/validate.h"

enum { OUT_JSON, OUT_HTML, NR_OUTPUTS };

struct validate_options {
	struct validate validate;
	struct call run;		/* the options of run, behind its name */
	const char *out[NR_OUTPUTS];
};

#define CONFIG	struct validate_options

static int read_load(const struct value *v, void *config)
{
	struct validate *to = &((struct validate_options *)config)->validate;
	int err = value_check_load(v, to->nload);

	if (!err)
		to->load[to->nload++] = v->arg;
	return err;
}

static int check_run_options(struct validate *to, int argc, char **argv, const struct value *v)
{
	char period[DURATION_LEN], duration[DURATION_LEN], least[DURATION_LEN], n[COUNT_LEN];
	struct run_config r;
	const struct action *a;
	uint64_t needed;

	if (options_started(v, &r, argc, argv, NULL))
		return -EINVAL;
	if (action_has(&r.act, ACTION_STOP) || action_has(&r.act, ACTION_TRACE) || action_has(&r.act, ACTION_CONTINUE))
		return value_error(v, "--on-violation: a phase that is cut short has no verdict, and phases have no trace: give signal: or shell:");
	to->period_ns = r.period_ns;
	to->budget_ns = r.budget_ns;
	to->duration_ns = r.duration_ns;
	to->tune = r.tune;
	for (a = r.act.at; a < r.act.at + r.act.n; a++)
		if (a->kind == ACTION_SIGNAL && !a->pid)
			to->to_starter = a->text;
	needed = validate_windows(to->miss);
	if (r.duration_ns / r.period_ns < needed)
		return value_error(v, "-d %s with -p %s has %s expiries on each CPU, which cannot show a share below %g with 95 %% confidence: give -d %s, which will do if nothing is over, or more",
				   duration_exact(duration, r.duration_ns), duration_exact(period, r.period_ns),
				   count_prose(n, r.duration_ns / r.period_ns), to->miss,
				   duration_exact(least, (needed * r.period_ns / NSEC_PER_SEC + 1) * NSEC_PER_SEC));
	return 0;
}

static int check(void *config, const struct value *v)
{
	struct validate_options *o = config;
	struct validate *to = &o->validate;
	const struct load_preset *p;

	if (v->nrest && strcmp(v->rest[-1], "--"))
		return value_error(v, "extra argument '%.60s': put other options of run after --", v->rest[0]);
	/* not of defaults: they would be 800 KB of the program */
	if (!to->dir)
		to->dir = "tlob-validate";
	if (options_begin(&o->run, "10m", v))
		return -EINVAL;
	if (!to->nload)
		for (p = load_presets; p->name; p++)
			to->load[to->nload++] = p->option;
	to->options = o->run.argv + 1;
	to->noptions = (int)o->run.n - 1;
	return check_run_options(to, (int)o->run.n, o->run.argv, v);
}

static int write_outputs(struct output out[], const struct validate *to)
{
	int err = validate_text(outputs_people(out, NR_OUTPUTS), to);

	if (out[OUT_JSON].f)
		keep_error(&err, validate_json(out[OUT_JSON].f, to));
	if (out[OUT_HTML].f)
		keep_error(&err, page_validate(out[OUT_HTML].f, to));
	return outputs_end(out, NR_OUTPUTS, err);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct validate_options *o = config;
	struct validate *to = &o->validate;
	struct output out[NR_OUTPUTS] = { 0 };
	int err = outputs_open(out, o->out, NR_OUTPUTS);
	enum exit_code code;

	(void)argc;
	(void)argv;
	if (!err)
		err = validate_prepare(to);
	if (!err)
		err = validate_carry_out(to);
	if (!err)
		err = write_outputs(out, to);
	/* one that is refused its folder has no verdict: the old one may belong to that folder */
	outputs_drop(out, NR_OUTPUTS, to->not_ours ? 0 : err);
	code = err ? exit_code_of(err) : validate_exit(validate_judge(to));
	validate_free(to);
	return code;
}

static void release(void *config)
{
	call_free(&((struct validate_options *)config)->run);
}

#define A_PHASE(name, stresses, made_of)	0,
_Static_assert(sizeof((char[]){ LOAD_PRESETS(A_PHASE) }) + 2 == 10, "--help says how many phases all presets make");

static const struct manual_option options[] = {
	{ .title = "Workload", .after = "Other options of run go after --." },
	{ TEXT("cpus", 'c', "LIST", validate.cpus, CPU_LIST), .kind = ARGUMENT_CPUS, .basic = true,
	  .fallback = "isolated CPUs", .brief = "CPUs to measure, e.g. 0,2-5",
	  .more = "If no CPU is isolated: all online CPUs but the first." },
	MEASURED_OPTIONS(run, NULL),
	{ READ("tune", 0, NULL, value_started), .at = AT(struct call, run), .basic = true,
	  .brief = "change settings for each run, then restore them",
	  .more = "As for run. doctor runs before that." },
	{ .title = "Phases" },
	{ READ("duration", 'd', "T", value_started), .at = AT(struct call, run), .basic = true, .fallback = "10m",
	  .brief = "length of each phase; by default 10 phases, 100 min" },
	{ READ("miss", 0, "P", value_miss), .at = AT(double, validate.miss), .basic = true,
	  .fallback = "none seen",
	  .brief = "share of expiries that may be over budget or missed; 1e-7 to 0.5, or in %",
	  .more = "The machine is fit if the upper 95 % confidence bound of their share is below P on each CPU in each phase and no episode is longer than 50 expiries. It is not fit if a lower bound is above P, with 95 % confidence for all CPUs and phases together. They come in episodes, which are counted: docs/explanation/statistics.md. Without --miss, none may be over budget or missed." },
	{ READ("load", 0, "COMMAND", read_load),
	  WORDS(LOAD_PRESET_WORDS), .basic = true,
	  .fallback = "all presets", .brief = "a load of its own phase, as for run (repeatable)",
	  .more = "A preset whose program is not installed is skipped, and the verdict says so." },
	{ TEXT("load-cpus", 0, "LIST", validate.load_cpus, CPU_LIST), .kind = ARGUMENT_CPUS,
	  .fallback = "measured and housekeeping CPUs", .brief = "CPUs for the loads" },
	{ READ("dir", 0, "DIR", value_dir), .at = AT(const char *, validate.dir),
	  .kind = ARGUMENT_DIR, .basic = true, .fallback = "tlob-validate",
	  .brief = "directory for the results of the phases" },
	{ FLAG("resume", 0, validate.resume), .basic = true,
	  .brief = "measure only the phases that are missing in DIR" },
	{ .title = "Actions" },
	{ READ("on-violation", 0, "ACTION", value_started), .at = AT(struct call, run), WORDS("signal: shell:"),
	  .brief = "do ACTION at a violation, as for run (repeatable)" },
	{ READ("on-end", 0, "ACTION", value_started), .at = AT(struct call, run), WORDS("shell:"),
	  .brief = "do ACTION at the end of each phase, as for run (repeatable)" },
	{ READ("at-most", 0, "N/T", value_started), .at = AT(struct call, run), .fallback = "no limit",
	  .brief = "take the actions at most N times in any interval T, in each phase" },
	{ READ("action-wait", 0, "T", value_started), .at = AT(struct call, run), .fallback = "5s",
	  .brief = "how long a command may keep running after a phase; 0 to 1h" },
	{ .title = "Output" },
	{ OUTPUT("html", 0, out[OUT_HTML]), .basic = true, .brief = "write a page; - is stdout" },
	JSON_OPTION(out[OUT_JSON], "docs/reference/validation.schema.json describes it."),
	{ FLAG("quiet", 'q', validate.quiet), .brief = "no progress on stderr" },
	HELP_OPTION,
	{ 0 },
};

const struct manual manual_validate = {
	.name = "validate",
	.summary = "say whether this machine keeps a budget, idle and under loads",
	.usage = { "validate [OPTION]... [-- OPTION OF run]..." },
	.brief = "Ask doctor, then measure the workload idle, under each load, and under all of them together. One verdict: fit if every phase keeps the budget.",
	.options = options,
	.exits = ENTRIES({ "0", "fit" },
			 { "1", "error" }, { "2", "not fit" },
			 { "3", "undecided: phases are missing, no load could run, or the policy was refused" },
			 { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load validate --cpus 2-5 --period 250us --budget 250us --work spin:80us --html page.html",
		  "Is this machine fit for this workload?" },
		{ "tlob-load validate -c 2 -d 1m --miss 1e-4 --load @io --load './mine' --tune",
		  "And when tuned, under these two loads?" }),
	.size = sizeof(CONFIG),
	.check = CALL(check),
};

const struct command cmd_validate = { .manual = &manual_validate, .run = CALL(call), .release = CALL(release) };
