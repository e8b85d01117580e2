// SPDX-License-Identifier: GPL-2.0
/* Rules about threads: who runs above the workload, and what the workload may do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "doctor/rules.h"
#include "machine/limits.h"
#include "util/text.h"
#include "util/tree.h"
#include "util/units.h"

#define PRIORITY_LIMIT	98		/* migration and watchdog threads have 99 */
#define SHOWN_TASKS	4
#define CAP_SYS_NICE	23
#define GROUPS		"/proc/self/cgroup"
#define ENVIRON_MAX	4096

/* The threads that stop a CPU: nothing may be above them, and nothing can be done. */
static bool is_stopper(const struct task *t)
{
	return t->kthread && (begins_with(t->comm, "migration/") || begins_with(t->comm, "stopper/"));
}

/* The priority of the workload: this process's own, or what run takes. False: @f says why not. */
static bool look_priority_of_workload(struct doctor *d, struct finding *f, int *priority)
{
	struct task self;
	char *stat;
	int err;

	*priority = d->priority;
	if (d->priority)
		return true;
	err = tree_read(d->root, "/proc/self/stat", &stat);
	if (!err) {
		err = task_parse(&self, stat);
		free(stat);
	}
	if (err)
		found_unreadable(d, f, "/proc/self/stat", err);
	else
		*priority = task_is_realtime(&self) && self.priority ? self.priority : WORKLOAD_PRIORITY;
	return !err;
}

/* SCHED_DEADLINE is above every priority. */
static bool is_above(const struct task *t, int priority)
{
	return task_is_realtime(t) && (!t->priority || t->priority >= priority);
}

/* 1: the task may use a measured CPU, 0: not, -errno. One that has ended may not. */
static int is_near(struct doctor *d, const struct task *t, char path[TASK_PATH_LEN])
{
	struct cpulist allowed;
	int err = task_allowed(d->root, t, &allowed, path);

	if (err == -ENOENT || err == -ESRCH)
		return 0;
	return err ? err : cpulist_meet(&allowed, &d->measured);
}

/* Threads that check.unwanted names, and that may use a measured CPU. */
static void look_tasks(struct doctor *d, struct finding *f)
{
	char path[TASK_PATH_LEN], bad[TASK_PATH_LEN] = "", *text = NULL, policy[TASK_POLICY_LEN];
	int near, err = 0, priority;
	unsigned int hits = 0;
	size_t i, size;
	FILE *mem;

	if (!look_priority_of_workload(d, f, &priority) || !look_processes(d, f))
		return;
	mem = open_memstream(&text, &size);
	for (i = 0; i < d->tasks.n; i++) {
		const struct task *t = &d->tasks.at[i];

		if (t->pid == d->tasks.self || !f->check->unwanted(t, priority))
			continue;
		near = is_near(d, t, path);
		if (near < 0) {
			err = near;
			snprintf(bad, sizeof(bad), "%s", path);
		}
		if (near > 0 && hits++ < SHOWN_TASKS && mem)
			fprintf(mem, "%s%s (pid %d, %s)", hits > 1 ? ", " : "", t->comm, t->tid,
				task_policy(policy, t));
	}
	text = text_end(d, mem, &text);
	if (hits)
		found_if(d, f, false, "%s%s", text ? text : "", hits > SHOWN_TASKS ? " and more" : "");
	else if (err)
		found_unreadable(d, f, bad, err);
	else
		found_if(d, f, true, "none");
	free(text);
}

static bool is_irq_thread(const struct task *t, int priority)
{
	return t->kthread && begins_with(t->comm, "irq/") && is_above(t, priority);
}

static bool is_foreign(const struct task *t, int priority)
{
	return is_above(t, priority) && !is_stopper(t) && !(t->kthread && begins_with(t->comm, "irq/"));
}

/* A line of /proc/PID/sched, in ns: "dl.runtime          :          300000". False: none has @key. */
static bool sched_value(const char *text, const char *key, uint64_t *ns)
{
	const char *line = strstr(text, key), *colon = line ? strchr(line, ':') : NULL;

	if (colon)
		*ns = strtoull(colon + 1, NULL, 10);
	return colon;
}

