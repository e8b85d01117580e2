// SPDX-License-Identifier: GPL-2.0
/* Moves the workload into a cgroup v2. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "util/error.h"
#include "util/file.h"

#define CGROUP_MOUNT	"/sys/fs/cgroup"

static int cgroup_move(const struct cgroup *c, const char *file, pid_t id)
{
	char *path, value[16];
	int err;

	if (asprintf(&path, "%s/%s", c->dir, file) < 0)
		return fail(-ENOMEM, "out of memory");
	snprintf(value, sizeof(value), "%d", id);
	err = file_write(path, value);
	if (err)
		fail(0, "%s: cannot move %s %d there: %s%s", path,
		     c->threaded ? "thread" : "process", id, strerror(-err),
		     err == -EBUSY ? " (it has controllers enabled for its children)" :
		     err == -EOPNOTSUPP && c->threaded ?
		     " (it is not below the process's own cgroup)" : "");
	free(path);
	/* Not "unsupported here": another cgroup would work. */
	return err == -EOPNOTSUPP ? -EINVAL : err;
}

int cgroup_open(struct cgroup *c, const char *path)
{
	char *file, type[64] = "domain";
	int err = 0;

	*c = (struct cgroup){ 0 };
	if (!path)
		return 0;
	c->dir = strdup(path);
	if (c->dir && access(c->dir, F_OK)) {
		free(c->dir);
		if (asprintf(&c->dir, "%s/%s", CGROUP_MOUNT, path) < 0)
			c->dir = NULL;
	}
	if (!c->dir)
		return fail(-ENOMEM, "out of memory");
	if (asprintf(&file, "%s/cgroup.threads", c->dir) < 0)
		return fail(-ENOMEM, "out of memory");
	if (access(file, F_OK)) {
		err = fail(-errno, "--cgroup %s: not a cgroup v2 directory",
			   path);
	} else {
		strcpy(strrchr(file, '/'), "/cgroup.type");
		/* The root cgroup has no such file. It is a domain. */
		file_read_line(file, type, sizeof(type));
		c->threaded = !strcmp(type, "threaded");
	}
	free(file);
	if (!err && !c->threaded)
		err = cgroup_move(c, "cgroup.procs", getpid());
	return err;
}

int cgroup_enter(const struct cgroup *c)
{
	return c->dir && c->threaded ?
	       cgroup_move(c, "cgroup.threads", gettid()) : 0;
}

void cgroup_close(struct cgroup *c)
{
	free(c->dir);
	c->dir = NULL;
}
