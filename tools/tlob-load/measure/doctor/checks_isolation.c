// SPDX-License-Identifier: GPL-2.0
/* Rules about what may run on the measured CPUs: the scheduler's tasks, interrupts, work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "doctor/rules.h"
#include "util/tree.h"

#define CGROUP		"/sys/fs/cgroup"
#define CGROUP_DEPTH	4
#define SCHEDSTAT	"/proc/schedstat"
#define SHOWN_IRQS	8

/* Finds whether @all has the measured CPUs, and names those that it lacks. */
static void found_covered(struct doctor *d, struct finding *f, const struct cpulist *all,
			  const char *what)
{
	struct cpulist lacking = cpulist_without(&d->measured, all);
	char *has = cpulist_format(all), *list = cpulist_format(&lacking);

	if (!has || !list)
		d->err = -ENOMEM;
	else if (cpulist_is_empty(&lacking))
		found_if(d, f, true, "%s: %s", what, has);
	else
		found_if(d, f, false, "%s: %s; CPU%s %s %s missing", what, has,
			 cpulist_count(&lacking) > 1 ? "s" : "", list,
			 cpulist_count(&lacking) > 1 ? "are" : "is");
	free(has);
	free(list);
}

/* Returns whether an entry of a cgroup is a cgroup. A file begins with its controller's name. */
static bool is_cgroup(const char *name)
{
	static const char * const files[] = {
		"cgroup.", "cpu.", "cpuset.", "dmem.", "hugetlb.", "io.", "irq.", "memory.", "misc.", "pids.", "rdma.",
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strncmp(name, files[i], strlen(files[i])))
			return strstr(name, ".slice") || strstr(name, ".service") || strstr(name, ".scope");
	return true;
}

/*
 * Reads cpuset.cpus.partition of @dir and of what is below it: adds the CPUs of isolated
 * partitions to @cpus, and returns what the first one says that the kernel refused,
 * "isolated invalid (why)", or NULL.
 */
static char *walk_partitions(struct doctor *d, const char *dir, int depth, struct cpulist *cpus)
{
	char path[512], **names = NULL, **name, *text = NULL, *why = NULL;
	struct cpulist more;

	snprintf(path, sizeof(path), "%s/cpuset.cpus.partition", dir);
	if (!tree_read(d->root, path, &text)) {
		if (!strncmp(text, "isolated invalid", strlen("isolated invalid")) &&
		    asprintf(&why, "%.200s: %.200s", path, text) < 0)
			why = NULL;
		snprintf(path, sizeof(path), "%s/cpuset.cpus.effective", dir);
		if (!strcmp(text, "isolated") && !tree_read_list(d->root, path, &more))
			*cpus = cpulist_or(cpus, &more);
		free(text);
	}
	if (why || !depth || tree_list(d->root, dir, &names))
		return why;
	for (name = names; !why && *name; name++)
		if (is_cgroup(*name)) {
			snprintf(path, sizeof(path), "%.300s/%.150s", dir, *name);
			why = walk_partitions(d, path, depth - 1, cpus);
		}
	tree_list_free(names);
	return why;
}

/*
 * The CPUs of all isolated partitions. -errno. Linux has a file with them since 6.7; before
 * that they are looked for, in a run only where --tune makes one. A container sees those
 * below its own root only: that has the file cgroup.type.
 */
static int read_partitions(struct doctor *d, struct cpulist *cpus)
{
	int err = tree_read_list(d->root, CGROUP "/cpuset.cpus.isolated", cpus);

	if (err != -ENOENT || !tree_can_read(d->root, CGROUP "/cgroup.controllers") ||
	    tree_can_read(d->root, CGROUP "/cgroup.type"))
		return err;
	*cpus = (struct cpulist){ 0 };
	free(walk_partitions(d, CGROUP, d->of_run ? 1 : CGROUP_DEPTH, cpus));
	return 0;
}

int read_isolated(struct doctor *d, struct cpulist *cpus)
{
	struct cpulist more;
	int err = tree_read_list(d->root, CPU_DIR "/isolated", cpus);

	if (!err && !read_partitions(d, &more))
		*cpus = cpulist_or(cpus, &more);
	return err;
}

/*
 * The CPUs on which the scheduler balances nothing, whatever isolated them: those without a
 * domain. -errno; -ENODATA: no CPU has one, as on a machine with one CPU.
 */
