// SPDX-License-Identifier: GPL-2.0
/* Reads the facts, applies the rules, sorts what was found. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/look.h"
#include "result/tried.h"
#include "util/error.h"
#include "util/text.h"
#include "util/tree.h"

const struct checks * const check_tables[] = {
	&checks_kernel, &checks_isolation, &checks_tasks, &checks_power, &checks_hardware,
	&checks_memory, NULL,
};

static bool is_for(const struct check *c, enum pattern pattern)
{
	return !c->only || c->only == pattern;
}

const struct check *check_find(const char *id, enum pattern pattern)
{
	const struct checks * const *t;
	size_t i;

	for (t = check_tables; *t; t++)
		for (i = 0; i < (*t)->n; i++)
			if (!strcmp((*t)->at[i].id, id) && is_for(&(*t)->at[i], pattern))
				return &(*t)->at[i];
	return NULL;
}

/*
 * The CPUs of the cpuset of a container, which has the root of its cgroup at this place; else those
 * online. Not the affinity mask: it lacks isolated CPUs. So does the root of v2 itself, which has no
 * cgroup.type: a partition takes them away (Linux, admin-guide/cgroup-v2.rst, cpuset.cpus.partition).
 */
static struct cpulist in_cpuset(const struct doctor *d)
{
	static const char * const files[] = {
		"/sys/fs/cgroup/cpuset.cpus.effective",		/* cgroup v2, v1 */
		"/sys/fs/cgroup/cpuset/cpuset.effective_cpus",
	};
	struct cpulist cpus;
	size_t i;

	for (i = tree_can_read(d->root, "/sys/fs/cgroup/cgroup.type") ? 0 : 1;
	     i < sizeof(files) / sizeof(files[0]); i++) {
		if (tree_read_list(d->root, files[i], &cpus))
			continue;
		cpus = cpulist_and(&cpus, &d->online);
		if (!cpulist_is_empty(&cpus))
			return cpus;
	}
	return d->online;
}

/* The isolated CPUs, or all online ones but the first; of the container's in one. */
static void choose_default(struct doctor *d)
{
	const struct cpulist usable = in_cpuset(d);
	struct cpulist isolated, first = { 0 };

	if (!read_isolated(d, &isolated)) {
		d->measured = cpulist_and(&isolated, &usable);
		if (!cpulist_is_empty(&d->measured))
			return;
	}
	cpulist_add(&first, cpulist_next(&usable, -1));
	d->measured = cpulist_without(&usable, &first);
	if (cpulist_is_empty(&d->measured))
		d->measured = usable;
}

/*
 * A container or a chroot may have no /sys. Then the CPUs that this process may use count as
 * online, and the rules say what could not be read. A run has chosen its CPUs already.
 */
static int read_online(struct doctor *d)
{
	int err = tree_read_list(d->root, CPU_DIR "/online", &d->online);

	if (!err && cpulist_is_empty(&d->online))
		err = -EINVAL;
	if (err && err != -ENOMEM && !d->of_run &&
	    !tasks_allowed_by(d->root, "/proc/self/status", &d->online) && !cpulist_is_empty(&d->online))
		err = 0;
	return err;
}

static int choose_cpus(struct doctor *d, const char *list)
{
	struct cpulist offline;
	char *online;
	int err = read_online(d);

	/* a run has chosen its CPUs already, also where /sys is missing */
	if (err && d->of_run) {
		err = cpulist_parse(&d->measured, list);
		d->online = d->measured;
		return err;
	}
	if (err)
		return fail(err, "%s" CPU_DIR "/online: %s%s", d->root, strerror(-err),
			    err == -ENOENT ? ": mount /sys, or /proc at least" : "");
	if (!list) {
		choose_default(d);
		return 0;
	}
	if (!strcmp(list, "all")) {
		d->measured = d->online;
		return 0;
	}
	if (cpulist_parse(&d->measured, list) || cpulist_is_empty(&d->measured))
		return fail(-EUSAGE, "--cpus: invalid CPU list '%s': give numbers and ranges, as in 0,2-5",
			    list);
	offline = cpulist_without(&d->measured, &d->online);
	if (cpulist_is_empty(&offline))
		return 0;
	online = cpulist_format(&d->online);
	fail(0, "--cpus %s: CPU %d is offline or does not exist (online: %s)", list,
	     cpulist_next(&offline, -1), online ? online : "unknown");
	free(online);
	return -ENODEV;
}

static int name_things(struct doctor *d)
{
	d->report.pattern = d->pattern;
	d->report.root = *d->root ? strdup(d->root) : NULL;
	d->others = cpulist_without(&d->online, &d->measured);
	d->report.cpus = cpulist_format(&d->measured);
	d->other_cpus = cpulist_format(&d->others);
	d->other_mask = cpulist_format_mask(&d->others);
	return d->report.cpus && d->other_cpus && d->other_mask && (!*d->root || d->report.root) ? 0 : -ENOMEM;
}

