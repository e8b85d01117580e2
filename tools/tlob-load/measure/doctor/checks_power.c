// SPDX-License-Identifier: GPL-2.0
/* Rules about power: frequency, idle states, links that sleep. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "doctor/rules.h"
#include "util/tree.h"

#define STABLE_SHARE	50		/* a change of less than a 50th is a rounding */
#define SHALLOW_STATE	1		/* C1, if state 0 is POLL: Linux, drivers/cpuidle/poll_state.c */
#define SHALLOW_US	10		/* or a state that is left as fast */
#define QOS_NONE	2000000000	/* what the file reads without a request */

/* The frequency is fixed by the governor or by its limits. */
static int read_governor(struct doctor *d, struct finding *f, int cpu, struct cpu_look *l)
{
	uint64_t min = 0, max = 0;
	char *governor;
	int err;

	(void)f;
	cpu_path(l->path, CPU_DIR "/cpuN/cpufreq/scaling_governor", cpu);
	err = tree_read(d->root, l->path, &governor);
	if (err)
		return err == -ENOENT ? CPU_LACKS_IT : err;
	cpu_path(l->path, CPU_DIR "/cpuN/cpufreq/scaling_min_freq", cpu);
	err = tree_read_number(d->root, l->path, &min);
	if (!err) {
		cpu_path(l->path, CPU_DIR "/cpuN/cpufreq/scaling_max_freq", cpu);
		err = tree_read_number(d->root, l->path, &max);
	}
	if (!err) {
		l->bad = l->bad || (strcmp(governor, "performance") && min != max);
		snprintf(l->line, sizeof(l->line), "%.40s, %" PRIu64 " to %" PRIu64 " MHz", governor,
			 min / 1000, max / 1000);
	}
	free(governor);
	return err;
}

static int read_frequency(struct doctor *d, struct finding *f, int cpu, struct cpu_look *l)
{
	const struct count *a = NULL, *b;
	uint64_t low, high;
	unsigned int i;

	for (i = 0; !a; i++)
		if (d->before.cpu[i].cpu == cpu)
			a = &d->before.cpu[i].khz;
	b = d->after.n ? &d->after.cpu[i - 1].khz : a;
	cpu_path(l->path, f->check->path, cpu);
	if (a->err || b->err)
		return a->err == -ENOENT ? CPU_LACKS_IT : a->err ? a->err : b->err;
	low = a->value < b->value ? a->value : b->value;
	high = a->value < b->value ? b->value : a->value;
	l->bad = l->bad || high - low > high / STABLE_SHARE;
	snprintf(l->line, sizeof(l->line), "%" PRIu64 " to %" PRIu64 " MHz", low / 1000,
		 high / 1000);
	return 0;
}

static void look_frequency(struct doctor *d, struct finding *f)
{
	look_each_cpu(d, f);
	if (f->status == STATUS_PASS)
		look_twice(d, f);
}

/* Cycles while not idle, for each that there would be at the nominal frequency. */
static void look_cycles(struct doctor *d, struct finding *f)
{
	char path[LOOK_PATH_LEN], line[64];
	struct groups g = { 0 };
	unsigned int i;

	found_path(d, f, f->check->path);
	for (i = 0; i < d->after.n; i++) {
		const struct cpu_counts *a = &d->before.cpu[i], *b = &d->after.cpu[i];
		int percent = counts_cycles(a, b);

		if (percent == -ENODATA)
			snprintf(line, sizeof(line), "no cycle counted");
		else if (percent < 0)
			break;
		else
			snprintf(line, sizeof(line), "%d %% of the nominal frequency", percent);
		groups_add(d, &g, a->cpu, line);
	}
	found_groups(d, f, true, &g, "");
	if (look_twice(d, f) && i < d->after.n)
		look_missing(d, f, cpu_path(path, COUNTS_MSR, d->before.cpu[i].cpu),
			     counts_cycles(&d->before.cpu[i], &d->after.cpu[i]));
}

