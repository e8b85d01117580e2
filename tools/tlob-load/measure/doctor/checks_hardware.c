// SPDX-License-Identifier: GPL-2.0
/* Rules about hardware, firmware and hypervisors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "doctor/rules.h"
#include "machine/clocks.h"
#include "util/tree.h"
#include "util/units.h"

#define VULNERABILITIES	CPU_DIR "/vulnerabilities"
#define NODES		"/sys/devices/system/node"
#define TIMER_LIST	"/proc/timer_list"
#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* False: the siblings of a CPU are unreadable. Those that may run something go into @g. */
static bool add_siblings(struct doctor *d, struct finding *f, const struct cpulist *isolated,
			 int cpu, struct groups *g)
{
	struct cpulist siblings, busy, self = { 0 };
	char path[LOOK_PATH_LEN], line[96], *list;

	if (!look_list(d, f, cpu_path(path, CPU_DIR "/cpuN/topology/thread_siblings_list", cpu),
		       false, &siblings))
		return false;
	cpulist_add(&self, cpu);
	siblings = cpulist_without(&siblings, &self);
	siblings = cpulist_and(&siblings, &d->online);
	busy = cpulist_and(&siblings, &d->measured);
	siblings = cpulist_without(&siblings, isolated);
	busy = cpulist_or(&busy, &siblings);
	if (cpulist_is_empty(&busy))
		return true;
	list = cpulist_format(&busy);
	snprintf(line, sizeof(line), "sibling %.60s", list ? list : "");
	groups_add(d, g, cpu, line);
	free(list);
	return true;
}

static void look_smt(struct doctor *d, struct finding *f)
{
	struct cpulist isolated = { 0 };
	struct groups g = { 0 };
	bool readable = true;
	char *text;
	int cpu;

	if (!tree_read(d->root, CPU_DIR "/smt/active", &text)) {
		bool off = !strcmp(text, "0");

		free(text);
		found_path(d, f, CPU_DIR "/smt/active");
		if (off) {
			found_if(d, f, true, "off");
			return;
		}
	}
	/* unreadable: nothing counts as isolated */
	if (read_isolated(d, &isolated))
		isolated = (struct cpulist){ 0 };
	for_each_cpu(cpu, &d->measured)
		readable = readable && add_siblings(d, f, &isolated, cpu, &g);
	if (readable || g.n)
		found_groups(d, f, !g.n, &g, "siblings are idle, or there are none");
}

