/* SPDX-License-Identifier: GPL-2.0 */
/* For each rule of doctor a machine that keeps it, one that breaks it, one that hides it. */
#ifndef TLOB_UNIT_DOCTOR_CASES_H
#define TLOB_UNIT_DOCTOR_CASES_H

#include "doctor_tree.h"
#include "doctor/check.h"

#define MOST	6

struct rule_case {
	const char *id;
	enum pattern pattern;		/* 0: periodic */
	struct file base[MOST];		/* in front of all the following */
	const char *good;		/* a part of what is found; a rule that only records is NOTED */
	struct file bad[MOST];
	struct file later[MOST];	/* changes while doctor waits, in the bad machine */
	const char *found;		/* a part of what is found then */
	const char *unreadable[MOST];	/* any of them hides the rule */
	bool	together;		/* only all of them do */
	int	removed;		/* 1 + what comes without the files; 0: what the row says */
};

static const struct rule_case cases[] = {
	/* the kernel */
	{
		.id = "preempt_rt", .good = "PREEMPT_RT",
		.bad = { { "/sys/kernel/realtime", "0\n", 0 } }, .found = "not PREEMPT_RT",
		.unreadable = { "/sys/kernel/realtime", "/boot/config-6.12.0-rt", "/proc/version" }, .together = true,
	}, {
		.id = "preemption",
		.base = { { "/sys/kernel/realtime", "0\n", 0 }, { "/proc/version", "Linux version 6.12.0 #1 SMP PREEMPT_DYNAMIC\n", 0 } },
		.good = "full",
		.bad = { { "/sys/kernel/debug/sched/preempt", "(none) voluntary full\n", 0 } }, .found = "none",
		.unreadable = { "/sys/kernel/debug/sched/preempt", "/proc/version", "/boot/config-6.12.0-rt" }, .together = true,
	}, {
		.id = "threadirqs", .base = { { "/sys/kernel/realtime", "0\n", 0 } }, .good = "threadirqs",
		.bad = { { "/proc/cmdline", "quiet -- threadirqs\n", 0 } }, .found = "threadirqs is missing",
		.unreadable = { "/proc/cmdline" },
	}, {
		.id = "heavy_debug", .good = "none of them",
		.bad = { { "/boot/config-6.12.0-rt", "CONFIG_KASAN=y\nCONFIG_PROVE_LOCKING=y\n", 0 } },
		.found = "CONFIG_PROVE_LOCKING=y, CONFIG_KASAN=y", .unreadable = { "/boot/config-6.12.0-rt" },
	}, {
		.id = "latency_tracers", .good = "none of them",
		.bad = { { "/boot/config-6.12.0-rt", "CONFIG_X=y\nCONFIG_IRQSOFF_TRACER=y\n", 0 } },
		.found = "CONFIG_IRQSOFF_TRACER=y", .unreadable = { "/boot/config-6.12.0-rt" },
	}, {
		.id = "tracing", .good = "tracer nop, no event",
		.bad = { { "/sys/kernel/tracing/instances/rtla/current_tracer", "timerlat\n", 0 } },
		.found = "tracer timerlat in instance rtla",
		.unreadable = { "/sys/kernel/tracing/current_tracer", "/sys/kernel/tracing/events/enable",
				"/sys/kernel/tracing/instances/rtla/events/enable" },
	}, {
		.id = "lockup_detector", .good = "watchdog 0, nmi_watchdog 0, soft_watchdog 0",
		.bad = { { "/proc/sys/kernel/nmi_watchdog", "1\n", 0 } }, .found = "nmi_watchdog 1",
		.unreadable = { "/proc/sys/kernel/watchdog", "/proc/sys/kernel/nmi_watchdog", "/proc/sys/kernel/soft_watchdog" },
	}, {
		.id = "hung_task", .good = "600", .bad = { { "/proc/sys/kernel/hung_task_timeout_secs", "120\n", 0 } },
		.found = "120", .unreadable = { "/proc/sys/kernel/hung_task_timeout_secs" },
	}, {
		.id = "facilities", .good = "OSNOISE_TRACER yes",
		.bad = { { "/boot/config-6.12.0-rt", "CONFIG_X=y\n", 0 } }, .found = "DEBUG_INFO_BTF no",
		.unreadable = { "/boot/config-6.12.0-rt" },
	},
	/* isolation */
	{
		.id = "isolated", .good = "isolated: 2-3",
		.bad = { { CPU "/isolated", "3\n", 0 }, { "/sys/fs/cgroup/cpuset.cpus.isolated", "\n", 0 } },
		.found = "CPU 2 is missing", .unreadable = { CPU "/isolated" },
	}, {
		.id = "partition", .good = "2-3",
		.bad = { { "/sys/fs/cgroup/cpuset.cpus.isolated", "\n", 0 },
			 { "/sys/fs/cgroup/rt/cpuset.cpus.partition", "isolated invalid (Cpu list in cpuset.cpus not exclusive)\n", 0 } },
		.found = "/rt/cpuset.cpus.partition: isolated invalid (Cpu list",
		.unreadable = { "/sys/fs/cgroup/cpuset.cpus.isolated" },
	}, {
		.id = "nohz_full", .good = "none", .bad = { { CPU "/nohz_full", "3\n", 0 } }, .found = "3",
		.unreadable = { CPU "/nohz_full" },
	}, {
		.id = "nohz_full", .pattern = PATTERN_POLLING, .base = { { CPU "/nohz_full", "1-3\n", 0 } }, .good = "1-3",
		.bad = { { CPU "/nohz_full", "2\n", 0 } }, .found = "nohz_full: 2; CPU 3 is missing",
		.unreadable = { CPU "/nohz_full" },
	}, {
		.id = "rcu_nocbs", .good = "2-3", .bad = { { "/proc/cmdline", "rcu_nocbs=2\n", 0 } },
		.found = "CPU 3 is missing", .unreadable = { "/proc/cmdline", "/proc/22/task/22/status" },
	}, {
		.id = "irq_default", .good = "has CPUs 0-1", .bad = { { "/proc/irq/default_smp_affinity", "7\n", 0 } },
		.found = "has CPUs 0-2", .unreadable = { "/proc/irq/default_smp_affinity" },
	}, {
		.id = "managed_irq", .good = "2-3", .bad = { { "/proc/cmdline", "isolcpus=domain,2-3\n", 0 } },
		.found = "isolcpus=domain,2-3", .unreadable = { "/proc/cmdline" },
	}, {
		.id = "irqs", .good = "none of 1", .bad = { { "/proc/irq/24/effective_affinity_list", "3\n", 0 } },
		.found = "IRQ 24 on measured CPUs",
		.unreadable = { "/proc/irq/24/effective_affinity_list", "/proc/interrupts" },
		/* what the user set counts where the kernel does not say what is effective */
		.removed = 1 + STATUS_FINDING,
	}, {
		.id = "workqueues", .good = "has CPUs 0-1",
		.bad = { { "/sys/devices/virtual/workqueue/writeback/cpumask", "f\n", 0 } }, .found = "writeback/cpumask has CPUs 0-3",
		.unreadable = { "/sys/devices/virtual/workqueue/cpumask", "/sys/devices/virtual/workqueue/writeback/cpumask" },
	}, {
		.id = "timer_migration", .good = "0", .bad = { { "/proc/sys/kernel/timer_migration", "1\n", 0 } },
		.found = "1", .unreadable = { "/proc/sys/kernel/timer_migration" },
	}, {
		.id = "housekeeping", .good = "0-1", .bad = { { CPU "/isolated", "0-3\n", 0 } }, .found = "none",
		.unreadable = { CPU "/isolated" },
	},
	/* threads */
	{
		.id = "irq_threads", .good = "none", .bad = { TASK(30, "irq/24-eth0", KTHREAD, 96, 1, "0-3") },
		.found = "irq/24-eth0 (pid 30, fifo:96)", .unreadable = { "/proc/self/stat", "/proc/30/task/30/stat" },
	}, {
		.id = "helpers", .good = "ktimers fifo:2 on CPU 2", .bad = { TASK(20, "ktimers/2", KTHREAD, 0, 0, "2") },
		.found = "ktimers other on CPU 2", .unreadable = { "/proc/20/task/20/stat" },
		.removed = 1 + STATUS_NOTED,		/* the thread has ended */
	}, {
		.id = "workload_priority", .good = "95", .bad = { { "/proc/self/stat", STAT(200, "tlob-load", USER, 98, 1), 0 } },
		.found = "98", .unreadable = { "/proc/self/stat" },
	}, {
		.id = "rcu_priority", .good = "rcuc fifo:4 on CPU 3; the workload has 95",
		.bad = { TASK(21, "rcuc/3", KTHREAD, 95, 1, "3") }, .found = "rcuc fifo:95 on CPU 3",
		.unreadable = { "/proc/self/stat", "/proc/21/task/21/stat" },
	}, {
		.id = "rcu_priority", .pattern = PATTERN_POLLING, .good = "rcuc fifo:4 on CPU 3",
		.bad = { { "/proc/cmdline", "quiet rcu_nocbs=2\n", 0 } }, .found = "rcuc fifo:4 on CPU 3; the workload has 95",
		.unreadable = { "/proc/self/stat", "/proc/21/task/21/stat", "/proc/cmdline" },
	}, {
		.id = "page_faults", .base = { TASK(101, "plc", USER, 80, 1, "2") }, .good = "0 by 1 thread while doctor ran",
		.later = { { "/proc/101/task/101/stat", STAT_FAULTS(101, "plc", USER, 80, 1, 3, 2), 0 } },
		.found = "5 by 1 thread while doctor ran, the first by plc", .unreadable = { "/proc/101/task/101/stat" },
		.removed = 1 + STATUS_PASS,
	}, {
		.id = "foreign", .good = "none", .bad = { TASK(101, "jackd", USER, 95, 2, "2-3") },
		.found = "jackd (pid 101, rr:95)", .unreadable = { "/proc/self/stat", "/proc/100/task/100/stat" },
	}, {
		.id = "deadline", .good = "none",
		.bad = { TASK(104, "edf", USER, 0, 6, "2-3"),
			 { "/proc/104/task/104/sched", "edf (104, #threads: 1)\ndl.runtime     :   300000\ndl.deadline    :  10000000\n", 0 } },
		.found = "edf (pid 104, 300us within 10ms)", .unreadable = { "/proc/100/task/100/stat" },
		.removed = 1 + STATUS_NOTED,
	}, {
		.id = "rt_throttling", .good = "-1",
		.bad = { { "/proc/sys/kernel/sched_rt_runtime_us", "950000\n", 0 }, { "/boot/config-6.12.0-rt", "CONFIG_RT_GROUP_SCHED=y\n", 0 } },
		.found = "950000", .unreadable = { "/proc/sys/kernel/sched_rt_runtime_us" },
	}, {
		.id = "cpu_limit", .good = "none",
		.bad = { { CGROUP_DIR "/plc/cpu.max", "20000 100000\n", 0 } },
		.found = "group /plc has 20ms per 100ms (cpu.max)", .unreadable = { "/proc/self/cgroup" },
	}, {
		.id = "fair_server", .good = "50000000 on CPUs 2-3",
		.bad = { { "/sys/kernel/debug/sched/fair_server/cpu3/runtime", "0\n", 0 } }, .found = "0 on CPU 3",
		.unreadable = { "/sys/kernel/debug/sched/fair_server/cpu2/runtime", "/sys/kernel/debug/sched/fair_server/cpu3/runtime" },
	}, {
		.id = "irqbalance",
		.base = { TASK(102, "irqbalance", USER, 0, 0, "0-3"),
			  { "/proc/102/environ", "A=b\0IRQBALANCE_BANNED_CPULIST=2-3\0", 34 } },
		.good = "leaves alone CPUs 2-3",
		.bad = { { "/proc/102/environ", "IRQBALANCE_BANNED_CPUS=c0\0", 26 } }, .found = "leaves alone CPUs 6-7",
		.unreadable = { "/proc/102/environ" },
	}, {
		.id = "daemons", .good = "stalld does not run", .bad = { TASK(103, "stalld", USER, 0, 0, "0-3") },
		.found = "stalld runs", .unreadable = { "/proc/100/task/100/stat" },
		.removed = 1 + STATUS_NOTED,		/* the process has ended */
	}, {
		.id = "rights", .good = "CAP_SYS_NICE yes", .bad = { { "/proc/self/status", STATUS("0000000000000000", "0"), 0 } },
		.found = "CAP_SYS_NICE no, RLIMIT_RTPRIO 0", .unreadable = { "/proc/self/status", "/proc/self/limits" },
	},
	/* power */
	{
		.id = "governor", .good = "performance, 800 to 3000 MHz on CPUs 2-3",
		.bad = { { CPU "/cpu3/cpufreq/scaling_governor", "schedutil\n", 0 } }, .found = "schedutil, 800 to 3000 MHz on CPU 3",
		.unreadable = { CPU "/cpu2/cpufreq/scaling_governor", CPU "/cpu3/cpufreq/scaling_governor",
				CPU "/cpu3/cpufreq/scaling_min_freq" },
	}, {
		.id = "epp", .good = "performance on CPUs 2-3",
		.bad = { { CPU "/cpu2/cpufreq/energy_performance_preference", "balance_power\n", 0 } }, .found = "balance_power on CPU 2",
		.unreadable = { CPU "/cpu2/cpufreq/energy_performance_preference", CPU "/cpu3/cpufreq/energy_performance_preference" },
	}, {
		.id = "epb", .good = "0 on CPUs 2-3", .bad = { { CPU "/cpu2/power/energy_perf_bias", "6\n", 0 } }, .found = "6 on CPU 2",
		.unreadable = { CPU "/cpu2/power/energy_perf_bias", CPU "/cpu3/power/energy_perf_bias" },
	}, {
		.id = "turbo", .good = "off", .bad = { { CPU "/intel_pstate/no_turbo", "0\n", 0 } }, .found = "on",
		.unreadable = { CPU "/intel_pstate/no_turbo" },
	}, {
		.id = "platform_profile", .good = "performance",
		.bad = { { "/sys/firmware/acpi/platform_profile", "balanced\n", 0 } }, .found = "balanced",
		.unreadable = { "/sys/firmware/acpi/platform_profile" },
	}, {
		.id = "frequency", .good = "3000 to 3000 MHz on CPUs 2-3",
		.later = { { CPU "/cpu3/cpufreq/scaling_cur_freq", "1000000\n", 0 } }, .found = "1000 to 3000 MHz on CPU 3",
		.unreadable = { CPU "/cpu2/cpufreq/scaling_cur_freq", CPU "/cpu3/cpufreq/scaling_cur_freq" },
	}, {
		.id = "cycles", .good = "no cycle counted on CPUs 2-3",
		.later = { { "/dev/cpu/3/msr", MSRS("\1", "\4", "\2"), MSR_SIZE } },
		.found = "no cycle counted on CPU 2, 50 % of the nominal frequency on CPU 3",
		.unreadable = { "/dev/cpu/2/msr", "/dev/cpu/3/msr" },
	}, {
		.id = "thermal", .good = "0 while doctor ran, 22 since the boot",
		.later = { { CPU "/cpu3/thermal_throttle/package_throttle_count", "9\n", 0 } }, .found = "3 while doctor ran",
		.unreadable = { CPU "/cpu2/thermal_throttle/core_throttle_count", CPU "/cpu3/thermal_throttle/core_throttle_count" },
	}, {
		.id = "idle_states", .good = "state 1 (C1), left in 2 us on CPUs 2-3",
		.bad = { { CPU "/cpu3/cpuidle/state2/disable", "0\n", 0 } }, .found = "state 2 (C6), left in 133 us on CPU 3",
		.unreadable = { CPU "/cpu2/cpuidle", CPU "/cpu3/cpuidle/state2/disable", CPU "/cpu3/cpuidle/state1/latency",
				CPU "/cpu3/cpuidle" },
	}, {
		.id = "pm_qos", .good = "0 us, resume limit none on CPUs 2-3",
		.bad = { { "/dev/cpu_dma_latency", "\x00\x94\x35\x77", 4 } }, .found = "no request",
		.unreadable = { "/dev/cpu_dma_latency", CPU "/cpu3/power/pm_qos_resume_latency_us" },
	}, {
		.id = "pcie_aspm", .good = "performance",
		.bad = { { "/sys/module/pcie_aspm/parameters/policy", "[default] performance powersave\n", 0 },
			 { "/sys/bus/pci/devices/0000:00:01.0/current_link_speed", "8.0 GT/s PCIe\n", 0 } }, .found = "default",
		.unreadable = { "/sys/module/pcie_aspm/parameters/policy" },
	},
	/* hardware */
	{
		.id = "smt",
		.base = { { CPU "/smt/active", "1\n", 0 }, { CPU "/cpu2/topology/thread_siblings_list", "2,6\n", 0 },
			  { CPU "/cpu3/topology/thread_siblings_list", "3,7\n", 0 } },
		.good = "siblings are idle", .bad = { { CPU "/cpu2/topology/thread_siblings_list", "0,2\n", 0 } },
		.found = "sibling 0 on CPU 2",
		.unreadable = { CPU "/cpu2/topology/thread_siblings_list", CPU "/cpu3/topology/thread_siblings_list" },
	}, {
		.id = "cache", .good = "L3 shared with 0-1,3 on CPU 2, L3 shared with 0-2 on CPU 3",
		.bad = { { CPU "/cpu2/cache/index1/shared_cpu_list", "2\n", 0 }, { CPU "/cpu3/cache/index1/shared_cpu_list", "3\n", 0 } },
		.found = "no cache is shared",
		.unreadable = { CPU "/cpu2/cache/index0/level", CPU "/cpu3/cache/index0/level", CPU "/cpu3/cache/index1/shared_cpu_list" },
	}, {
		.id = "resctrl", .good = "L3:0=fff", .bad = { { "/sys/fs/resctrl/schemata", "    L3:0=f0\n", 0 } }, .found = "L3:0=f0",
		.unreadable = { "/sys/fs/resctrl/schemata" },
	}, {
		.id = "clocksource", .good = "tsc",
		.bad = { { "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", 0 } }, .found = "hpet",
		.unreadable = { "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	}, {
		.id = "timer_resolution", .good = "exact",
		.bad = { { "/proc/timer_list", "cpu: 0\n clock 0:\n  .resolution: 4000000 nsecs\n", 0 } }, .found = "4 ms",
		.unreadable = { "/proc/timer_list" },
	}, {
		.id = "tsc_reliable", .good = "tsc=reliable", .bad = { { "/proc/cmdline", "tsctsc=reliable\n", 0 } }, .found = "tsc=reliable is missing",
		.unreadable = { "/proc/cmdline", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	}, {
		.id = "skew_tick", .good = "skew_tick=1", .bad = { { "/proc/cmdline", "skew_tick=1 skew_tick=0\n", 0 } }, .found = "skew_tick=0",
		.unreadable = { "/proc/cmdline" },
	}, {
		.id = "smi", .good = "0 while doctor ran, 2 since the boot", .later = { { "/dev/cpu/3/msr", MSR("\3"), MSR_SIZE } },
		.found = "2 while doctor ran", .unreadable = { "/dev/cpu/2/msr", "/dev/cpu/3/msr" },
	}, {
		.id = "mce", .good = "1 on CPUs 2-3",
		.bad = { { "/sys/devices/system/machinecheck/machinecheck3/ignore_ce", "0\n", 0 } }, .found = "0 on CPU 3",
		.unreadable = { "/sys/devices/system/machinecheck/machinecheck2/ignore_ce",
				"/sys/devices/system/machinecheck/machinecheck3/ignore_ce" },
	}, {
		.id = "efi", .good = "runs on CPUs 0-1",
		.bad = { { "/sys/devices/virtual/workqueue/efi_runtime/cpumask", "4\n", 0 } }, .found = "runs on CPUs 2",
		.unreadable = { "/sys/devices/virtual/workqueue/efi_runtime/cpumask" },
		.removed = 1 + STATUS_UNKNOWN,	/* the machine was booted by EFI, though */
	}, {
		.id = "steal", .good = "0 ticks while doctor ran, 2 since the boot", .later = { { "/proc/stat", PROC_STAT("4"), 0 } },
		.found = "3 ticks while doctor ran", .unreadable = { "/proc/stat" },
	}, {
		.id = "vm", .good = "no sign of a hypervisor",
		.bad = { { "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor\nbugs\t:\n", 0 } },
		.found = "a virtual machine", .unreadable = { "/proc/cpuinfo" },
	}, {
		.id = "mitigations", .good = "1 mitigated, 0 vulnerable, 1 not affected",
		.bad = { { CPU "/vulnerabilities/meltdown", "Vulnerable\n", 0 } }, .found = "0 mitigated, 1 vulnerable",
		.unreadable = { CPU "/vulnerabilities/meltdown", CPU "/vulnerabilities" },
	},
	/* memory */
	{
		.id = "stat_interval", .good = "10", .bad = { { "/proc/sys/vm/stat_interval", "1\n", 0 } }, .found = "1",
		.unreadable = { "/proc/sys/vm/stat_interval" },
	}, {
		.id = "numa_balancing", .good = "0", .bad = { { "/proc/sys/kernel/numa_balancing", "1\n", 0 } }, .found = "1",
		.unreadable = { "/proc/sys/kernel/numa_balancing" },
	}, {
		.id = "locality", .good = "node 0 with memory on CPUs 2-3",
		.bad = { { "/sys/devices/system/node/has_memory", "1\n", 0 } }, .found = "node 0 without memory on CPUs 2-3",
		.unreadable = { "/sys/devices/system/node/has_memory", "/proc/self/status" },
	}, {
		.id = "thp", .good = "never", .bad = { { "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", 0 } },
		.found = "madvise", .unreadable = { "/sys/kernel/mm/transparent_hugepage/enabled" },
	}, {
		.id = "ksm", .good = "0", .bad = { { "/sys/kernel/mm/ksm/run", "1\n", 0 } }, .found = "1",
		.unreadable = { "/sys/kernel/mm/ksm/run" },
	}, {
		.id = "swap",
		.base = { { "/proc/swaps", "Filename\tType\n/dev/sda2\tpartition\n", 0 }, { "/proc/sys/vm/swappiness", "10\n", 0 } },
		.good = "swap is on, swappiness 10", .bad = { { "/proc/sys/vm/swappiness", "60\n", 0 } }, .found = "swappiness 60",
		.unreadable = { "/proc/swaps", "/proc/sys/vm/swappiness" },
	}, {
		.id = "locked_memory", .good = "CAP_IPC_LOCK yes",
		.bad = { { "/proc/self/status", STATUS("0000000000800000", "0"), 0 } }, .found = "CAP_IPC_LOCK no, RLIMIT_MEMLOCK 8388608",
		.unreadable = { "/proc/self/status", "/proc/self/limits" },
	},
};

#endif /* TLOB_UNIT_DOCTOR_CASES_H */
