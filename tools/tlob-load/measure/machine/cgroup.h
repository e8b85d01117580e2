/* SPDX-License-Identifier: GPL-2.0 */
/* Finds cgroups of version 2, and moves the workload into one (--cgroup). */
#ifndef TLOB_MACHINE_CGROUP_H
#define TLOB_MACHINE_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * The cgroup @path of --cgroup: its path below the mount, with or without a / or the mount
 * before it, or a link to it. *@dir: its directory, malloc(); *@below, if not NULL: the part after
 * the mount, "/" for the mount itself. 0 or -errno, printed; *@dir is NULL then.
 */
int cgroup_find(const char *path, char **dir, const char **below);

/*
 * The cgroup of the worker threads. A threaded cgroup takes single threads; a
 * domain takes the whole process only.
 */
struct cgroup {
	char *dir;		/* NULL: no --cgroup */
	bool threaded;
};

/*
 * Finds @path, as cgroup_find(), and moves the process there if it is a domain. NULL does nothing.
 * 0 or -errno, printed.
 */
int  cgroup_open(struct cgroup *c, const char *path);
void cgroup_close(struct cgroup *c);

/*
 * The directory of the cgroup v2 that the process is in. 0; -EOPNOTSUPP: none is
 * mounted, or the process is not in one; -EOVERFLOW. Prints nothing.
 */
int cgroup_own(char *dir, size_t size);

/*
 * Kills all processes in the cgroup @dir, waits for their end and removes it. 0, also
 * if it is gone; -EBUSY: a process does not end, or it has children; -errno. Prints
 * nothing.
 */
int cgroup_remove(const char *dir);

/* Moves the calling thread into a threaded cgroup. 0 or -errno, printed. */
int cgroup_enter(const struct cgroup *c);

#endif /* TLOB_MACHINE_CGROUP_H */
