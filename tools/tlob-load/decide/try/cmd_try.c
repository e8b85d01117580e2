// SPDX-License-Identifier: GPL-2.0
/* `tlob-load try`: its options, from the options to the exit code. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/choose.h"
#include "compare/decidable.h"
#include "options/backend_names.h"
#include "options/command.h"
#include "options/load_presets.h"
#include "options/rows.h"
#include "options/run_config.h"
#include "options/started.h"
#include "try/machine.h"
#include "util/file.h"
#include "util/process.h"
#include "util/random.h"
#include "util/signals.h"
#include "util/units.h"

#define NSEC		1e9
#define BEGIN_END_S	0.7		/* of a run, besides its duration: backend bpf; measured later */

struct try_options {
	struct trial trial;
	struct machine machine;
	struct call run;		/* "run" and its options, of both sides of -- */
	struct run_config config;	/* the same, parsed */
	struct statistic metric[STATISTICS_MAX];
	unsigned int nmetrics;
	double	 margin;
	bool	 dry_run;
	uint64_t within_ns;
	const char *cpus;
	const char *out[NR_TRIAL_OUTPUTS];
};

#define CONFIG	struct try_options

static int read_setting(const struct value *v, void *config)
{
	struct try_options *o = config;
	struct machine *m = &o->machine;
	char why[REASON_LEN];
	unsigned int i;

	if (m->nsettings == TRY_SETTINGS)
		return value_error(v, "--setting is given more than %d times: leave some out", TRY_SETTINGS);
	if (setting_parse(&m->setting[m->nsettings], v->arg, why, sizeof(why)))
		return value_error(v, "--setting: %s", why);
	for (i = 0; i < m->nsettings; i++)
		if (!strcmp(m->setting[i].what, m->setting[m->nsettings].what))
			return value_error(v, "--setting %s: it is given twice: give each setting once, with one value",
					   m->setting[i].what);
	m->nsettings++;
	return 0;
}

static int read_load(const struct value *v, void *config)
{
	struct try_options *o = config;
	const char *program;
	int err = value_check_load(v, o->trial.e.nconditions - 1);	/* idle is one */

	if (err)
		return err;
	if (*v->arg == '@' && !load_preset_command(v->arg + 1, &program))
		return value_error(v, "--load %s: install %s, or give a command", v->arg, load_preset_find(v->arg + 1)->made_of);
	o->machine.load[o->trial.e.nconditions] = v->arg;
	o->trial.condition[o->trial.e.nconditions++] = v->arg;
	return 0;
}

static int read_metric(const struct value *v, void *config)
{
	struct try_options *o = config;

	o->nmetrics = 0;
	return add_statistic(v, o->metric, &o->nmetrics);
}

static int check_run_options(struct try_options *o, const struct value *v)
{
	char least[DURATION_LEN], duration[DURATION_LEN], n[COUNT_LEN];
	uint64_t fewest = statistic_fewest(&o->trial.statistic) * 21 / 20, ns;
	struct run_config r;

	if (options_started(v, &r, (int)o->run.n, o->run.argv, NULL))
		return -EINVAL;
	o->config = r;
	o->trial.e.run_s = (double)r.duration_ns / NSEC + BEGIN_END_S;
	/* a few of them come before all threads run */
	if (r.duration_ns / r.period_ns >= fewest)
		return 0;
	ns = (fewest * r.period_ns / NSEC_PER_SEC + 1) * NSEC_PER_SEC;
	return value_error(v, "-d %s has %s expiries on each CPU, too few for %s: give -d %s or more",
			   duration_exact(duration, r.duration_ns), count_prose(n, r.duration_ns / r.period_ns),
			   o->trial.statistic.text, duration_exact(least, ns));
}

static int check(void *config, const struct value *v)
{
	struct try_options *o = config;
	struct trial *t = &o->trial;
	char why[REASON_LEN];

	if (v->nrest && strcmp(v->rest[-1], "--"))
		return value_error(v, "extra argument '%.60s': put other options of run after --", v->rest[0]);
	if (options_begin(&o->run, "5s", v))
		return -EINVAL;
	if (o->nmetrics)
		t->statistic = o->metric[0];
	else
		statistic_parse(&t->statistic, "p99.9(response)", why, sizeof(why));
	if (trial_refuses(&t->statistic, o->margin))
		return value_error(v, "%s", trial_refuses(&t->statistic, o->margin));
	t->e.within_s = o->within_ns ? (double)o->within_ns / NSEC : INFINITY;
	t->e.margin = o->margin;
	t->e.alpha = DEFAULT_ALPHA;
	/* not in defaults, whose size the program would have */
	t->condition[0] = "idle";
	if (!t->dir)
		t->dir = "tlob-try";
	o->machine.options = o->run.argv + 1;
	o->machine.noptions = (int)o->run.n - 1;
	return check_run_options(o, v);
}

/* Says what would be done, and does nothing. */
static int print_plan(struct try_options *o)
{
	int err = machine_prepare(&o->machine, o->cpus);

	if (!err)
		err = trial_check_time(&o->trial);
	if (!err)
		err = machine_print(stdout, &o->machine);
	if (!err)
		trial_print_plan(stdout, &o->trial, o->machine.options, o->machine.noptions);
	return err;
}

