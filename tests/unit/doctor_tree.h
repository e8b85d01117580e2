/* SPDX-License-Identifier: GPL-2.0 */
/* A machine with nothing to find: its files, and what changes them. For the tests of doctor. */
#ifndef TLOB_UNIT_DOCTOR_TREE_H
#define TLOB_UNIT_DOCTOR_TREE_H

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#define CPU	"/sys/devices/system/cpu"
#define CGROUP_DIR "/sys/fs/cgroup"

/* A file. @size is for a text with a NUL; 0: strlen(). */
struct file {
	const char *path, *text;
	size_t size;
};

#define ZEROS	"0 0 0 0 0 0 0 0 0 0 "
#define KTHREAD	"2129984"
#define USER	"4194304"
#define STAT(pid, comm, flags, priority, policy) \
	#pid " (" comm ") S 2 0 0 0 -1 " flags " " ZEROS ZEROS ZEROS #priority " " #policy " 0 0\n"
/* The same with page faults of both kinds. */
#define STAT_FAULTS(pid, comm, flags, priority, policy, minor, major) \
	#pid " (" comm ") S 2 0 0 0 -1 " flags " " #minor " 9 " #major " 9 0 0 0 0 0 0 " ZEROS ZEROS \
	#priority " " #policy " 0 0\n"
