// SPDX-License-Identifier: GPL-2.0
/* Parsing the options of `tlob-load run`. */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "backend/names.h"
#include "cmd/option_value.h"
#include "cmd/run_options.h"
#include "load/load.h"
#include "util/policy.h"
#include "util/random.h"
#include "util/units.h"

/* Options without a letter. The values lie above all characters. */
enum {
	OPT_HOUSEKEEPING = 256,
	OPT_CGROUP, OPT_WORKLOAD, OPT_POLICY, OPT_WARM_UP, OPT_NOISE_SOURCE,
	OPT_ALIGN, OPT_PHASE, OPT_HW_THRESHOLD, OPT_IDLE_STATE, OPT_DMA_LATENCY,
	OPT_STOP_ON, OPT_TRACE, OPT_PRINT_STACK, OPT_HIST, OPT_JSON,
	OPT_JUNIT, OPT_KTAP, OPT_MARKDOWN, OPT_HTML, OPT_ASSERT, OPT_SEED, OPT_VERSION,
	OPT_BACKEND, OPT_PROGRESS, OPT_CHECKPOINT, OPT_LABEL, OPT_TIMELINE, OPT_TIMELINE_JSON,
	OPT_LOAD, OPT_LOAD_CPUS, OPT_TUNE, OPT_WAITS, OPT_FUNCTIONS,
};

/* The tick of CONFIG_HZ=100, in ns. */
#define LONGEST_TICK_NS	10000000ULL

const char run_short_options[] = "+:c:p:b:w:d:n:e:qvh";

