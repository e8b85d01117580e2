// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stddef.h>

#include "functions/refused.h"

struct refusal {
	const char *pattern, *because;
};

static const struct refusal refused[] = {
	{ "preempt_count_*", "every probe calls it: kernels hang without a word" },
	{ "rcu_read_lock_*", "every probe calls it on debug kernels: they die of a full stack" },
	{ "rcu_lockdep_*", "every probe calls it on debug kernels: they die of a full stack" },
	{ "tlob_*", "it belongs to tlob-load, which would measure itself" },
	{ "fprobe_*", "it belongs to the probes" },
	{ "rethook_*", "it belongs to the probes" },
	{ "kprobe_*", "it belongs to the probes" },
	{ "kretprobe_*", "it belongs to the probes" },
	{ "ftrace_*", "it belongs to the tracer that the probes are made of" },
	{ "fgraph_*", "it belongs to the tracer that the probes are made of" },
	{ "function_graph_*", "it belongs to the tracer that the probes are made of" },
	{ "trace_clock*", "every probe reads the clock" },
	{ "ktime_get_mono_fast_ns", "every probe reads the clock" },
	{ "sched_clock*", "every probe reads the clock" },
	{ "read_hpet", "every probe reads the clock, which may be the HPET" },
	{ "acpi_pm_read*", "every probe reads the clock, which may be this timer" },
	{ "arch_counter_*", "every probe reads the clock, which is this counter on arm64" },
};

/*
 * The end of a probe unlocks RCU, which may call the first ones again. A trampoline waits
 * for the return of what it has called, so it is lost with a function without one.
 */
static const struct refusal by_bpf[] = {
	{ "rcu_*unlock*", "each BPF program unlocks RCU: it would call itself" },
	{ "__rcu_*lock*", "each BPF program locks RCU: it would call itself" },
	{ "rcu_preempt_*", "unlocking RCU calls it, as each BPF program does" },
	{ "rcu_report_*", "unlocking RCU calls it, as each BPF program does" },
	{ "invoke_rcu_core", "unlocking RCU calls it, as each BPF program does" },
	{ "raise_softirq*", "unlocking RCU calls it, as each BPF program does" },
	{ "__raise_softirq*", "unlocking RCU calls it, as each BPF program does" },
	{ "irq_work_*", "unlocking RCU calls it, as each BPF program does" },
	{ "migrate_*able", "each BPF program calls it" },
	{ "bpf_*", "it belongs to BPF" },
	{ "__bpf_*", "it belongs to BPF" },
	{ "do_exit", "it does not return" },
	{ "do_group_exit", "it does not return" },
	{ "do_task_dead", "it does not return" },
	{ "make_task_dead", "it does not return" },
	{ "kthread_*exit", "it does not return" },
	{ "*sys_exit", "it does not return" },
	{ "*sys_exit_group", "it does not return" },
	{ "cpu_startup_entry", "it does not return" },
	{ "panic", "it does not return" },
};

static const char *find(const struct refusal *r, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!fnmatch(r[i].pattern, name, 0))
			return r[i].because;
	return NULL;
}

const char *function_refused(const char *name)
{
	return find(refused, sizeof(refused) / sizeof(refused[0]), name);
}

const char *function_refused_by_bpf(const char *name)
{
	return find(by_bpf, sizeof(by_bpf) / sizeof(by_bpf[0]), name);
}