static int read_unbalanced(struct doctor *d, struct cpulist *cpus)
{
	char *text, *line, *rest = NULL;
	struct cpulist balanced = { 0 };
	int err = tree_read(d->root, SCHEDSTAT, &text), cpu = -1;

	*cpus = (struct cpulist){ 0 };
	if (err)
		return err;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, "cpu", strlen("cpu"))) {
			cpu = (int)strtol(line + strlen("cpu"), NULL, 10);
			if (cpu >= 0 && cpu < CPULIST_MAX)
				cpulist_add(cpus, cpu);
		} else if (!strncmp(line, "domain", strlen("domain")) && cpulist_has(cpus, cpu)) {
			cpulist_add(&balanced, cpu);
		}
	free(text);
	*cpus = cpulist_without(cpus, &balanced);
	return cpulist_is_empty(&balanced) ? -ENODATA : 0;
}

static void look_isolated(struct doctor *d, struct finding *f)
{
	struct cpulist cpus, more;
	int err;

	if (!look_list(d, f, CPU_DIR "/isolated", false, &cpus))
		return;
	err = read_partitions(d, &more);
	if (!err)
		cpus = cpulist_or(&cpus, &more);
	/* without the file there are no partitions, but a container's root also lacks it */
	found_covered(d, f, &cpus, "isolated");
	if (f->status != STATUS_FINDING || !err || (err == -ENOENT && !d->report.container))
		return;
	if (!read_unbalanced(d, &cpus)) {
		found_path(d, f, SCHEDSTAT);
		found_covered(d, f, &cpus, "isolated");
		return;
	}
	found_path(d, f, CGROUP "/cpuset.cpus.isolated");
	found(d, f, STATUS_UNKNOWN, "not by isolcpus=; a partition that cannot be seen may do it: %s: %s",
	      CGROUP "/cpuset.cpus.isolated", strerror(-err));
}

static void look_partition(struct doctor *d, struct finding *f)
{
	struct cpulist cpus, walked = { 0 };
	int err = read_partitions(d, &cpus);
	char *invalid;

	if (err) {
		found_unreadable(d, f, CGROUP "/cpuset.cpus.isolated", err);
		return;
	}
	found_covered(d, f, &cpus, "in isolated partitions");
	if (f->status != STATUS_FINDING)
		return;
	invalid = walk_partitions(d, CGROUP, CGROUP_DEPTH, &walked);
	if (invalid)
		found(d, f, STATUS_FINDING, "%s", invalid);
	free(invalid);
}

static void look_no_nohz(struct doctor *d, struct finding *f)
{
	struct cpulist cpus;

	if (look_list(d, f, f->check->path, false, &cpus))
		found_list(d, f, !cpulist_meet(&cpus, &d->measured), "", &cpus);
}

static void look_nohz(struct doctor *d, struct finding *f)
{
	struct cpulist cpus;

	if (look_list(d, f, f->check->path, false, &cpus))
		found_covered(d, f, &cpus, "nohz_full");
}

/* The kernel also offloads the CPUs of nohz_full=. */
int look_offloaded(const struct doctor *d, struct cpulist *cpus)
{
	char buf[2048];
	const char *value;
	struct cpulist more;
	int err = 0;

	*cpus = (struct cpulist){ 0 };
	value = cmdline_value(d, "rcu_nocbs", buf, sizeof(buf));
	if (value && !strcmp(value, "all"))
		*cpus = d->online;
	else if (value)
		err = cpulist_parse(cpus, value);
	value = cmdline_value(d, "nohz_full", buf, sizeof(buf));
	if (!err && value && *value) {
		err = cpulist_parse(&more, value);
		*cpus = cpulist_or(cpus, &more);
	}
	return err;
}

/* The CPU whose callbacks the thread runs, 3 for "rcuop/3" or "rcuos/3"; -1: another thread. */
static int callbacks_of(const struct task *t)
{
	char kind, end;
	int cpu;

	return t->kthread && sscanf(t->comm, "rcuo%c/%d%c", &kind, &cpu, &end) == 2 &&
	       (kind == 'p' || kind == 's') ? cpu : -1;
}

/* The measured CPUs without such a thread: the kernel takes the argument, and does nothing. */
static struct cpulist without_callback_thread(const struct doctor *d)
{
	struct cpulist cpus = { 0 };
	size_t i;
	int cpu;

	for (i = 0; i < d->tasks.n; i++) {
		cpu = callbacks_of(&d->tasks.at[i]);
		if (cpu >= 0 && cpu < CPULIST_MAX)
			cpulist_add(&cpus, cpu);
	}
	return cpulist_without(&d->measured, &cpus);
}

