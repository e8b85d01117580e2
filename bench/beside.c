// SPDX-License-Identifier: GPL-2.0
/* See beside.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"
#include "measure.h"

#define ATTACHED_S	10
#define END_S		3
#define END_TIMES	5

pid_t beside_begin(char *const argv[], const char *out)
{
	pid_t tool = fork();

	if (!tool) {
		int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(1);
		execvp(argv[0], argv);
		_exit(1);
	}
	if (tool < 0)
		die("fork");
	sleep(ATTACHED_S);
	return tool;
}

/* Returns whether @tool ends within some seconds. */
static bool ends(pid_t tool, int *status)
{
	pid_t ended = 0;
	int i;

	for (i = 0; i < END_S * 10 && !ended; i++) {
		ended = waitpid(tool, status, WNOHANG);
		usleep(100000);
	}
	return ended == tool;
}

/*
 * The signal is sent again if the tool continues. bpftrace was seen to: it seems to notice a
 * signal only while it waits for events, and it waits for 100 ms at a time.
 */
void beside_end(pid_t tool, const char *name)
{
	int status, i;

	for (i = 0; i < END_TIMES; i++) {
		if (kill(tool, SIGINT) || kill(tool, SIGCONT))
			die(name);
		if (ends(tool, &status))
			break;
	}
	/* perf ends by the signal, as its parent may want to know */
	if (i == END_TIMES || (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)))
		die(name);
}
