// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/shell.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"

#define LOOK_MS		50
#define KILL_MS		2000	/* another user's process, as under sudo, does not end of our SIGKILL */
#define READS_MAX	1024	/* a child that it left behind may write for ever */

static void on_child(int signo)
{
	(void)signo;
}

static void become_keeper(const char *name)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1 };
	sigset_t child;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	signal(SIGCHLD, on_child);
	/* Not before: a key of the terminal would have ended it with the tool. */
	setpgid(0, 0);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

pid_t shell_keeper(const char *name, int *fd)
{
	int pair[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid) {
		/* it keeps only one of the tool's files, and so not the lock on the state file */
		close(pair[0]);
		if (dup2(pair[1], 3) < 0)
			_exit(1);
		close_from(4);
		fcntl(3, F_SETFD, FD_CLOEXEC);
		become_keeper(name);
		*fd = 3;
		return 0;
	}
	err = -errno;
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return err;
	}
	*fd = pair[0];
	return pid;
}

/* In the child that becomes the command. */
static void become(const char *command, int in, int said, bool (*prepare)(const void *data),
		   const void *data)
{
	static const int reset[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1, SIGCHLD };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;
	size_t i;

	for (i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
		signal(reset[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	if (null < 0 || dup2(in < 0 ? null : in, 0) < 0 || dup2(null, 1) < 0 || dup2(said, 2) < 0)
		_exit(127);
	if (prepare && !prepare(data))
		_exit(126);
	close_from(3);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int shell_start(struct shell *s, const char *command, int in,
		bool (*prepare)(const void *data), const void *data)
{
	int said[2], err;

	*s = (struct shell){ .said = -1 };
	if (pipe2(said, O_CLOEXEC))
		return -errno;
	/* of this end only: a command whose stderr does not block would lose what it says */
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	s->pid = fork();
	if (!s->pid)
		become(command, in, said[1], prepare, data);
	err = s->pid < 0 ? -errno : 0;
	close(said[1]);
	if (err) {
		close(said[0]);
		s->pid = 0;
		return err;
	}
	s->said = said[0];
	setpgid(s->pid, s->pid);	/* the child does the same; either may be first */
	return 0;
}

/* Keeps the last line that the command has printed. It says why the command ended. */
static void hear(struct shell *s)
{
	char text[512];
	ssize_t n = read(s->said, text, sizeof(text)), i;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(s->said);
		s->said = -1;
		return;
	}
	for (i = 0; i < n; i++) {
		if (text[i] == '\n') {
			s->over = true;
			continue;
		}
		if (s->over)
			s->n = 0;
		s->over = false;
		if (s->n + 1 < sizeof(s->line))
			s->line[s->n++] = text[i];
		s->line[s->n] = 0;
	}
}

bool shell_wait(struct shell *s, int fd)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = s->said, .events = POLLIN },
	};
	sigset_t none;

	sigemptyset(&none);
	if (ppoll(fds, 2, NULL, &none) <= 0)
		return false;
	if (fds[1].revents)
		hear(s);
	return fds[0].revents;
}

/*
 * Children of this keeper that SIGKILL has not ended: neither the wait nor the reason of a later
 * command. The rest of them, if they are more, is waited for each time.
 */
static pid_t spared[64];
static unsigned int nspared;

static bool is_spared(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < nspared && spared[i] != pid; i++)
		;
	return i < nspared;
}

/* The number may be another process's from now on. */
static void spare_no_more(pid_t pid)
{
	unsigned int i;

	for (i = 0; i < nspared; i++)
		if (spared[i] == pid)
			spared[i--] = spared[--nspared];
}

/* Reaps what has ended. True: no child is left. */
static bool reap(struct shell *s, bool *ended, int *status)
{
	int how;
	pid_t pid;

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
		spare_no_more(pid);
		if (pid != s->pid)
			continue;
		s->pid = 0;
		*ended = true;
		*status = how;
	}
	return pid < 0 && errno == ECHILD;
}

bool shell_reap(struct shell *s, int *status)
{
	bool ended = false;

	reap(s, &ended, status);
	return ended;
}

void shell_how_ended(struct shell *s, int status, char *text, size_t size)
{
	int reads = READS_MAX;

	while (reads-- && s->said >= 0 && poll(&(struct pollfd){ s->said, POLLIN, 0 }, 1, 0) > 0)
		hear(s);
	snprintf(text, size, "%s %d%s%s", WIFSIGNALED(status) ? "signal" : "exit status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		 *s->line ? ": " : "", s->line);
}

/* The parent of process @pid; 0: it is gone. */
static pid_t parent_of(const char *pid)
{
	char path[64], line[512], *p;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (file_read_line(path, line, sizeof(line)))
		return 0;
	p = strrchr(line, ')');		/* the name may have spaces */
	/* ") S 123 ...": the name, its state, the parent */
	return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : 0;
}

/*
 * Sends @sig to our children, and returns one of them that is not spared, or 0. Processes that they
 * leave behind also become our children.
 */
static pid_t signal_children(int sig)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	pid_t found = 0, pid;

	while (proc && (e = readdir(proc)))
		if (*e->d_name >= '1' && *e->d_name <= '9' && parent_of(e->d_name) == getpid()) {
			pid = (pid_t)strtol(e->d_name, NULL, 10);
			kill(pid, sig);
			found = is_spared(pid) ? found : pid;
		}
	if (proc)
		closedir(proc);
	return found;
}

/* Sends @sig to the command's group, whose number is ours until the command was reaped. */
static pid_t signal_all(const struct shell *s, int sig)
{
	if (s->pid)
		kill(-s->pid, sig);
	return signal_children(sig);
}

/* Sends @sig again and again, for @ms. True: no child is left that was not before. */
static bool end_by(struct shell *s, int sig, int ms)
{
	bool ended;
	int status;

	for (; !reap(s, &ended, &status); ms -= LOOK_MS) {
		if (ms <= 0)
			return false;
		if (!signal_all(s, sig))
			break;
		poll(NULL, 0, LOOK_MS);
	}
	return true;
}

pid_t shell_end(struct shell *s, int grace_ms)
{
	pid_t left = 0, pid;

	if (!end_by(s, SIGTERM, grace_ms) && !end_by(s, SIGKILL, KILL_MS))
		while (nspared < sizeof(spared) / sizeof(spared[0]) && (pid = signal_children(0)))
			spared[nspared++] = left = pid;
	if (s->said >= 0)
		close(s->said);
	s->said = -1;
	return left;
}

void shell_exit(struct shell *s, int grace_ms)
{
	pid_t left = shell_end(s, grace_ms);

	left = left || !nspared ? left : spared[0];
	if (left)
		warning("pid %d, which a command has started, " SHELL_LEFT, left);
	_exit(0);
}
