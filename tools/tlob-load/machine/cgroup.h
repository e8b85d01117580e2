/* SPDX-License-Identifier: GPL-2.0 */
/* Moves the workload into a cgroup v2 (--cgroup). */
#ifndef TLOB_MACHINE_CGROUP_H
#define TLOB_MACHINE_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The cgroup of the worker threads. A threaded cgroup takes single threads; a
 * domain takes the whole process only.
 */
struct cgroup {
	char *dir;		/* NULL: no --cgroup */
	bool threaded;
};

/*
 * Finds @path, a directory or a path below /sys/fs/cgroup, and moves the process
 * there if it is a domain. NULL does nothing. 0 or -errno, printed.
 */
int  cgroup_open(struct cgroup *c, const char *path);
void cgroup_close(struct cgroup *c);

/* Moves the calling thread into a threaded cgroup. 0 or -errno, printed. */
int cgroup_enter(const struct cgroup *c);

#endif /* TLOB_MACHINE_CGROUP_H */