const struct option run_long_options[] = {
	{ "cpus",	  required_argument, NULL, 'c' },
	{ "housekeeping", required_argument, NULL, OPT_HOUSEKEEPING },
	{ "cgroup",	  required_argument, NULL, OPT_CGROUP },
	{ "period",	  required_argument, NULL, 'p' },
	{ "budget",	  required_argument, NULL, 'b' },
	{ "work",	  required_argument, NULL, 'w' },
	{ "workload",	  required_argument, NULL, OPT_WORKLOAD },
	{ "policy",	  required_argument, NULL, OPT_POLICY },
	{ "duration",	  required_argument, NULL, 'd' },
	{ "windows",	  required_argument, NULL, 'n' },
	{ "warm-up",	  required_argument, NULL, OPT_WARM_UP },
	{ "backend",	  required_argument, NULL, OPT_BACKEND },
	{ "noise-source", required_argument, NULL, OPT_NOISE_SOURCE },
	{ "functions",	  required_argument, NULL, OPT_FUNCTIONS },
	{ "align",	  required_argument, NULL, OPT_ALIGN },
	{ "phase",	  required_argument, NULL, OPT_PHASE },
	{ "hw-threshold", required_argument, NULL, OPT_HW_THRESHOLD },
	{ "idle-state",	  required_argument, NULL, OPT_IDLE_STATE },
	{ "dma-latency",  required_argument, NULL, OPT_DMA_LATENCY },
	{ "tune",	  optional_argument, NULL, OPT_TUNE },
	{ "load",	  required_argument, NULL, OPT_LOAD },
	{ "load-cpus",	  required_argument, NULL, OPT_LOAD_CPUS },
	{ "stop-on",	  required_argument, NULL, OPT_STOP_ON },
	{ "trace",	  required_argument, NULL, OPT_TRACE },
	{ "event",	  required_argument, NULL, 'e' },
	{ "print-stack",  no_argument,	     NULL, OPT_PRINT_STACK },
	{ "timeline",	  no_argument,	     NULL, OPT_TIMELINE },
	{ "timeline-json", required_argument, NULL, OPT_TIMELINE_JSON },
	{ "waits",	  no_argument,	     NULL, OPT_WAITS },
	{ "hist",	  required_argument, NULL, OPT_HIST },
	{ "json",	  required_argument, NULL, OPT_JSON },
	{ "label",	  required_argument, NULL, OPT_LABEL },
	{ "checkpoint",	  required_argument, NULL, OPT_CHECKPOINT },
	{ "junit",	  required_argument, NULL, OPT_JUNIT },
	{ "ktap",	  required_argument, NULL, OPT_KTAP },
	{ "markdown",	  required_argument, NULL, OPT_MARKDOWN },
	{ "html",	  required_argument, NULL, OPT_HTML },
	{ "quiet",	  no_argument,	     NULL, 'q' },
	{ "progress",	  required_argument, NULL, OPT_PROGRESS },
	{ "verbose",	  no_argument,	     NULL, 'v' },
	{ "assert",	  required_argument, NULL, OPT_ASSERT },
	{ "seed",	  required_argument, NULL, OPT_SEED },
	{ "help",	  optional_argument, NULL, 'h' },
	{ "version",	  no_argument,	     NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

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

/* All other options want a unit. Without one 100 would be 100 ns, which nobody means. */
static bool lacks_unit(const char *text, const struct tlob_work *w)
{
	size_t n = strlen(text);

	return tlob_work_kinds[w->type].flags & TLOB_WORK_TIME && text[n - 1] >= '0' && text[n - 1] <= '9';
}

static int get_work(const struct value *v, struct run_config *o)
{
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

static int get_workload(const struct value *v, struct run_config *o)
{
	if (!strcmp(v->arg, "user"))
		o->workload = WORKLOAD_USER;
	else if (!strcmp(v->arg, "kthread"))
		o->workload = WORKLOAD_KTHREAD;
	else
		return value_error(v, "--workload: unknown workload '%s': use user or kthread",
			    v->arg);
	return 0;
}

static int get_policy(const struct value *v, struct run_config *o)
{
	char reason[REASON_LEN];

	if (policy_parse(&o->sched, v->arg, reason, sizeof(reason)))
		return value_error(v, "--policy: %s", reason);
	o->has_policy = true;
	o->policy = v->arg;
	return 0;
}

static int get_noise_source(const struct value *v, struct run_config *o)
{
	static const char * const names[] = { "auto", "osnoise", "hooks", "both" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(v->arg, names[i])) {
			o->noise_source = v->arg;
			return 0;
		}
	return value_error(v, "--noise-source: unknown source '%s': use auto, osnoise, hooks or both",
		    v->arg);
}

static int get_backend(const struct value *v, struct run_config *o)
{
	if (!backend_is_name(v->arg))
		return value_error(v, "--backend: unknown backend '%s': use %s",
				   v->arg, backend_names());
	o->backend = v->arg;
	return 0;
}

static int get_checkpoint(const struct value *v, struct run_config *o)
{
	o->has_checkpoint = true;
	if (!strcmp(v->arg, "off")) {
		o->checkpoint_ns = 0;
		return 0;
	}
	return value_duration(v, NSEC_PER_SEC, 86400 * NSEC_PER_SEC,
			      &o->checkpoint_ns);
}

static int get_idle_state(const struct value *v, struct run_config *o)
{
	uint64_t n;
	int err = value_count(v, 0, 9, &n);	/* CPUIDLE_STATE_MAX is 10 */

	if (err)
		return err;
	o->idle_state_set = true;
	o->idle_state = (int)n;
	return 0;
}

/* /dev/cpu_dma_latency takes microseconds. */
static int get_dma_latency(const struct value *v, struct run_config *o)
{
	uint64_t ns;
	int err;

	o->has_dma_latency = true;
	if (!strcmp(v->arg, "off")) {
		o->dma_latency_us = -1;
		return 0;
	}
	err = value_duration(v, 0, INT32_MAX * NSEC_PER_USEC, &ns);
	if (!err && ns % NSEC_PER_USEC)
		return value_error(v, "--dma-latency %s: the kernel takes whole microseconds: give 0 to %dus, or off",
				   v->arg, INT32_MAX);
	if (!err)
		o->dma_latency_us = (int64_t)(ns / NSEC_PER_USEC);
	return err;
}

/*
 * SYSTEM or SYSTEM:EVENT. Both become names of directories in tracefs, so neither
 * may begin with a dot: sched:.. would enable all events.
 */
static int add_event(const struct value *v, struct run_config *o)
{
	size_t system = strcspn(v->arg, ":");
	const char *event = v->arg + system;

	if (!system || !strcmp(event, ":") || strpbrk(v->arg, "/ \t\n") ||
	    *v->arg == '.' || strstr(v->arg, ":.") ||
	    (*event && strchr(event + 1, ':')))
		return value_error(v, "--event: invalid event '%s': give SYSTEM or SYSTEM:EVENT, as in sched:sched_switch",
			    v->arg);
	if (o->nevents == RUN_MAX_EVENTS)
		return value_error(v, "--event is given more than %d times: give whole systems",
			    RUN_MAX_EVENTS);
	o->events[o->nevents++] = v->arg;
	return 0;
}

static int get_tune(const struct value *v, struct run_config *o)
{
	o->tune = true;
	o->tune_list = v->arg;
	if (v->arg && strcmp(v->arg, "list"))
		return value_error(v, "--tune=%s: unknown word: use --tune, or --tune=list to see the settings",
				   v->arg);
	return 0;
}

/* "@cpu, @cache, ..." */
static const char *preset_names(char *buf, size_t size)
{
	const struct load_preset *p;
	size_t n = 0;

	*buf = 0;
	for (p = load_presets; p->name; p++)
		if (n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s@%s", n ? ", " : "", p->name);
	return buf;
}

static int add_load(const struct value *v, struct run_config *o)
{
	char names[160];

	if (!*v->arg)
		return value_error(v, "--load is empty: give a command, or %s",
				   preset_names(names, sizeof(names)));
	if (*v->arg == '@' && !load_preset_find(v->arg + 1))
		return value_error(v, "--load: unknown preset '%s': use %s, or a command",
				   v->arg, preset_names(names, sizeof(names)));
	if (o->nload == RUN_MAX_LOADS)
		return value_error(v, "--load is given more than %d times: put commands together, as in 'A & B & wait'",
				   RUN_MAX_LOADS);
	o->load[o->nload++] = v->arg;
	return 0;
}

static int set_option(void *data, int val, const struct value *v)
{
	struct run_config *o = data;

	switch (val) {
	case 'h':
		return value_help(v, &o->help);
	case OPT_VERSION:
		o->version = true;
		return 1;
	case 'c':
		return value_text(v, "a CPU list, as in 0,2-5", &o->cpus);
	case OPT_HOUSEKEEPING:
		return value_text(v, "a CPU list, as in 0,2-5", &o->housekeeping);
	case OPT_CGROUP:
		return value_text(v, "a path of cgroup v2", &o->cgroup);
	case 'p':
		return value_duration(v, TLOB_PERIOD_MIN, TLOB_PERIOD_MAX,
				      &o->period_ns);
	case 'b':
		return value_duration(v, TLOB_BUDGET_MIN, TLOB_BUDGET_MAX,
				      &o->budget_ns);
	case 'w':
		return get_work(v, o);
	case OPT_WORKLOAD:
		return get_workload(v, o);
	case OPT_POLICY:
		return get_policy(v, o);
	case 'd':
		return value_duration(v, TLOB_PERIOD_MIN, NO_LIMIT,
				      &o->duration_ns);
	case 'n':
		return value_count(v, 1, INT64_MAX, &o->windows);
	case OPT_WARM_UP:
		return value_count(v, 0, TLOB_WARM_UP_MAX, &o->warm_up);
	case OPT_BACKEND:
		return get_backend(v, o);
	case OPT_NOISE_SOURCE:
		return get_noise_source(v, o);
	case OPT_FUNCTIONS:
		return function_request_add(&o->functions, v->arg, v->err, v->size);
	case OPT_ALIGN:
		return value_duration(v, 0, TLOB_ALIGN_MAX, &o->align_ns);
	case OPT_PHASE:
		o->has_phase = true;
		return value_duration(v, 0, TLOB_PHASE_MAX, &o->phase_ns);
	case OPT_HW_THRESHOLD:
		return value_duration(v, TLOB_HW_THRESHOLD_MIN,
				      TLOB_HW_THRESHOLD_MAX,
				      &o->hw_threshold_ns);
	case OPT_IDLE_STATE:
		return get_idle_state(v, o);
	case OPT_DMA_LATENCY:
		return get_dma_latency(v, o);
	case OPT_TUNE:
		return get_tune(v, o);
	case OPT_LOAD:
		return add_load(v, o);
	case OPT_LOAD_CPUS:
		return value_text(v, "a CPU list, as in 0,2-5", &o->load_cpus);
	case OPT_STOP_ON:
		return value_condition(v, condition_parse_window, o->stop_on,
				  &o->nstop_on);
	case OPT_CHECKPOINT:
		return get_checkpoint(v, o);
	case OPT_TRACE:
		return value_text(v, "the name of a file", &o->trace);
	case 'e':
		return add_event(v, o);
	case OPT_PRINT_STACK:
		o->print_stack = true;
		return 0;
	case OPT_SEED:
		o->has_seed = true;
		return value_count(v, 0, NO_LIMIT, &o->seed);
	case OPT_TIMELINE:
		o->timeline = true;
		return 0;
	case OPT_TIMELINE_JSON:
		o->timeline = true;
		return value_output(v, &o->timeline_json);
	case OPT_WAITS:
		o->waits = true;
		return 0;
	case OPT_HIST:
		return value_output(v, &o->hist);
	case OPT_JSON:
		return value_output(v, &o->json);
	case OPT_LABEL:
		return value_text(v, "a name for the result", &o->label);
	case OPT_JUNIT:
		return value_output(v, &o->junit);
	case OPT_KTAP:
		return value_output(v, &o->ktap);
	case OPT_MARKDOWN:
		return value_output(v, &o->markdown);
	case OPT_HTML:
		return value_output(v, &o->html);
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
		return value_condition(v, condition_parse_result, o->assertion,
				  &o->nassertion);
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* Checks options against one another, and fills in dependent defaults. */
static int check_together(struct run_config *o, const struct value *v)
{
	char period[DURATION_LEN], duration[DURATION_LEN];

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
	if (o->print_stack && !o->trace)
		return value_error(v, "--print-stack writes to the trace: give --trace FILE");
	if (o->nevents && !o->trace)
		return value_error(v, "--event writes to the trace: give --trace FILE");
	if (o->trace && !strcmp(o->trace, "-"))
		return value_error(v, "--trace cannot write to stdout: give the name of a file");
	if (o->checkpoint_ns && (!o->json || !strcmp(o->json, "-")))
		return value_error(v, "--checkpoint writes the result again and again: give --json FILE");
	if (o->timeline && (!strcmp(o->noise_source, "osnoise") ||
			    !strcmp(o->noise_source, "both")))
		return value_error(v, "--timeline needs hooks, because osnoise does not tell when an interruption began: give --noise-source hooks, or none");
	if (o->load_cpus && !o->nload)
		return value_error(v, "--load-cpus says where loads run: give --load");
	if (o->quiet && o->verbose)
		return value_error(v, "--quiet and --verbose contradict each other: give one");
	if (o->json && o->hist && !strcmp(o->json, o->hist))
		return value_error(v, "--json and --hist both write to %s: give two names",
			    o->json);
	return value_bind_functions(v, &o->functions, o->stop_on, o->nstop_on) ? -EINVAL :
	       value_bind_functions(v, &o->functions, o->assertion, o->nassertion);
}

static void set_defaults(struct run_config *o)
{
	*o = (struct run_config){
		.backend = BACKEND_AUTO,
		.period_ns = NSEC_PER_MSEC,
		.work_text = "spin:100us",
		.work = {
			.type = TLOB_WORK_SPIN,
			.node = TLOB_WORK_NO_NODE,
			.amount = 100 * NSEC_PER_USEC,
		},
		.workload = WORKLOAD_USER,
		.policy = "fifo:95",
		.sched = { .policy = SCHED_FIFO, .priority = 95 },
		.noise_source = "auto",
		.hw_threshold_ns = 5 * NSEC_PER_USEC,
	};
}

int run_options_parse(struct run_config *o, int argc, char **argv,
		  char *err, unsigned int size)
{
	struct value v = { .options = run_long_options, .err = err, .size = size };
	int ret;

	set_defaults(o);
	ret = options_read(o, argc, argv, run_short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	if (optind < argc)
		return value_error(&v, "extra argument '%s'",
			    argv[optind]);
	return check_together(o, &v);
}

bool run_options_only_print(const struct run_config *o)
{
	return o->help || o->version || o->tune_list || o->functions.list;
}
