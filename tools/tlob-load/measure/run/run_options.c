// SPDX-License-Identifier: GPL-2.0
/* The options and the manuals of `tlob-load run` and `top`. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "options/backend_names.h"
#include "options/function_presets.h"
#include "options/load_presets.h"
#include "options/rows.h"
#include "parts.h"
#include "options/run_config.h"
#include "tuning/load.h"
#include "tuning/setting.h"
#include "tuning/tune.h"
#include "util/policy.h"
#include "util/random.h"
#include "util/units.h"

#define CONFIG	struct run_config

/* The tick of CONFIG_HZ=100, in ns. */
#define LONGEST_TICK_NS	10000000ULL

#define FORMS_LEN	240

/* "none, spin:T, ...": the forms of all kinds of work. */
static const char *work_forms(char buf[FORMS_LEN])
{
	size_t n = 0;
	int i;

	*buf = 0;
	for (i = 0; i < TLOB_NR_WORK && n < FORMS_LEN; i++) {
		const char *sep = i + 1 < TLOB_NR_WORK ? ", " : " or ";

		n += (size_t)snprintf(buf + n, FORMS_LEN - n, "%s%s",
				      i ? sep : "", tlob_work_kinds[i].form);
	}
	return buf;
}

/* All other options want a unit. Without one 100 would be 100 ns, which no user means. */
static bool lacks_unit(const char *text, const struct tlob_work *w)
{
	size_t n = strlen(text);

	return tlob_work_kinds[w->type].flags & TLOB_KIND_TIME && text[n - 1] >= '0' && text[n - 1] <= '9';
}

static int read_work(const struct value *v, void *to)
{
	struct run_config *o = to;
	char forms[FORMS_LEN];

	switch (tlob_parse_work(v->arg, &o->work)) {
	case 0:
		if (lacks_unit(v->arg, &o->work))
			return value_error(v, "--work %s: give a unit, as in %sus", v->arg, v->arg);
		o->work_text = v->arg;
		return 0;
	case -ERANGE:
		return value_error(v, "--work %s: a number is out of range: times 1ns to 1h, rounds 1 to 10^12, ws 4K to 1G, node 0 to 1023",
			    v->arg);
	}
	return value_error(v, "--work: invalid work '%s': use %s, as in spin:100us",
			   v->arg, work_forms(forms));
}

static int read_policy(const struct value *v, void *to)
{
	struct run_config *o = to;
	char reason[REASON_LEN];

	if (policy_parse(&o->sched, v->arg, reason, sizeof(reason)))
		return value_error(v, "--policy: %s", reason);
	o->policy = v->arg;
	return 0;
}

/* Bytes, within the range of the row. */
static int read_size(const struct value *v, void *to)
{
	const char *text = v->arg;
	__u64 size;

	if (tlob_parse_size(&text, &size) || *text || size < v->option->min || size > v->option->max)
		return value_error(v, "--%s %s: give %lluK to %lluG, as in 64M", v->option->name, v->arg,
				   (unsigned long long)v->option->min >> 10, (unsigned long long)v->option->max >> 30);
	*(uint64_t *)to = size;
	return 0;
}

static int read_checkpoint(const struct value *v, void *to)
{
	*(uint64_t *)to = 0;
	return strcmp(v->arg, "off") ? value_duration(v, to) : 0;
}

static int read_idle_state(const struct value *v, void *to)
{
	struct run_config *o = to;
	uint64_t n;
	int err = value_count_in(v, 0, 9, &n);	/* CPUIDLE_STATE_MAX is 10 */

	if (!err)
		o->idle_state = (int)n;
	return err;
}

/* /dev/cpu_dma_latency takes microseconds. */
static int read_dma_latency(const struct value *v, void *to)
{
	struct run_config *o = to;
	uint64_t ns;
	int err;

	if (!strcmp(v->arg, "off")) {
		o->dma_latency_us = -1;
		return 0;
	}
	err = value_duration_in(v, 0, INT32_MAX * NSEC_PER_USEC, &ns);
	if (!err && ns % NSEC_PER_USEC)
		return value_error(v, "--dma-latency %s: the kernel takes whole microseconds: give 0 to %dus, or off",
				   v->arg, INT32_MAX);
	if (!err)
		o->dma_latency_us = (int64_t)(ns / NSEC_PER_USEC);
	return err;
}

