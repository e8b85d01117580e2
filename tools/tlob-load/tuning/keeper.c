// SPDX-License-Identifier: GPL-2.0
/*
 * The keeper of a load: the parent of its command, and the reaper of all that the
 * command starts. It must not die with the tool, so it takes no signal from a terminal;
 * and it must not keep anything of the tool's open, such as the lock of the state file.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "machine/shell.h"
#include "tuning/keeper.h"
#include "util/file.h"

#define GRACE_MS	2000		/* between SIGTERM and SIGKILL */

struct keeper {
	const struct load_task *task;
	int	tool;			/* the socket */
	struct shell command;
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
static bool prepare(const void *data)
{
	const struct load_task *task = data;
	int err = cpus_confine(task->cpus);
	char ncpus[16];

	if (err) {
		dprintf(2, "cannot move it to its CPUs: %s\n", strerror(-err));
		return false;
	}
	snprintf(ncpus, sizeof(ncpus), "%u", task->ncpus);
	return !setenv("TLOB_LOAD_CPUS", ncpus, 1);
}

static void start_command(struct keeper *k)
{
	int err;

	if (k->task->procs) {
		char self[16];

		snprintf(self, sizeof(self), "%d", getpid());
		err = file_write(k->task->procs, self);
		if (err)
			give_up(k, k->task->procs, err);
	}
	err = shell_start(&k->command, k->task->command, -1, prepare, k->task);
	if (err)
		give_up(k, "fork", err);
	report(k, LOAD_STARTED, "");
}

static void report_end(struct keeper *k)
{
	char text[LOAD_MESSAGE - 1];
	int status;

	if (!shell_reap(&k->command, &status))
		return;
	shell_how_ended(&k->command, status, text, sizeof(text));
	report(k, LOAD_ENDED, text);
}

static void keep(const struct load_task *task, int tool)
{
	struct keeper k = { .task = task, .tool = tool };
	sigset_t none;
	char byte;

	sigemptyset(&none);
	shell_keeper("tlob-keeper");
	start_command(&k);
	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = tool, .events = POLLIN },
			{ .fd = k.command.said, .events = POLLIN },
		};

		/* nothing wakes the keeper as long as nothing happens */
		ppoll(fds, 2, NULL, &none);
		if (fds[1].revents)
			shell_hear(&k.command);
		report_end(&k);
		/* The tool sends nothing: it has closed its side, or it is gone. */
		if (fds[0].revents && recv(tool, &byte, 1, MSG_DONTWAIT) == 0)
			break;
	}
	shell_end(&k.command, GRACE_MS);
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
