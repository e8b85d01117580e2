/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_CGROUP_H
#define TLOB_CGROUP_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A cgroup v2 for the worker threads. A threaded one takes each worker by its
 * thread id; a domain only takes the whole process.
 */
struct cgroup {
	char *dir;		/* NULL: none asked for */
	bool threaded;
};

/*
 * @path is a directory, or a path below /sys/fs/cgroup. A domain takes the
 * process at once. 0 or -errno; errors have been printed.
 */
int  cgroup_open(struct cgroup *c, const char *path);
void cgroup_close(struct cgroup *c);

/* Moves the calling thread, if that is still to be done. 0 or -errno, printed. */
int cgroup_enter(const struct cgroup *c);

#endif /* TLOB_CGROUP_H */