/*
 * Three places say so; the first one that can be read decides. preemption_read() cannot be asked: a
 * model that it found in debugfs is that of ordinary threads, with PREEMPT_RT or without, and it
 * reads no configuration of an unknown version.
 */
static int find_rt(struct doctor *d)
{
	char *text;

	d->rt = KNOWN_NOT;
	if (!tree_read(d->root, "/sys/kernel/realtime", &text)) {
		d->rt = !strcmp(text, "1") ? KNOWN_YES : KNOWN_NO;
		d->rt_path = strdup("/sys/kernel/realtime");
		free(text);
	} else if (d->config.text) {
		d->rt = kconfig_is_on(&d->config, "PREEMPT_RT") ? KNOWN_YES : KNOWN_NO;
		d->rt_path = strdup(d->config.path);
	} else if (!tree_read(d->root, "/proc/version", &text)) {
		/* every such kernel says so in its version */
		d->rt = strstr(text, "PREEMPT_RT") ? KNOWN_YES : KNOWN_NO;
		d->rt_path = strdup("/proc/version");
		free(text);
	} else {
		return 0;
	}
	return d->rt_path ? 0 : -ENOMEM;
}

/* Signs that programs of a container see; a runtime may leave out all of them. */
static int find_container(struct doctor *d)
{
	static const char * const marks[] = { "/.dockerenv", "/run/.containerenv" };
	static const char * const names[] = { "/docker", "/kubepods", "/lxc", "/libpod", "/machine.slice" };
	char *text;
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!tree_can_read(d->root, marks[i]))
			continue;
		d->report.container = strdup(marks[i]);
		return d->report.container ? 0 : -ENOMEM;
	}
	if (!tree_read(d->root, "/proc/1/cgroup", &text)) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]) && !d->report.container; i++)
			if (strstr(text, names[i]) &&
			    asprintf(&d->report.container, "%s in /proc/1/cgroup", names[i]) < 0)
				d->err = -ENOMEM;
		free(text);
	}
	if (!d->report.container && !d->of_run && !d->tasks.err && !d->tasks.kthreads) {
		d->report.container = strdup("/proc shows no kernel thread");
		return d->report.container ? 0 : -ENOMEM;
	}
	return d->err;
}

int doctor_prepare(struct doctor *d, const char *cpus)
{
	int err = choose_cpus(d, cpus);

	if (err)
		return err;
	if (tree_read(d->root, "/proc/sys/kernel/osrelease", &d->report.kernel))
		d->report.kernel = NULL;
	d->cmdline_err = tree_read(d->root, "/proc/cmdline", &d->cmdline);
	if (d->cmdline_err)
		d->cmdline = NULL;
	err = name_things(d);
	if (!err && !d->of_run)
		err = kconfig_read(&d->config, d->root);
	if (!err && !d->of_run)
		err = tasks_read(&d->tasks, d->root);
	if (!err)
		err = find_rt(d);
	if (!err)
		err = find_container(d);
	return err ? fail(err, "out of memory") : 0;
}

/* @text of a rule with {cpus}, {others} and {mask} replaced (malloc); NULL without memory. */
static char *fill_in(const struct doctor *d, const char *text)
{
	const struct {
		const char *name, *value;
	} names[] = {
		{ "{cpus}", d->report.cpus }, { "{others}", d->other_cpus }, { "{mask}", d->other_mask },
	};
	size_t size = strlen(text) + 1, i;
	const char *at;
	char *copy, *to;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (at = strstr(text, names[i].name); at; at = strstr(at + 1, names[i].name))
			size += strlen(names[i].value);
	copy = to = malloc(size);
	while (copy && *text) {
		i = 0;
		while (i < sizeof(names) / sizeof(names[0]) && (*text != '{' || !begins_with(text, names[i].name)))
			i++;
		if (i == sizeof(names) / sizeof(names[0])) {
			*to++ = *text++;
			continue;
		}
		to = stpcpy(to, names[i].value);
		text += strlen(names[i].name);
	}
	if (copy)
		*to = '\0';
	return copy;
}

/* @advice for this machine; NULL if it needs a CPU that is not measured, and none is left. */
static char *advise(struct doctor *d, struct finding *f, const char *advice)
{
	char *text;

	if (!advice)
		return NULL;
	if (cpulist_is_empty(&d->others) &&
	    (f->check->isolates || strstr(advice, "{others}") || strstr(advice, "{mask}"))) {
		f->lacks_cpu = true;
		return NULL;
	}
	text = fill_in(d, advice);
	if (!text)
		d->err = -ENOMEM;
	return text;
}

