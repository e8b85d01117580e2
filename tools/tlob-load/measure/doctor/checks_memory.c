// SPDX-License-Identifier: GPL-2.0
/* Rules about memory: what moves pages, what takes them away, how far they are. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "doctor/rules.h"
#include "util/tree.h"

#define CAP_IPC_LOCK	14
#define NODES		"/sys/devices/system/node"
#define SWAPPINESS_MAX	10

static void look_swap(struct doctor *d, struct finding *f)
{
	static const char file[] = "/proc/sys/vm/swappiness";
	char *swaps;
	uint64_t n;
	bool none;
	int err;

	if (!look_read(d, f, "/proc/swaps", &swaps))
		return;
	/* a line for the heads of the columns */
	none = !strchr(swaps, '\n');
	free(swaps);
	if (none) {
		found_if(d, f, true, "none");
		return;
	}
	err = tree_read_number(d->root, file, &n);
	found_path(d, f, file);
	if (err)
		found_unreadable(d, f, file, err);
	else
		found_if(d, f, n <= SWAPPINESS_MAX, "swap is on, swappiness %" PRIu64, n);
}

/* The node of a CPU: the directory cpuN/nodeM. -1: none. */
static int node_of(struct doctor *d, int cpu)
{
	char path[LOOK_PATH_LEN], **names, **one;
	int node = -1;

	if (tree_list(d->root, cpu_path(path, CPU_DIR "/cpuN", cpu), &names))
		return -1;
	for (one = names; *one; one++)
		if (!strncmp(*one, "node", 4) && strspn(*one + 4, "0123456789") == strlen(*one + 4) &&
		    (*one)[4])
			node = (int)strtol(*one + 4, NULL, 10);
	tree_list_free(names);
	return node;
}

static void look_locality(struct doctor *d, struct finding *f)
{
	struct cpulist nodes, allowed;
	struct groups g = { 0 };
	char line[96];
	bool bad = false;
	int cpu, node, err;

	if (!look_list(d, f, NODES "/has_memory", false, &nodes))
		return;
	/* the nodes that this process may take memory from */
	err = tasks_read_list(d->root, "/proc/self/status", "\nMems_allowed_list:", &allowed);
	if (err) {
		found_unreadable(d, f, "/proc/self/status", err);
		return;
	}
	nodes = cpulist_and(&nodes, &allowed);
	for_each_cpu(cpu, &d->measured) {
		node = node_of(d, cpu);
		if (node < 0) {
			free(groups_format(d, &g));
			found(d, f, STATUS_UNKNOWN, CPU_DIR "/cpu%d: no node is named", cpu);
			return;
		}
		bad = bad || !cpulist_has(&nodes, node);
		snprintf(line, sizeof(line), "node %d %s memory", node, cpulist_has(&nodes, node) ? "with" : "without");
		groups_add(d, &g, cpu, line);
	}
	found_groups(d, f, !bad, &g, "");
}

static void look_locked(struct doctor *d, struct finding *f)
{
	char *limits, *status, *line, limit[32] = "";
	const char *cap;

	if (!look_read(d, f, "/proc/self/status", &status))
		return;
	cap = look_capability(d, status, CAP_IPC_LOCK);
	free(status);
	if (!look_read(d, f, "/proc/self/limits", &limits))
		return;
	line = cap ? strstr(limits, "Max locked memory") : NULL;
	if (line)
		snprintf(limit, sizeof(limit), "%.*s", (int)strcspn(line + 26, " \n"), line + 26);
	free(limits);
	if (!*limit)
		found_unreadable(d, f, "/proc/self/limits", -EINVAL);
	else
		found_if(d, f, !strcmp(cap, "yes") || !strcmp(limit, "unlimited"),
			 "CAP_IPC_LOCK %s, RLIMIT_MEMLOCK %s", cap, limit);
}

