// SPDX-License-Identifier: GPL-2.0
/*
 * Actors that execute programs, which are copies of this one: users run them with a binding, one
 * is setuid, and a user's processes with enable bits fork and execute as fast as they can.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "soak.h"

#define PROGRAM		"/tmp/tlob-soak-program"
#define SETUID		"/tmp/tlob-soak-setuid"
#define RUNNERS		6
#define CHILDREN	12
#define WORDS		16
#define NOT_EXECUTED	3		/* exit code of a child that only forked */

static uint32_t words[WORDS];

/* In a new program, which has neither the soak's shared memory nor its choices. */
int run_program(char **argv)
{
	int number = argv[2] ? (int)strtol(argv[2], NULL, 10) : 0;

	other_choices(getpid());
	if (!strcmp(argv[1], "region")) {
		while (number-- > 0)
			task_region();
		return 0;
	}
	/* the memory with the parent's words is gone; this one has words when it ends */
	if (!strcmp(argv[1], "word")) {
		enroll(number, words, rnd(32));
		for (number = (int)rnd(3); number && fork(); number--)
			;
		return 0;
	}
	return 129;
}

static int copy_self(const char *to, mode_t mode)
{
	static char bytes[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700), err;
	ssize_t n = 0;

	while (from >= 0 && fd >= 0 && (n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)n) != n)
			break;
	err = from < 0 || fd < 0 || n || fchmod(fd, mode) ? -errno : 0;
	close(from);
	close(fd);
	return err;
}

/* Returns whether a task of the binding had a window. */
static bool had_windows(const char *name)
{
	static char text[STATUS_MAX];
	const char *at;

	if (read_text(control("monitor_stat"), text, sizeof(text)))
		return false;
	at = strstr(text, name);
	at = at ? strstr(at, " windows=") : NULL;
	return at && strtoull(at + strlen(" windows="), NULL, 10);
}

static pid_t run_region(const char *program)
{
	pid_t pid = fork();
	char rounds[16];

	if (pid)
		return pid;
	other_choices(getpid());
	if (become_user())
		_exit(1);
	snprintf(rounds, sizeof(rounds), "%u", rnd(200));
	execl(program, program, "region", rounds, NULL);
	_exit(1);
}

static void reap_runners(pid_t *pids, enum action action)
{
	unsigned int i;
	int st;

	for (i = 0; i < RUNNERS; i++) {
		while (!waitpid(pids[i], &st, WNOHANG)) {
			if (shared->unloading || shared->stop)
				kill(pids[i], SIGKILL);
			sleep_us(2000);
		}
		count(action, WIFSIGNALED(st) ? -EINTR : WEXITSTATUS(st) ? -ENOEXEC : 0);
	}
}

void act_programs(void)
{
	pid_t pids[RUNNERS];

	if (copy_self(PROGRAM, 0755) || copy_self(SETUID, 04755)) {
		defect("this program cannot be copied: errno %d", errno);
		return;
	}
	while (!shared->stop) {
		bool privileged = rnd(2), early = rnd(2);
		uint64_t began = now_us();
		unsigned int i;

		rest_at_gate();
		if (count(BIND, bind_region("program", privileged ? SETUID : PROGRAM)))
			live_on(now_us(), 20000);
		write_file(control("monitor_enable"), "1");
		for (i = 0; i < RUNNERS; i++)
			pids[i] = run_region(privileged ? SETUID : PROGRAM);
		if (early) {
			live_on(now_us(), rnd(50000));
			count(UNBIND, write_file(control("monitor"), "-:program"));
		}
		reap_runners(pids, privileged ? RUN_BOUND_SETUID : RUN_BOUND);
		if (!early) {
			count(BOUND_WINDOWS, had_windows("program ") ? 0 : -ENODATA);
			count(UNBIND, write_file(control("monitor"), "-:program"));
		}
		/* a breakpoint takes grace periods to come and go */
		live_on(began, 0);
	}
}

/* Half of the children execute, while the kernel copies and drops the words of their memory. */
static void storm(void)
{
	unsigned int n, i;
	char number[16];
	int fd, st;

	if (become_user())
		_exit(0);
	fd = open("/dev/tlob", O_RDWR | O_NONBLOCK);
	if (fd < 0)
		_exit(0);
	snprintf(number, sizeof(number), "%d", fd);
	for (n = 1 + rnd(10); n && !shared->stop && !shared->unloading; n--) {
		for (i = rnd(WORDS); i; i--)
			enroll(fd, &words[rnd(WORDS)], rnd(32));
		enroll(fd, words, 0);
		for (i = 0; i < CHILDREN; i++) {
			if (fork())
				continue;
			/* processes over a user's limit have no words */
			count(FORK_STORM, enroll(fd, words, 0) == -EADDRINUSE ? 0 : -ENOENT);
			if (i % 2)
				_exit(NOT_EXECUTED);
			execl("/proc/self/exe", "tlob-soak", "word", number, NULL);
			_exit(1);
		}
		while (waitpid(-1, &st, 0) > 0)
			if (!WIFEXITED(st) || WEXITSTATUS(st) != NOT_EXECUTED)
				count(EXEC_STORM, WIFEXITED(st) && !WEXITSTATUS(st) ? 0 : -ENOEXEC);
	}
	_exit(0);
}

void act_storms(void)
{
	while (!shared->stop) {
		pid_t pid;
		int st;

		rest_at_gate();
		if (!let_users_in()) {
			sleep_us(20000);
			continue;
		}
		pid = fork();
		if (!pid) {
			other_choices(getpid());
			storm();
		}
		waitpid(pid, &st, 0);
		live_on(now_us(), rnd(200000));
	}
}
