// SPDX-License-Identifier: GPL-2.0
/* The manual of `tlob-load doctor`. tests/unit/test_doctor compares its rules with the tables. */
#include "help/manual.h"
#include "help/shared.h"

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
	{ "fair_server", "time that ordinary tasks get beside real-time ones" },
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
	{ "cpus", 'c', true, "LIST", ARGUMENT_CPUS, NULL, "the isolated CPUs, or all but the first",
	  "CPUs for the workload, as in 0,2-5", "With all: every CPU that is online.", NULL },
	{ "pattern", 0, true, "NAME", ARGUMENT_WORDS, "periodic polling", "periodic",
	  "periodic: it sleeps between windows; polling: never", NULL, NULL },
	{ "json", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print JSON on stdout instead", "docs/reference/doctor.md describes it.", NULL },
	{ "all", 0, true, NULL, ARGUMENT_TEXT, NULL, NULL,
	  "print every rule, not the first five findings", NULL, NULL },
	{ "why", 0, true, "RULE", ARGUMENT_WORDS, RULES, NULL,
	  "print one rule, and what it finds here", NULL, NULL },
	HELP_OPTION,
	VERSION_OPTION,
	{ 0 },
};

static const struct manual_section sections[] = {
	{ "Options", NULL, options, NULL, NULL },
	{ "Rules", "fatal, high and medium ones can be findings, the others only record.", NULL, rules, NULL },
	{ 0 },
};

static const struct manual_entry exits[] = {
	{ "0", "no finding is high or fatal" },
	{ "1", "error, or such a rule could not be read" },
	{ "2", "a finding is high or fatal" },
	{ "129", "usage" },
	{ NULL, NULL },
};

static const struct manual_entry examples[] = {
	{ "tlob-load doctor --cpus 2-5", "What is wrong with CPUs 2 to 5?" },
	{ "tlob-load doctor --why nohz_full --pattern polling", "Why this rule?" },
	{ "tlob-load doctor --json | jq -r '.checks[] | select(.status == \"unknown\") | .found'",
	  "What could it not read?" },
	{ NULL, NULL },
};

static const char * const usage[] = { "doctor [OPTION]...", NULL };

const struct manual manual_doctor = {
	.name = "doctor",
	.summary = "say whether this machine is fit for real-time work",
	.usage = usage,
	.brief = "Say whether this machine is fit for a real-time workload: what is set badly, and how to mend it. It reads for a second and changes nothing. What it cannot read is neither good nor bad.",
	.more = "Any user may run it; root reads more. The environment variable TLOB_ROOT names a directory with a copy of another machine's /proc and /sys.",
	.sections = sections,
	.exits = exits,
	.examples = examples,
};
