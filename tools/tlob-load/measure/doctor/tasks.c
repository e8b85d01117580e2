// SPDX-License-Identifier: GPL-2.0
/* Reading /proc/PID/task/TID. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/tasks.h"
#include "util/array.h"
#include "util/tree.h"

/* Fields of stat, counted from the state behind the name: see proc(5). */
#define FIELD_FLAGS	6
#define FIELD_MINFLT	7
#define FIELD_MAJFLT	9
#define FIELD_PRIORITY	37
#define FIELD_POLICY	38
#define PF_KTHREAD	0x00200000UL

/* Values of the kernel's uapi/linux/sched.h; not all C libraries have them. */
enum { POLICY_OTHER, POLICY_FIFO, POLICY_RR, POLICY_BATCH, POLICY_IDLE = 5, POLICY_DEADLINE,
       POLICY_EXT };

int task_parse(struct task *task, const char *stat)
{
	const char *open = strchr(stat, '('), *end = strrchr(stat, ')');
	unsigned long value, flags = 0;
	int field, priority = -1, policy = -1;
	uint64_t faults = 0;
	char *rest;

	if (!open || !end || end < open || end[1] != ' ' || !end[2])
		return -EINVAL;
	snprintf(task->comm, sizeof(task->comm), "%.*s", (int)(end - open - 1), open + 1);
	/* behind the one letter of the state */
	for (end += 3, field = 1; field <= FIELD_POLICY; field++) {
		value = strtoul(end, &rest, 10);
		if (rest == end)
			return -EINVAL;
		end = rest;
		if (field == FIELD_FLAGS)
			flags = value;
		else if (field == FIELD_MINFLT || field == FIELD_MAJFLT)
			faults += value;
		else if (field == FIELD_PRIORITY)
			priority = (int)value;
		else if (field == FIELD_POLICY)
			policy = (int)value;
	}
	task->kthread = flags & PF_KTHREAD;
	task->priority = priority;
	task->policy = policy;
	task->faults = faults;
	return 0;
}

int task_read(const char *root, struct task *task, char path[TASK_PATH_LEN])
{
	char *stat;
	int err;

	snprintf(path, TASK_PATH_LEN, "/proc/%d/task/%d/stat", task->pid, task->tid);
	err = tree_read(root, path, &stat);
	if (err)
		return err;
	err = task_parse(task, stat);
	free(stat);
	return err;
}

static void add_unreadable(struct tasks *t, const char *path, int err)
{
	if (t->unreadable++)
		return;
	snprintf(t->path, sizeof(t->path), "%s", path);
	t->path_err = err;
}

static int add_thread(struct tasks *t, const char *root, const char *pid, const char *tid)
{
	struct task task = { .pid = (int)strtol(pid, NULL, 10), .tid = (int)strtol(tid, NULL, 10) }, *to;
	char path[TASK_PATH_LEN];
	int err = task_read(root, &task, path);

	/* it has ended */
	if (err == -ENOENT || err == -ESRCH)
		return 0;
	if (err == -ENOMEM)
		return err;
	if (err) {
		add_unreadable(t, path, err);
		return 0;
	}
	to = array_add(t->at, t->n, t->room);
	if (!to)
		return -ENOMEM;
	*to = task;
	t->n++;
	t->kthreads = t->kthreads || task.kthread;
	return 0;
}

static int add_process(struct tasks *t, const char *root, const char *pid)
{
	char path[TASK_PATH_LEN], **tids, **tid;
	int err;

	snprintf(path, sizeof(path), "/proc/%.20s/task", pid);
	err = tree_list(root, path, &tids);
	if (err == -ENOMEM)
		return err;
	if (err) {
		if (err != -ENOENT && err != -ESRCH)
			add_unreadable(t, path, err);
		return 0;
	}
	for (tid = tids; !err && *tid; tid++)
		err = add_thread(t, root, pid, *tid);
	tree_list_free(tids);
	return err;
}

int tasks_read(struct tasks *t, const char *root)
{
	char **pids, **pid, *stat;
	int err;

	*t = (struct tasks){ 0 };
	if (!tree_read(root, "/proc/self/stat", &stat)) {
		t->self = (int)strtol(stat, NULL, 10);
		free(stat);
	}
	err = tree_list(root, "/proc", &pids);
	if (err) {
		t->err = err;
		return err == -ENOMEM ? err : 0;
	}
	for (pid = pids; !err && *pid; pid++)
		if (isdigit((unsigned char)**pid))
			err = add_process(t, root, *pid);
	tree_list_free(pids);
	if (!err && !t->n)
		t->err = -ENOENT;
	return err;
}

void tasks_free(struct tasks *t)
{
	free(t->at);
	*t = (struct tasks){ 0 };
}

int tasks_read_list(const char *root, const char *path, const char *key, struct cpulist *list)
{
	char *text, *line;
	int err = tree_read(root, path, &text);

	if (err)
		return err;
	line = strstr(text, key);
	if (line) {
		line += strlen(key);
		line[strcspn(line, "\n")] = '\0';
	}
	err = line ? cpulist_parse(list, line) : -EINVAL;
	free(text);
	return err;
}

int tasks_allowed_by(const char *root, const char *path, struct cpulist *cpus)
{
	return tasks_read_list(root, path, "\nCpus_allowed_list:", cpus);
}

int task_allowed(const char *root, const struct task *task, struct cpulist *cpus,
		 char path[TASK_PATH_LEN])
{
	snprintf(path, TASK_PATH_LEN, "/proc/%d/task/%d/status", task->pid, task->tid);
	return tasks_allowed_by(root, path, cpus);
}

bool task_is_realtime(const struct task *task)
{
	return task->policy == POLICY_FIFO || task->policy == POLICY_RR ||
	       task->policy == POLICY_DEADLINE;
}

const char *task_policy(char buf[TASK_POLICY_LEN], const struct task *task)
{
	static const char * const names[] = {
		[POLICY_OTHER] = "other", [POLICY_FIFO] = "fifo", [POLICY_RR] = "rr",
		[POLICY_BATCH] = "batch", [POLICY_IDLE] = "idle",
		[POLICY_DEADLINE] = "deadline", [POLICY_EXT] = "ext",
	};
	const char *name = task->policy >= 0 && task->policy <= POLICY_EXT ?
			   names[task->policy] : NULL;

	if (!name)
		snprintf(buf, TASK_POLICY_LEN, "policy %d", task->policy);
	else if (task->policy == POLICY_FIFO || task->policy == POLICY_RR)
		snprintf(buf, TASK_POLICY_LEN, "%s:%d", name, task->priority);
	else
		snprintf(buf, TASK_POLICY_LEN, "%s", name);
	return buf;
}