/* The deepest state that is on. */
static int read_idle(struct doctor *d, struct finding *f, int cpu, struct cpu_look *l)
{
	char dir[LOOK_PATH_LEN], **names, **one, *text;
	uint64_t off, us, deepest_us = 0;
	bool polls = false;
	long state = -1;
	int err;

	(void)f;
	cpu_path(dir, CPU_DIR "/cpuN/cpuidle", cpu);
	snprintf(l->path, sizeof(l->path), "%s", dir);
	err = tree_list(d->root, dir, &names);
	if (err)
		return err == -ENOENT ? CPU_LACKS_IT : err;
	for (one = names; !err && *one; one++) {
		if (strncmp(*one, "state", 5))
			continue;
		snprintf(l->path, sizeof(l->path), "%.100s/%.20s/disable", dir, *one);
		err = tree_read_number(d->root, l->path, &off);
		if (err)
			continue;
		snprintf(l->path, sizeof(l->path), "%.100s/%.20s/latency", dir, *one);
		err = tree_read_number(d->root, l->path, &us);
		if (err)
			continue;
		snprintf(l->path, sizeof(l->path), "%.100s/%.20s/name", dir, *one);
		err = tree_read(d->root, l->path, &text);
		if (err)
			continue;
		polls = polls || (!strcmp(*one, "state0") && !strcmp(text, "POLL"));
		if (!off) {
			state = strtol(*one + 5, NULL, 10);
			deepest_us = us;
			snprintf(l->line, sizeof(l->line), "state %ld (%.40s), left in %" PRIu64 " us",
				 state, text, us);
		}
		free(text);
	}
	tree_list_free(names);
	l->bad = l->bad || ((state > SHALLOW_STATE || !polls) && deepest_us > SHALLOW_US);
	if (err || state >= 0)
		return err;
	/* states that are all off are no machine without states; the governors take state 0 then */
	snprintf(l->line, sizeof(l->line), "all states are off");
	return strstr(l->path, "/state") ? 0 : CPU_LACKS_IT;
}

/* A process that holds the file open, or 0. It takes the right to read /proc/PID/fd. */
static int find_holder(struct doctor *d, const char *file, const char **comm)
{
	char dir[64], path[128], **fds, **fd, *target;
	int pid = 0;
	size_t i;

	for (i = 0; i < d->tasks.n && !pid; i++) {
		const struct task *t = &d->tasks.at[i];

		if (t->kthread || t->pid != t->tid)
			continue;
		snprintf(dir, sizeof(dir), "/proc/%d/fd", t->pid);
		if (tree_list(d->root, dir, &fds))
			continue;
		for (fd = fds; *fd && !pid; fd++) {
			snprintf(path, sizeof(path), "%.60s/%.20s", dir, *fd);
			if (tree_link(d->root, path, &target))
				continue;
			if (!strcmp(target, file))
				pid = t->pid;
			free(target);
		}
		tree_list_free(fds);
		*comm = t->comm;
	}
	return pid;
}

static void look_qos(struct doctor *d, struct finding *f)
{
	char path[LOOK_PATH_LEN], line[64], *text, *limit;
	const char *file = "/dev/cpu_dma_latency", *comm = "";
	struct groups g = { 0 };
	int32_t us = 0;
	int cpu, pid, err = tree_read_at(d->root, file, 0, &us, sizeof(us));

	if (err) {
		found_unreadable(d, f, file, err);
		return;
	}
	for_each_cpu(cpu, &d->measured) {
		err = tree_read(d->root, cpu_path(path, CPU_DIR "/cpuN/power/pm_qos_resume_latency_us", cpu),
				&limit);
		if (err && err != -ENOENT)
			break;
		/* the file says n/a for a limit of 0 */
		snprintf(line, sizeof(line), "resume limit %.30s", err ? "unsupported" :
			 !strcmp(limit, "0") ? "none" : limit);
		groups_add(d, &g, cpu, line);
		if (!err)
			free(limit);
		err = 0;
	}
	text = groups_format(d, &g);
	pid = find_holder(d, file, &comm);
	if (err)
		found_unreadable(d, f, path, err);
	else if (us == QOS_NONE)
		found(d, f, STATUS_NOTED, "no request, %s", text ? text : "");
	else if (pid)
		found(d, f, STATUS_NOTED, "%d us by %s (pid %d), %s", us, comm, pid, text ? text : "");
	else
		found(d, f, STATUS_NOTED, "%d us, %s", us, text ? text : "");
	free(text);
}

