// SPDX-License-Identifier: GPL-2.0
/* `tlob-load doctor`, from the options to the exit code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "doctor/doctor.h"
#include "options/command.h"
#include "options/rows.h"
#include "report/findings_render.h"
#include "report/pager.h"
#include "util/file.h"
#include "util/near.h"

struct doctor_config {
	const char *cpus;		/* NULL: chosen by doctor_prepare() */
	unsigned int pattern;		/* word of --pattern: 0 is periodic */
	const char *json;		/* the file for it; "-" is stdout, NULL: none */
	bool	quiet;
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

/* A copy of another machine's /proc and /sys, or this machine. */
static const char *root_dir(void)
{
	const char *root = getenv("TLOB_ROOT");

	return root ? root : "";
}

static int report(struct output *json, const struct doctor_config *o, const struct examination *e)
{
	FILE *people = outputs_people(json, 1);
	int err = 0;

	if (o->rule)
		err = examination_rule(people, &e->at[0], page_wants_colour(people));
	else if (!o->quiet)
		err = examination_text(people, e, o->all, page_wants_colour(people));
	if (fflush(people) || err)
		return output_failed(people, "the report", err ? err : -EIO);
	if (!json->f)
		return 0;
	err = examination_json(json->f, e);
	return err ? output_failed(json->f, "the JSON", err) : output_commit(json);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	const struct doctor_config *o = config;
	struct doctor d = {
		.root = root_dir(), .pattern = pattern_of(o), .report.started = time(NULL),
	};
	struct output json = { 0 };
	enum exit_code code;
	int err = output_open(&json, o->json);

	(void)argc;
	(void)argv;
	if (!*d.root)
		d.wait = doctor_observe;
	if (!err)
		err = doctor_prepare(&d, o->cpus);
	if (!err)
		err = doctor_examine(&d, o->rule);
	if (!err)
		err = report(&json, o, &d.report);
	code = err ? exit_code_of(err) : d.report.outcome;
	/* an old report must not pass for the report of a doctor that failed */
	if (err)
		outputs_remove(&json, 1);
	output_discard(&json);
	doctor_free(&d);
	return code;
}

/* X(id, title): the rules of the tables, of two with one id the first. */
#define RULES(X) \
	X("preempt_rt", "kernel with PREEMPT_RT") \
	X("preemption", "preemption model of a kernel without PREEMPT_RT") \
	X("threadirqs", "threaded interrupt handlers without PREEMPT_RT") \
	X("heavy_debug", "debug options that cost latency") \
	X("latency_tracers", "tracers of sections with interrupts or preemption off") \
	X("tracing", "a tracer or event that was left on") \
	X("lockup_detector", "detector of lockups") \
	X("hung_task", "detector of hung tasks") \
	X("facilities", "what this kernel offers for measuring") \
	X("isolated", "measured CPUs are isolated from the scheduler's balancing") \
	X("partition", "measured CPUs are in an isolated cpuset partition") \
	X("nohz_full", "periodic tick stays on") \
	X("rcu_nocbs", "RCU callbacks run elsewhere") \
	X("irq_default", "affinity of new interrupts") \
	X("managed_irq", "interrupts whose affinity the kernel manages") \
	X("irqs", "interrupts of devices") \
	X("workqueues", "CPUs of unbound work") \
	X("timer_migration", "timers that move to other CPUs") \
	X("housekeeping", "a CPU for everything else") \
	X("irq_threads", "priority of interrupt threads") \
	X("helpers", "priority of the threads that run timers, softirqs and RCU") \
	X("workload_priority", "priority of the workload") \
	X("rcu_priority", "RCU's callback threads are below the workload") \
	X("page_faults", "page faults of real-time threads while doctor ran") \
	X("foreign", "other real-time threads on measured CPUs") \
	X("rt_throttling", "limit on the time of real-time threads") \
	X("cpu_limit", "limit on the CPU time of the group") \
	X("fair_server", "time that ordinary tasks get next to real-time ones") \
	X("irqbalance", "irqbalance") \
	X("daemons", "programs that tune the machine") \
	X("rights", "permission to run at real-time priority") \
	X("governor", "frequency governor") \
	X("epp", "preference between energy and performance") \
	X("epb", "bias between energy and performance") \
	X("turbo", "frequencies above the nominal one") \
	X("platform_profile", "profile of the platform's firmware") \
	X("frequency", "frequency while doctor ran") \
	X("cycles", "cycles that were executed while doctor ran") \
	X("thermal", "throttling because of heat while doctor ran") \
	X("idle_states", "depth of idle states") \
	X("pm_qos", "who limits the time to wake up") \
	X("pcie_aspm", "power saving of PCIe links") \
	X("smt", "sibling threads of the measured cores") \
	X("cache", "caches that others share") \
	X("resctrl", "partitions of caches and memory bandwidth") \
	X("clocksource", "clock") \
	X("timer_resolution", "timers of high resolution") \
	X("tsc_reliable", "the TSC is not watched") \
	X("skew_tick", "ticks of CPUs do not coincide") \
	X("smi", "system management interrupts while doctor ran") \
	X("mce", "polling for corrected machine checks") \
	X("efi", "EFI runtime services") \
	X("steal", "time that a hypervisor took while doctor ran") \
	X("vm", "virtual machine") \
	X("mitigations", "mitigations of the processor's vulnerabilities") \
	X("stat_interval", "interval of the statistics of memory") \
	X("numa_balancing", "balancing of memory between nodes") \
	X("locality", "memory near the measured CPUs") \
	X("thp", "transparent huge pages") \
	X("ksm", "merging of equal pages") \
	X("swap", "swap") \
	X("locked_memory", "permission to lock memory")

/* "preempt_rt preemption ..." */
#define RULE_WORD(id, title)	" " id
#define RULE_WORDS	(&RULES(RULE_WORD)[1])

#define RULE_ENTRY(id, title)	{ id, title },
static const struct manual_entry rules[] = { RULES(RULE_ENTRY) { NULL, NULL } };

static const struct manual_option options[] = {
	{ .title = "Options" },
	{ TEXT("cpus", 'c', "LIST", cpus, "a list of CPUs"), .kind = ARGUMENT_CPUS, .basic = true,
	  .fallback = "the isolated CPUs, or all but the first",
	  .brief = "CPUs for the workload, as in 0,2-5",
	  .more = "With all: every CPU that is online." },
	{ CHOICE("pattern", 0, "NAME", "periodic polling", pattern, NULL), .basic = true,
	  .fallback = "periodic", .brief = "periodic: it sleeps between windows; polling: never" },
	JSON_OPTION(json, "docs/reference/doctor.schema.json describes it."),
	{ FLAG("all", 0, all), .basic = true,
	  .brief = "print every rule, not the first five findings" },
	{ TEXT("why", 0, "RULE", why, "a rule"), WORDS(RULE_WORDS), .basic = true,
	  .brief = "print one rule, and what it finds here" },
	{ FLAG("quiet", 'q', quiet), .brief = "print only errors" },
	HELP_OPTION,
	VERSION_OPTION,
	{ .title = "Rules",
	  .text = "fatal, high and medium ones can be findings, the others only record.", .list = rules },
	{ 0 },
};

const struct manual manual_doctor = {
	.name = "doctor",
	.summary = "say whether this machine is set up for real-time work",
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
		{ "tlob-load doctor -q --json - | jq -r '.checks[] | select(.status == \"unknown\") | .found'",
		  "What could it not read?" }),
	.size = sizeof(CONFIG),
	.check = CALL(check),
};

const struct command cmd_doctor = { .manual = &manual_doctor, .run = CALL(call) };