/* The first rcuo thread that may use a measured CPU, or NULL. *@err: @path is unreadable. */
static const struct task *find_callback_thread(struct doctor *d, char *path, int *err)
{
	struct cpulist allowed;
	size_t i;

	*err = 0;
	for (i = 0; i < d->tasks.n && !*err; i++) {
		const struct task *t = &d->tasks.at[i];

		if (!t->kthread || strncmp(t->comm, "rcuo", 4))
			continue;
		*err = task_allowed(d->root, t, &allowed, path);
		if (!*err && cpulist_meet(&allowed, &d->measured))
			return t;
	}
	return NULL;
}

static void drop_now(struct finding *f)
{
	free(f->now);
	f->now = NULL;
}

static void look_rcu(struct doctor *d, struct finding *f)
{
	char path[TASK_PATH_LEN];
	const struct task *t;
	struct cpulist cpus;
	char *list;
	int err;

	if (!look_cmdline(d, f))
		return;
	err = look_offloaded(d, &cpus);
	if (err) {
		found_unreadable(d, f, "/proc/cmdline", err);
		return;
	}
	found_covered(d, f, &cpus, "rcu_nocbs");
	if (f->status == STATUS_FINDING)
		drop_now(f);		/* without the argument there is no thread to move */
	if (f->status == STATUS_FINDING || !look_processes(d, f))
		return;
	cpus = without_callback_thread(d);
	if (!cpulist_is_empty(&cpus)) {
		drop_now(f);
		list = cpulist_format(&cpus);
		found(d, f, STATUS_FINDING, "no thread rcuo for CPUs %s: the kernel is built without RCU_NOCB_CPU",
		      list ? list : "");
		free(list);
		return;
	}
	t = find_callback_thread(d, path, &err);
	if (t)
		found(d, f, STATUS_FINDING, "thread %s (pid %d) may use measured CPUs", t->comm, t->pid);
	else if (err)
		found_unreadable(d, f, path, err);
}

/*
 * A later isolcpus= adds its flags, and is refused if it has other CPUs for the same flag:
 * housekeeping_setup() in Linux, kernel/sched/isolation.c.
 */
static void look_managed(struct doctor *d, struct finding *f)
{
	const char *list, *words = "managed_irq", *at;
	struct cpulist cpus = { 0 };
	char buf[2048];

	if (!look_cmdline(d, f))
		return;
	at = d->cmdline;
	do
		list = cmdline_next(&at, "isolcpus", buf, sizeof(buf));
	while (list && !strstr(list, words));
	if (!list) {
		list = cmdline_value(d, "isolcpus", buf, sizeof(buf));
		found_if(d, f, false, "isolcpus=%s", list ? list : " is missing");
		return;
	}
	list += strcspn(list, "0123456789");
	if (cpulist_parse(&cpus, list))
		found_unreadable(d, f, "/proc/cmdline", -EINVAL);
	else
		found_covered(d, f, &cpus, "isolcpus=managed_irq");
}

/* The interrupts of devices. */
struct irqs {
	FILE	*text;
	unsigned int n, hits;
	char	 path[LOOK_PATH_LEN];		/* the first one that is unreadable */
	int	 err;
};

static void add_irq(struct doctor *d, struct irqs *irqs, const char *irq)
{
	char path[LOOK_PATH_LEN];
	struct cpulist cpus;
	int err;

	snprintf(path, sizeof(path), "/proc/irq/%.20s/effective_affinity_list", irq);
	err = tree_read_list(d->root, path, &cpus);
	if (err == -ENOENT) {
		/* CONFIG_GENERIC_IRQ_EFFECTIVE_AFF_MASK is off */
		snprintf(path, sizeof(path), "/proc/irq/%.20s/smp_affinity_list", irq);
		err = tree_read_list(d->root, path, &cpus);
	}
	irqs->n++;
	if (err) {
		irqs->err = err;
		snprintf(irqs->path, sizeof(irqs->path), "%s", path);
	} else if (cpulist_meet(&cpus, &d->measured)) {
		if (irqs->hits++ < SHOWN_IRQS && irqs->text)
			fprintf(irqs->text, "%s%s", irqs->hits > 1 ? ", " : "", irq);
	}
}

/* Interrupts of devices that came between the two readings; false: not known. */
static bool interrupts_came(const struct doctor *d, uint64_t *n)
{
	unsigned int i;
	uint64_t one;

	*n = 0;
	for (i = 0; i < d->after.n; i++) {
		if (counts_interrupts(&d->before, &d->after, i, &one))
			return false;
		*n += one;
	}
	return d->after.n;
}

