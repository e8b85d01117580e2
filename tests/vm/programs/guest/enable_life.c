// SPDX-License-Identifier: GPL-2.0
/* Enable bits follow a process through fork, exec and exit, and go with the module. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "words.h"

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
static void fork_has_its_own(void)
{
	static uint32_t word;
	int down[2], up[2], i;
	pid_t pid;
	char c = 0;

	words_begin();
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
	check_eq(counter("lost_forks"), 0);
	check_errno(enroll(&word, BIT), EADDRINUSE);
}

/* The last child of 20 forks in a chain, without a pause, still has the word. */
static void fork_of_fork(void)
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
static void fork_before_registration(void)
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

static void exit_ends_it(void)
{
	static uint32_t word;
	uint64_t words;
	pid_t pid;

	words_begin();
	check_counter("words", 0);
	pid = fork();
	if (!pid) {
		check_eq(enroll(&word, BIT), 0);
		_exit(counter("words") != 1);
	}
	reap(pid);
	check_counter("words", 0);
	/* the copy that a fork makes goes with its process, too */
	check_eq(enroll(&word, BIT), 0);
	words = counter("words");
	pid = fork();
	if (!pid)
		_exit(counter("words") != words + 1);
	reap(pid);
	check_counter("words", words);
}

static void exec_ends_it(void)
{
	static uint32_t word;
	pid_t pid;

	words_begin();
	check_counter("words", 0);
	pid = fork();
	if (!pid) {
		check_eq(enroll(&word, BIT), 0);
		execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	}
	while (!counter("words"))
		sleep_ns(MS);
	check_counter("words", 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A vfork child borrows the memory: its exec removes no word. */
static void vfork_leaves_it(void)
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

static void *thread_enrolls(void *word)
{
	check_eq(enroll(word, BIT), 0);
	return NULL;
}

/* A word belongs to the address space: it outlives the thread that registered it. */
static void threads(void)
{
	static uint32_t word[8];
	pthread_t thread;
	int i;

	words_begin();
	for (i = 0; i < 8; i++) {
		check_eq(pthread_create(&thread, NULL, thread_enrolls, &word[i]),
			 0);
		check_eq(pthread_join(thread, NULL), 0);
	}
	sleep_ns(1500 * MS);
	set("monitor_enable", "1");
	for (i = 0; i < 8; i++)
		check_eq(load(&word[i]), 1U << BIT);
	set("monitor_enable", "0");
	for (i = 0; i < 8; i++) {
		check_eq(load(&word[i]), 0);
		check_eq(leave(&word[i], BIT), 0);
	}
}

/* A word outlives the descriptor that registered it. */
static void close_leaves_it(void)
{
	static uint32_t word;
	int tlob = words_begin();

	check_eq(enroll(&word, BIT), 0);
	close(tlob);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	words_begin();
	check_eq(load(&word), 0);
	check_eq(leave(&word, BIT), 0);
}

/* Switches the monitor until it is killed. */
static pid_t switcher(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		set("monitor_enable", "1");
		set("monitor_enable", "0");
	}
}

/* Processes die, exec and fork while updates look for them. */
static void dying(void)
{
	static uint32_t word;
	uint64_t end;
	pid_t pid, other;
	int n = 0;

	words_begin();
	other = switcher();
	end = now_ns() + 5000 * MS;
	while (now_ns() < end) {
		pid = fork();
		if (!pid) {
			uint32_t *p = pages(1, PROT_READ | PROT_WRITE);

			check_eq(enroll(&word, BIT), 0);
			check_eq(enroll(p, BIT), 0);
			madvise(p, getpagesize(), MADV_DONTNEED);
			if (n % 4 == 0 && !fork())
				_exit(0);
			if (n % 4 == 1)
				execlp("true", "true", NULL);
			if (n % 4 == 2)
				munmap(p, getpagesize());
			_exit(0);
		}
		sleep_ns(n % 7 * MS / 2);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		n++;
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	note("%d processes", n);
	check_counter("words", 0);
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_comes(&word, 1U << BIT);
	set("monitor_enable", "0");
	check_comes(&word, 0);
}

/* A program registers and unregisters while the monitor goes on and off. */
static void storm(void)
{
	static uint32_t word[2] = { OTHERS };
	uint64_t end;
	pid_t other;
	int n = 0;

	words_begin();
	other = switcher();
	end = now_ns() + 3000 * MS;
	for (; now_ns() < end; n++) {
		check_eq(enroll(&word[0], BIT), 0);
		check_eq(load(&word[0]) & ~(1U << BIT), OTHERS);
		check_eq(leave(&word[0], BIT), 0);
		check_eq(load(&word[0]), OTHERS);
	}
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	note("%d registrations", n);
}

/* Removing the module clears the registered bits. */
static void unload(void)
{
	static uint32_t word;
	pid_t pid;
	int fd, tlob;

	fd = open("/tlob_load.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		skip("no /tlob_load.ko to load again");
	tlob = words_begin();
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	close(tlob);
	/* the child shares the page, so only the worker can clear it; rmmod waits for that */
	pid = fork();
	if (!pid) {
		while (load(&word))
			sleep_ns(MS);
		_exit(0);
	}
	syscall(SYS_delete_module, "tlob_inject", 0);
	check_eq(syscall(SYS_delete_module, "tlob_load", 0), 0);
	check_eq(load(&word), 0);
	reap(pid);
	check_eq(syscall(SYS_finit_module, fd, "", 0), 0);
	words_begin();
	check_errno(leave(&word, BIT), ENOENT);
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	set("monitor_enable", "0");
}

const struct test enable_life_tests[] = {
	{ "fork_has_its_own", fork_has_its_own, 0 },
	{ "fork_of_fork", fork_of_fork, 0 },
	{ "fork_before_registration", fork_before_registration, 0 },
	{ "exit_ends_it", exit_ends_it, 0 },
	{ "exec_ends_it", exec_ends_it, 0 },
	{ "vfork_leaves_it", vfork_leaves_it, 0 },
	{ "threads", threads, 0 },
	{ "close_leaves_it", close_leaves_it, 0 },
	{ "dying", dying, 0 },
	{ "storm", storm, 0 },
	{ "unload", unload, 0 },
	{ }
};
