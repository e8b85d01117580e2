// SPDX-License-Identifier: GPL-2.0
/* See beside.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"
#include "measure.h"

#define ATTACHED_S	10

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

void beside_end(pid_t tool, const char *name)
{
	int status;

	if (kill(tool, SIGINT) || kill(tool, SIGCONT) || waitpid(tool, &status, 0) != tool)
		die(name);
	/* perf ends by the signal, as its parent may want to know */
	if (status && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT))
		die(name);
}
