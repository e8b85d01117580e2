// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-of COMMAND [ARG]...: runs it and prints, last on stderr, the lines "wall-of: us",
 * from start to end, and "cpu-of: CPU-us RSS-KiB": user and system time of it and of
 * its children, and the largest resident set of one of them. Exit: the command's.
 */
#include <stdio.h>
#include <time.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec from, to;
	struct rusage use;
	int status;
	pid_t pid;

	if (argc < 2)
		return 129;
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid ||
	    getrusage(RUSAGE_CHILDREN, &use)) {
		perror("cpu-of");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	fprintf(stderr, "wall-of: %lld\n",
		(to.tv_sec - from.tv_sec) * 1000000LL +
		(to.tv_nsec - from.tv_nsec) / 1000);
	fprintf(stderr, "cpu-of: %lld %ld\n",
		(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000LL +
		use.ru_utime.tv_usec + use.ru_stime.tv_usec, use.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