/* Either file has the driver's choice; no driver has both. */
static void look_turbo(struct doctor *d, struct finding *f)
{
	const char *pstate = CPU_DIR "/intel_pstate/no_turbo", *boost = CPU_DIR "/cpufreq/boost";
	char *text;
	bool inverse = true;
	int err = tree_read(d->root, pstate, &text);

	if (err == -ENOENT) {
		inverse = false;
		err = tree_read(d->root, boost, &text);
	}
	if (err) {
		look_missing(d, f, inverse ? pstate : boost, err);
		return;
	}
	found_path(d, f, inverse ? pstate : boost);
	found(d, f, STATUS_NOTED, "%s", !strcmp(text, inverse ? "0" : "1") ? "on" : "off");
	free(text);
}

/* Only a device on PCI Express has a speed of its link. */
static bool has_link(struct doctor *d)
{
	char path[LOOK_PATH_LEN], **names, **one, *speed;
	bool any = false;
	int err;

	if (tree_list(d->root, "/sys/bus/pci/devices", &names))
		return tree_has_entries(d->root, "/sys/bus/pci") || !tree_has_entries(d->root, "/sys/bus");
	for (one = names; *one && !any; one++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.60s/current_link_speed", *one);
		err = tree_read(d->root, path, &speed);
		any = err != -ENOENT;
		if (!err)
			free(speed);
	}
	tree_list_free(names);
	return any;
}

static void look_aspm(struct doctor *d, struct finding *f)
{
	look_value(d, f);
	if (f->status == STATUS_FINDING && !has_link(d))
		found(d, f, STATUS_ABSENT, "no device has a PCIe link");
}

#define NO_CPUFREQ	"no cpufreq driver: the kernel changes no frequency; firmware or a hypervisor may"

