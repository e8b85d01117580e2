// SPDX-License-Identifier: GPL-2.0
/*
 * The keeper of a load: the parent of its command, and the reaper of all that the
 * command starts. It must not die with the tool, so it takes no signal from a terminal;
 * and it must not keep anything of the tool's open, such as the lock of the state file.
 */
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "tuning/keeper.h"
#include "util/file.h"

#define LOOK_MS		50
#define GRACE_MS	2000		/* between SIGTERM and SIGKILL */

struct keeper {
	const struct load_task *task;
	int	tool;			/* the socket */
	int	said;			/* what the command writes to stderr; -1: closed */
	pid_t	command;
	char	line[LOAD_MESSAGE / 2];	/* the last one that it wrote */
	size_t	n;
	bool	over;			/* the line is complete */
};

static void report(const struct keeper *k, enum load_message kind, const char *text)
{
	char message[LOAD_MESSAGE];

	snprintf(message, sizeof(message), "%c%s", kind, text);
	/* A tool that is gone needs no message. */
	send(k->tool, message, strlen(message) + 1, MSG_NOSIGNAL);
}

static void give_up(const struct keeper *k, const char *what, int err)
{
	char text[LOAD_MESSAGE - 1];

	snprintf(text, sizeof(text), "%s: %s", what, strerror(-err));
	report(k, LOAD_FAILED, text);
	_exit(1);
}

/* In the child that becomes the command. */
static void become_command(const struct keeper *k, int said)
{
	static const int reset[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGUSR1, SIGCHLD };
	char ncpus[16];
	int null = open("/dev/null", O_RDWR);
	sigset_t none;
	size_t i;
	int err;

	for (i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
		signal(reset[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(said, 2) < 0)
		_exit(127);
	err = cpus_confine(k->task->cpus);
	if (err) {
		dprintf(2, "cannot move it to its CPUs: %s\n", strerror(-err));
		_exit(126);
	}
	snprintf(ncpus, sizeof(ncpus), "%u", k->task->ncpus);
	setenv("TLOB_LOAD_CPUS", ncpus, 1);
	syscall(SYS_close_range, 3U, ~0U, 0);
	execl("/bin/sh", "sh", "-c", k->task->command, (char *)NULL);
	_exit(127);
}

/* Keeps the last line that the command prints. It says why the command ended. */
static void hear(struct keeper *k)
{
	char text[512];
	ssize_t n = read(k->said, text, sizeof(text)), i;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(k->said);
		k->said = -1;
		return;
	}
	for (i = 0; i < n; i++) {
		if (text[i] == '\n') {
			k->over = true;
			continue;
		}
		if (k->over)
			k->n = 0;
		k->over = false;
		if (k->n + 1 < sizeof(k->line))
			k->line[k->n++] = text[i];
		k->line[k->n] = 0;
	}
}

/* "exit status 2: the last line" */
static void report_end(struct keeper *k, int status)
{
	char text[LOAD_MESSAGE - 1];

	while (k->said >= 0 && poll(&(struct pollfd){ k->said, POLLIN, 0 }, 1, 0) > 0)
		hear(k);
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "signal %d%s%s", WTERMSIG(status),
			 *k->line ? ": " : "", k->line);
	else
		snprintf(text, sizeof(text), "exit status %d%s%s", WEXITSTATUS(status),
			 *k->line ? ": " : "", k->line);
	report(k, LOAD_ENDED, text);
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

/* Sends @sig to our children. Processes that they leave behind also become our children. */
static void signal_children(int sig)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;

	while (proc && (e = readdir(proc)))
		if (*e->d_name >= '1' && *e->d_name <= '9' && parent_of(e->d_name) == getpid())
			kill((pid_t)strtol(e->d_name, NULL, 10), sig);
	if (proc)
		closedir(proc);
}

/* Reaps what has ended. True: no child is left. */
static bool reap(struct keeper *k, bool ending)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != k->command)
			continue;
		k->command = 0;
		if (!ending)
			report_end(k, status);
	}
	return pid < 0 && errno == ECHILD;
}

static void pause_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* Sends @sig to the command's group, whose number is ours until the command was reaped. */
static void signal_all(const struct keeper *k, int sig)
{
	if (k->command)
		kill(-k->command, sig);
	signal_children(sig);
}

/* Ends the process group and every descendant. Returns when none is left. */
static void end_all(struct keeper *k)
{
	int ms;

	for (ms = 0; ms < GRACE_MS && !reap(k, true); ms += LOOK_MS) {
		signal_all(k, SIGTERM);
		pause_ms(LOOK_MS);
	}
	while (!reap(k, true)) {
		signal_all(k, SIGKILL);
		pause_ms(1);
	}
}

static void start_command(struct keeper *k)
{
	int said[2];
	int err;

	if (k->task->procs) {
		char self[16];

		snprintf(self, sizeof(self), "%d", getpid());
		err = file_write(k->task->procs, self);
		if (err)
			give_up(k, k->task->procs, err);
	}
	if (pipe2(said, O_CLOEXEC | O_NONBLOCK))
		give_up(k, "pipe", -errno);
	k->command = fork();
	if (k->command < 0)
		give_up(k, "fork", -errno);
	if (!k->command)
		become_command(k, said[1]);
	close(said[1]);
	k->said = said[0];
	setpgid(k->command, k->command);	/* the child does the same; either may be first */
	report(k, LOAD_STARTED, "");
}

static void on_child(int signo)
{
	(void)signo;
}

static void keep(const struct load_task *task, int tool)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1 };
	struct keeper k = { .task = task, .tool = tool, .said = -1 };
	sigset_t child, none;
	char byte;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	/* Taken during ppoll() only: nothing wakes the keeper as long as nothing happens. */
	sigemptyset(&none);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	signal(SIGCHLD, on_child);
	/* Not before: a key of the terminal would have ended it with the tool. */
	setpgid(0, 0);
	prctl(PR_SET_NAME, "tlob-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	start_command(&k);
	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = tool, .events = POLLIN }, { .fd = k.said, .events = POLLIN },
		};

		ppoll(fds, 2, NULL, &none);
		if (fds[1].revents)
			hear(&k);
		reap(&k, false);
		/* The tool sends nothing: it has closed its side, or it is gone. */
		if (fds[0].revents && recv(tool, &byte, 1, MSG_DONTWAIT) == 0)
			break;
	}
	end_all(&k);
	_exit(0);
}

pid_t load_keeper_start(const struct load_task *task, int *fd)
{
	int pair[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pid = fork();
	if (!pid) {
		/* It keeps only one of the tool's files, and so not the lock on the state file. */
		if (dup2(pair[1], 3) < 0)
			_exit(1);
		syscall(SYS_close_range, 4U, ~0U, 0);
		fcntl(3, F_SETFD, FD_CLOEXEC);
		keep(task, 3);
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
