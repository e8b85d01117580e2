// SPDX-License-Identifier: GPL-2.0
/* timerlat-user N: timerlat's user thread, which reads timerlat_fd N times on CPU 0. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 95 };
	long n = argc > 1 ? atol(argv[1]) : 1000;
	cpu_set_t mask;
	char c[8];
	int fd;

	CPU_ZERO(&mask);
	CPU_SET(0, &mask);
	if (mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    sched_setaffinity(0, sizeof(mask), &mask) ||
	    sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("timerlat-user");
		return 1;
	}
	fd = open("/sys/kernel/tracing/osnoise/per_cpu/cpu0/timerlat_fd",
		  O_RDONLY);
	if (fd < 0) {
		perror("timerlat_fd");
		return 1;
	}
	for (n += 20; n; n--)
		if (read(fd, c, sizeof(c)) < 0) {
			perror("read");
			return 1;
		}
	return 0;
}
