// SPDX-License-Identifier: GPL-2.0
/*
 * culprit-keep HOW WHERE NS - until it is killed, functions of tests/modules/inject keep CPU 0
 *
 * In the guest: one at a time, with 4 ms in between. For the page fault the device is mapped
 * anew each time, for the exit a child has it open.
 *
 * culprit-keep fifo PRIORITY COMMAND... - runs it so: chrt is of the host's architecture
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEEP	"/sys/kernel/debug/tlob_inject/keep"
#define DEVICE	"/dev/tlob_inject_keep"

static int touch(int device)
{
	volatile char *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, device, 0);

	if (at == MAP_FAILED)
		return -1;
	(void)*at;
	return munmap((void *)at, 4096);
}

static int leave(void)
{
	pid_t child = fork();

	if (!child)
		_exit(open(DEVICE, O_RDONLY) < 0);
	return child > 0 && waitpid(child, NULL, 0) == child ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 4000000 };
	struct sched_param fifo = { 0 };
	int keep, device = -1, n;
	char text[64];
	cpu_set_t cpu;

	if (argc > 3 && !strcmp(argv[1], "fifo")) {
		fifo.sched_priority = (int)strtol(argv[2], NULL, 10);
		if (sched_setscheduler(0, SCHED_FIFO, &fifo))
			return 1;
		execvp(argv[3], argv + 3);
	}
	if (argc != 4)
		return 129;
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	keep = open(KEEP, O_WRONLY);
	if (!strcmp(argv[2], "fault"))
		device = open(DEVICE, O_RDONLY);
	n = snprintf(text, sizeof(text), "%s %s %s", argv[1], argv[2], argv[3]);
	if (keep < 0 || (device < 0 && !strcmp(argv[2], "fault")) || n >= (int)sizeof(text) ||
	    sched_setaffinity(0, sizeof(cpu), &cpu)) {
		perror("culprit-keep");
		return 1;
	}
	for (;;) {
		if (write(keep, text, n) != n || (device >= 0 && touch(device)) ||
		    (!strcmp(argv[2], "exit") && leave())) {
			perror(KEEP);
			return 1;
		}
		nanosleep(&pause, NULL);
	}
}
