// SPDX-License-Identifier: GPL-2.0
/*
 * What busybox lacks in the guests of tests/vm/suites/tool:
 *
 *	guest-helper pty COMMAND [ARG]...	run it on a terminal of its own, 80x24,
 *						and copy what it writes to stdout
 *	guest-helper nobody COMMAND [ARG]...	run it as user and group 65534
 *	guest-helper policy POLICY TID		other, fifo:PRIORITY or rr:PRIORITY
 *
 * Exit: the command's status, 127 if it does not start or the policy is not set.
 */
#include <grp.h>
#include <pty.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_on_pty(char **argv)
{
	struct winsize size = { .ws_col = 80, .ws_row = 24 };
	const char *term = getenv("TERM");
	char buf[4096];
	int fd, status;
	ssize_t n;
	pid_t pid;

	pid = forkpty(&fd, NULL, NULL, &size);
	if (pid < 0) {
		perror("forkpty");
		return 127;
	}
	if (!pid) {
		/* the guest's own console is none that knows sequences */
		if (!term || !strcmp(term, "dumb"))
			setenv("TERM", "vt100", 1);
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

static int set_policy(const char *policy, const char *tid)
{
	struct sched_param param = { 0 };
	char name[8];
	int n = sscanf(policy, "%7[a-z]:%d", name, &param.sched_priority);

	if (n < 1 || sched_setscheduler(atoi(tid), !strcmp(name, "fifo") ?
					SCHED_FIFO : !strcmp(name, "rr") ?
					SCHED_RR : SCHED_OTHER, &param)) {
		perror(policy);
		return 127;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "policy"))
		return set_policy(argv[2], argv[3]);
	if (argc > 2 && !strcmp(argv[1], "pty"))
		return run_on_pty(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "nobody"))
		return run_as_nobody(argv + 2);
	fprintf(stderr, "usage: guest-helper pty|nobody COMMAND [ARG]... | policy POLICY TID\n");
	return 127;
}