/*
 * SYSTEM or SYSTEM:EVENT. Both become names of directories in tracefs, so neither
 * may begin with a dot: sched:.. would enable all events. The kernel reads what stands between
 * slashes behind it.
 */
static int read_event(const struct value *v, void *to)
{
	struct run_config *o = to;
	size_t n = strcspn(v->arg, "/"), system = strcspn(v->arg, ":/");
	const char *filter = v->arg + n;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", n < sizeof(name) ? (int)n : 0, v->arg);
	if (*filter && (strlen(filter) < 3 || filter[strlen(filter) - 1] != '/'))
		return value_error(v, "--event: invalid filter in '%s': put it between slashes, as in 'sched:sched_switch/prev_prio < 100/'",
			    v->arg);
	if (!system || system + 1 == n || strpbrk(name, " \t\n") || !*name || *name == '.' ||
	    strstr(name, ":.") || (system < n && strchr(name + system + 1, ':')))
		return value_error(v, "--event: invalid event '%s': give SYSTEM or SYSTEM:EVENT, as in sched:sched_switch",
			    v->arg);
	if (o->nevents == RUN_MAX_EVENTS)
		return value_error(v, "--event is given more than %d times: give whole systems",
			    RUN_MAX_EVENTS);
	o->events[o->nevents++] = v->arg;
	return 0;
}

static int read_tune(const struct value *v, void *to)
{
	struct run_config *o = to;

	o->tune_list = v->arg;
	if (v->arg && strcmp(v->arg, "list"))
		return value_error(v, "--tune=%s: unknown word: use --tune, or --tune=list to see the settings",
				   v->arg);
	return 0;
}

static int read_setting(const struct value *v, void *to)
{
	struct run_config *o = to;
	char why[REASON_LEN];
	struct setting s;

	if (setting_parse(&s, v->arg, why, sizeof(why)))
		return value_error(v, "--setting: %s", why);
	if (o->nsetting == RUN_MAX_SETTINGS)
		return value_error(v, "--setting is given more than %d times: leave some out", RUN_MAX_SETTINGS);
	o->setting[o->nsetting++] = v->arg;
	return 0;
}

static int read_load(const struct value *v, void *to)
{
	struct run_config *o = to;
	int err = value_check_load(v, o->nload);

	if (!err)
		o->load[o->nload++] = v->arg;
	return err;
}

static int read_stop_on(const struct value *v, void *to)
{
	struct run_config *o = to;

	return value_condition(v, condition_parse_window, o->stop_on, &o->nstop_on);
}

static int read_assertion(const struct value *v, void *to)
{
	struct run_config *o = to;

	return value_condition(v, condition_parse_result, o->assertion, &o->nassertion);
}

/* --stop-on also says when the actions are taken, one of which may be not to stop. */
static int check_actions(struct run_config *o, const struct value *v)
{
	char reason[REASON_LEN];

	if (o->act.most && !o->act.n)
		return value_error(v, "--at-most limits the actions of --on-violation: give one");
	if (action_has(&o->act, ACTION_TRACE) && !o->trace)
		return value_error(v, "--on-violation trace writes FILE.1, FILE.2 and so on: give --trace FILE");
	if (action_has(&o->act, ACTION_STOP) && action_has(&o->act, ACTION_CONTINUE))
		return value_error(v, "--on-violation stop and continue contradict each other: give one");
	if (action_has(&o->act, ACTION_CONTINUE) && !o->nstop_on)
		return value_error(v, "--on-violation continue is for --stop-on: without it a run does not stop");
	if (!o->act.n)
		return 0;
	memcpy(o->act_on, o->stop_on, o->nstop_on * sizeof(*o->stop_on));
	o->nact_on = o->nstop_on;
	if (!o->nact_on)
		condition_parse_window(&o->act_on[o->nact_on++], "violations>0", reason, sizeof(reason));
	if (action_has(&o->act, ACTION_CONTINUE)) {
		o->nstop_on = 0;
	} else if (action_has(&o->act, ACTION_STOP)) {
		memcpy(o->stop_on, o->act_on, o->nact_on * sizeof(*o->stop_on));
		o->nstop_on = o->nact_on;
	}
	return 0;
}

