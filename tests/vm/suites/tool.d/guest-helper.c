// SPDX-License-Identifier: GPL-2.0
/*
 * What busybox lacks in the guests of tests/vm/suites/tool:
 *
 *	guest-helper pty COMMAND [ARG]...	run it on a terminal of its own and
 *						copy what it writes to stdout
 *	guest-helper nobody COMMAND [ARG]...	run it as user and group 65534
 *
 * Exit: the command's status, 127 if it does not start.
 */
#include <grp.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_on_pty(char **argv)
{
	char buf[4096];
	int fd, status;
	ssize_t n;
	pid_t pid;

	pid = forkpty(&fd, NULL, NULL, NULL);
	if (pid < 0) {
		perror("forkpty");
		return 127;
	}
	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	/* EIO: the other side has closed */
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (write(STDOUT_FILENO, buf, n) != n)
			return 127;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 127;
	return WEXITSTATUS(status);
}

static int run_as_nobody(char **argv)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534)) {
		perror("setuid");
		return 127;
	}
	execvp(argv[0], argv);
	perror(argv[0]);
	return 127;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "pty"))
		return run_on_pty(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "nobody"))
		return run_as_nobody(argv + 2);
	fprintf(stderr, "usage: guest-helper pty|nobody COMMAND [ARG]...\n");
	return 127;
}
