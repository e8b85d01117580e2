// SPDX-License-Identifier: GPL-2.0
/* Makes the rows of --tune from what a machine has, and frees them. It only reads. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/tune.h"
#include "util/file.h"
#include "util/text.h"
#include "util/tree.h"

#define CPU		"/sys/devices/system/cpu"
#define CGROUP		"/sys/fs/cgroup"
#define SHALLOW_STATE	1		/* C1, if state 0 is POLL */
#define SHALLOW_US	10		/* a state that is left as fast is none to turn off */
#define STATES_MAX	10		/* CPUIDLE_STATE_MAX */
#define LINE		4096

static void free_row(struct tune_row *row)
{
	free(row->path);
	free(row->wanted);
	free(row->saved);
	free(row->problem);
}

void tune_free(struct tune *t)
{
	while (t->n)
		free_row(&t->row[--t->n]);
	free(t->row);
	free(t->root);
	*t = (struct tune){ 0 };
}

/* The file without links, of which /sys has many (malloc); NULL: there is none. */
static char *real_path(const struct tune *t, const char *path)
{
	char full[PATH_MAX];

	if (!path || snprintf(full, sizeof(full), "%s%s", t->root, path) >= (int)sizeof(full))
		return NULL;
	return realpath(full, NULL);
}

static bool is_file(const struct tune *t, const struct tune_row *row, const char *real)
{
	char *path = real ? real_path(t, row->path) : NULL;
	bool same = path && !strcmp(path, real);

	free(path);
	return same;
}

void tune_drop(struct tune *t, const char *what, const char *path)
{
	char *real = real_path(t, path);
	size_t i, n = 0;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].what, what) || is_file(t, &t->row[i], real))
			free_row(&t->row[i]);
		else
			t->row[n++] = t->row[i];
	t->n = n;
	free(real);
}

