// SPDX-License-Identifier: GPL-2.0
/* Finds cgroups of version 2, and moves the workload into one. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "util/error.h"
#include "util/file.h"

/* A process in an uninterruptible sleep ends late, as one that writes to a slow disk. */
#define REMOVE_TRIES	500
#define REMOVE_WAIT_US	10000

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

/* The mount point of cgroup v2; next to v1 systemd has it one level below. */
static const char *v2_mount(void)
{
	static const char * const mounts[] = { CGROUP_MOUNT, CGROUP_MOUNT "/unified" };
	char path[64];
	size_t i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s/cgroup.controllers", mounts[i]);
		if (!access(path, F_OK))
			return mounts[i];
	}
	return NULL;
}

/* Without links. Returns 0 or -errno; *@found is below @mount, @n bytes, and has threads. */
static int find_real(const char *mount, size_t n, const char *path, char **found)
{
	char file[PATH_MAX + 32], *at = realpath(path, NULL);
	int err = 0;

	if (!at)
		return -errno;
	snprintf(file, sizeof(file), "%s/cgroup.threads", at);
	if (strncmp(at, mount, n) || (at[n] && at[n] != '/'))
		err = -ENOENT;
	else if (access(file, F_OK))
		err = -errno;
	if (err)
		free(at);
	else
		*found = at;
	return err;
}

/* @path is never relative to the working directory. Returns 0 or -errno, as find_real(). */
static int find_below(const char *mount, const char *path, char **found)
{
	size_t n = strlen(mount);
	int err = *path == '/' ? find_real(mount, n, path, found) : -ENOENT;
	char *joined;

	if (!err)
		return 0;
	if (asprintf(&joined, "%s/%s", mount, path) < 0)
		return -ENOMEM;
	err = find_real(mount, n, joined, found);
	free(joined);
	return err;
}

int cgroup_find(const char *path, char **dir, const char **below)
{
	const char *mount = v2_mount();
	int err;

	*dir = NULL;
	if (!mount)
		return fail(-EOPNOTSUPP, "--cgroup %s: cgroup v2 is not mounted at " CGROUP_MOUNT, path);
	err = find_below(mount, path, dir);
	if (err == -ENOENT || err == -ENOTDIR)
		return fail(-ENOENT, "--cgroup %s: no such cgroup of version 2: give its path below %s",
			    path, mount);
	if (err)
		return fail(err, "--cgroup %s: %s", path, strerror(-err));
	if (below)
		*below = (*dir)[strlen(mount)] ? *dir + strlen(mount) : "/";
	return 0;
}

int cgroup_open(struct cgroup *c, const char *path)
{
	char *file, type[64] = "domain";
	int err;

	*c = (struct cgroup){ 0 };
	if (!path)
		return 0;
	err = cgroup_find(path, &c->dir, NULL);
	if (err)
		return err;
	if (asprintf(&file, "%s/cgroup.type", c->dir) < 0)
		return fail(-ENOMEM, "out of memory");
	/* The root cgroup has no such file. It is a domain. */
	file_read_line(file, type, sizeof(type));
	free(file);
	c->threaded = !strcmp(type, "threaded");
	return c->threaded ? 0 : cgroup_move(c, "cgroup.procs", getpid());
}

int cgroup_enter(const struct cgroup *c)
{
	return c->dir && c->threaded ?
	       cgroup_move(c, "cgroup.threads", gettid()) : 0;
}

int cgroup_own(char *dir, size_t size)
{
	const char *mount = v2_mount();
	char *text, *at, *end;
	int err;

	if (!mount)
		return -EOPNOTSUPP;
	err = file_read("/proc/self/cgroup", &text);
	if (err)
		return -EOPNOTSUPP;
	/* "0::/a/b": the line of v2. One of v1 has names between the colons. */
	at = strncmp(text, "0::", 3) ? strstr(text, "\n0::") : text;
	if (at)
		at = strchr(at, '/');
	end = at ? strchr(at, '\n') : NULL;
	err = -EOPNOTSUPP;
	if (end) {
		while (end > at && end[-1] == '/')
			end--;		/* of the root */
		err = snprintf(dir, size, "%s%.*s", mount, (int)(end - at), at) < (int)size ?
		      0 : -EOVERFLOW;
	}
	free(text);
	return err;
}

/* Before 5.14 there is no cgroup.kill. A process may fork meanwhile: the caller repeats. */
static void kill_all(const char *dir)
{
	pid_t pid;
	char *kill_file = NULL, *procs = NULL, *text, *line, *rest = NULL;

	if (asprintf(&kill_file, "%s/cgroup.kill", dir) < 0 ||
	    asprintf(&procs, "%s/cgroup.procs", dir) < 0)
		goto out;
	if (file_write(kill_file, "1") && !file_read(procs, &text)) {
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			pid = (pid_t)strtol(line, NULL, 10);
			if (pid > 1 && pid != getpid())
				kill(pid, SIGKILL);
		}
		free(text);
	}
out:
	free(kill_file);
	free(procs);
}

int cgroup_remove(const char *dir)
{
	int tries;

	for (tries = 0; rmdir(dir); tries++) {
		if (errno == ENOENT || errno == ENODEV)
			return 0;
		if (errno != EBUSY || tries == REMOVE_TRIES)
			return -errno;
		kill_all(dir);
		usleep(REMOVE_WAIT_US);
	}
	return 0;
}

void cgroup_close(struct cgroup *c)
{
	free(c->dir);
	c->dir = NULL;
}