/* ", 300us within 10ms", as far as the kernel has CONFIG_SCHED_DEBUG. */
static void put_runtime(struct doctor *d, FILE *f, const struct task *t)
{
	char path[TASK_PATH_LEN], runtime[DURATION_LEN], deadline[DURATION_LEN], *text;
	uint64_t runtime_ns, deadline_ns;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/sched", t->pid, t->tid);
	if (tree_read(d->root, path, &text))
		return;
	if (sched_value(text, "dl.runtime", &runtime_ns) && sched_value(text, "dl.deadline", &deadline_ns))
		fprintf(f, ", %s within %s", duration_exact(runtime, runtime_ns),
			duration_exact(deadline, deadline_ns));
	free(text);
}

static void look_deadline(struct doctor *d, struct finding *f)
{
	unsigned int hits = 0;
	char *text = NULL;
	size_t i, size;
	FILE *mem;

	if (!look_processes(d, f))
		return;
	mem = open_memstream(&text, &size);
	for (i = 0; mem && i < d->tasks.n; i++) {
		const struct task *t = &d->tasks.at[i];

		if (!task_is_realtime(t) || t->priority || hits++ >= SHOWN_TASKS)
			continue;
		fprintf(mem, "%s%s (pid %d", hits > 1 ? ", " : "", t->comm, t->tid);
		put_runtime(d, mem, t);
		fputc(')', mem);
	}
	text = text_end(d, mem, &text);
	found(d, f, STATUS_NOTED, "%s%s", text && *text ? text : "none", hits > SHOWN_TASKS ? " and more" : "");
	free(text);
}

/* "ktimers/3" of a measured CPU. */
static bool is_thread_of(const struct doctor *d, const struct task *t, const char *name)
{
	size_t len = strlen(name);

	return t->kthread && begins_with(t->comm, name) && t->comm[len] == '/' &&
	       cpulist_has(&d->measured, (int)strtol(t->comm + len + 1, NULL, 10));
}

static void look_helpers(struct doctor *d, struct finding *f)
{
	static const char * const names[] = { "ktimers", "ksoftirqd", "rcuc" };
	char line[96], policy[TASK_POLICY_LEN], *text;
	struct groups g = { 0 };
	size_t i, k;

	if (!look_processes(d, f))
		return;
	for (k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		for (i = 0; i < d->tasks.n; i++) {
			const struct task *t = &d->tasks.at[i];

			if (!is_thread_of(d, t, names[k]))
				continue;
			snprintf(line, sizeof(line), "%s %s", names[k], task_policy(policy, t));
			groups_add(d, &g, (int)strtol(strchr(t->comm, '/') + 1, NULL, 10), line);
		}
	text = groups_format(d, &g);
	found_if(d, f, true, "%s", text && *text ? text : "no such thread");
	/* rcub/N is of a node of RCU's tree: rcu_spawn_one_boost_kthread(). All have one priority. */
	for (i = 0; i < d->tasks.n; i++)
		if (d->tasks.at[i].kthread && begins_with(d->tasks.at[i].comm, "rcub/"))
			break;
	if (i < d->tasks.n)
		found_if(d, f, true, "%s%srcub %s", text ? text : "", text && *text ? ", " : "",
			 task_policy(policy, &d->tasks.at[i]));
	free(text);
}

static void look_priority(struct doctor *d, struct finding *f)
{
	int priority;

	if (look_priority_of_workload(d, f, &priority))
		found_if(d, f, priority < PRIORITY_LIMIT, "%d", priority);
}

/* The threads that call back for RCU, by priority; *@first is one of them, or NULL. */
static char *callback_threads(struct doctor *d, const struct task **first)
{
	char line[64], policy[TASK_POLICY_LEN];
	struct groups g = { 0 };
	size_t i;

	*first = NULL;
	for (i = 0; i < d->tasks.n; i++) {
		const struct task *t = &d->tasks.at[i];

		if (!is_thread_of(d, t, "rcuc"))
			continue;
		if (!*first || t->priority < (*first)->priority)
			*first = t;
		snprintf(line, sizeof(line), "rcuc %s", task_policy(policy, t));
		groups_add(d, &g, (int)strtol(strchr(t->comm, '/') + 1, NULL, 10), line);
	}
	return groups_format(d, &g);
}

/*
 * Below a workload that sleeps they run when it does. Below one that never sleeps they
 * never run, unless their work is done elsewhere.
 */
static void look_rcu_priority(struct doctor *d, struct finding *f)
{
	int priority, err = 0;
	const struct task *lowest;
	struct cpulist offloaded;
	bool good;
	char *text;

	if (!look_priority_of_workload(d, f, &priority) || !look_processes(d, f) ||
	    !look_cmdline(d, f))
		return;
	text = callback_threads(d, &lowest);
	if (f->check->only == PATTERN_POLLING) {
		err = look_offloaded(d, &offloaded);
		good = !lowest || is_above(lowest, priority) || cpulist_covers(&offloaded, &d->measured);
	} else {
		good = !lowest || !is_above(lowest, priority);
	}
	if (err)
		found_unreadable(d, f, "/proc/cmdline", err);
	else
		found_if(d, f, good, "%s; the workload has %d", text && *text ? text : "no thread rcuc", priority);
	free(text);
}

/* Page faults of real-time threads of programs since doctor read the list of threads. */
static void look_faults(struct doctor *d, struct finding *f)
{
	char path[TASK_PATH_LEN], first[TASK_COMM] = "";
	unsigned long long faults = 0;
	unsigned int threads = 0;
	size_t i;
	int err;

	if (d->of_run) {
		if (d->has_faults)
			found_if(d, f, !d->faults, "%llu by the measured threads %s",
				 (unsigned long long)d->faults, while_what(d));
		else
			found(d, f, STATUS_ABSENT, "kernel threads have none");
		return;
	}
	if (!look_processes(d, f) || !look_twice(d, f))
		return;
	for (i = 0; i < d->tasks.n; i++) {
		struct task now = d->tasks.at[i];

		if (now.kthread || now.pid == d->tasks.self || !task_is_realtime(&now))
			continue;
		err = is_near(d, &now, path);
		if (err > 0)
			err = task_read(d->root, &now, path);
		else if (!err)
			continue;
		if (err == -ENOENT || err == -ESRCH)
			continue;
		if (err < 0) {
			found_unreadable(d, f, path, err);
			return;
		}
		threads++;
		if (now.faults > d->tasks.at[i].faults && !*first)
			snprintf(first, sizeof(first), "%s", now.comm);
		faults += now.faults - d->tasks.at[i].faults;
	}
	found_if(d, f, !faults, "%llu by %u thread%s %s%s%s", faults, threads,
		 threads == 1 ? "" : "s", while_what(d), *first ? ", the first by " : "", first);
}

static const struct task *find_process(const struct doctor *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->tasks.n; i++)
		if (!d->tasks.at[i].kthread && !strcmp(d->tasks.at[i].comm, name))
			return &d->tasks.at[i];
	return NULL;
}