static int bind_functions(const struct run_config *o, const struct value *v,
			  struct condition *list, unsigned int n)
{
	return function_requests_bind(&o->functions, list, n, v->err, v->size);
}

/* Checks options against one another, and fills in dependent defaults. */
static int check(void *config, const struct value *v)
{
	char period[DURATION_LEN], duration[DURATION_LEN];
	struct run_config *o = config;

	if (v->nrest)
		return value_error(v, "extra argument '%s'", v->rest[0]);
	if (!o->budget_ns)
		o->budget_ns = o->period_ns;
	if (o->has_seed && !o->has_phase) {
		o->has_phase = true;
		o->phase_ns = random_derived(o->seed, 0) % LONGEST_TICK_NS;
	}
	if (tlob_work_is_user(&o->work) && o->workload == WORKLOAD_KTHREAD)
		return value_error(v, "--work %s: kernel threads have no floating point, system calls, sleep or file of phases: use --workload user",
				   o->work_text);
	if (o->sched.policy == SCHED_DEADLINE && o->workload == WORKLOAD_USER)
		return value_error(v, "--policy deadline: a user thread pinned to one CPU cannot be SCHED_DEADLINE (EPERM) outside an exclusive cpuset partition: use --workload kthread");
	if (o->duration_ns && o->duration_ns < o->period_ns)
		return value_error(v, "--duration %s is shorter than --period %s: no window would end",
			    duration_exact(duration, o->duration_ns),
			    duration_exact(period, o->period_ns));
	if (o->trace_size && !o->trace)
		return value_error(v, "--trace-size is the size of the trace: give --trace FILE");
	if (o->nevents && !o->trace)
		return value_error(v, "--event writes to the trace: give --trace FILE");
	if (o->trace && !strcmp(o->trace, "-"))
		return value_error(v, "--trace cannot write to stdout: give the name of a file");
	if (o->samples && !strcmp(o->samples, "-"))
		return value_error(v, "--samples cannot write to stdout: give the name of a file");
	if (o->checkpoint_ns && !o->output_dir && (!o->json || !strcmp(o->json, "-")))
		return value_error(v, "--checkpoint writes the result again and again: give --json FILE or --output-dir");
	if (o->timeline && (!strcmp(o->noise_source, "osnoise") ||
			    !strcmp(o->noise_source, "both")))
		return value_error(v, "--timeline needs hooks, because osnoise does not report when an interruption began: give --noise-source hooks, or none");
	if (o->load_cpus && !o->nload)
		return value_error(v, "--load-cpus says where loads run: give --load");
	if (o->quiet && o->verbose)
		return value_error(v, "--quiet and --verbose contradict each other: give one");
	if (o->json && o->output_dir)
		return value_error(v, "--json and --output-dir both say where the result goes: give one");
	if (check_actions(o, v))
		return -EINVAL;
	return bind_functions(o, v, o->stop_on, o->nstop_on) ||
	       bind_functions(o, v, o->act_on, o->nact_on) ||
	       bind_functions(o, v, o->assertion, o->nassertion) ? -EINVAL : 0;
}

/* " irq softirq ...": the parts of one phase, from the list of all. */
#define WAKE_PART(PHASE, NAME, phase, name, ...)	WAKE_OF_##PHASE(#name)
#define WAKE_OF_WAKE(name)	" " name
#define WAKE_OF_WORK(name)
#define WORK_PART(PHASE, NAME, phase, name, ...)	WORK_OF_##PHASE(#name)
#define WORK_OF_WAKE(name)
#define WORK_OF_WORK(name)	" " name

static const struct manual_entry kinds_of_work[] = {
	{ "none", "no work" },
	{ "spin:T", "loop for T of its own CPU time" },
	{ "elapsed:T", "loop for T of wall time" },
	{ "loops:N", "N rounds of a fixed computation" },
	{ "mem:chase,ws=SIZE[,n=N][,node=K]", "dependent loads" },
	{ "mem:stream,ws=SIZE[,n=N][,node=K]", "passes over SIZE" },
	{ "fpu:N", "N rounds of floating point; like those below, in user threads only" },
	{ "syscall:N", "N system calls that do nothing" },
	{ "sleep:T", "sleep for T" },
	{ "@FILE", "the phases listed in FILE, in sequence: docs/reference/phases.schema.json" },
	{ NULL, NULL },
};

