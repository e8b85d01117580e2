// SPDX-License-Identifier: GPL-2.0
/* Machines that the cases of the rules have not: each is good, or bad, in another way. */
#include "doctor_look.h"

/* Each way to be good, and each to be bad, that the cases have not. */
TEST(test_other_ways)
{
	static const struct file arm[] = {
		{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "arch_sys_counter\n", 0 },
		{ "/proc/cmdline", "quiet efi=noruntime\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file fixed[] = {
		{ CPU "/cpu2/cpufreq/scaling_governor", "schedutil\n", 0 },
		{ CPU "/cpu2/cpufreq/scaling_min_freq", "3000000\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file interrupts[] = { { "/proc/interrupts", INTERRUPTS("8"), 0 }, { NULL, NULL, 0 } };
	static const struct file deadline[] = { TASK(104, "dl", USER, 0, 6, "3"), { NULL, NULL, 0 } };
	static const struct file nocb[] = { TASK(22, "rcuop/2", KTHREAD, 0, 0, "0-3"), { NULL, NULL, 0 } };
	static const struct file garbage[] = { { "/proc/sys/vm/stat_interval", "12x\n", 0 }, { NULL, NULL, 0 } };
	static const struct file version[] = { { "/proc/version", "Linux version 6.12 SMP PREEMPT_DYNAMIC\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	expect("threadirqs", 0, NULL, "RT", STATUS_ABSENT, "always does");
	expect("smt", 0, NULL, "off", STATUS_PASS, "off");
	expect("irqbalance", 0, NULL, "none", STATUS_PASS, "does not run");
	expect("swap", 0, NULL, "none", STATUS_PASS, "none");
	expect("irqs", 0, interrupts, "came", STATUS_FINDING, "1 interrupts of devices came");
	put_all(arm);
	expect("tsc_reliable", 0, NULL, "arm64", STATUS_ABSENT, "no TSC");
	expect("efi", 0, NULL, "off", STATUS_PASS, "efi=noruntime");
	tree_make();
	tree_remove("/sys/firmware/efi");
	expect("efi", 0, NULL, "BIOS", STATUS_ABSENT, "not booted by EFI");
	tree_put(&(struct file){ "/sys/firmware/efi/runtime", "0x0\n", 0 });
	tree_put(&(struct file){ "/sys/devices/virtual/workqueue/efi_runtime/cpumask", "x\n", 0 });
	expect("efi", 0, NULL, "no mask", STATUS_UNKNOWN, "cpumask: unknown format");
	put_all(fixed);
	expect("governor", 0, NULL, "min is max", STATUS_PASS, "schedutil, 3000 to 3000 MHz on CPU 2");
	put_all(deadline);
	expect("foreign", 0, NULL, "deadline", STATUS_FINDING, "dl (pid 104, deadline)");
	put_all(nocb);
	expect("rcu_nocbs", 0, NULL, "rcuo", STATUS_FINDING, "rcuop/2");
	tree_remove("/proc/23");
	expect("rcu_nocbs", 0, NULL, "no rcuo", STATUS_FINDING,
	       "no thread rcuo for CPUs 3: the kernel is built without RCU_NOCB_CPU");
	put_all(garbage);
	expect("stat_interval", 0, NULL, "no number", STATUS_UNKNOWN, "unknown format");
	tree_remove("/sys/kernel/realtime");
	expect("preempt_rt", 0, NULL, "by its configuration", STATUS_PASS, "PREEMPT_RT");
	tree_remove("/boot/config-6.12.0-rt");
	expect("preempt_rt", 0, NULL, "by its version", STATUS_PASS, "PREEMPT_RT");
	put_all(version);
	expect("preempt_rt", 0, NULL, "by its version", STATUS_FINDING, "not PREEMPT_RT");
	tree_remove("/proc/interrupts");
	assert_int_equal(status_of("irqs", 0), STATUS_UNKNOWN);
}

#define ARM_INTERRUPTS(timer) \
	"           CPU0       CPU1       CPU2       CPU3\n" \
	" 11:        900        800        700        " timer "     GICv3  27 Level     arch_timer\n" \
	" 24:          9          0          0          7     GICv3  83 Level     eth0\n"

/* On arm64 the timer of each CPU has a number, as devices have. */
TEST(test_own_timers)
{
	static const struct file before[] = {
		{ "/proc/interrupts", ARM_INTERRUPTS("600"), 0 }, { "/proc/irq/11/effective_affinity_list", "\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file after[] = { { "/proc/interrupts", ARM_INTERRUPTS("850"), 0 }, { NULL, NULL, 0 } };

	tree_make();
	put_all(before);
	expect("irqs", 0, after, "its timer", STATUS_PASS, "none of 2");
}

/* State 1 is C1 only behind POLL: on arm64 state 0 waits, and state 1 may turn the core off. */
TEST(test_arm_states)
{
	static const struct file arm[] = {
		EACH("cpuidle/state0/name", "WFI\n"), EACH("cpuidle/state1/name", "cpu-sleep-0\n"),
		EACH("cpuidle/state1/latency", "680\n"), { NULL, NULL, 0 },
	};
	static const struct file off[] = { EACH("cpuidle/state1/disable", "1\n"), { NULL, NULL, 0 } };
	static const struct file all_off[] = { EACH("cpuidle/state0/disable", "1\n"), { NULL, NULL, 0 } };

	tree_make();
	put_all(arm);
	expect("idle_states", 0, NULL, "arm64", STATUS_FINDING, "state 1 (cpu-sleep-0), left in 680 us on CPUs 2-3");
	put_all(off);
	expect("idle_states", 0, NULL, "arm64, WFI only", STATUS_PASS, "state 0 (WFI), left in 0 us");
	put_all(all_off);
	expect("idle_states", 0, NULL, "none", STATUS_PASS, "all states are off on CPUs 2-3");
}

/* Root of a user namespace has every capability there, and may do neither. */
TEST(test_user_namespace)
{
	static const struct file first[] = { { "/proc/self/uid_map", "         0          0 4294967295\n", 0 }, { NULL, NULL, 0 } };
	static const struct file other[] = { { "/proc/self/uid_map", "         0      65534          1\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	put_all(first);
	expect("rights", 0, NULL, "first", STATUS_PASS, "CAP_SYS_NICE yes");
	expect("locked_memory", 0, NULL, "first", STATUS_PASS, "CAP_IPC_LOCK yes");
	put_all(other);
	expect("rights", 0, NULL, "other", STATUS_FINDING, "CAP_SYS_NICE only in its user namespace");
	expect("locked_memory", 0, NULL, "other", STATUS_FINDING, "CAP_IPC_LOCK only in its user namespace");
}

/* Whoever may ask for a policy, a group of RT_GROUP_SCHED decides. */
TEST(test_group_without_rt)
{
	static const struct file none[] = {
		{ "/proc/self/cgroup", "4:cpu,cpuacct:/plc\n", 0 },
		{ "/sys/fs/cgroup/cpu/plc/cpu.rt_runtime_us", "0\n", 0 },
		{ "/sys/fs/cgroup/cpu/plc/cpu.rt_period_us", "1000000\n", 0 }, { NULL, NULL, 0 },
	};
	static const struct file some[] = { { "/sys/fs/cgroup/cpu/plc/cpu.rt_runtime_us", "9000\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	put_all(none);
	expect("rights", 0, NULL, "none", STATUS_FINDING, "and the group's cpu.rt_runtime_us is 0");
	put_all(some);
	expect("rights", 0, NULL, "some", STATUS_PASS, "CAP_SYS_NICE yes");
}

/* From Linux 6.12 on the limit is only deadline tasks', unless groups have limits of their own. */
TEST(test_no_throttling)
{
	static const struct file limit[] = { { "/proc/sys/kernel/sched_rt_runtime_us", "950000\n", 0 }, { NULL, NULL, 0 } };
	static const struct file older[] = { { "/proc/sys/kernel/osrelease", "6.11.9\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	put_all(limit);
	expect("rt_throttling", 0, NULL, "6.12", STATUS_ABSENT, "see the rule fair_server");
	tree_remove("/boot/config-6.12.0-rt");
	expect("rt_throttling", 0, NULL, "6.12, nothing to read", STATUS_UNKNOWN, "not -1; RT_GROUP_SCHED: /proc/config.gz: ");
	put_all(older);
	expect("rt_throttling", 0, NULL, "6.11", STATUS_FINDING, "950000");
}

/* irqbalance skips an empty variable, and takes the mask if both are set. */
TEST(test_irqbalance)
{
#define ENVIRON(text)	{ "/proc/107/environ", text, sizeof(text) }
	static const struct file runs[] = { TASK(107, "irqbalance", USER, 0, 0, "0-3"), { NULL, NULL, 0 } };
	static const struct file empty = ENVIRON("IRQBALANCE_BANNED_CPUS=\0IRQBALANCE_BANNED_CPULIST=");
	static const struct file both = ENVIRON("IRQBALANCE_BANNED_CPULIST=0-3\0IRQBALANCE_BANNED_CPUS=3");

	tree_make();
	put_all(runs);
	tree_put(&empty);
	expect("irqbalance", 0, NULL, "empty", STATUS_PASS, "leaves alone CPUs 2-3");
	tree_put(&both);
	expect("irqbalance", 0, NULL, "both", STATUS_FINDING, "leaves alone CPUs 0-1");
}

/* A partition isolates as isolcpus= does. */
TEST(test_isolated_by_partition)
{
	static const struct file partition[] = {
		{ CPU "/isolated", "\n", 0 }, { CGROUP_DIR "/cpuset.cpus.isolated", "0-3\n", 0 }, { CPU "/smt/active", "1\n", 0 },
		{ CPU "/cpu2/topology/thread_siblings_list", "0,2\n", 0 }, { CPU "/cpu3/topology/thread_siblings_list", "1,3\n", 0 },
		{ NULL, NULL, 0 },
	};

	tree_make();
	put_all(partition);
	expect("smt", 0, NULL, "siblings in it", STATUS_PASS, "siblings are idle");
	expect("housekeeping", 0, NULL, "all in it", STATUS_FINDING, "none");
}

/* rcub/0 boosts for a node of RCU's tree, whose number is no CPU's. */
TEST(test_helpers)
{
	static const struct file boost[] = { TASK(24, "rcub/0", KTHREAD, 4, 1, "0-3"), { NULL, NULL, 0 } };

	tree_make();
	put_all(boost);
	expect("helpers", 0, NULL, "rcub", STATUS_NOTED, "ktimers fifo:2 on CPU 2, rcuc fifo:4 on CPU 3, rcub fifo:4");
}

/* Arguments isolcpus= add their flags, and the first one with a flag says for which CPUs. */
TEST(test_isolcpus_twice)
{
	static const struct file apart[] = { { "/proc/cmdline", "isolcpus=managed_irq,2-3 isolcpus=domain,2-3\n", 0 }, { NULL, NULL, 0 } };
	static const struct file refused[] = { { "/proc/cmdline", "isolcpus=managed_irq,2 isolcpus=managed_irq,2-3\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	put_all(apart);
	expect("managed_irq", 0, NULL, "two flags", STATUS_PASS, "isolcpus=managed_irq: 2-3");
	put_all(refused);
	expect("managed_irq", 0, NULL, "one flag twice", STATUS_FINDING, "CPU 3 is missing");
}

TEST(test_resctrl)
{
	static const struct file both[] = { { "/sys/fs/resctrl/schemata", "    MB:0=100;1=100\n    L3:0=fff;1=fff\n", 0 }, { NULL, NULL, 0 } };
	struct finding f;

	tree_make();
	put_all(both);
	f = look_at("resctrl", 0, NULL);
	assert_string_equal(f.found, "MB:0=100;1=100 L3:0=fff;1=fff");
	finding_free(&f);
}

/* `chrt -f 80 tlob-load doctor` is not what disturbs the workload. */
TEST(test_self)
{
	static const struct file raised[] = {
		{ "/proc/self/stat", STAT(200, "tlob-load", USER, 80, 1), 0 }, TASK(200, "tlob-load", USER, 80, 1, "0-3"), { NULL, NULL, 0 },
	};
	static const struct file faulted[] = {
		{ "/proc/200/task/200/stat", STAT_FAULTS(200, "tlob-load", USER, 80, 1, 3, 0), 0 }, { NULL, NULL, 0 },
	};

	tree_make();
	put_all(raised);
	expect("foreign", 0, NULL, "itself", STATUS_PASS, "none");
	expect("page_faults", 0, faulted, "its own", STATUS_PASS, "0 by 0 threads");
}

/* The counters have 32 bits, and a driver that goes takes its row along. */
TEST(test_rows_of_interrupts)
{
	static const struct file wraps[] = { { "/proc/interrupts", INTERRUPTS("4294967290"), 0 }, { NULL, NULL, 0 } },
		wrapped[] = { { "/proc/interrupts", INTERRUPTS("10"), 0 }, { NULL, NULL, 0 } },
		gone[] = { { "/proc/interrupts", "           CPU0       CPU1       CPU2       CPU3\n", 0 }, { NULL, NULL, 0 } };

	tree_make();
	put_all(wraps);
	expect("irqs", 0, wrapped, "wraps", STATUS_FINDING, "16 interrupts of devices came");
	expect("irqs", 0, gone, "goes", STATUS_PASS, "none of 1");
}

int main(void)
{
	return unit_run(tree_setup, tree_teardown);
}