/*
 * The CPUs that irqbalance leaves alone. Without a mask or a list these are isolated and nohz_full
 * ones. An empty one counts as none: setup_banned_cpus() in its cputree.c.
 */
static int banned_cpus(struct doctor *d, const struct task *t, struct cpulist *cpus,
		       char path[TASK_PATH_LEN])
{
	static const char list[] = "IRQBALANCE_BANNED_CPULIST=", mask[] = "IRQBALANCE_BANNED_CPUS=";
	char env[ENVIRON_MAX] = "", *text, *banned = NULL, *banned_mask = NULL;
	struct cpulist more;
	size_t i;
	int err;

	snprintf(path, TASK_PATH_LEN, "/proc/%d/environ", t->pid);
	/* NULs are between the variables, and the file may be shorter */
	for (i = 0; i < sizeof(env) - 1; i++) {
		err = tree_read_at(d->root, path, (long)i, env + i, 1);
		if (err == -ENODATA)
			break;
		if (err)
			return err;
	}
	for (text = env; text < env + i; text += strlen(text) + 1) {
		if (begins_with(text, list) && text[strlen(list)])
			banned = text + strlen(list);
		if (begins_with(text, mask) && text[strlen(mask)])
			banned_mask = text + strlen(mask);
	}
	if (banned || banned_mask)
		return banned_mask ? cpulist_parse_mask(cpus, banned_mask) : cpulist_parse(cpus, banned);
	snprintf(path, TASK_PATH_LEN, CPU_DIR "/isolated");
	err = tree_read_list(d->root, path, cpus);
	if (!err && !tree_read_list(d->root, CPU_DIR "/nohz_full", &more))
		*cpus = cpulist_or(cpus, &more);
	return err;
}