#define PRESET_ENTRY(name, stresses, made_of)	{ "@" name, stresses " (" made_of ")" },

static const struct manual_option options[] = {
	{ .title = "Keys", .only = "top",
	  .list = ENTRIES(
		{ "h", "show the keys and what the columns mean, like ?; any key closes it" },
		{ "q", "end the run" },
		{ "p, space", "freeze or release the screen; the run continues" },
		{ "s", "sort by the next column: cpu, violations, missed, wake, response" },
		{ "up, down", "choose a CPU" },
		{ "Enter", "show the parts and the worst windows of that CPU" },
		{ "Esc, left", "show all CPUs again" }),
	  .after = "A line that ends with > is cut: a wider terminal shows the rest. At the end the result is printed, as run does." },
	{ .title = "Workload" },
	{ TEXT("cpus", 'c', "LIST", cpus, CPU_LIST), .kind = ARGUMENT_CPUS, .basic = true,
	  .env = ENV_ONE,
	  .not_for = "try validate", .fallback = "isolated CPUs, else the affinity mask", .brief = "CPUs to measure, e.g. 0,2-5",
	  .more = "'all' means every online CPU." },
	{ TEXT("housekeeping", 0, "LIST", housekeeping, CPU_LIST), .kind = ARGUMENT_CPUS,
	  .env = ENV_ONE,
	  .fallback = "all but the measured", .brief = "CPUs for the tool itself",
	  .more = "By default, hyper-threads of measured CPUs are excluded if other CPUs are free." },
	CGROUP_OPTION(.fallback = "none", .brief = "cgroup for the measured threads"),
	{ DURATION("period", 'p', period_ns, TLOB_PERIOD_MIN, TLOB_PERIOD_MAX), .basic = true,
	  .env = ENV_ONE,
	  .fallback = "1ms", .brief = "time between activations; 50us to 1s" },
	{ DURATION("budget", 'b', budget_ns, TLOB_BUDGET_MIN, TLOB_BUDGET_MAX), .basic = true,
	  .env = ENV_ONE,
	  .fallback = "the period", .brief = "longest response allowed; 1us to 3600s" },
	{ READ("work", 'w', "W", read_work), WORDS(WORK_WORDS), .basic = true,
	  .env = ENV_ONE, .fallback = "spin:100us", .brief = "work of each activation",
	  .more = "SIZE is 4K to 1G.", .list = kinds_of_work },
	{ CHOICE("workload", 0, "NAME", "user kthread", workload, "workload"), .fallback = "user",
	  .brief = "user (threads of the tool) or kthread" },
	{ READ("policy", 0, "P", read_policy), GIVEN(has_policy),
	  WORDS("fifo: rr: other deadline:"), .basic = true, .env = ENV_ONE, .fallback = "fifo:95",
	  .brief = "fifo:P or rr:P (P 1 to 99), or other",
	  .more = "For kthread also deadline:RUNTIME/DEADLINE/PERIOD." },
	{ DURATION("align", 0, align_ns, 0, TLOB_ALIGN_MAX), .fallback = "0",
	  .brief = "start the grid of each CPU T after that of the previous CPU; 0 to 1s" },
	{ DURATION("phase", 0, phase_ns, 0, TLOB_PHASE_MAX), GIVEN(has_phase), .fallback = "any",
	  .brief = "start the grid T after a tick; 0 to 1s" },
	{ .title = "Duration",
	  .text = "Without -d and -n, a run lasts until SIGINT, SIGTERM, SIGQUIT, or SIGHUP without nohup. A second signal, at least two seconds later, kills a tool that hangs." },
	{ DURATION("duration", 'd', duration_ns, TLOB_PERIOD_MIN, NO_LIMIT), .basic = true,
	  .env = ENV_ONE,
	  .fallback = "no limit", .brief = "stop after T; one period or more" },
	{ COUNT("windows", 'n', "N", windows, 1, INT64_MAX), .basic = true,
	  .env = ENV_ONE, .fallback = "no limit", .not_for = "try validate",
	  .brief = "stop after N windows on each CPU",
	  .more = "Kernel threads may run a few more." },
	{ COUNT("warm-up", 0, "N", warm_up, 0, TLOB_WARM_UP_MAX), .fallback = "0",
	  .brief = "discard the first N windows of each CPU; 0 to 1000000",
	  .more = "With fixed work in user threads, at least 6." },
	{ COUNT("seed", 0, "N", seed, 0, NO_LIMIT), GIVEN(has_seed), .fallback = "none",
	  .not_for = "try plan gate run bisect explain",
	  .brief = "seed for a random --phase of 0 to 10ms",
	  .more = "The same seed gives the same phase, so a run can be repeated." },
	{ READ("stop-on", 0, "COND", read_stop_on), .basic = true, .not_for = "try validate gate",
	  .brief = "stop at the first window that meets COND",
	  .more = "COND is METRIC OP T, e.g. 'wake>50us', or 'violations>0'. Repeatable. It is also the condition of --on-violation." },
	{ .title = "Actions" },
	ACTION_OPTIONS("stop continue trace signal: shell:", "the process that started tlob-load",
		{ "stop", "end the run there, like --stop-on; the remaining actions follow" },
		{ "continue", "do not stop at --stop-on" },
		{ "trace", "write the trace to FILE.1, FILE.2 ..., where --trace has FILE" },),
	{ .title = "Measurement" },
	{ WORD("backend", "B", BACKEND_WORDS, backend, "backend"), .env = ENV_ONE,
	  .fallback = "auto",
	  .brief = "tlob, bpf, posix or auto",
	  .list = ENTRIES({ "tlob", "the module" }, { "bpf", "BPF programs, no module" },
			  { "posix", "needs no privileges; has no irq and no PART" },
			  { "auto", "the first that is available here" }) },
	{ WORD("noise-source", "S", "auto osnoise hooks both", noise_source, "source"),
	  .fallback = "auto", .brief = "auto, osnoise, hooks, or both to compare them",
	  .more = "rtla timerlat cannot start while osnoise is in use; hooks leave it alone." },
	FUNCTIONS_OPTION(" At most 50 with the backend bpf, none with posix;"),
	{ DURATION("hw-threshold", 0, hw_threshold_ns, TLOB_HW_THRESHOLD_MIN, TLOB_HW_THRESHOLD_MAX),
	  .fallback = "5us", .brief = "unexplained gaps longer than this count as hardware; 100ns to 1s" },
	{ READ("idle-state", 0, "N", read_idle_state), GIVEN(idle_state_set),
	  .fallback = "no change", .brief = "deepest idle state allowed; 0 to 9" },
	{ READ("dma-latency", 0, "T", read_dma_latency), GIVEN(has_dma_latency), WORDS("off 0"),
	  .fallback = "0; posix: off",
	  .brief = "hold /dev/cpu_dma_latency at T, or off; 0 to 2147483647us",
	  .more = "T is in whole microseconds." },
	{ .title = "System setup" },
	{ READ("tune", 0, "[=list]", read_tune), GIVEN(tune), WORDS("list"), .not_for = "try",
	  .brief = "change settings for the run, then restore them; =list only shows them",
	  .more = "They are restored however the run ends; after a SIGKILL, by the next start or by tlob-load restore. A setting that cannot be changed is skipped; the outcome and the result say so, and the exit code does not. --setting S fails instead.",
	  .list = (const struct manual_entry[]){ TUNE_SETTINGS(TUNE_ENTRY) { NULL, NULL } } },
	{ READ("setting", 0, "S", read_setting), .not_for = "try",
	  .brief = "change this setting for the run, then restore it, like --tune (repeatable)",
	  .more = "If it cannot be changed, the run fails. A value that another program writes during the run is kept. tlob-load try finds out which settings help.",
	  .list = ENTRIES(
		{ "NAME", "one of the settings of --tune" },
		{ "governor=VALUE", "a frequency governor for the measured CPUs" },
		{ "SYSCTL=VALUE", "a sysctl, e.g. vm.stat_interval=10" },
		{ "/PATH=VALUE", "a file of /sys or /proc" },
		{ "NAME: ON / OFF", "two commands for /bin/sh; OFF also runs if ON was interrupted" }) },
	{ READ("load", 0, "COMMAND", read_load),
	  WORDS(LOAD_PRESET_WORDS), .basic = true, .env = ENV_LIST, .not_for = "try validate",
	  .brief = "run COMMAND, or a preset such as @cpu, during the run (repeatable)",
	  .more = "A shell runs COMMAND, with the number of CPUs in $TLOB_LOAD_CPUS. It starts before the run and is stopped at its end. If it exits early, the run fails.",
	  .list = (const struct manual_entry[]){ LOAD_PRESETS(PRESET_ENTRY) { NULL, NULL } } },
	{ TEXT("load-cpus", 0, "LIST", load_cpus, CPU_LIST), .kind = ARGUMENT_CPUS,
	  .not_for = "try validate",
	  .fallback = "measured and housekeeping CPUs", .brief = "CPUs for the loads" },
	{ .title = "Output" },
	JSON_OPTION(json, "docs/reference/result.md describes it.", .env = ENV_ONE),
	SITE_OPTIONS,
	{ TEXT("label", 0, "TEXT", label, "a name for the result"), .fallback = "none", .not_for = "gate",
	  .brief = "a name for the result, shown in pages and tables",
	  .more = "For example what was tried: --label 'smt off'. compare ignores it." },
	{ READ("checkpoint", 0, "T", read_checkpoint), .at = AT(uint64_t, checkpoint_ns),
	  .min = NSEC_PER_SEC, .max = 86400 * NSEC_PER_SEC, GIVEN(has_checkpoint), WORDS("off 1m 10m"),
	  .fallback = "1m, after the first 10m", .not_for = "gate",
	  .brief = "write the file of --json every T, 1s to 1d, or off",
	  .more = "Until the run ends, the result is partial. With --output-dir the default is off." },
	HTML_OPTION(html, "write the HTML page that report would make"),
	ASSERTION_OPTIONS,
	{ FLAG("timeline", 0, timeline),
	  .brief = "record what happened, in order, in the worst windows and in violations",
	  .more = "It keeps the last 64 spans of each window. -v lists them, and pages show them. Not with osnoise and posix." },
	{ OUTPUT("timeline-json", 0, timeline_json), GIVEN(timeline),
	  .brief = "write the timeline for Perfetto and speedscope; - is stdout",
	  .more = "The format is Chrome's trace-event format." },
	{ FLAG("waits", 0, waits),
	  .brief = "name what the thread waited for in the worst windows",
	  .more = "It shows the stack and the waker of the longest sleep in each. For work that sleeps; it costs time at each sleep. Needs the module." },
	{ OUTPUT("hist", 0, hist), .brief = "write histograms for gnuplot, in rows of 1 us; - is stdout" },
	{ TEXT("samples", 0, "FILE", samples, "the name of a file"), .kind = ARGUMENT_FILE,
	  .not_for = STARTERS,
	  .brief = "write a row for each window, as FILE.csv or FILE.csv.gz",
	  .more = "A row has CPU, time, irq, wake, response and verdict. The housekeeping CPUs write it. Rows that do not fit are only counted." },
	{ READ("samples-size", 0, "SIZE", read_size), .at = AT(uint64_t, samples_size),
	  .min = 4ULL << 10, .max = 1024ULL << 30, .fallback = "256M", .not_for = "gate",
	  .brief = "maximum size of that file; 4K to 1024G" },
	{ TEXT("trace", 0, "FILE", trace, "the name of a file"), .kind = ARGUMENT_FILE,
	  .basic = true, .not_for = STARTERS, .brief = "write the trace up to the end of the run" },
	{ READ("trace-size", 0, "SIZE", read_size), .at = AT(uint64_t, trace_size),
	  .min = 4ULL << 10, .max = 1ULL << 30, .fallback = "the kernel's", .not_for = "gate",
	  .brief = "size of the trace buffer of each CPU; 4K to 1G",
	  .more = "The oldest events are overwritten first. Needs --trace." },
	{ READ("event", 'e', "S[:E][/F/]", read_event), .kind = ARGUMENT_EVENT, .not_for = "gate",
	  .brief = "also trace event E of system S, or all its events, if filter F passes",
	  .more = "Repeatable; needs --trace. F is a kernel trace filter, e.g. 'sched:sched_switch/prev_prio < 100/'." },
	{ FLAG("quiet", 'q', quiet), .basic = true, .not_for = "gate",
	  .brief = "print only errors and failed assertions" },
	PROGRESS_OPTION("on a terminal a table, else 10s"),
	VERBOSE_OPTION,
	{ READ("assert", 0, "COND", read_assertion), .basic = true, .env = ENV_LIST,
	  .not_for = "validate gate",
	  .brief = "exit with 2 unless COND holds (repeatable)",
	  .more = "Examples: 'p99.9(response)<50us', 'missed==0'." },
	HELP_OPTION,
	VERSION_OPTION,
	{ .title = "Conditions",
	  .list = ENTRIES(
		{ "METRIC", "irq (expiry to timer interrupt), wake (expiry to thread), response (expiry to end of work), wake.PART, work.PART or func.NAME, a set of --functions" },
		{ "PART", "wake:" TLOB_PARTS(WAKE_PART) "\nwork:" TLOB_PARTS(WORK_PART) },
		{ "--assert", "STAT(METRIC) OP T, which must hold on every CPU; STAT is min, avg, max, p50 ... p99.9999 or es99 (expected shortfall: the mean of what is above p99). Or COUNTER OP N over all CPUs; COUNTER is windows violations missed lost aborted inexact errors sum_failures clock_steps startup unaccounted. Or adjusted_ns OP T. Or episodes/h OP N: responses over the budget that are at most a gap apart form one episode, and the 95 % confidence bound of the rate of episodes in this run is compared. An assertion without data is undecided, and so is a quantile of too few windows: p99.9 needs 2995." },
		{ "OP", "< <= > >= == !=" }) },
	{ 0 },
};