static const struct check rows[] = {
	{
		RULE(governor),
		.severity = SEVERITY_HIGH,
		.path = CPU_DIR "/cpuN/cpufreq/scaling_governor " CPU_DIR "/cpuN/cpufreq/scaling_min_freq " CPU_DIR "/cpuN/cpufreq/scaling_max_freq",
		.wanted = "performance, or the least frequency is the highest",
		.why = "The same work takes longer at a lower frequency, and a change of frequency stops the CPU for moments.",
		.now = "cpupower -c {cpus} frequency-set -g performance",
		.for_good = "kernel argument cpufreq.default_governor=performance; tuned: governor=performance",
		.source = FROM_CONFIGURATION ", CPU frequency governors; rtcqs 0.5.3", .look = look_each_cpu, .read = read_governor,
		.missing = MISSING_GOOD, .missing_why = NO_CPUFREQ, .witness = CPU_DIR,
	}, {
		RULE(epp),
		.severity = SEVERITY_MEDIUM,
		.path = CPU_DIR "/cpuN/cpufreq/energy_performance_preference", .wanted = "performance, or 0",
		.why = "The processor itself chooses its frequency by this hint.",
		.now = "echo performance | tee " CPU_DIR "/cpu*/cpufreq/energy_performance_preference",
		.for_good = "tuned: [cpu] energy_performance_preference=performance",
		.source = FROM_LINUX "admin-guide/pm/intel_pstate.rst, energy_performance_preference",
		.look = look_each_cpu, .words = "performance 0",
		.missing = MISSING_GOOD, .missing_why = "the driver, or the processor, has no such hint", .witness = CPU_DIR,
	}, {
		RULE(epb),
		.severity = SEVERITY_MEDIUM,
		.path = CPU_DIR "/cpuN/power/energy_perf_bias", .wanted = "0",
		.why = "The processor chooses its frequency, and how fast it wakes up, by this hint.",
		.now = "cpupower -c {cpus} set -b 0", .for_good = "tuned: [cpu] energy_perf_bias=performance",
		.source = FROM_LINUX "admin-guide/pm/intel_epb.rst",
		.look = look_each_cpu, .words = "0 performance",
		.missing = MISSING_GOOD, .missing_why = "the processor has no such hint", .witness = CPU_DIR,
	}, {
		RULE(turbo),
		.severity = SEVERITY_INFO,
		.path = CPU_DIR "/intel_pstate/no_turbo " CPU_DIR "/cpufreq/boost", .wanted = "constant, and recorded",
		.why = "How high it goes depends on heat and on the neighbours, so runs differ.",
		.now = "echo 1 > " CPU_DIR "/intel_pstate/no_turbo, or echo 0 > " CPU_DIR "/cpufreq/boost",
		.for_good = "the firmware's setting; or a systemd unit that writes it at boot",
		.source = FROM_LINUX "admin-guide/pm/cpufreq.rst, boost; " FROM_CONFIGURATION, .look = look_turbo,
		.missing = MISSING_GOOD, .missing_why = "no driver that offers the choice", .witness = CPU_DIR,
	}, {
		RULE(platform_profile),
		.severity = SEVERITY_MEDIUM,
		.path = "/sys/firmware/acpi/platform_profile", .wanted = "performance",
		.why = "It sets the limits of heat and power within which the processor chooses.",
		.now = "echo performance > /sys/firmware/acpi/platform_profile", .for_good = "powerprofilesctl set performance, which remembers it",
		.source = FROM_LINUX "ABI/testing/sysfs-platform_profile",
		.look = look_value, .words = "performance",
		.missing = MISSING_GOOD, .missing_why = "the firmware offers no profile", .witness = "/sys/firmware/acpi",
	}, {
		RULE(frequency),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_COUNTS,
		.path = COUNTS_KHZ, .wanted = "the same twice, within 2 %",
		.why = "Settings only ask. On x86 the kernel computes this value from what the processor counted.",
		.now = "see the rules governor, turbo and thermal", .source = FROM_CONFIGURATION ", CPU frequency governors",
		.look = look_frequency, .read = read_frequency, .missing = MISSING_GOOD, .missing_why = NO_CPUFREQ, .witness = CPU_DIR,
	}, {
		RULE(cycles),
		.severity = SEVERITY_INFO, .needs = NEEDS_COUNTS,
		.path = COUNTS_MSR, .wanted = "recorded; from IA32_APERF and IA32_MPERF",
		.why = "The mean frequency while a CPU was not idle, whatever was set: below 100 % something slowed it down.",
		.now = "modprobe msr, as root, makes it readable", .source = FROM_CONFIGURATION ", CPU frequency governors",
		.look = look_cycles,
	}, {
		RULE(thermal),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_COUNTS,
		.path = COUNTS_THROTTLE " " CPU_DIR "/cpuN/thermal_throttle/package_throttle_count", .wanted = "0",
		.why = "A processor that is too hot slows down or stops, whatever was asked for.",
		.now = "cool it; less load on its neighbours", .for_good = "better cooling; no turbo",
		.source = FROM_HARDWARE ", Firmware; " FROM_LINUX "admin-guide/thermal/intel_thermal_throttle.rst",
		.look = look_counter, .counter = offsetof(struct cpu_counts, throttled),
	}, {
		RULE(idle_states),
		.severity = SEVERITY_MEDIUM,
		.path = CPU_DIR "/cpuN/cpuidle/state*/disable " CPU_DIR "/cpuN/cpuidle/state*/latency",
		.wanted = "state 1 (C1) at most where state 0 is POLL, or left within 10 us",
		.why = "The timer's interrupt comes late by the time that the CPU takes to leave its state. run holds /dev/cpu_dma_latency at 0; your application may not.",
		.now = "cpupower -c {cpus} idle-set -D 10", .for_good = "kernel arguments processor.max_cstate=1 intel_idle.max_cstate=1; tuned: force_latency=cstate.id:1|3",
		.source = FROM_CONFIGURATION ", CONFIG_CPU_IDLE; " FROM_ISOLATION ", Checklist", .look = look_each_cpu, .read = read_idle,
		.missing = MISSING_GOOD, .missing_why = "no cpuidle driver: idle CPUs only halt", .witness = CPU_DIR,
	}, {
		RULE(pm_qos),
		.severity = SEVERITY_INFO, .needs = NEEDS_TASKS,
		.path = "/dev/cpu_dma_latency " CPU_DIR "/cpuN/power/pm_qos_resume_latency_us", .wanted = "stated, and who set it",
		.why = "A request holds only while its program has the file open. Without that program, idle states are deeper.",
		.source = FROM_LINUX "admin-guide/pm/cpuidle.rst, Power Management Quality of Service for CPUs; rtcqs 0.5.3",
		.look = look_qos,
	}, {
		RULE(pcie_aspm),
		.severity = SEVERITY_MEDIUM,
		.path = "/sys/module/pcie_aspm/parameters/policy", .wanted = "performance",
		.why = "A link that sleeps delays each access to its device.",
		.now = "echo performance > /sys/module/pcie_aspm/parameters/policy", .for_good = "kernel argument pcie_aspm.policy=performance",
		.source = FROM_HARDWARE ", Hardware buses", .look = look_aspm, .words = "performance",
	},
};

const struct checks checks_power = { rows, sizeof(rows) / sizeof(rows[0]) };