static void look_irqbalance(struct doctor *d, struct finding *f)
{
	const struct task *t;
	struct cpulist banned;
	char path[TASK_PATH_LEN], *text;
	int err;

	if (!look_processes(d, f))
		return;
	t = find_process(d, "irqbalance");
	if (!t) {
		found_if(d, f, true, "does not run");
		return;
	}
	err = banned_cpus(d, t, &banned, path);
	if (err) {
		found_unreadable(d, f, path, err);
		return;
	}
	text = cpulist_format(&banned);
	found_if(d, f, cpulist_covers(&banned, &d->measured), "pid %d leaves alone CPUs %s", t->pid,
		 text ? text : "");
	free(text);
}

static void look_daemons(struct doctor *d, struct finding *f)
{
	const struct task *stalld, *tuned;
	char *profile = NULL;

	if (!look_processes(d, f))
		return;
	stalld = find_process(d, "stalld");
	tuned = find_process(d, "tuned");
	if (tree_read(d->root, "/etc/tuned/active_profile", &profile))
		profile = NULL;
	found(d, f, STATUS_NOTED, "stalld %s, tuned %s, its profile %s", stalld ? "runs" : "does not run",
	      tuned ? "runs" : "does not run", profile && *profile ? profile : "is not named");
	free(profile);
}

/* Returns whether RT_GROUP_SCHED forbids the group real-time threads, whatever else permits them. */
static bool group_forbids(struct doctor *d)
{
	struct cpu_limits l;
	bool forbids = false;
	size_t i;

	if (limits_read(&l, d->root, 0, LIMIT_OF_RT))
		d->err = -ENOMEM;
	for (i = 0; i < l.n; i++)
		forbids = forbids || !l.at[i].runtime_ns;
	limits_free(&l);
	return forbids;
}

static void look_rights(struct doctor *d, struct finding *f)
{
	char *limits = NULL, *status = NULL, *line;
	bool forbids = group_forbids(d);
	const char *cap;
	long limit = -1;

	if (!look_read(d, f, "/proc/self/status", &status))
		return;
	if (look_read(d, f, "/proc/self/limits", &limits)) {
		line = strstr(limits, "Max realtime priority");
		if (line)
			limit = !strncmp(line + 26, "unlimited", 9) ? 99 : strtol(line + 26, NULL, 10);
		cap = look_capability(d, status, CAP_SYS_NICE);
		if (limit < 0 || !cap)
			found_unreadable(d, f, "/proc/self/limits", -EINVAL);
		else
			found_if(d, f, (!strcmp(cap, "yes") || limit >= WORKLOAD_PRIORITY) && !forbids,
				 "CAP_SYS_NICE %s, RLIMIT_RTPRIO %ld%s", cap, limit,
				 forbids ? ", and the group's cpu.rt_runtime_us is 0" : "");
	}
	free(limits);
	free(status);
}

/*
 * From Linux 6.12 on real-time threads have this limit only with RT_GROUP_SCHED: commit 5f6bd380c7bd,
 * "sched/rt: Remove default bandwidth control".
 */
static void look_limit(struct doctor *d, struct finding *f)
{
	look_value(d, f);
	if (f->status != STATUS_FINDING || !release_is_since(d->report.kernel, 6, 12))
		return;
	/* a run has not read it */
	d->err = kconfig_read(&d->config, d->root);
	if (d->err)
		return;
	if (!d->config.text)
		found(d, f, STATUS_UNKNOWN, "not -1; RT_GROUP_SCHED: %s", d->config.why);
	else if (!kconfig_is_on(&d->config, "RT_GROUP_SCHED"))
		found(d, f, STATUS_ABSENT, "of deadline tasks only, without RT_GROUP_SCHED: see the rule fair_server");
}

/* Of the group that a program started from this shell would be in. */
static void look_limits(struct doctor *d, struct finding *f)
{
	char *text = NULL, *one;
	struct cpu_limits l;
	size_t size, i;
	FILE *all;

	if (!look_read(d, f, GROUPS, &text))
		return;
	free(text);
	if (limits_read(&l, d->root, 0, LIMIT_OF_FAIR | LIMIT_OF_RT))
		d->err = -ENOMEM;
	all = open_memstream(&text, &size);
	for (i = 0; all && i < l.n; i++) {
		one = limit_text(&l.at[i]);
		fprintf(all, "%s%s", i ? "; " : "", one ? one : "");
		free(one);
	}
	text = text_end(d, all, &text);
	found_if(d, f, !l.n, "%s", l.n && text ? text : "none");
	free(text);
	limits_free(&l);
}