int doctor_look(struct doctor *d, const struct check *c, struct finding *f)
{
	*f = (struct finding){ .check = c, .severity = c->severity, .status = STATUS_UNKNOWN };
	f->id = text_copy(c->id, &d->err);
	f->title = text_copy(c->title, &d->err);
	f->wanted = text_copy(c->wanted, &d->err);
	f->why = text_copy(c->why, &d->err);
	f->source = text_copy(c->source, &d->err);
	f->now = advise(d, f, c->now);
	f->for_good = advise(d, f, c->for_good);
	c->look(d, f);
	if (!d->err && !f->path)
		found_path(d, f, c->path);
	if (!d->err && !f->found)
		found(d, f, STATUS_UNKNOWN, "nothing was read");
	if (!d->err && !d->of_run)
		f->tried = tried_text(d->root, c->id);
	return d->err;
}

/* The place of a finding in the report: the most urgent one has the highest rank. */
static int rank(const struct finding *f)
{
	static const int of_status[] = {
		[STATUS_FINDING] = 4, [STATUS_UNKNOWN] = 3, [STATUS_NOTED] = 2,
		[STATUS_ABSENT] = 1, [STATUS_PASS] = 0,
	};

	return of_status[f->status] * (SEVERITY_FATAL + 1) + (int)f->severity;
}

/* Equal ones stay in the order of the tables. */
static void sort(struct finding *f, size_t n)
{
	struct finding one;
	size_t i, k;

	for (i = 1; i < n; i++) {
		one = f[i];
		for (k = i; k && rank(&f[k - 1]) < rank(&one); k--)
			f[k] = f[k - 1];
		f[k] = one;
	}
}

static int make_room(struct doctor *d)
{
	const struct checks * const *t;
	size_t room = 1;	/* calloc() of nothing may fail */

	for (t = check_tables; *t; t++)
		room += (*t)->n;
	d->report.at = calloc(room, sizeof(*d->report.at));
	return d->report.at ? counts_read(&d->before, d->root, &d->measured) : -ENOMEM;
}

/* Applies the rules for the pattern that are @wanted. 0 or -ENOMEM, printed. */
static int apply_rules(struct doctor *d, bool (*wanted)(const struct check *c, const void *data),
		       const void *data)
{
	const struct checks * const *t;
	size_t i;
	int err = 0;

	for (t = check_tables; !err && *t; t++)
		for (i = 0; !err && i < (*t)->n; i++)
			if (is_for(&(*t)->at[i], d->pattern) && wanted(&(*t)->at[i], data))
				err = doctor_look(d, &(*t)->at[i], &d->report.at[d->report.n++]);
	if (err)
		return fail(err, "out of memory");
	sort(d->report.at, d->report.n);
	examination_count(&d->report);
	return 0;
}

static bool is_only(const struct check *c, const void *only)
{
	return !only || c == only;
}

/* A run keeps findings, so it spends no time on rules that only record. */
static bool is_quick(const struct check *c, const void *data)
{
	(void)data;
	return !c->needs && c->severity != SEVERITY_INFO;
}

static bool is_counted(const struct check *c, const void *data)
{
	(void)data;
	return c->needs == NEEDS_COUNTS && c->severity != SEVERITY_INFO;
}

void doctor_observe(void *data)
{
	(void)data;
	sleep(1);
}

int doctor_examine(struct doctor *d, const struct check *only)
{
	int err = make_room(d);

	if (!err && d->wait) {
		d->wait(d->wait_data);
		err = counts_read(&d->after, d->root, &d->measured);
	}
	return err ? fail(err, "out of memory") : apply_rules(d, is_only, only);
}

int doctor_before(struct doctor *d)
{
	int err = make_room(d);

	d->log_plus_1 = counts_log_end(d->root) + 1;
	if (!err && !d->log_plus_1)
		err = counts_read_log(&d->before, d->root);
	return err ? fail(err, "out of memory") : apply_rules(d, is_quick, NULL);
}

/*
 * The whole log is read once, which takes longer than all other files do: what a new message
 * did not say, and the log does, was said before the run.
 */
static int read_log_after(struct doctor *d)
{
	int err;

	if (d->log_plus_1 && counts_log_says(d->log_plus_1 - 1)) {
		d->after.rt_throttled.value = 1;
		return 0;
	}
	err = counts_read_log(&d->after, d->root);
	if (d->log_plus_1)
		d->before.rt_throttled = d->after.rt_throttled;
	return err;
}

int doctor_after(struct doctor *d)
{
	int err = counts_read(&d->after, d->root, &d->measured);

	if (!err)
		err = read_log_after(d);
	return err ? fail(err, "out of memory") : apply_rules(d, is_counted, NULL);
}

void doctor_free(struct doctor *d)
{
	examination_free(&d->report);
	free(d->rt_path);
	free(d->cmdline);
	free(d->status);
	free(d->limits);
	free(d->other_cpus);
	free(d->other_mask);
	kconfig_free(&d->config);
	tasks_free(&d->tasks);
	if (d->log_plus_1)
		close(d->log_plus_1 - 1);
	counts_free(&d->before);
	counts_free(&d->after);
	*d = (struct doctor){ 0 };
}