static int carry_out(struct try_options *o, struct output out[])
{
	int err = machine_prepare(&o->machine, o->cpus);

	if (!err)
		err = backend_choose_name(&o->config, &o->machine.backend);
	if (!err)
		err = trial_identify(&o->trial, machine_put_id, &o->machine);
	o->trial.claim.seed = random_seed();
	if (!err)
		err = signals_catch();
	/* from here on the old findings may be those of a folder that it does not get */
	if (err)
		outputs_drop(out, NR_TRIAL_OUTPUTS, err);
	return err ? err : trial_conduct(&o->trial, out);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct try_options *o = config;
	struct trial *t = &o->trial;
	struct output out[NR_TRIAL_OUTPUTS] = { 0 };
	enum exit_code code;
	int err;

	(void)argc;
	(void)argv;
	o->machine.t = t;
	t->ops = &machine_ops;
	t->data = &o->machine;
	err = o->dry_run ? 0 : outputs_open(out, o->out, NR_TRIAL_OUTPUTS);
	if (!err)
		err = o->dry_run ? print_plan(o) : carry_out(o, out);
	code = err && t->undecidable ? EXIT_INCONCLUSIVE : err ? exit_code_of(err) :
	       o->dry_run ? EXIT_PASS : trial_exit(t);
	outputs_discard(out, NR_TRIAL_OUTPUTS);
	doctor_free(&o->machine.doctor);
	trial_free(t);
	return code;
}

static void release(void *config)
{
	call_free(&((struct try_options *)config)->run);
}

static const struct manual_option options[] = {
	{ .title = "Settings" },
	{ READ("setting", 0, "S", read_setting), .basic = true,
	  .fallback = "those of run --tune",
	  .brief = "try this setting (repeatable)",
	  .more = "Without it, those of run --tune that are not in effect. S is a NAME of run --tune, governor=VALUE, SYSCTL=VALUE, /PATH=VALUE, or 'NAME: ON COMMAND / OFF COMMAND', as for run." },
	{ .title = "Workload", .after = "Other options of run go after --." },
	{ TEXT("cpus", 'c', "LIST", cpus, CPU_LIST), .kind = ARGUMENT_CPUS, .basic = true,
	  .fallback = "isolated CPUs", .brief = "CPUs to measure, e.g. 0,2-5",
	  .more = "If no CPU is isolated: all online CPUs but the first." },
	MEASURED_OPTIONS(run, "Expiries over it are late."),
	{ READ("load", 0, "COMMAND", read_load), WORDS(LOAD_PRESET_WORDS), .basic = true,
	  .brief = "try under this load as well, as for run (repeatable)" },
	{ TEXT("load-cpus", 0, "LIST", machine.load_cpus, CPU_LIST), .kind = ARGUMENT_CPUS,
	  .fallback = "measured and housekeeping CPUs", .brief = "CPUs for the loads" },
	{ .title = "Experiment" },
	{ READ("duration", 'd', "T", value_started), .at = AT(struct call, run), .basic = true, .fallback = "5s",
	  .brief = "length of each run" },
	{ DURATION("within", 0, within_ns, NSEC_PER_SEC, 365 * 86400ULL * NSEC_PER_SEC), .basic = true,
	  .fallback = "no limit", .brief = "end after this time; 1s to 365d",
	  .more = "Settings that it leaves no time for stay open: name the likeliest first. Too short a limit to reach any verdict is rejected." },
	{ READ("metric", 'm', "STAT", read_metric), .fallback = "p99.9(response)",
	  .brief = "what is compared besides late expiries, as in tlob-load compare" },
	{ PERCENT("margin", margin, 1000), .fallback = "10%",
	  .brief = "ignore smaller differences; more than 3.2%" },
	{ READ("dir", 0, "DIR", value_dir), .at = AT(const char *, trial.dir), .kind = ARGUMENT_DIR,
	  .basic = true, .fallback = "tlob-try", .brief = "directory for results and what to keep" },
	{ FLAG("resume", 0, trial.resume), .basic = true,
	  .brief = "make only the runs that are missing in DIR" },
	{ FLAG("dry-run", 0, dry_run), .basic = true, .brief = "print the plan and change nothing" },
	{ .title = "Output" },
	JSON_OPTION(out[TRIAL_JSON], "docs/reference/try.schema.json describes it."),
	{ FLAG("quiet", 'q', trial.quiet), .brief = "no progress on stderr" },
	HELP_OPTION,
	{ 0 },
};

const struct manual manual_try = {
	.name = "try",
	.summary = "find out which settings help on this machine",
	.usage = { "try [OPTION]... [-- OPTION OF run]..." },
	.brief = "Measure with and without settings in pairs of runs, idle and under each load, and say for each setting whether it helps, hurts, makes no difference, or cannot be told.",
	.more = "Settings are tried one after the other. Every run applies its settings and restores them. Settings that help are written to files in DIR, each line with its evidence, and doctor later reports what was tried.",
	.options = options,
	.exits = ENTRIES({ "0", "every setting has a verdict" }, { "1", "error" },
			 { "3", "a setting is still open, or the runs had no real-time policy" }, { "77", "not supported on this machine" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load try --cpus 2-5 --load @io --budget 200us --within 1h",
		  "Which settings of --tune help here?" },
		{ "tlob-load try --setting vm.stat_interval=10 --setting 'mine: sh on.sh / sh off.sh' -- --align 1ms",
		  "And these two?" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .margin = TRIAL_MARGIN, .trial = { .e = { .nconditions = 1 } } },
	.check = CALL(check),
};

const struct command cmd_try = { .manual = &manual_try, .run = CALL(call), .release = CALL(release) };
