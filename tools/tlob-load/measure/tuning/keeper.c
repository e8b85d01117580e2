// SPDX-License-Identifier: GPL-2.0
/*
 * The keeper of a load: the parent of its command, and the reaper of all that the
 * command starts. It must not die with the tool, so it takes no signal from a terminal;
 * and it must not keep anything of the tool's open, such as the lock of the state file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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
	bool asked;
	char byte;

	start_command(&k);
	do {
		asked = shell_wait(&k.command, tool);
		report_end(&k);
		/* The tool sends nothing: it has closed its side, or it is gone. */
	} while (!asked || recv(tool, &byte, 1, MSG_DONTWAIT) != 0);
	shell_exit(&k.command, GRACE_MS);
}

pid_t load_keeper_start(const struct load_task *task, int *fd)
{
	pid_t pid = shell_keeper("tlob-keeper", fd);

	if (!pid)
		keep(task, *fd);
	return pid;
}