/* One cache of a CPU: a line if others share it. 0, 1: there is no such cache, -errno. */
static int add_cache(struct doctor *d, struct groups *g, int cpu, int index, char *path)
{
	char level[8], line[96], *text;
	struct cpulist shared, self = { 0 };
	int err;

	snprintf(path, LOOK_PATH_LEN, CPU_DIR "/cpu%d/cache/index%d/level", cpu, index);
	err = tree_read(d->root, path, &text);
	if (err)
		return err == -ENOENT && index ? 1 : err;
	snprintf(level, sizeof(level), "%.4s", text);
	free(text);
	snprintf(path, LOOK_PATH_LEN, CPU_DIR "/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
	err = tree_read_list(d->root, path, &shared);
	if (err)
		return err;
	cpulist_add(&self, cpu);
	shared = cpulist_without(&shared, &self);
	if (cpulist_is_empty(&shared))
		return 0;
	text = cpulist_format(&shared);
	snprintf(line, sizeof(line), "L%s shared with %.70s", level, text ? text : "");
	groups_add(d, g, cpu, line);
	free(text);
	return 0;
}

static void look_cache(struct doctor *d, struct finding *f)
{
	char path[LOOK_PATH_LEN] = "";
	struct groups g = { 0 };
	int cpu, index, err = 0;
	bool any;

	for_each_cpu(cpu, &d->measured)
		for (err = err < 0 ? err : 0, index = 0; !err; index++)
			err = add_cache(d, &g, cpu, index, path);
	any = g.n;
	found_groups(d, f, true, &g, "no cache is shared");
	if (err < 0 && strstr(path, "/index0/level") && !any)
		look_missing(d, f, path, err);
	else if (err < 0)
		found_unreadable(d, f, path, err);
}

static void look_resctrl(struct doctor *d, struct finding *f)
{
	char *text, *from, *to;

	if (!look_read(d, f, "/sys/fs/resctrl/schemata", &text))
		return;
	/* a line for each resource, indented */
	for (from = to = text; *from; from++)
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	found(d, f, STATUS_NOTED, "%s", text);
	free(text);
}

/* Returns whether the processor's flags have @word. */
static bool has_flag(const char *info, const char *word)
{
	const char *flags = strstr(info, "\nflags"), *end, *at;
	size_t len = strlen(word);

	if (!flags)
		return false;
	end = flags + 1 + strcspn(flags + 1, "\n");
	for (at = flags; (at = strstr(at, word)) && at < end; at += len)
		if (at[-1] == ' ' && (at[len] == ' ' || at[len] == '\n' || !at[len]))
			return true;
	return false;
}

/* More nodes or packages than these have TSCs that Linux watches, whatever the processor promises. */
#define TRUSTED_NODES	2
#define TRUSTED_PACKAGES 4

static bool is_small(struct doctor *d)
{
	struct cpulist all, packages = { 0 };
	char path[LOOK_PATH_LEN];
	uint64_t package;
	int cpu;

	if (!tree_read_list(d->root, NODES "/online", &all) && cpulist_count(&all) <= TRUSTED_NODES)
		return true;
	/* the clock's directory can be read, so this kernel has no NUMA */
	if (!tree_has_entries(d->root, NODES))
		return true;
	if (!release_is_since(d->report.kernel, 6, 12))
		return false;
	for_each_cpu(cpu, &d->online) {
		if (tree_read_number(d->root, cpu_path(path, CPU_DIR "/cpuN/topology/physical_package_id", cpu), &package) ||
		    package >= CPULIST_MAX)
			return false;
		cpulist_add(&packages, (int)package);
	}
	return cpulist_count(&packages) <= TRUSTED_PACKAGES;
}

/*
 * Why the kernel does not watch the TSC, or NULL: a hypervisor vouches for it, or the
 * processor has all that makes it steady, as arch/x86/kernel/tsc.c decides since 5.16 by nodes, and
 * since 6.12 by packages (b4bac279319d). In between it took 4 nodes at some time.
 */
static const char *tsc_is_trusted(struct doctor *d)
{
	const char *why = NULL;
	char *info;

	if (tree_read(d->root, "/proc/cpuinfo", &info))
		return NULL;
	if (has_flag(info, "tsc_reliable"))
		why = "the processor's flag tsc_reliable: the kernel does not watch it";
	else if (has_flag(info, "constant_tsc") && has_flag(info, "nonstop_tsc") &&
		 has_flag(info, "tsc_adjust") && is_small(d))
		why = "constant_tsc, nonstop_tsc and tsc_adjust: the kernel does not watch it";
	free(info);
	return why;
}

/* Each argument tsc= does something of its own. These two do the same: tsc_init() in tsc.c. */
static bool tsc_is_declared(struct doctor *d, struct finding *f)
{
	const char *at = d->cmdline ? d->cmdline : "";
	char value[256];

	while (cmdline_next(&at, "tsc", value, sizeof(value)))
		if (!strcmp(value, "reliable") || !strcmp(value, "nowatchdog")) {
			found_path(d, f, "/proc/cmdline");
			found_if(d, f, true, "tsc=%s", value);
			return true;
		}
	return false;
}

static void look_tsc(struct doctor *d, struct finding *f)
{
	char *text;
	int err = tree_read(d->root, CLOCKSOURCE, &text);
	const char *why;
	bool arm;

	if (err) {
		found_unreadable(d, f, CLOCKSOURCE, err);
		return;
	}
	arm = !strcmp(text, "arch_sys_counter");
	free(text);
	why = arm ? "this architecture has no TSC, and its counter is not watched" : tsc_is_trusted(d);
	if (why)
		found(d, f, STATUS_ABSENT, "%s", why);
	else if (!tsc_is_declared(d, f))
		look_arguments(d, f);
}

/* A line of DMI, or "" if it cannot be read. */
static void read_dmi(struct doctor *d, const char *path, char *buf, size_t size)
{
	char *text;

	*buf = '\0';
	if (tree_read(d->root, path, &text))
		return;
	snprintf(buf, size, "%.60s", text);
	free(text);
}

static void look_vm(struct doctor *d, struct finding *f)
{
	char vendor[64], product[64], *info, *type = NULL;
	bool flag;

	if (!look_read(d, f, "/proc/cpuinfo", &info))
		return;
	flag = has_flag(info, "hypervisor");
	free(info);
	read_dmi(d, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	read_dmi(d, "/sys/class/dmi/id/product_name", product, sizeof(product));
	if (tree_read(d->root, "/sys/hypervisor/type", &type))
		type = NULL;
	if (flag || type)
		found(d, f, STATUS_NOTED, "a virtual machine%s%s%s%s%s%s", type ? ", " : "", type ? type : "",
		      *vendor ? ", " : "", vendor, *product ? " " : "", product);
	else
		found(d, f, STATUS_NOTED, "no sign of a hypervisor%s%s%s%s", *vendor ? ", " : "", vendor,
		      *product ? " " : "", product);
	free(type);
}

static void look_efi(struct doctor *d, struct finding *f)
{
	static const char mask[] = "/sys/devices/virtual/workqueue/efi_runtime/cpumask";
	struct cpulist cpus;
	const char *value;
	char buf[256];

	if (d->cmdline) {
		value = cmdline_value(d, "efi", buf, sizeof(buf));
		if (value && strstr(value, "noruntime")) {
			found_path(d, f, "/proc/cmdline");
			found_if(d, f, true, "efi=%s", value);
			return;
		}
	}
	if (d->config.text && kconfig_is_on(&d->config, "EFI_DISABLE_RUNTIME") &&
	    !(d->cmdline && cmdline_value(d, "efi", buf, sizeof(buf)) && strstr(buf, "runtime"))) {
		found_path(d, f, d->config.path);
		found_if(d, f, true, "CONFIG_EFI_DISABLE_RUNTIME=y");
		return;
	}
	if (!tree_has_entries(d->root, "/sys/firmware/efi")) {
		/* an empty directory hides it */
		look_missing(d, f, "/sys/firmware/efi", -ENOENT);
		return;
	}
	if (!look_list(d, f, mask, true, &cpus)) {
		/* the machine has EFI, so a missing queue says nothing */
		if (f->status == STATUS_ABSENT)
			found_unreadable(d, f, mask, -ENOENT);
		return;
	}
	found_list(d, f, !cpulist_meet(&cpus, &d->measured), "runs on CPUs ", &cpus);
}

static void look_mitigations(struct doctor *d, struct finding *f)
{
	unsigned int mitigated = 0, vulnerable = 0, other = 0;
	char path[LOOK_PATH_LEN] = VULNERABILITIES, **names, **one, *text;
	int err = tree_list(d->root, path, &names);

	for (one = names; !err && *one; one++) {
		snprintf(path, sizeof(path), VULNERABILITIES "/%.60s", *one);
		err = tree_read(d->root, path, &text);
		if (err)
			break;
		mitigated += !strncmp(text, "Mitigation", strlen("Mitigation"));
		vulnerable += !strncmp(text, "Vulnerable", strlen("Vulnerable"));
		other++;
		free(text);
	}
	tree_list_free(names);
	if (err || !other)
		look_missing(d, f, path, err ? err : -ENOENT);
	else
		found(d, f, STATUS_NOTED, "%u mitigated, %u vulnerable, %u not affected or unknown", mitigated,
		      vulnerable, other - mitigated - vulnerable);
}

/* Only root can read the file, but any process can ask about its own machine. */
static void look_resolution(struct doctor *d, struct finding *f)
{
	static const char key[] = ".resolution:";
	char time[DURATION_LEN], *text = NULL, *at;
	uint64_t ns = *d->root ? 0 : timers_resolution();

	if (!*d->root) {
		found_if(d, f, !ns, "%s", ns ? duration_prose(time, ns) : "exact");
		return;
	}
	if (!look_read(d, f, TIMER_LIST, &text))
		return;
	at = strstr(text, key);
	ns = at ? strtoull(at + strlen(key), NULL, 10) : 0;
	if (ns)
		found_if(d, f, ns < TIMERS_EXACT, "%s",
			 ns < TIMERS_EXACT ? "exact" : duration_prose(time, ns));
	else
		found(d, f, STATUS_UNKNOWN, "no resolution in it");
	free(text);
}

static const struct check rows[] = {
	{
		RULE(smt),
		.severity = SEVERITY_MEDIUM,
		.path = CPU_DIR "/smt/active " CPU_DIR "/cpuN/topology/thread_siblings_list",
		.wanted = "off, or every sibling isolated and not measured",
		.why = "Siblings share the units of a core, so what runs on one makes the other slower.",
		.now = "echo off > " CPU_DIR "/smt/control", .for_good = "kernel argument nosmt; or also isolate the siblings",
		.source = FROM_ISOLATION ", Checklist", .look = look_smt,
	}, {
		RULE(cache),
		.severity = SEVERITY_INFO,
		.path = CPU_DIR "/cpuN/cache/index*/shared_cpu_list", .wanted = "reported",
		.why = "Who else uses a cache can evict the workload's data from it.",
		.for_good = "measure CPUs that share no cache with busy ones; or partition it by resctrl",
		.source = FROM_HARDWARE ", System memory and cache", .look = look_cache,
		.missing = MISSING_GOOD, .missing_why = "the machine names no caches", .witness = CPU_DIR "/cpu0",
	}, {
		RULE(resctrl),
		.severity = SEVERITY_INFO, .path = "/sys/fs/resctrl/schemata", .wanted = "reported",
		.why = "Intel's CAT, AMD's QoS and Arm's MPAM keep a part of a cache for the measured CPUs.",
		.now = "mount -t resctrl resctrl /sys/fs/resctrl", .for_good = "a line for it in /etc/fstab",
		.source = FROM_HARDWARE ", System memory and cache; " FROM_LINUX "filesystems/resctrl.rst",
		.look = look_resctrl, .missing = MISSING_GOOD, .missing_why = "not mounted, or not offered by the processor",
		.witness = "/sys/fs",
	}, {
		RULE(clocksource),
		.severity = SEVERITY_MEDIUM,
		.path = CLOCKSOURCE, .wanted = "tsc or arch_sys_counter",
		.why = "Others are read from a device or need a call of the hypervisor, a microsecond or more each.",
		.now = "echo tsc > " CLOCKSOURCE, .for_good = "kernel argument clocksource=tsc, if the TSC is stable",
		.source = FROM_ISOLATION ", Full Dynticks, Constraints; " FROM_ARGUMENTS ", clocksource=",
		.look = look_value, .words = "tsc arch_sys_counter",
	}, {
		RULE(timer_resolution),
		.severity = SEVERITY_HIGH, .path = TIMER_LIST, .wanted = "exact",
		.why = "Without them each timer waits for the next tick: every wake-up is up to 10 ms late, whatever else is tuned.",
		.for_good = "kernel argument highres=on, CONFIG_HIGH_RES_TIMERS, and a clock event device for single shots",
		.source = FROM_LINUX "timers/hrtimers.rst; " FROM_ARGUMENTS ", highres=", .look = look_resolution,
	}, {
		RULE(tsc_reliable),
		.severity = SEVERITY_MEDIUM,
		.path = "/proc/cmdline /proc/cpuinfo", .wanted = "tsc=reliable or nowatchdog, or a processor that needs no watch",
		.why = "The watchdog of clocks interrupts each CPU in turn to compare the TSC with another clock.",
		.for_good = "kernel argument tsc=reliable",
		.source = FROM_LATENCY "; " FROM_ARGUMENTS ", tsc=", .look = look_tsc, .words = "tsc=reliable",
	}, {
		RULE(skew_tick),
		.severity = SEVERITY_MEDIUM, .path = "/proc/cmdline", .wanted = "skew_tick=1",
		.why = "If all CPUs take their tick at once they wait for the same locks.",
		.for_good = "kernel argument skew_tick=1",
		.source = FROM_LATENCY "; " FROM_ARGUMENTS ", skew_tick=", .look = look_arguments, .words = "skew_tick=1",
	}, {
		RULE(smi),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_COUNTS,
		.path = COUNTS_MSR, .wanted = "0 more in MSR 0x34",
		.why = "The firmware stops all CPUs, and the kernel cannot see it, let alone prevent it. Intel only.",
		.now = "modprobe msr, to read it", .for_good = "the firmware's settings: no USB legacy, no power capping; ask its vendor",
		.source = FROM_ISOLATION ", Checklist; Intel SDM vol. 4, MSR_SMI_COUNT",
		.look = look_counter, .counter = offsetof(struct cpu_counts, smi),
	}, {
		RULE(mce),
		.severity = SEVERITY_MEDIUM,
		.path = "/sys/devices/system/machinecheck/machinecheckN/ignore_ce", .wanted = "1",
		.why = "A timer of each CPU reads all banks of machine checks, every five minutes at first.",
		.now = "echo 1 | tee /sys/devices/system/machinecheck/machinecheck*/ignore_ce", .for_good = "kernel argument mce=ignore_ce",
		.source = FROM_REALTIME "; " FROM_LINUX "ABI/testing/sysfs-mce", .look = look_each_cpu, .words = "1",
		.missing = MISSING_GOOD, .missing_why = "the kernel polls for no machine checks", .witness = "/sys/devices/system",
	}, {
		RULE(efi),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_CONFIG,
		.path = "/proc/cmdline /sys/firmware/efi /sys/devices/virtual/workqueue/efi_runtime/cpumask",
		.wanted = "off, or on no measured CPU",
		.why = "A call into the firmware, as for a variable, may run with interrupts off for as long as it likes.",
		.now = "echo {mask} > /sys/devices/virtual/workqueue/efi_runtime/cpumask", .for_good = "kernel argument efi=noruntime",
		.source = FROM_HARDWARE ", EFI; " FROM_CONFIGURATION ", CONFIG_EFI_DISABLE_RUNTIME", .look = look_efi,
		.missing = MISSING_GOOD, .missing_why = "the machine was not booted by EFI", .witness = "/sys/firmware",
	}, {
		RULE(steal),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_COUNTS,
		.path = "/proc/stat", .wanted = "0",
		.why = "The guest stands still for that time, and cannot see why.",
		.now = "on the host: pin the virtual CPUs, isolate those CPUs", .for_good = "the same in the guest's definition",
		.source = FROM_HARDWARE ", Virtualization", .look = look_counter,
		.counter = offsetof(struct cpu_counts, steal), .unit = "ticks ",
	}, {
		RULE(vm),
		.severity = SEVERITY_INFO,
		.path = "/proc/cpuinfo /sys/hypervisor/type /sys/class/dmi/id/product_name", .wanted = "reported",
		.why = "What is measured in a guest is true of this guest on this host, and of nothing else.",
		.source = FROM_HARDWARE ", Virtualization", .look = look_vm,
	}, {
		RULE(mitigations),
		.severity = SEVERITY_INFO,
		.path = VULNERABILITIES "/*", .wanted = "recorded; not advised to turn off",
		.why = "They make each entry into the kernel longer, so results with and without them differ.",
		.source = FROM_LINUX "admin-guide/hw-vuln/index.rst; rtcqs 0.5.3", .look = look_mitigations,
	},
};

const struct checks checks_hardware = { rows, sizeof(rows) / sizeof(rows[0]) };