static const struct check rows[] = {
	{
		RULE(irq_threads),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat", .wanted = "below the workload on measured CPUs, or intended",
		.why = "An interrupt thread at or above the workload's priority delays it for the whole of its handler.",
		.now = "chrt -f -p 50 PID", .for_good = "rtirq, or a udev rule or systemd unit that runs chrt at boot",
		.source = "rtirq (rncbc.org), RTIRQ_PRIO_HIGH; " FROM_LINUX "core-api/real-time/differences.rst",
		.look = look_tasks, .unwanted = is_irq_thread,
	}, {
		RULE(helpers),
		.severity = SEVERITY_INFO, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat", .wanted = "on PREEMPT_RT: ktimers and ksoftirqd fifo:2, rcuc and rcub fifo:4",
		.why = "Below the workload they do not disturb it. Too low, they starve behind other real-time threads.",
		.now = "chrt -f -p 2 PID", .for_good = "tuned: [scheduler] groups; kernel argument rcutree.kthread_prio=4",
		.source = FROM_LINUX "core-api/real-time/differences.rst; " FROM_ARGUMENTS ", rcutree.kthread_prio=",
		.look = look_helpers,
	}, {
		RULE(workload_priority),
		.severity = SEVERITY_MEDIUM, .path = "/proc/self/stat", .wanted = "below fifo:98",
		.why = "Above it the workload starves the threads that migrate tasks and watch the machine. It is this process's priority, or 95, the default of run.",
		.now = "run --policy fifo:95", .for_good = "CPUSchedulingPriority=95 in its systemd unit",
		.source = "NI Linux Real-Time, its CI; " FROM_LINUX "scheduler/sched-rt-group.rst", .look = look_priority,
	}, {
		RULE(rcu_priority),
		.severity = SEVERITY_MEDIUM, .only = PATTERN_PERIODIC, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat /proc/self/stat", .wanted = "rcuc below the workload's priority",
		.why = "At or above it a batch of callbacks delays the workload. Below it they run while the workload sleeps.",
		.now = "for p in $(pgrep ^rcuc/); do chrt -f -p 4 $p; done", .for_good = "kernel argument rcutree.kthread_prio=4",
		.source = FROM_LINUX "admin-guide/kernel-per-CPU-kthreads.rst, rcuc; " FROM_ARGUMENTS ", rcutree.kthread_prio=",
		.look = look_rcu_priority,
	}, {
		.id = "rcu_priority", .title = "RCU's callback threads get their turn",
		.severity = SEVERITY_MEDIUM, .only = PATTERN_POLLING, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat /proc/self/stat /proc/cmdline", .wanted = "callbacks offloaded, or rcuc not below the workload",
		.why = "A workload that never sleeps keeps threads below it away for good: memory is not freed, and RCU reports stalls.",
		.now = "for p in $(pgrep ^rcuc/); do chrt -f -p 96 $p; done", .for_good = "kernel argument rcu_nocbs={cpus}",
		.source = FROM_LINUX "admin-guide/kernel-per-CPU-kthreads.rst, rcuc; " FROM_ARGUMENTS ", rcutree.kthread_prio=, rcu_nocbs=",
		.look = look_rcu_priority,
	}, {
		RULE(page_faults),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_COUNTS,
		.path = "/proc/*/stat", .wanted = "0, on the measured CPUs",
		.why = "A fault costs microseconds, and one that reads from a disk milliseconds. Locked memory has no faults.",
		.now = "mlockall(MCL_CURRENT | MCL_FUTURE) in the program", .for_good = "the same, and LimitMEMLOCK=infinity in its systemd unit",
		.source = FROM_LINUX "trace/rv/monitor_rtapp.rst, pagefault", .look = look_faults,
	}, {
		RULE(foreign),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat /proc/*/status", .wanted = "none at or above the workload's priority",
		.why = "They run whenever they want to, and the workload waits. Deadline threads are above every priority.",
		.now = "chrt -p PID shows one; taskset -apc {others} PID moves it", .for_good = "CPUAffinity={others} in its systemd unit",
		.source = FROM_ISOLATION ", Housekeeping; sched(7)", .look = look_tasks, .unwanted = is_foreign,
	}, {
		RULE(deadline),
		.severity = SEVERITY_INFO, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat /proc/PID/sched", .wanted = "recorded",
		.why = "A deadline thread that has used up its runtime is throttled until its next period, also on an idle CPU.",
		.source = FROM_LINUX "scheduler/sched-deadline.rst", .look = look_deadline,
	}, {
		RULE(rt_throttling),
		.severity = SEVERITY_MEDIUM,
		SYSCTL("kernel", "sched_rt_runtime_us", "-1"), .wanted = "-1, or a limit that is documented",
		.why = "Before Linux 6.12, or with RT_GROUP_SCHED, 950000 takes a thread that polls off its CPU for 50 ms in each second.",
		.source = FROM_REALTIME "; " FROM_LINUX "scheduler/sched-rt-group.rst", .look = look_limit, .words = "-1",
	}, {
		RULE(cpu_limit),
		.severity = SEVERITY_MEDIUM,
		.path = GROUPS, .wanted = "none",
		.why = "A thread of a group that has used up its cpu.max waits for the next period, while its CPU is idle. Without cpu.rt_runtime_us a group has no real-time threads.",
		.now = "echo max > /sys/fs/cgroup/GROUP/cpu.max; echo -1 > /sys/fs/cgroup/cpu/GROUP/cpu.cfs_quota_us",
		.for_good = "CPUQuota= in the systemd unit; no limits.cpu for the container",
		.source = FROM_LINUX "scheduler/sched-bwc.rst; " FROM_LINUX "scheduler/sched-rt-group.rst", .look = look_limits,
		.missing = MISSING_GOOD, .missing_why = "the kernel has no cgroups", .witness = "/proc/self",
	}, {
		RULE(fair_server),
		.severity = SEVERITY_INFO,
		.path = FAIR_SERVER("N"), .wanted = "recorded; ns in each second",
		.why = "Since Linux 6.12 a deadline server gives starving ordinary tasks this time, above the workload.",
		.now = "echo 0 > /sys/kernel/debug/sched/fair_server/cpuN/runtime", .for_good = "a systemd unit that writes it at boot",
		.source = FROM_LINUX "scheduler/sched-rt-group.rst, fair_server", .look = look_each_cpu,
		.missing = MISSING_GOOD, .missing_why = "kernels before Linux 6.12 have no fair server", .witness = "/sys/kernel/debug/sched",
	}, {
		RULE(irqbalance),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat /proc/PID/environ", .wanted = "off, or leaves the measured CPUs alone",
		.why = "It moves interrupts to other CPUs while the workload runs. It leaves alone what its environment names, or else isolated and nohz_full CPUs.",
		.now = "systemctl stop irqbalance", .for_good = "IRQBALANCE_BANNED_CPULIST={cpus} in /etc/default/irqbalance; tuned: banned_cpus={cpus}",
		.source = FROM_ISOLATION ", IRQs isolation; " FROM_REALTIME ", banned_cpus; irqbalance(1)", .look = look_irqbalance,
	}, {
		RULE(daemons),
		.severity = SEVERITY_INFO, .needs = NEEDS_TASKS,
		.path = "/proc/*/stat /etc/tuned/active_profile", .wanted = "recorded",
		.why = "stalld lifts starving threads above the workload for moments; tuned decides about many rules of this list.",
		.source = FROM_REALTIME, .look = look_daemons,
	}, {
		RULE(rights),
		.severity = SEVERITY_MEDIUM,
		.path = "/proc/self/limits /proc/self/status " GROUPS, .wanted = "CAP_SYS_NICE, or RLIMIT_RTPRIO of 95 or more, and a group with RT runtime",
		.why = "Without it the workload runs as an ordinary task, and measures the other tasks.",
		.now = "ulimit -r 95 as root, in the shell that starts it; echo 950000 > /sys/fs/cgroup/cpu/GROUP/cpu.rt_runtime_us",
		.for_good = "a line USER - rtprio 99 in /etc/security/limits.conf; LimitRTPRIO=99 in a systemd unit",
		.source = "Linux man-pages 6.03, sched(7), Privileges and resource limits; rtcqs 0.5.3, rtprio check", .look = look_rights,
	},
};

const struct checks checks_tasks = { rows, sizeof(rows) / sizeof(rows[0]) };