/* The first line of @path below the root. 0 or -errno. */
static int look(const struct tune *t, char *line, const char *path)
{
	char full[PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", t->root, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return file_read_line(full, line, LINE);
}

static int add(struct tune *t, enum tune_kind kind, const char *what, const char *path,
	       const char *wanted, const char *saved, const char *problem)
{
	struct tune_row *row = reallocarray(t->row, t->n + 1, sizeof(*row));
	int err = 0;

	if (!row)
		return -ENOMEM;
	t->row = row;
	row += t->n++;
	*row = (struct tune_row){ .kind = kind, .what = what };
	row->path = text_copy(path, &err);
	row->wanted = text_copy(wanted, &err);
	row->saved = text_copy(saved, &err);
	row->problem = text_copy(problem, &err);
	return err;
}

/* A file whose value is @now, or could not be read (@err). */
static int add_file(struct tune *t, const char *what, const char *path, const char *wanted,
		    const char *now, int err)
{
	if (err)
		return add(t, TUNE_FILE, what, path, wanted, NULL, strerror(-err));
	if (!strcmp(now, wanted))
		return 0;
	return add(t, TUNE_FILE, what, path, wanted, now, NULL);
}

/* A file that a machine may lack. */
static int add_plain(struct tune *t, const char *what, const char *path, const char *wanted)
{
	char now[LINE];
	int err = look(t, now, path);

	return err == -ENOENT ? 0 : add_file(t, what, path, wanted, now, err);
}

/*
 * As the rule idle_states of doctor judges, so that what it asks for is done: without POLL, as on
 * arm64, state 0 waits already, and state 1 may turn the core off. A latency that cannot be read
 * is no reason to change anything.
 */
static int first_deep_state(const struct tune *t, int cpu)
{
	char path[128], name[LINE];
	uint64_t us;

	snprintf(path, sizeof(path), CPU "/cpu%d/cpuidle/state0/name", cpu);
	if (!look(t, name, path) && !strcmp(name, "POLL"))
		return SHALLOW_STATE + 1;
	snprintf(path, sizeof(path), CPU "/cpu%d/cpuidle/state%d/latency", cpu, SHALLOW_STATE);
	return !tree_read_number(t->root, path, &us) && us > SHALLOW_US ? SHALLOW_STATE :
	       SHALLOW_STATE + 1;
}

static int add_idle_states(struct tune *t, int cpu)
{
	char path[128];
	int state, err = 0;

	for (state = first_deep_state(t, cpu); state < STATES_MAX && !err; state++) {
		snprintf(path, sizeof(path), CPU "/cpu%d/cpuidle/state%d/disable", cpu, state);
		err = add_plain(t, "idle_states", path, "1");
	}
	return err;
}

static int add_governor(struct tune *t, int cpu)
{
	char path[128], known_path[128], known[LINE], now[LINE];
	const char *wanted = t->governor ? t->governor : "performance";
	int err;

	snprintf(path, sizeof(path), CPU "/cpu%d/cpufreq/scaling_governor", cpu);
	snprintf(known_path, sizeof(known_path),
		 CPU "/cpu%d/cpufreq/scaling_available_governors", cpu);
	err = look(t, now, path);
	if (err == -ENOENT)
		return 0;
	if (!err && strcmp(now, wanted) && !look(t, known, known_path) && !has_word(known, wanted))
		err = -EOPNOTSUPP;
	return add_file(t, "governor", path, wanted, now, err);
}

/* @mask: the file has a mask, not a list. The measured CPUs are taken out of it. */
static int add_cpus(struct tune *t, const char *what, const char *path, bool mask)
{
	struct cpulist is, rest;
	char now[LINE], *wanted;
	int err = look(t, now, path);

	if (err == -ENOENT)
		return 0;
	if (!err)
		err = mask ? cpulist_parse_mask(&is, now) : cpulist_parse(&is, now);
	if (!err && !cpulist_meet(&is, &t->measured))
		return 0;
	rest = t->others;
	if (!err) {
		rest = cpulist_without(&is, &t->measured);
		if (cpulist_is_empty(&rest))
			rest = t->others;
	}
	wanted = mask ? cpulist_format_mask(&rest) : cpulist_format(&rest);
	if (!wanted)
		return -ENOMEM;
	if (!err && cpulist_is_empty(&rest))
		err = add(t, TUNE_FILE, what, path, NULL, now,
			  "no CPU is left that is not measured");
	else
		err = add_file(t, what, path, wanted, now, err);
	free(wanted);
	return err;
}

/*
 * An interrupt without a handler is left alone. It comes to no CPU, and a driver that takes
 * it gives it the default mask, unless a mask was ever written here.
 */
static bool is_unused(const struct tune *t, const char *irq)
{
	char path[64], line[LINE];

	snprintf(path, sizeof(path), "/sys/kernel/irq/%.20s/actions", irq);
	return !look(t, line, path) && !*line;
}

static int make_irq_affinity(struct tune *t)
{
	char path[PATH_MAX], **names, **irq;
	int err = tree_list(t->root, "/proc/irq", &names);
	size_t rows;

	if (err)
		return err == -ENOENT ? 0 :
		       add(t, TUNE_FILE, "irq_affinity", "/proc/irq", NULL, NULL, strerror(-err));
	err = add_cpus(t, "irq_affinity", "/proc/irq/default_smp_affinity", true);
	for (irq = names; *irq && !err; irq++) {
		if (!isdigit((unsigned char)**irq) || is_unused(t, *irq))
			continue;
		snprintf(path, sizeof(path), "/proc/irq/%.20s/smp_affinity_list", *irq);
		rows = t->n;
		err = add_cpus(t, "irq_affinity", path, false);
		if (t->n > rows)
			t->row[rows].kind = TUNE_IRQ;
	}
	tree_list_free(names);
	return err;
}

/*
 * A partition that comes or goes gives each thread of the root cgroup all CPUs that are left.
 * Before 6.2 the kernel did not keep what taskset had chosen, so nothing could put it back.
 */
static bool forgets_affinity(const struct tune *t)
{
	char line[LINE];

	return !look(t, line, "/proc/sys/kernel/osrelease") && !release_is_since(line, 6, 2);
}

/* Why there can be no partition here; NULL: there can. */
static const char *no_partition(const struct tune *t)
{
	char line[LINE];
	int err = look(t, line, CGROUP "/cgroup.controllers");

	if (!err && forgets_affinity(t))
		return "needs Linux 6.2: older kernels forget the CPUs that taskset gave to threads";

	if (err == -ENOENT)
		return "cgroup v2 is not mounted at " CGROUP;
	if (err)
		return strerror(-err);
	if (!has_word(line, "cpuset"))
		return "the controller cpuset is not in " CGROUP "/cgroup.controllers: it belongs to cgroup v1, or is not delegated to this container";
	/* Only the root of the hierarchy lacks this file. */
	if (look(t, line, CGROUP "/cgroup.type") != -ENOENT)
		return CGROUP " is not the root of the hierarchy: this is a container";
	if (cpulist_is_empty(&t->others))
		return "no CPU is left that is not measured";
	return NULL;
}

static int make_cpuset_partition(struct tune *t)
{
	char now[LINE] = "", *list = cpulist_format(&t->measured);
	struct cpulist isolated;
	const char *problem = no_partition(t);
	int err = list ? 0 : -ENOMEM;

	/* isolcpus= or another partition does it already. */
	if (!err && !look(t, now, CPU "/isolated") && !cpulist_parse(&isolated, now) &&
	    cpulist_covers(&isolated, &t->measured))
		goto out;
	if (!err && !problem && !look(t, now, CGROUP "/cgroup.subtree_control") &&
	    !has_word(now, "cpuset"))
		err = add(t, TUNE_FILE, "cpuset_partition", CGROUP "/cgroup.subtree_control",
			  "+cpuset", "-cpuset", NULL);
	if (!err)
		err = add(t, TUNE_PARTITION, "cpuset_partition", TUNE_CGROUP, list, NULL,
			  problem);
out:
	free(list);
	return err;
}

static int make_cpu_dma_latency(struct tune *t)
{
	return add(t, TUNE_HOLD, "cpu_dma_latency", "/dev/cpu_dma_latency", "0", NULL, NULL);
}

static int make_each_cpu(struct tune *t, int (*make)(struct tune *t, int cpu))
{
	int cpu, err = 0;

	for_each_cpu(cpu, &t->measured)
		err = err ? err : make(t, cpu);
	return err;
}

static int make_idle_states(struct tune *t)
{
	return make_each_cpu(t, add_idle_states);
}

static int make_governor(struct tune *t)
{
	return make_each_cpu(t, add_governor);
}

static int make_workqueues(struct tune *t)
{
	int err = add_cpus(t, "workqueues", "/sys/devices/virtual/workqueue/cpumask", true);

	return err ? err : add_cpus(t, "workqueues", "/sys/devices/virtual/workqueue/writeback/cpumask", true);
}

static int make_timer_migration(struct tune *t)
{
	return add_plain(t, "timer_migration", "/proc/sys/kernel/timer_migration", "0");
}

#define NAME(name, rule, brief)	#name,
#define MAKE(name, rule, brief)	make_##name,
const char * const tune_names[] = { TUNE_SETTINGS(NAME) NULL };
static int (* const makers[])(struct tune *t) = { TUNE_SETTINGS(MAKE) };

int tune_begin(struct tune *t, const char *root, const struct cpulist *measured,
	       const struct cpulist *others)
{
	*t = (struct tune){ .measured = *measured, .others = *others };
	t->root = strdup(root);
	return t->root ? 0 : -ENOMEM;
}

int tune_rows(struct tune *t, const char *what)
{
	size_t i;

	for (i = 0; tune_names[i] && strcmp(tune_names[i], what); i++)
		;
	return tune_names[i] ? makers[i](t) : 0;
}

int tune_make(struct tune *t, const char *root, const struct cpulist *measured,
	      const struct cpulist *others)
{
	int err = tune_begin(t, root, measured, others);
	size_t i;

	for (i = 0; tune_names[i] && !err; i++)
		err = makers[i](t);
	return err;
}

int tune_add_command(struct tune *t, const char *what, const char *on, const char *off)
{
	return add(t, TUNE_COMMAND, what, "", on, off, NULL);
}

int tune_add_file(struct tune *t, const char *what, const char *path, const char *wanted)
{
	char now[LINE];
	int err = look(t, now, path);

	return add_file(t, what, path, wanted, err ? now : tree_chosen(now), err);
}