static void look_irqs(struct doctor *d, struct finding *f)
{
	char **names = NULL, **name, *text = NULL;
	struct irqs irqs = { 0 };
	uint64_t came = 0;
	bool counted = interrupts_came(d, &came);
	size_t size;
	int err = tree_list(d->root, "/proc/irq", &names);

	if (err) {
		look_missing(d, f, "/proc/irq", err);
		return;
	}
	irqs.text = open_memstream(&text, &size);
	for (name = names; *name; name++)
		if (strspn(*name, "0123456789") == strlen(*name))
			add_irq(d, &irqs, *name);
	tree_list_free(names);
	text = text_end(d, irqs.text, &text);
	found_path(d, f, f->check->path);
	if (irqs.hits)
		found_if(d, f, false, "IRQ%s %s%s on measured CPUs", irqs.hits > 1 ? "s" : "",
			 text ? text : "", irqs.hits > SHOWN_IRQS ? " and more" : "");
	else if (counted && came)
		found_if(d, f, false, "%llu interrupts of devices came", (unsigned long long)came);
	else if (irqs.err)
		found_unreadable(d, f, irqs.path, irqs.err);
	else if (!irqs.n)
		found(d, f, STATUS_UNKNOWN, "/proc/irq lists no interrupt");
	else if (!counted)
		found(d, f, STATUS_UNKNOWN, "/proc/interrupts could not be read twice");
	else
		found_if(d, f, true, "none of %u", irqs.n);
	free(text);
}

static void look_housekeeping(struct doctor *d, struct finding *f)
{
	struct cpulist isolated, left;
	int err = read_isolated(d, &isolated);

	if (err) {
		found_unreadable(d, f, CPU_DIR "/isolated", err);
		return;
	}
	left = cpulist_without(&d->others, &isolated);
	found_list(d, f, !cpulist_is_empty(&left), "", &left);
}

