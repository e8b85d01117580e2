// SPDX-License-Identifier: GPL-2.0
/* Finding, starting and ending the process that attach watches. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/symbols.h"
#include "code/usdt.h"
#include "machine/target.h"
#include "result/attached.h"
#include "util/error.h"
#include "util/process.h"

#define GRACE_MS	2000	/* to end after SIGTERM */

/* The name is only shown. The file is opened by its link in /proc, which is always right. */
static int find_of_pid(struct target *t, int pid)
{
	char link[64], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 && errno == ENOENT)
		return fail(-ESRCH, access("/proc/self", F_OK) ?
			    "/proc is not mounted" :
			    "process %d does not exist, or is a kernel thread", pid);
	if (n < 0)
		return fail(-errno, "%s: %s", link, errno == EACCES ?
			    "permission denied: run as root, or with CAP_SYS_PTRACE" : strerror(errno));
	path[n] = '\0';
	t->program = strdup(path);
	return t->program ? 0 : fail(-ENOMEM, "out of memory");
}

int target_find(struct target *t, int pid, const char *program)
{
	if (pid)
		return find_of_pid(t, pid);
	t->program = process_find(program);
	if (t->program && process_can_start(t->program))
		return 0;
	return fail(-ENOENT, t->program && !access(t->program, F_OK) ?
		    "cannot execute %s" : "program %s not found",
		    program);
}

/* In the child: waits for a byte, which target_go() sends. End of file: the tool is gone. */
static void child(const struct target *t, const char *program, char *const args[],
		  int go, int failed)
{
	char **argv, byte;
	size_t n = 0;

	while (args[n])
		n++;
	/* a killed tool ends nothing itself; before the byte, so that its end is seen in any case */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	argv = calloc(n + 2, sizeof(*argv));
	if (!argv || read(go, &byte, 1) != 1)
		_exit(EXIT_ERROR);
	argv[0] = (char *)program;
	memcpy(argv + 1, args, n * sizeof(*argv));
	execv(t->program, argv);
	if (write(failed, &errno, sizeof(errno)) < 0)
		_exit(EXIT_ERROR);
	_exit(127);
}

static int start_child(struct target *t, const char *program, char *const args[])
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return fail(-errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return fail(-errno, "pipe: %s", strerror(errno));
	}
	t->pid = fork();
	if (!t->pid) {
		close(go[1]);
		close(failed[0]);
		child(t, program, args, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	t->go = go[1];
	t->failed = failed[0];
	t->child = t->pid > 0;
	return t->child ? 0 : fail(-errno, "fork: %s", strerror(errno));
}

int target_hold(struct target *t, int pid, const char *program, char *const args[])
{
	int err;

	t->pid = pid;
	if (!pid) {
		err = start_child(t, program, args);
		if (err)
			return err;
	}
	/* Not <sys/pidfd.h>: musl has none. */
	t->pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
	if (t->pidfd >= 0)
		return 0;
	switch (errno) {
	case ESRCH:
		return fail(-ESRCH, "process %d does not exist", t->pid);
	case EINVAL:
	case ENOENT:
		return fail(-EINVAL, "%d is a thread: give the PID of its process",
			    t->pid);
	case ENOSYS:
		return fail(-EOPNOTSUPP, "this kernel has no pidfd_open()");
	default:
		return fail(-errno, "process %d: %s", t->pid, strerror(errno));
	}
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int target_go(struct target *t)
{
	int err = 0;

	if (t->go < 0)
		return 0;
	if (write(t->go, "", 1) != 1)
		return fail(-errno, "%s: %s", t->program, strerror(errno));
	close_fd(&t->go);
	/* A successful exec closes the pipe without writing to it. */
	if (read(t->failed, &err, sizeof(err)) <= 0)
		err = 0;
	close_fd(&t->failed);
	return err ? fail(-err, "cannot execute %s: %s", t->program,
			  strerror(err)) : 0;
}

/* Waits up to @ms, or until a signal. True if the process has ended. */
static bool wait_for(const struct target *t, int ms)
{
	struct pollfd p = { .fd = t->pidfd, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

void target_end(struct target *t, int patience, bool *ended, int *status)
{
	*ended = false;
	if (t->pidfd < 0)
		return;
	if (!t->child) {
		*ended = wait_for(t, 0);
		return;
	}
	close_fd(&t->go);	/* ends a child that still waits for its byte */
	if (!wait_for(t, patience)) {
		syscall(SYS_pidfd_send_signal, t->pidfd, SIGTERM, NULL, 0);
		if (!wait_for(t, GRACE_MS))
			warning("%s (pid %d) has not ended after SIGTERM and is still running",
				t->program, t->pid);
	}
	*ended = waitpid(t->pid, status, WNOHANG) == t->pid;
	t->child = false;	/* never waited for again */
}

void target_free(struct target *t)
{
	bool ended;
	int status;

	if (t->child)
		target_end(t, 0, &ended, &status);
	close_fd(&t->go);
	close_fd(&t->failed);
	close_fd(&t->pidfd);
	free(t->program);
	*t = (struct target)TARGET_NONE;
}

int target_places(struct attached *r, const char *path, const char *start, const char *stop)
{
	char why[1024];
	struct symbols s;
	int err = symbols_open(&s, path, ELFOBJ_DEBUG_ROOT, why, sizeof(why));

	if (err)
		return fail(err, "%s", why);
	err = symbols_find(&s, start, &r->start.at, &r->start.text, why, sizeof(why));
	if (!err)
		err = symbols_find(&s, stop, &r->stop.at, &r->stop.text, why, sizeof(why));
	if (err) {
		fail(err, "%s", why);
	} else if (tlob_offsets_meet(&r->start.at, &r->stop.at)) {
		err = fail(-EINVAL, "%s and %s are the same place", start, stop);
	} else {
		r->file = strdup(s.file.path);
		r->debug_file = s.debug.path ? strdup(s.debug.path) : NULL;
	}
	symbols_close(&s);
	return err;
}