#define TASK(pid, comm, flags, priority, policy, allowed) \
	{ "/proc/" #pid "/task/" #pid "/stat", STAT(pid, comm, flags, priority, policy), 0 }, \
	{ "/proc/" #pid "/task/" #pid "/status", "Name:\t" comm "\nCpus_allowed_list:\t" allowed "\n", 0 }

#define EACH(file, text) \
	{ CPU "/cpu2/" file, text, 0 }, { CPU "/cpu3/" file, text, 0 }

/* The limits are in the columns of the kernel. */
#define LIMITS(locked, priority) \
	"Limit                     Soft Limit           Hard Limit           Units     \n" \
	"Max locked memory         " locked "            unlimited            bytes     \n" \
	"Max realtime priority     " priority "                   99                             \n"
#define STATUS(caps, nodes) \
	"Name:\ttlob-load\nCapEff:\t" caps "\nCpus_allowed_list:\t0-3\nMems_allowed_list:\t" nodes "\n"

#define CMDLINE "quiet rcu_nocbs=2-3 isolcpus=managed_irq,domain,2-3 irqaffinity=0-1 tsc=reliable " \
		"skew_tick=1 threadirqs"
#define INTERRUPTS(three) \
	"           CPU0       CPU1       CPU2       CPU3\n" \
	" 24:          9          0          0          " three "  PCI-MSI  eth0\n" \
	"LOC:         10         10         10         10   Local timer interrupts\n"
#define PROC_STAT(steal) \
	"cpu  1 1 1 1 1 1 1 5 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\ncpu1 1 1 1 1 1 1 1 1 0 0\n" \
	"cpu2 1 1 1 1 1 1 1 1 0 0\ncpu3 1 1 1 1 1 1 1 " steal " 0 0\n"
/*
 * 8 bytes each at 0x34, 0xe7 and 0xe8. Registers are no bytes, so the two last ones
 * overlap here: their highest bytes make the difference.
 */
#define ZEROS_8 "\0\0\0\0\0\0\0\0"
#define ZEROS_48 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8
#define MSRS(smi, mperf, aperf) \
	ZEROS_48 "\0\0\0\0" smi "\0\0\0\0\0\0\0" ZEROS_48 ZEROS_48 ZEROS_48 ZEROS_8 ZEROS_8 ZEROS_8 \
	ZEROS_8 "\0\0" mperf aperf
#define MSR(smi) MSRS(smi, "\0", "\0")
#define MSR_SIZE 240

/* Four CPUs with PREEMPT_RT; 2 and 3 are isolated and measured. */
static const struct file good_tree[] = {
	{ "/sys/kernel/realtime", "1\n", 0 },
	{ "/proc/version", "Linux version 6.12.0-rt #1 SMP PREEMPT_RT\n", 0 },
	{ "/proc/sys/kernel/osrelease", "6.12.0-rt\n", 0 },
	{ "/boot/config-6.12.0-rt", "CONFIG_PREEMPT_RT=y\n# CONFIG_PROVE_LOCKING is not set\nCONFIG_OSNOISE_TRACER=y\nCONFIG_DEBUG_INFO_BTF=y\n", 0 },
	{ "/proc/cmdline", CMDLINE "\n", 0 },
	{ "/sys/kernel/debug/sched/preempt", "none voluntary (full)\n", 0 },
	{ "/sys/kernel/tracing/current_tracer", "nop\n", 0 },
	{ "/sys/kernel/tracing/events/enable", "0\n", 0 },
	{ "/sys/kernel/tracing/instances/rtla/current_tracer", "nop\n", 0 },
	{ "/sys/kernel/tracing/instances/rtla/events/enable", "0\n", 0 },
	{ "/proc/sys/kernel/watchdog", "0\n", 0 },
	{ "/proc/sys/kernel/nmi_watchdog", "0\n", 0 },
	{ "/proc/sys/kernel/soft_watchdog", "0\n", 0 },
	{ "/proc/sys/kernel/hung_task_timeout_secs", "600\n", 0 },
	{ CPU "/online", "0-3\n", 0 },
	{ CPU "/isolated", "2-3\n", 0 },
	{ CPU "/nohz_full", "(null)\n", 0 },
	{ "/sys/fs/cgroup/cpuset.cpus.isolated", "2-3\n", 0 },
	{ "/proc/irq/default_smp_affinity", "3\n", 0 },
	{ "/proc/irq/24/effective_affinity_list", "0\n", 0 },
	{ "/proc/irq/24/smp_affinity_list", "0-3\n", 0 },
	{ "/proc/interrupts", INTERRUPTS("7"), 0 },
	{ "/sys/devices/virtual/workqueue/cpumask", "3\n", 0 },
	{ "/sys/devices/virtual/workqueue/writeback/cpumask", "00000000,00000003\n", 0 },
	{ "/proc/sys/kernel/timer_migration", "0\n", 0 },
	TASK(2, "kthreadd", KTHREAD, 0, 0, "0-3"),
	TASK(19, "migration/2", KTHREAD, 99, 1, "2"),
	TASK(20, "ktimers/2", KTHREAD, 2, 1, "2"),
	TASK(21, "rcuc/3", KTHREAD, 4, 1, "3"),
	TASK(22, "rcuop/2", KTHREAD, 0, 0, "0-1"),
	TASK(23, "rcuop/3", KTHREAD, 0, 0, "0-1"),
	TASK(30, "irq/24-eth0", KTHREAD, 50, 1, "0-3"),
	TASK(100, "init", USER, 0, 0, "0-3"),
	{ "/proc/self/stat", STAT(200, "tlob-load", USER, 0, 0), 0 },
	{ "/proc/self/status", STATUS("000001ffffffffff", "0"), 0 },
	{ "/proc/self/limits", LIMITS("8388608  ", "0 "), 0 },
	{ "/proc/self/cgroup", "0::/plc\n", 0 },
	{ "/proc/sys/kernel/sched_rt_runtime_us", "-1\n", 0 },
	{ "/sys/kernel/debug/sched/fair_server/cpu2/runtime", "50000000\n", 0 },
	{ "/sys/kernel/debug/sched/fair_server/cpu3/runtime", "50000000\n", 0 },
	EACH("cpufreq/scaling_governor", "performance\n"),
	EACH("cpufreq/scaling_min_freq", "800000\n"),
	EACH("cpufreq/scaling_max_freq", "3000000\n"),
	EACH("cpufreq/scaling_cur_freq", "3000000\n"),
	EACH("cpufreq/energy_performance_preference", "performance\n"),
	EACH("power/energy_perf_bias", "0\n"),
	EACH("power/pm_qos_resume_latency_us", "0\n"),
	EACH("thermal_throttle/core_throttle_count", "5\n"),
	EACH("thermal_throttle/package_throttle_count", "6\n"),
	EACH("cpuidle/state0/disable", "0\n"), EACH("cpuidle/state0/latency", "0\n"),
	EACH("cpuidle/state0/name", "POLL\n"),
	EACH("cpuidle/state1/disable", "0\n"), EACH("cpuidle/state1/latency", "2\n"),
	EACH("cpuidle/state1/name", "C1\n"),
	EACH("cpuidle/state2/disable", "1\n"), EACH("cpuidle/state2/latency", "133\n"),
	EACH("cpuidle/state2/name", "C6\n"),
	EACH("topology/thread_siblings_list", "2-3\n"),
	EACH("cache/index0/level", "1\n"), EACH("cache/index1/level", "3\n"),
	EACH("cache/index1/shared_cpu_list", "0-3\n"),
	{ CPU "/cpu2/cache/index0/shared_cpu_list", "2\n", 0 },
	{ CPU "/cpu3/cache/index0/shared_cpu_list", "3\n", 0 },
	{ CPU "/cpu2/node0/x", "", 0 }, { CPU "/cpu3/node0/x", "", 0 },
	{ CPU "/cpu0/x", "", 0 },
	{ CPU "/intel_pstate/no_turbo", "1\n", 0 },
	{ CPU "/smt/active", "0\n", 0 },
	{ CPU "/vulnerabilities/meltdown", "Mitigation: PTI\n", 0 },
	{ CPU "/vulnerabilities/l1tf", "Not affected\n", 0 },
	{ "/sys/firmware/acpi/platform_profile", "performance\n", 0 },
	{ "/sys/firmware/acpi/pm_profile", "4\n", 0 },
	{ "/sys/firmware/efi/runtime", "0x0\n", 0 },
	{ "/sys/devices/virtual/workqueue/efi_runtime/cpumask", "3\n", 0 },
	{ "/dev/cpu_dma_latency", "\0\0\0\0", 4 },
	{ "/sys/module/pcie_aspm/parameters/policy", "default [performance] powersave\n", 0 },
	{ "/sys/fs/resctrl/schemata", "    L3:0=fff\n", 0 },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n", 0 },
	{ "/proc/timer_list", "cpu: 0\n clock 0:\n  .resolution: 1 nsecs\n", 0 },
	{ "/dev/cpu/2/msr", MSR("\1"), MSR_SIZE }, { "/dev/cpu/3/msr", MSR("\1"), MSR_SIZE },
	{ "/sys/devices/system/machinecheck/machinecheck2/ignore_ce", "1\n", 0 },
	{ "/sys/devices/system/machinecheck/machinecheck3/ignore_ce", "1\n", 0 },
	{ "/proc/stat", PROC_STAT("1"), 0 },
	{ "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme de\n", 0 },
	{ "/proc/sys/vm/stat_interval", "10\n", 0 },
	{ "/proc/sys/kernel/numa_balancing", "0\n", 0 },
	{ "/sys/devices/system/node/has_memory", "0\n", 0 },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n", 0 },
	{ "/sys/kernel/mm/ksm/run", "0\n", 0 },
	{ "/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n", 0 },
	{ "/proc/sys/vm/swappiness", "60\n", 0 },
};

/* Thousands of small files, again and again: in memory if possible. */
static char tree_root[] = "/dev/shm/tlob-doctor.XXXXXX";

static inline const char *tree_path(const char *path)
{
	static char full[512];

	snprintf(full, sizeof(full), "%s%s", tree_root, path);
	return full;
}

static inline int tree_unlink(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	return ftw->level ? remove(path) : 0;
}

/* Leaves the empty root. */
static inline void tree_clear(void)
{
	assert_int_equal(nftw(tree_root, tree_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* Around a group of tests: the root comes and goes. */
static inline int tree_setup(void **state)
{
	if (mkdtemp(tree_root))
		return 0;
	strcpy(tree_root, "/tmp/tlob-doctor.XXXXXX");
	return mkdtemp(tree_root) ? 0 : -1;
}

static inline int tree_teardown(void **state)
{
	tree_clear();
	return rmdir(tree_root);
}

static inline void tree_make_dirs(const char *path)
{
	char dir[512], *slash;

	snprintf(dir, sizeof(dir), "%s", tree_path(path));
	for (slash = dir + strlen(tree_root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(!mkdir(dir, 0755) || errno == EEXIST);
		*slash = '/';
	}
}

static inline void tree_remove(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s", tree_path(path));
	if (remove(full)) {
		nftw(full, tree_unlink, 16, FTW_DEPTH | FTW_PHYS);
		remove(full);
	}
}

static inline void tree_put(const struct file *file)
{
	size_t size = file->size ? file->size : strlen(file->text);
	FILE *f;

	tree_make_dirs(file->path);
	tree_remove(file->path);
	f = fopen(tree_path(file->path), "we");
	assert_non_null(f);
	assert_int_equal(fwrite(file->text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline void tree_make(void)
{
	size_t i;

	tree_clear();
	for (i = 0; i < ARRAY_SIZE(good_tree); i++)
		tree_put(&good_tree[i]);
}

/* A link to itself: not even root can open it. */
static inline void tree_spoil(const char *path)
{
	tree_make_dirs(path);
	tree_remove(path);
	assert_int_equal(symlink(strrchr(path, '/') + 1, tree_path(path)), 0);
}

#endif /* TLOB_UNIT_DOCTOR_TREE_H */
