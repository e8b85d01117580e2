// SPDX-License-Identifier: GPL-2.0
/* Enable bits follow a process through fork: each child has words of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "words.h"

#define GROUP	"enable_fork"

#define DAEMONS	600	/* some end while others are taken out of the table */
#define FORKERS	2

/* Waits for a byte from the parent before each step; acknowledges the first step. */
static void fork_child(int from, int to, const uint32_t *word)
{
	char c;

	check_eq(read(from, &c, 1), 1);
	check_comes(word, 1U << BIT);
	check_errno(enroll(word, BIT), EADDRINUSE);
	check_eq(write(to, &c, 1), 1);
	check_eq(read(from, &c, 1), 1);
	check_comes(word, 0);
	/* the parent keeps its own registration */
	check_eq(leave(word, BIT), 0);
	_exit(0);
}

/* After a fork, parent and child have a word each, and both words follow the monitor. */
TEST(fork_has_its_own)
{
	static uint32_t word;
	int down[2], up[2], i;
	uint64_t lost;
	pid_t pid;
	char c = 0;

	words_begin();
	lost = counter("lost_forks");
	check_eq(pipe(down), 0);
	check_eq(pipe(up), 0);
	check_eq(enroll(&word, BIT), 0);
	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid)
			fork_child(down[0], up[1], &word);
		set("monitor_enable", "1");
		check_comes(&word, 1U << BIT);
		check_eq(write(down[1], &c, 1), 1);
		check_eq(read(up[0], &c, 1), 1);
		set("monitor_enable", "0");
		set("monitor_enable", "1");
		set("monitor_enable", "0");
		check_eq(write(down[1], &c, 1), 1);
		reap(pid);
		check_comes(&word, 0);
	}
	check_eq(counter("lost_forks"), lost);
	check_errno(enroll(&word, BIT), EADDRINUSE);
}

/* The last child of 20 forks in a chain, without a pause, still has the word. */
TEST(fork_of_fork)
{
	static uint32_t word;
	int depth, i;
	pid_t pid;

	words_begin();
	check_eq(enroll(&word, BIT), 0);
	for (i = 0; i < 10; i++) {
		for (depth = 0; depth < 20; depth++) {
			pid = fork();
			if (pid)
				break;
		}
		if (!pid) {
			check_errno(enroll(&word, BIT), EADDRINUSE);
			set("monitor_enable", "1");
			check_comes(&word, 1U << BIT);
			set("monitor_enable", "0");
			check_comes(&word, 0);
			_exit(0);
		}
		reap(pid);
		if (depth)
			_exit(0);
	}
}

/* The parent registers after the fork: the kernel must not write to the child's memory. */
TEST(fork_before_registration)
{
	static uint32_t word;
	int go[2];
	pid_t pid;
	char c;

	words_begin();
	check_eq(pipe(go), 0);
	pid = fork();
	if (!pid) {
		check_eq(read(go[0], &c, 1), 1);
		sleep_ns(100 * MS);
		check_eq(load(&word), 0);
		check_errno(leave(&word, BIT), ENOENT);
		_exit(0);
	}
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(write(go[1], &c, 1), 1);
	reap(pid);
}

/* A vfork child borrows the memory: its exec removes no word. */
TEST(vfork_leaves_it)
{
	static uint32_t word;
	int st;
	pid_t pid;

	words_begin();
	check_eq(enroll(&word, BIT), 0);
	pid = vfork();
	if (!pid) {
		execlp("true", "true", NULL);
		_exit(1);
	}
	check_eq(waitpid(pid, &st, 0), pid);
	sleep_ns(1500 * MS);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	set("monitor_enable", "0");
	check_eq(load(&word), 0);
}

/*
 * A daemon: its parent registers a word, forks it and ends at once. Each has its word, and
 * says so by ending with 0.
 */
TEST(daemons)
{
	static uint32_t word;
	int up[2], go[2], i;
	uint64_t lost;
	pid_t pid;
	char c = 0;

	words_begin();
	lost = counter("lost_forks");
	check_eq(pipe(up), 0);
	check_eq(pipe(go), 0);
	for (i = 0; i < DAEMONS; i++) {
		pid = fork();
		if (!pid) {
			check_eq(enroll(&word, BIT), 0);
			if (fork())
				_exit(0);
			close(go[1]);
			check_eq(read(go[0], &c, 1), 0);
			check_comes(&word, 1U << BIT);
			check_errno(enroll(&word, BIT), EADDRINUSE);
			check_eq(write(up[1], &c, 1), 1);
			_exit(0);
		}
		reap(pid);
	}
	/* those that have ended are out of the table */
	sleep_ns(1500 * MS);
	set("monitor_enable", "1");
	close(go[1]);
	close(up[1]);
	for (i = 0; read(up[0], &c, 1) == 1; i++)
		;
	check_eq(i, DAEMONS);
	check_eq(counter("lost_forks"), lost);
}

/* Forks without a pause, as uid 1000, of a process that has a word. Until it is killed. */
static pid_t forker(void)
{
	static uint32_t word;
	pid_t pid = fork();

	if (pid)
		return pid;
	check_eq(setresuid(1000, 1000, 1000), 0);
	words_open();
	check_eq(enroll(&word, BIT), 0);
	for (;;) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

/* However much one user forks, no child of another's is without its words. */
TEST(forks_of_others)
{
	static uint32_t word;
	pid_t other[FORKERS], pid;
	int i;

	words_begin();
	check_eq(chmod("/dev/tlob", 0666), 0);
	check_eq(enroll(&word, BIT), 0);
	for (i = 0; i < FORKERS; i++)
		other[i] = forker();
	for (i = 0; i < 60; i++) {
		pid = fork();
		if (!pid) {
			check_errno(enroll(&word, BIT), EADDRINUSE);
			_exit(0);
		}
		reap(pid);
		if (i % 20 == 0)
			set("monitor_enable", "%d", i / 20 % 2);
	}
	for (i = 0; i < FORKERS; i++) {
		kill(other[i], SIGKILL);
		waitpid(other[i], NULL, 0);
	}
	check_eq(chmod("/dev/tlob", 0660), 0);
	note("lost_forks=%llu", (unsigned long long)counter("lost_forks"));
}
