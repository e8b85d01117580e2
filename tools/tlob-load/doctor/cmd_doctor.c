// SPDX-License-Identifier: GPL-2.0
/* `tlob-load doctor`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "doctor/render.h"
#include "options/command.h"
#include "options/rows.h"
#include "report/pager.h"
#include "util/near.h"

/* Between two readings of counters. A signal shortens it, and ends the tool. */
#define OBSERVED_S	1

struct doctor_config {
	const char *cpus;		/* NULL: chosen by doctor_prepare() */
	unsigned int pattern;		/* word of --pattern: 0 is periodic */
	bool	json;
	const char *why;		/* the name of a rule, or NULL */
	const struct check *rule;	/* only this one; NULL: all */
	bool	all;			/* every rule, not the first findings only */
};

#define CONFIG	struct doctor_config

static enum pattern pattern_of(const struct doctor_config *o)
{
	return o->pattern ? PATTERN_POLLING : PATTERN_PERIODIC;
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

static int check(void *config, const struct value *v)
{
	struct doctor_config *o = config;

	if (v->nrest)
		return value_error(v, "extra argument '%.60s'", v->rest[0]);
	if (!o->why)
		return 0;
	if (o->json)
		return value_error(v, "--why and --json exclude each other: the JSON has every rule");
	o->rule = check_find(o->why, pattern_of(o));
	return o->rule ? 0 : unknown_rule(v, o->why);
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

	if (o->rule)
		err = doctor_report_rule(stdout, d, &d->finding[0], page_wants_colour(stdout));
	else if (o->json)
		err = doctor_report_json(stdout, d, started);
	else
		err = doctor_report_text(stdout, d, o->all, page_wants_colour(stdout));
	if (!err && fflush(stdout))
		err = -errno;
	return err ? fail(err, "cannot write the report: %s", strerror(-err)) : 0;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	const struct doctor_config *o = config;
	struct doctor d = { .root = root_dir(), .pattern = pattern_of(o) };
	time_t started = time(NULL);
	struct doctor_tally t;
	int err;

	(void)argc;
	(void)argv;
	if (!*d.root)
		d.wait = observe;
	err = doctor_prepare(&d, o->cpus);
	if (!err)
		err = doctor_examine(&d, o->rule);
	if (!err)
		err = report(&d, o, started);
	doctor_count(&d, &t);
	doctor_free(&d);
	return err ? exit_code_of(err) : (enum exit_code)doctor_exit(&t);
}

#define RULES \
	"preempt_rt preemption threadirqs heavy_debug latency_tracers tracing " \
	"lockup_detector hung_task facilities isolated partition nohz_full rcu_nocbs " \
	"irq_default managed_irq irqs workqueues timer_migration housekeeping " \
	"irq_threads helpers workload_priority rcu_priority page_faults foreign rt_throttling fair_server " \
	"irqbalance daemons rights governor epp epb turbo platform_profile frequency cycles " \
	"thermal idle_states pm_qos pcie_aspm smt cache resctrl clocksource " \
	"tsc_reliable skew_tick smi mce efi steal vm mitigations " \
	"stat_interval numa_balancing locality thp ksm swap locked_memory"

static const struct manual_entry rules[] = {
	{ "preempt_rt", "kernel with PREEMPT_RT" },
	{ "preemption", "preemption model of a kernel without PREEMPT_RT" },
	{ "threadirqs", "threaded interrupt handlers without PREEMPT_RT" },
	{ "heavy_debug", "debug options that cost latency" },
	{ "latency_tracers", "tracers of sections with interrupts or preemption off" },
	{ "tracing", "a tracer or event that was left on" },
	{ "lockup_detector", "detector of lockups" },
	{ "hung_task", "detector of hung tasks" },
	{ "facilities", "what this kernel offers for measuring" },
	{ "isolated", "measured CPUs are isolated from the scheduler's balancing" },
	{ "partition", "measured CPUs are in an isolated cpuset partition" },
	{ "nohz_full", "periodic tick stays on" },
	{ "rcu_nocbs", "RCU callbacks run elsewhere" },
	{ "irq_default", "affinity of new interrupts" },
	{ "managed_irq", "interrupts whose affinity the kernel manages" },
	{ "irqs", "interrupts of devices" },
	{ "workqueues", "CPUs of unbound work" },
	{ "timer_migration", "timers that move to other CPUs" },
	{ "housekeeping", "a CPU for everything else" },
	{ "irq_threads", "priority of interrupt threads" },
	{ "helpers", "priority of the threads that run timers, softirqs and RCU" },
	{ "workload_priority", "priority of the workload" },
	{ "rcu_priority", "RCU's callback threads are below the workload" },
	{ "page_faults", "page faults of real-time threads while doctor ran" },
	{ "foreign", "other real-time threads on measured CPUs" },
	{ "rt_throttling", "limit on the time of real-time threads" },
	{ "fair_server", "time that ordinary tasks get next to real-time ones" },
	{ "irqbalance", "irqbalance" },
	{ "daemons", "programs that tune the machine" },
	{ "rights", "permission to run at real-time priority" },
	{ "governor", "frequency governor" },
	{ "epp", "preference between energy and performance" },
	{ "epb", "bias between energy and performance" },
	{ "turbo", "frequencies above the nominal one" },
	{ "platform_profile", "profile of the platform's firmware" },
	{ "frequency", "frequency while doctor ran" },
	{ "cycles", "cycles that were executed while doctor ran" },
	{ "thermal", "throttling because of heat while doctor ran" },
	{ "idle_states", "depth of idle states" },
	{ "pm_qos", "who limits the time to wake up" },
	{ "pcie_aspm", "power saving of PCIe links" },
	{ "smt", "sibling threads of the measured cores" },
	{ "cache", "caches that others share" },
	{ "resctrl", "partitions of caches and memory bandwidth" },
	{ "clocksource", "clock" },
	{ "tsc_reliable", "the TSC is not watched" },
	{ "skew_tick", "ticks of CPUs do not coincide" },
	{ "smi", "system management interrupts while doctor ran" },
	{ "mce", "polling for corrected machine checks" },
	{ "efi", "EFI runtime services" },
	{ "steal", "time that a hypervisor took while doctor ran" },
	{ "vm", "virtual machine" },
	{ "mitigations", "mitigations of the processor's vulnerabilities" },
	{ "stat_interval", "interval of the statistics of memory" },
	{ "numa_balancing", "balancing of memory between nodes" },
	{ "locality", "memory near the measured CPUs" },
	{ "thp", "transparent huge pages" },
	{ "ksm", "merging of equal pages" },
	{ "swap", "swap" },
	{ "locked_memory", "permission to lock memory" },
	{ NULL, NULL },
};

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ TEXT("cpus", 'c', "LIST", cpus, "a list of CPUs"), .kind = ARGUMENT_CPUS, .basic = true,
	  .fallback = "the isolated CPUs, or all but the first",
	  .brief = "CPUs for the workload, as in 0,2-5",
	  .more = "With all: every CPU that is online." },
	{ CHOICE("pattern", 0, "NAME", "periodic polling", pattern, NULL), .basic = true,
	  .fallback = "periodic", .brief = "periodic: it sleeps between windows; polling: never" },
	{ FLAG("json", 0, json), .basic = true, .brief = "print JSON on stdout instead",
	  .more = "docs/reference/doctor.md describes it." },
	{ FLAG("all", 0, all), .basic = true,
	  .brief = "print every rule, not the first five findings" },
	{ TEXT("why", 0, "RULE", why, "a rule"), WORDS(RULES), .basic = true,
	  .brief = "print one rule, and what it finds here" },
	HELP_OPTION,
	VERSION_OPTION,
	{ .title = "Rules",
	  .text = "fatal, high and medium ones can be findings, the others only record.", .list = rules },
	{ 0 },
};

const struct manual manual_doctor = {
	.name = "doctor",
	.summary = "say whether this machine is fit for real-time work",
	.usage = { "doctor [OPTION]..." },
	.brief = "Say whether this machine is fit for a real-time workload: what is set badly, and how to mend it. It reads for a second and changes nothing. What it cannot read is neither good nor bad.",
	.more = "Any user may run it; root reads more. The environment variable TLOB_ROOT names a directory with a copy of another machine's /proc and /sys.",
	.options = options,
	.exits = ENTRIES({ "0", "no finding is high or fatal" },
			 { "1", "error, or such a rule could not be read" },
			 { "2", "a finding is high or fatal" }, { "129", "usage" }),
	.examples = ENTRIES(
		{ "tlob-load doctor --cpus 2-5", "What is wrong with CPUs 2 to 5?" },
		{ "tlob-load doctor --why nohz_full --pattern polling", "Why this rule?" },
		{ "tlob-load doctor --json | jq -r '.checks[] | select(.status == \"unknown\") | .found'",
		  "What could it not read?" }),
	.size = sizeof(CONFIG),
	.check = CALL(check),
};

const struct command cmd_doctor = { .manual = &manual_doctor, .run = CALL(call) };
