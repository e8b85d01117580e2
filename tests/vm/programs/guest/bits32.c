// SPDX-License-Identifier: GPL-2.0
/*
 * 32-bit programs: each test runs tests/vm/programs/bits32, which uses ioctls, rings, enable
 * bits and a run's files as a program of this architecture with 32 bits does. On arm64 a
 * 64-bit program cannot make the calls of one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"

#define GROUP	"bits32"

#define PROGRAM	"/bin/tlob-32bit"
#define MS	1000000ULL
#define S	1000000000ULL
#define NOT_EXECUTED	99

/* Executes it with @what and a file of tlob_load/ or NULL. */
static void runs(const char *what, const char *file, const char *number)
{
	int ended;
	pid_t pid;

	if (access(PROGRAM, X_OK))
		skip("no " PROGRAM " here: tests/vm builds it, with clang");
	pid = fork();
	check(pid >= 0);
	if (!pid) {
		execl(PROGRAM, PROGRAM, what, file ? tlob_path(file) : NULL, number, NULL);
		_exit(errno == ENOEXEC ? NOT_EXECUTED : 98);
	}
	check_eq(waitpid(pid, &ended, 0), pid);
	check(WIFEXITED(ended));
	if (WEXITSTATUS(ended) == NOT_EXECUTED)
		skip("this kernel executes no 32-bit programs");
	check_eq(WEXITSTATUS(ended), 0);
}

static void with_monitor(const char *what)
{
	int fd = monitor_open();

	runs(what, NULL, NULL);
	close(fd);
	monitor_off();
}

TEST(in_us)
{
	with_monitor("in_us");
}

TEST(in_ns)
{
	with_monitor("in_ns");
}

TEST(ring)
{
	with_monitor("ring");
}

TEST(words)
{
	with_monitor("words");
}

TEST(run)
{
	setup("user", "0", MS, 10 * S, "none");
	enable();
	pin(0);
	runs("run", "per_cpu/cpu0/tlob_fd", NULL);
	disable();
	check_no_defect(0);
}

TEST(windows)
{
	char length[32];

	setup("kthread", "0", MS, 10 * S, "none");
	enable();
	snprintf(length, sizeof(length), "%llu", (unsigned long long)status(-1, "ring_bytes"));
	runs("windows", "per_cpu/cpu0/windows", length);
	disable();
	check_no_defect(0);
}