static const struct check rows[] = {
	{
		RULE(stat_interval),
		.severity = SEVERITY_MEDIUM,
		SYSCTL("vm", "stat_interval", "10"), .wanted = "10 or more",
		.why = "A worker of each CPU folds its counters into the global ones, each second by default.",
		.source = FROM_LATENCY "; " FROM_LINUX "admin-guide/sysctl/vm.rst, stat_interval",
		.look = look_value, .at_least = 10,
	}, {
		RULE(numa_balancing),
		.severity = SEVERITY_MEDIUM,
		SYSCTL("kernel", "numa_balancing", "0"), .wanted = "0",
		.why = "The kernel unmaps pages to see who uses them, and each use is a page fault.",
		.source = FROM_LATENCY "; " FROM_LINUX "admin-guide/sysctl/kernel.rst, numa_balancing",
		.look = look_value, .words = "0",
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without it", .witness = "/proc/sys/kernel",
	}, {
		RULE(locality),
		.severity = SEVERITY_MEDIUM,
		.path = NODES "/has_memory " CPU_DIR "/cpuN/nodeM /proc/self/status", .wanted = "each CPU's node has memory that this process may use",
		.why = "Each miss of the caches goes to another node otherwise, over a link that all share.",
		.now = "numactl --localalloc; or measure other CPUs", .for_good = "AllowedMemoryNodes= in the systemd unit",
		.source = FROM_LINUX "admin-guide/mm/numa_memory_policy.rst; " FROM_LINUX "ABI/stable/sysfs-devices-node",
		.look = look_locality,
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without NUMA: all memory is alike", .witness = "/sys/devices/system",
	}, {
		RULE(thp),
		.severity = SEVERITY_MEDIUM,
		.path = "/sys/kernel/mm/transparent_hugepage/enabled", .wanted = "never",
		.why = "A thread of the kernel copies pages together under the workload, which waits in a page fault meanwhile.",
		.now = "echo never > /sys/kernel/mm/transparent_hugepage/enabled", .for_good = "kernel argument transparent_hugepage=never; tuned: transparent_hugepages=never",
		.source = FROM_LATENCY "; " FROM_LINUX "admin-guide/mm/transhuge.rst", .look = look_value, .words = "never",
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without them", .witness = "/sys/kernel/mm",
	}, {
		RULE(ksm),
		.severity = SEVERITY_MEDIUM, .path = "/sys/kernel/mm/ksm/run", .wanted = "0 or 2",
		.why = "The first write to a merged page is a page fault with a copy.",
		.now = "echo 2 > /sys/kernel/mm/ksm/run", .for_good = "systemctl disable ksm ksmtuned",
		.source = FROM_LINUX "admin-guide/mm/ksm.rst", .look = look_value, .words = "0 2",
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without it", .witness = "/sys/kernel/mm",
	}, {
		RULE(swap),
		.severity = SEVERITY_MEDIUM,
		.path = "/proc/swaps /proc/sys/vm/swappiness", .wanted = "none, or swappiness of 10 or less",
		.why = "A page that was swapped out takes milliseconds to come back.",
		.now = "swapoff -a; or sysctl vm.swappiness=10", .for_good = "no swap in /etc/fstab; or a line vm.swappiness = 10 in /etc/sysctl.d/",
		.source = FROM_LINUX "admin-guide/sysctl/vm.rst, swappiness; rtcqs 0.5.3, swappiness check", .look = look_swap,
	}, {
		RULE(locked_memory),
		.severity = SEVERITY_MEDIUM,
		.path = "/proc/self/limits /proc/self/status", .wanted = "CAP_IPC_LOCK, or RLIMIT_MEMLOCK unlimited",
		.why = "Pages that are not locked may be taken away, and the next use of one is a page fault inside a window.",
		.now = "ulimit -l unlimited as root, in the shell that starts it",
		.for_good = "a line USER - memlock unlimited in /etc/security/limits.conf; LimitMEMLOCK=infinity in a systemd unit",
		.source = FROM_ISOLATION ", Checklist; " FROM_LINUX "trace/rv/monitor_rtapp.rst", .look = look_locked,
	},
};

const struct checks checks_memory = { rows, sizeof(rows) / sizeof(rows[0]) };
