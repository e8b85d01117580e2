// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/sched.h>
#include <linux/sched/types.h>

#include "machine/limits.h"
#include "result/result.h"
#include "util/file.h"
#include "util/memstream.h"
#include "util/units.h"

#define CGROUP	"/sys/fs/cgroup"

/* A tree of groups. The first mount with the group's folder counts. */
static const struct tree {
	bool	v2;
	const char *mount;
} trees[] = {
	{ true, CGROUP }, { true, CGROUP "/unified" },
	{ false, CGROUP "/cpu" }, { false, CGROUP "/cpu,cpuacct" },
};

/* The files of a group with a limit. v2 has one file with both numbers. */
static const struct {
	bool	v2;
	enum limit_of of;
	const char *runtime, *period;
} files[] = {
	{ true, LIMIT_OF_FAIR, "cpu.max", NULL },
	{ false, LIMIT_OF_FAIR, "cpu.cfs_quota_us", "cpu.cfs_period_us" },
	{ false, LIMIT_OF_RT, "cpu.rt_runtime_us", "cpu.rt_period_us" },
};

/* Reads the first line of @dir/@name. */
static int read_line(const char *dir, const char *name, char *line, size_t size)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	err = file_read_line(path, line, size);
	free(path);
	return err;
}

/* The number behind @key in cpu.stat; 0 without it. */
static uint64_t stat_value(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static void read_stat(const struct cpu_limit *l, uint64_t *count, uint64_t *ns)
{
	char *path, *text;

	*count = *ns = 0;
	if (asprintf(&path, "%s/cpu.stat", l->dir) < 0)
		return;
	if (!file_read(path, &text)) {
		*count = stat_value(text, "nr_throttled ");
		/* v2; v1 */
		*ns = stat_value(text, "throttled_usec ") * 1000 + stat_value(text, "throttled_time ");
		free(text);
	}
	free(path);
}

/*
 * Adds the limit in the files of row @i of the group. "max" and -1 are none. The root group of v1
 * has the limit of all real-time threads, which is sched_rt_runtime_us: it only counts if it is 0.
 */
static int add_limit(struct cpu_limits *l, const char *dir, const char *group, size_t i)
{
	char line[64], *end;
	struct cpu_limit *to = &l->at[l->n];
	long long runtime, period = 0;

	if (l->n == LIMITS_MAX || read_line(dir, files[i].runtime, line, sizeof(line)))
		return 0;
	runtime = strtoll(line, &end, 10);
	if (end == line || runtime < 0 ||
	    (runtime && files[i].of == LIMIT_OF_RT && !strcmp(group, "/")))
		return 0;
	if (!files[i].period)
		period = strtoll(end, NULL, 10);
	else if (!read_line(dir, files[i].period, line, sizeof(line)))
		period = strtoll(line, NULL, 10);
	if (period <= 0)
		return 0;
	*to = (struct cpu_limit){
		.group = strdup(group), .dir = strdup(dir), .file = files[i].runtime, .of = files[i].of,
		.runtime_ns = (uint64_t)runtime * 1000, .period_ns = (uint64_t)period * 1000,
	};
	l->n++;
	if (!to->group || !to->dir)
		return -ENOMEM;
	read_stat(to, &to->nr_throttled, &to->throttled_ns);
	return 0;
}

/* Adds the limits of the group @path of a tree, and of its parents. */
static int add_groups(struct cpu_limits *l, const char *root, const struct tree *t,
		      const char *path, unsigned int of)
{
	char *group = strdup(path), *dir, *slash;
	int err = group ? 0 : -ENOMEM;
	size_t i;

	while (!err) {
		if (asprintf(&dir, "%s%s%s", root, t->mount, strcmp(group, "/") ? group : "") < 0) {
			err = -ENOMEM;
			break;
		}
		for (i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++)
			if (files[i].v2 == t->v2 && files[i].of & of)
				err = add_limit(l, dir, group, i);
		free(dir);
		slash = strrchr(group, '/');
		if (!slash || !slash[1])
			break;
		slash[slash == group] = 0;
	}
	free(group);
	return err;
}

/* The line of v2 is "0::/a"; one of v1 "4:cpu,cpuacct:/a". Returns the path, or NULL. */
static char *group_in(char *line, bool v2)
{
	char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
	char *word, *rest;

	if (!path)
		return NULL;
	*path++ = 0;
	if (v2)
		return !names[1] && *path == '/' ? path : NULL;
	for (word = strtok_r(names + 1, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		if (!strcmp(word, "cpu"))
			return *path == '/' ? path : NULL;
	return NULL;
}

static int add_line(struct cpu_limits *l, const char *root, const char *line, unsigned int of)
{
	char *copy, *group;
	int err = 0;
	size_t i;

	for (i = 0; i < sizeof(trees) / sizeof(trees[0]) && !err; i++) {
		copy = strdup(line);
		group = copy ? group_in(copy, trees[i].v2) : NULL;
		err = copy ? 0 : -ENOMEM;
		if (group)
			err = add_groups(l, root, &trees[i], group, of);
		free(copy);
		/* "cpu" is a link to "cpu,cpuacct" */
		if (l->n)
			break;
	}
	return err;
}

int limits_read(struct cpu_limits *l, const char *root, pid_t pid, unsigned int of)
{
	char *path, *text, *line, *rest;
	int err;

	*l = (struct cpu_limits){ 0 };
	if ((pid ? asprintf(&path, "%s/proc/%d/cgroup", root, (int)pid) :
		   asprintf(&path, "%s/proc/self/cgroup", root)) < 0)
		return -ENOMEM;
	err = file_read(path, &text);
	free(path);
	if (err)
		return err == -ENOMEM ? err : 0;
	for (line = strtok_r(text, "\n", &rest); line && !err && !l->n; line = strtok_r(NULL, "\n", &rest))
		err = add_line(l, root, line, of);
	free(text);
	return err;
}

void limits_free(struct cpu_limits *l)
{
	while (l->n) {
		l->n--;
		free(l->at[l->n].group);
		free(l->at[l->n].dir);
	}
}

char *limits_text(const struct cpu_limits *l)
{
	char runtime[DURATION_LEN], period[DURATION_LEN], *text = NULL;
	size_t size, i;
	FILE *f;

	if (!l->n)
		return NULL;
	f = open_memstream(&text, &size);
	for (i = 0; f && i < l->n; i++)
		fprintf(f, "%s%s %s per %s", i ? "; " : "", l->at[i].file,
			duration_exact(runtime, l->at[i].runtime_ns),
			duration_exact(period, l->at[i].period_ns));
	return memstream_text(f, &text);
}

/*
 * Finds the limit that has throttled longest since it was read. Returns NULL if none did.
 * @count, @ns: how often, and for how long over all CPUs.
 */
static const struct cpu_limit *throttled_longest(const struct cpu_limits *l, uint64_t *count, uint64_t *ns)
{
	const struct cpu_limit *longest = NULL;
	uint64_t n, time;
	size_t i;

	*count = *ns = 0;
	for (i = 0; i < l->n; i++) {
		if (l->at[i].of != LIMIT_OF_FAIR)
			continue;
		read_stat(&l->at[i], &n, &time);
		/* another group of that name may be there by now */
		if (n <= l->at[i].nr_throttled || time < l->at[i].throttled_ns)
			continue;
		n -= l->at[i].nr_throttled;
		time -= l->at[i].throttled_ns;
		if (longest && time <= *ns)
			continue;
		longest = &l->at[i];
		*count = n;
		*ns = time;
	}
	return longest;
}

char *limit_text(const struct cpu_limit *limit)
{
	char runtime[DURATION_LEN], period[DURATION_LEN], *text;

	if (asprintf(&text, "group %s has %s per %s (%s)", limit->group,
		     duration_exact(runtime, limit->runtime_ns),
		     duration_exact(period, limit->period_ns), limit->file) < 0)
		return NULL;
	return text;
}

int limits_result(const struct cpu_limits *l, struct result_limits *to)
{
	const struct cpu_limit *limit;
	size_t i;

	free(to->text);
	free(to->by);
	*to = (struct result_limits){ .text = limits_text(l) };
	limit = throttled_longest(l, &to->nr_throttled, &to->throttled_ns);
	for (i = 0; !limit && i < l->n; i++)
		if (l->at[i].of == LIMIT_OF_FAIR || i == l->n - 1)
			limit = &l->at[i];
	if (limit)
		to->by = limit_text(limit);
	return l->n && (!to->text || !to->by) ? -ENOMEM : 0;
}

char *limit_own_text(uint64_t runtime_ns, uint64_t period_ns)
{
	char runtime[DURATION_LEN], period[DURATION_LEN], *text;

	if (asprintf(&text, "its own runtime %s/%s", duration_exact(runtime, runtime_ns),
		     duration_exact(period, period_ns)) < 0)
		return NULL;
	return text;
}

uint64_t limit_deadline(pid_t tid)
{
	struct sched_attr attr;

	if (syscall(SYS_sched_getattr, tid, &attr, sizeof(attr), 0) || attr.sched_policy != SCHED_DEADLINE)
		return 0;
	return attr.sched_deadline;
}

int limit_of_thread(char **by, pid_t tid)
{
	struct sched_attr attr;

	*by = NULL;
	if (syscall(SYS_sched_getattr, tid, &attr, sizeof(attr), 0) || attr.sched_policy != SCHED_DEADLINE)
		return 0;
	*by = limit_own_text(attr.sched_runtime, attr.sched_period);
	return *by ? 0 : -ENOMEM;
}