static const struct check rows[] = {
	{
		RULE(isolated),
		.severity = SEVERITY_MEDIUM,
		.path = CPU_DIR "/isolated " CGROUP "/cpuset.cpus.isolated " SCHEDSTAT, .wanted = "has the measured CPUs", .isolates = true,
		.why = "Otherwise the scheduler moves any task there, and kernel threads and unbound work follow.",
		.now = "a cpuset partition: see the rule partition", .for_good = "kernel argument isolcpus=managed_irq,domain,{cpus}",
		.source = FROM_ISOLATION ", Scheduler domain isolation; " FROM_REALTIME, .look = look_isolated,
	}, {
		RULE(partition),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_SEARCH,
		.path = CGROUP "/cpuset.cpus.isolated " CGROUP "/**/cpuset.cpus.partition", .wanted = "isolated", .isolates = true,
		.why = "A partition does what isolcpus= does, can be changed while the machine runs, and says why if it is invalid.",
		.now = "echo +cpuset > " CGROUP "/cgroup.subtree_control; mkdir " CGROUP "/rt; echo {cpus} > " CGROUP "/rt/cpuset.cpus; echo isolated > " CGROUP "/rt/cpuset.cpus.partition",
		.for_good = "a systemd unit with Type=oneshot that makes the partition at boot",
		.source = FROM_ISOLATION ", Scheduler domain isolation; " FROM_LINUX "admin-guide/cgroup-v2.rst, cpuset.cpus.partition",
		.look = look_partition,
	}, {
		RULE(nohz_full),
		.severity = SEVERITY_MEDIUM, .only = PATTERN_PERIODIC,
		.path = CPU_DIR "/nohz_full", .wanted = "no measured CPU",
		.why = "A periodic workload enters the kernel in each period, and nohz_full makes each entry and exit longer.",
		.for_good = "remove {cpus} from the kernel argument nohz_full=",
		.source = FROM_CONFIGURATION ", CONFIG_NO_HZ and CONFIG_NO_HZ_FULL", .look = look_no_nohz,
		.missing = MISSING_GOOD, .missing_why = "the kernel is built without NO_HZ_FULL", .witness = CPU_DIR,
	}, {
		.id = "nohz_full", .title = "periodic tick stops while one task polls",
		.severity = SEVERITY_MEDIUM, .only = PATTERN_POLLING,
		.path = CPU_DIR "/nohz_full", .wanted = "has the measured CPUs", .isolates = true,
		.why = "A polling workload stays in user space, and the tick is all that interrupts it there.",
		.for_good = "kernel argument nohz_full={cpus}",
		.source = FROM_ISOLATION ", Full Dynticks; " FROM_PARTITIONING, .look = look_nohz,
		.missing = MISSING_BAD, .missing_why = "the kernel is built without NO_HZ_FULL", .witness = CPU_DIR,
	}, {
		RULE(rcu_nocbs),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_TASKS,
		.path = "/proc/cmdline /proc/PID/status", .wanted = "covers the measured CPUs; rcuo threads leave them out",
		.why = "Callbacks free memory in batches, and run on the CPU that queued them unless they are offloaded.",
		.now = "for p in $(pgrep ^rcuo); do taskset -pc {others} $p; done", .for_good = "kernel argument rcu_nocbs={cpus}, and at each boot: for p in $(pgrep ^rcuo); do taskset -pc {others} $p; done",
		.source = FROM_LINUX "admin-guide/kernel-per-CPU-kthreads.rst, rcuo; " FROM_ARGUMENTS ", rcu_nocbs=",
		.look = look_rcu,
	}, {
		RULE(irq_default),
		.severity = SEVERITY_MEDIUM,
		.path = "/proc/irq/default_smp_affinity", .wanted = "no measured CPU",
		.why = "A driver that is loaded later, or sets up its queues again, takes its affinity from here.",
		.now = "echo {mask} > /proc/irq/default_smp_affinity", .for_good = "kernel argument irqaffinity={others}",
		.source = FROM_ISOLATION ", IRQs isolation; " FROM_ARGUMENTS ", irqaffinity=", .look = look_outside,
	}, {
		RULE(managed_irq),
		.severity = SEVERITY_MEDIUM,
		.path = "/proc/cmdline", .wanted = "isolcpus=managed_irq, with the measured CPUs", .isolates = true,
		.why = "Queues of NVMe and network devices are spread over all CPUs, and user space cannot move them.",
		.for_good = "kernel argument isolcpus=managed_irq,domain,{cpus}",
		.source = FROM_ISOLATION ", IRQs isolation; " FROM_REALTIME, .look = look_managed,
	}, {
		RULE(irqs),
		.severity = SEVERITY_MEDIUM, .needs = NEEDS_COUNTS,
		.path = "/proc/irq/*/effective_affinity_list /proc/interrupts", .wanted = "none on measured CPUs, and none came",
		.why = "Each one takes the CPU from the workload, and wakes a thread or a softirq there.",
		.now = "for f in /proc/irq/*/smp_affinity_list; do echo {others} > $f; done", .for_good = "kernel argument irqaffinity={others}; irqbalance with IRQBALANCE_BANNED_CPULIST={cpus}",
		.source = FROM_ISOLATION ", IRQs isolation; " FROM_LINUX "core-api/irq/irq-affinity.rst", .look = look_irqs,
	}, {
		RULE(workqueues),
		.severity = SEVERITY_MEDIUM,
		.path = "/sys/devices/virtual/workqueue/cpumask /sys/devices/virtual/workqueue/writeback/cpumask",
		.wanted = "no measured CPU", .isolates = true,
		.why = "Kernel workers with unbound work, such as writing back files, run on any CPU of these masks.",
		.now = "echo {mask} | tee /sys/devices/virtual/workqueue/cpumask /sys/devices/virtual/workqueue/writeback/cpumask",
		.for_good = "tuned: profile realtime with isolated_cores={cpus}; or a systemd unit that writes it at boot",
		.source = FROM_REALTIME "; " FROM_LINUX "core-api/workqueue.rst, Affinity Scopes", .look = look_outside,
	}, {
		RULE(timer_migration),
		.severity = SEVERITY_MEDIUM,
		SYSCTL("kernel", "timer_migration", "0"), .wanted = "0",
		.why = "An idle CPU hands its timers to a busy one, which may be a measured one.",
		.source = FROM_LATENCY "; " FROM_LINUX "admin-guide/sysctl/kernel.rst, timer_migration",
		.look = look_value, .words = "0",
	}, {
		RULE(housekeeping),
		.severity = SEVERITY_MEDIUM,
		.path = CPU_DIR "/online " CPU_DIR "/isolated " CGROUP "/cpuset.cpus.isolated", .wanted = "one or more, neither measured nor isolated",
		.why = "What is kept away from the measured CPUs must run somewhere, also the tool's own reading.",
		.now = "measure fewer CPUs: --cpus", .for_good = "isolate fewer CPUs",
		.source = FROM_ISOLATION ", Housekeeping", .look = look_housekeeping,
	},
};

const struct checks checks_isolation = { rows, sizeof(rows) / sizeof(rows[0]) };
