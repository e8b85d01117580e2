/* SPDX-License-Identifier: GPL-2.0 */
/* All threads that /proc shows, with their scheduling. */
#ifndef TLOB_DOCTOR_TASKS_H
#define TLOB_DOCTOR_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/cpulist.h"

#define TASK_COMM	64		/* a worker's name in /proc is longer than 16 */
#define TASK_PATH_LEN	96

struct task {
	int	pid, tid;
	int	policy, priority;	/* SCHED_*; 1 to 99 with SCHED_FIFO and SCHED_RR */
	bool	kthread;
	uint64_t faults;		/* page faults so far, with and without input */
	char	comm[TASK_COMM];
};

struct tasks {
	struct task *at;
	size_t	 n, room;
	int	 self;			/* the pid of doctor, which is gone when the workload runs; or 0 */
	int	 err;			/* why /proc could not be read */
	bool	 kthreads;		/* kernel threads are among them */
	size_t	 unreadable;		/* files that cannot be read, and the first one of them */
	char	 path[TASK_PATH_LEN];
	int	 path_err;
};

/* Reads /proc below @root. 0, also if tasks.err is set; -ENOMEM. */
int  tasks_read(struct tasks *t, const char *root);
void tasks_free(struct tasks *t);

/* Parses a line of /proc/PID/stat. 0 or -EINVAL. */
int  task_parse(struct task *task, const char *stat);

/*
 * Reads the task's own line again. @path is the file. 0; -errno: -ENOENT or -ESRCH if it
 * has ended.
 */
int  task_read(const char *root, struct task *task, char path[TASK_PATH_LEN]);

/* The CPUs that a task may use. @path is the file that says so. 0 or -errno. */
int  task_allowed(const char *root, const struct task *task, struct cpulist *cpus,
		  char path[TASK_PATH_LEN]);

/* The list behind @key, "\nKEY:", in the status file @path. 0 or -errno. */
int  tasks_read_list(const char *root, const char *path, const char *key, struct cpulist *list);

/* The CPUs that the status file @path allows. 0 or -errno. */
int  tasks_allowed_by(const char *root, const char *path, struct cpulist *cpus);

/* True for SCHED_FIFO, SCHED_RR and SCHED_DEADLINE. */
bool task_is_realtime(const struct task *task);

/* "fifo:50", "deadline", "other": as --policy takes it. */
#define TASK_POLICY_LEN	24
const char *task_policy(char buf[TASK_POLICY_LEN], const struct task *task);

#endif /* TLOB_DOCTOR_TASKS_H */