static const struct run_config defaults = {
	.backend = BACKEND_AUTO,
	.period_ns = NSEC_PER_MSEC,
	.work_text = "spin:100us",
	.work = {
		.type = TLOB_KIND_SPIN,
		.node = TLOB_WORK_NO_NODE,
		.amount = 100 * NSEC_PER_USEC,
	},
	.workload = WORKLOAD_USER,
	.policy = "fifo:95",
	.sched = { .policy = SCHED_FIFO, .priority = 95 },
	.noise_source = "auto",
	.hw_threshold_ns = 5 * NSEC_PER_USEC,
	.act.wait_ns = ACTION_WAIT_NS,
	.samples_size = 256ULL << 20,
};

#define PARSER \
	.size = sizeof(defaults), .defaults = &defaults, .options_first = true, .check = CALL(check)

const struct manual manual_run = {
	.name = "run",
	.environment = true,
	.summary = "run a real-time workload and account for every nanosecond",
	.usage = { "run [OPTION]..." },
	.brief = "Run a periodic real-time workload on every measured CPU and account for every nanosecond of every activation, from the timer's expiry to the end of the work.",
	.more = DURATIONS,
	.options = options,
	.exits = EXITS_OF_ASSERTIONS,
	.after_exits = "Violations alone exit with 0; --assert violations==0 makes them fail.",
	.examples = ENTRIES(
		{ "tlob-load run -c 2-3 -p 1ms -b 200us -w spin:100us -d 60s",
		  "Measure two CPUs for a minute:" },
		{ "tlob-load run -c 3 --stop-on 'wake>50us' --trace trace.txt -e irq -e sched",
		  "Stop at the first late wake-up, and keep the trace:" },
		{ "tlob-load run -n 100000 -q --json r.json --assert 'p99.9(wake)<30us'",
		  "Check a limit in CI:" },
		{ "tlob-load run -d 10s -q --json - | jq '.all | .missed, .violations, .quantiles.wake.p99'",
		  "Missed, violations, and p99 of the wake-ups in ns:" }),
	PARSER,
};

const struct manual manual_top = {
	.name = "top",
	.summary = "like run, with a live full-screen display",
	.usage = { "top [OPTION]..." },
	.brief = "Like run, with a live full-screen display: a row for each CPU. Keys: q ends it, p freezes the screen, s sorts, arrows and Enter show one CPU, h explains.",
	.more = "A row shows the windows of a CPU, wake and response in microseconds, its parts, and what caused its last violation. The options are the same as for run.\n" DURATIONS,
	.options = options,
	.exits = EXITS_OF_ASSERTIONS,
	PARSER,
};
