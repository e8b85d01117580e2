// SPDX-License-Identifier: GPL-2.0
/* Enable bits go with their process and with the module. enable_fork.c has what children get. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "words.h"

#define GROUP	"enable_life"

#define SPACES	256		/* with words, of one user */
#define REAP	"/sys/kernel/debug/tlob_inject/reap"

TEST(exit_ends_it)
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
	/* the copy that a fork makes also goes with its process */
	check_eq(enroll(&word, BIT), 0);
	words = counter("words");
	pid = fork();
	if (!pid)
		_exit(counter("words") != words + 1);
	reap(pid);
	check_counter("words", words);
}

TEST(exec_ends_it)
{
	static uint32_t word;
	int up[2], st;
	pid_t pid;
	char c;

	words_begin();
	check_counter("words", 0);
	check_eq(pipe2(up, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		check_eq(enroll(&word, BIT), 0);
		check_eq(counter("words"), 1);
		execlp("sleep", "sleep", "10000", NULL);
		_exit(1);
	}
	close(up[1]);
	/* the exec has closed it */
	check_eq(read(up[0], &c, 1), 0);
	check_counter("words", 0);
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, &st, 0), pid);
	check(WIFSIGNALED(st));
}

static void *thread_enrolls(void *word)
{
	check_eq(enroll(word, BIT), 0);
	return NULL;
}

/* A word belongs to the address space: it outlives the thread that registered it. */
TEST(threads)
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
TEST(close_leaves_it)
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
TEST(dying)
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

/* A program registers and unregisters while the monitor is switched on and off. */
TEST(storm)
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

/* As uid 1000: a process that has a word, and @n children that stay until @go is closed. */
static void stay(unsigned int n, int up, int go)
{
	static uint32_t word;
	char c = 0;

	check_eq(setresuid(1000, 1000, 1000), 0);
	words_open();
	check_eq(enroll(&word, BIT), 0);
	while (n && fork())
		n--;
	if (!n)
		check_eq(write(up, &c, 1), 1);
	check_eq(read(go, &c, 1), 0);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

/* A user has so many address spaces with words, and the others have theirs. */
TEST(spaces_of_a_user)
{
	static uint32_t word;
	int up[2], go[2], st;
	uint64_t lost, used;
	pid_t pid;
	char c;

	words_begin();
	check_eq(chmod("/dev/tlob", 0666), 0);
	check_counter("processes", 0);
	lost = counter("lost_forks");
	check_eq(pipe(up), 0);
	check_eq(pipe(go), 0);
	pid = fork();
	if (!pid) {
		close(go[1]);
		stay(SPACES + 9, up[1], go[0]);
	}
	check_eq(read(up[0], &c, 1), 1);
	used = counter("processes");
	check_eq(used, SPACES);
	check_eq(counter("lost_forks"), lost + 10);
	/* another process of this user is told, and root is not concerned */
	if (!fork()) {
		check_eq(setresuid(1000, 1000, 1000), 0);
		words_open();
		check_errno(enroll(&word, BIT), EDQUOT);
		_exit(0);
	}
	check(wait(&st) > 0 && !st);
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	close(go[1]);
	reap(pid);
	check_eq(chmod("/dev/tlob", 0660), 0);
	check_counter("processes", 1);
}

/* A number of tlob_inject about the last task that stopped in tlob_words_reap(). */
static unsigned long stopped(const char *field)
{
	char text[128], *at;

	read_file(REAP, text, sizeof(text));
	at = strstr(text, field);
	check(at);
	return strtoul(at + strlen(field), NULL, 10);
}

/*
 * A task that looks for address spaces that have ended stops at one, for @ms at most.
 * Meanwhile another process calls @meanwhile(): on the other CPU, or, with one CPU, when
 * the kernel preempts that task.
 */
static void stop_while(void (*meanwhile)(void), unsigned int ms)
{
	static uint32_t word;
	cpu_set_t first;
	char stand[32];
	pid_t pid, ends;
	int err;

	if (access(REAP, F_OK))
		skip("tlob_inject is not loaded");
	err = write_file(REAP, "reap");
	if (err)
		skip("this kernel cannot probe tlob_words_reap(): %s", strerror(-err));
	words_begin();
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	check_eq(sched_setaffinity(0, sizeof(first), &first), 0);
	pid = fork();
	if (!pid) {
		pin(cpus_online() - 1);
		/* a fork flushes the TLB of each CPU where this memory was: only of this one */
		ends = fork();
		if (ends) {
			reap(ends);
			_exit(0);
		}
		check_eq(enroll(&word, BIT), 0);
		check_eq(write_file(REAP, "await"), 0);
		meanwhile();
		check_eq(write_file(REAP, "go"), 0);
		_exit(0);
	}
	while (!stopped("awaited="))
		sleep_ns(MS);
	snprintf(stand, sizeof(stand), "stand %u", ms);
	do {
		ends = fork();
		if (!ends) {
			check_eq(enroll(&word, BIT), 0);
			_exit(0);
		}
		reap(ends);
		err = write_file(REAP, stand);
		/* none: the worker has found it before */
	} while (!err && !stopped("stood="));
	if (err)
		kill(pid, SIGKILL);
	check_eq(err, 0);
	reap(pid);
	unpin();
}

static void reap_too(void)
{
	check_eq(write_file(REAP, "reap"), 0);
}

/*
 * Two tasks take the same address space out of the table: neither frees its mm while the
 * other looks at it.
 */
TEST(two_reapers)
{
	stop_while(reap_too, 50);
	check_eq(stopped("dropped="), 0);
}

static void fork_with_word(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	reap(pid);
}

/* A fork of a program with a word waits for no lock of another one's words. */
TEST_ON(forks_share_no_lock, 2)
{
	int tries = 10;

	/* one in 512 shares it by its hash, and a busy host may take its time */
	do {
		stop_while(fork_with_word, 5000);
	} while (stopped("late=") && --tries);
	check(tries);
}

static int module_file(void)
{
	int fd = open("/tlob_load.ko", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		skip("no /tlob_load.ko to load again");
	return fd;
}

/* Once nobody holds it: a file may be closed a moment later, and a thread owe some work. */
static void remove_module(void)
{
	uint64_t end = now_ns() + PATIENCE;
	long err;

	do {
		err = syscall(SYS_delete_module, "tlob_load", O_NONBLOCK);
	} while (err && errno == EAGAIN && now_ns() < end);
	check_eq(err, 0);
}

/* The module goes while a word is registered, and its bit with it. */
TEST(unload)
{
	static uint32_t word;
	int fd = module_file();
	int tlob = words_begin();

	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	close(tlob);
	remove_module();
	check_eq(load(&word), 0);
	check_eq(syscall(SYS_finit_module, fd, "", 0), 0);
	words_begin();
	check_errno(leave(&word, BIT), ENOENT);
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	set("monitor_enable", "0");
}

/*
 * A process ends with a word that nothing can reach, while the kernel still tries, and
 * the module goes at once. The kernel's log says whether something ran in freed memory.
 */
TEST(unload_after_exit)
{
	int fd = module_file(), tlob, i;
	uint32_t *p;
	pid_t pid;

	for (i = 0; i < 5; i++) {
		tlob = words_begin();
		pid = fork();
		if (!pid) {
			p = pages(1, PROT_READ | PROT_WRITE);
			check_eq(enroll(p, BIT), 0);
			munmap(p, getpagesize());
			/* a second from here dead address spaces are looked for */
			if (!fork())
				_exit(0);
			wait(NULL);
			sleep_ns(350 * MS);
			/* tries follow after 2, 4, ... 512 ms: none between 510 and 1022 */
			set("monitor_enable", "1");
			sleep_ns(600 * MS);
			_exit(0);
		}
		close(tlob);
		reap(pid);
		/* it is looked for after 50 ms; then the last try is still to come */
		sleep_ns(100 * MS + i * (50 * MS));
		remove_module();
		sleep_ns(700 * MS);
		check_eq(syscall(SYS_finit_module, fd, "", 0), 0);
	}
}

/*
 * A page that is not there is faulted in by its process and by nobody else. One that is
 * stopped owes it, and the module stays.
 */
TEST(owner_takes_the_fault)
{
	static uint32_t word;
	uint64_t failures;
	int up[2], st, tlob, err;
	uint32_t *p;
	pid_t pid;
	char c = 0;

	tlob = words_begin();
	check_eq(pipe(up), 0);
	failures = counter("failures");
	pid = fork();
	if (!pid) {
		p = pages(1, PROT_READ | PROT_WRITE);
		check_eq(enroll(p, BIT), 0);
		check_eq(enroll(&word, BIT), 0);
		/* an open file would also hold the module */
		close(tlob);
		check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
		check_eq(write(up[1], &c, 1), 1);
		raise(SIGSTOP);
		/* at once: before its first instruction */
		check_eq(load(p), 1U << BIT);
		check_eq(load(&word), 1U << BIT);
		_exit(0);
	}
	check_eq(read(up[0], &c, 1), 1);
	check_eq(waitpid(pid, &st, WUNTRACED), pid);
	check(WIFSTOPPED(st));
	close(tlob);
	check_eq(counter("owed"), 0);
	set("monitor_enable", "1");
	sleep_ns(1500 * MS);
	check_eq(counter("owed"), 1);
	check_eq(counter("failures"), failures);
	/* built in, it cannot go; as a module it must stay until the thread has run */
	err = access("/sys/module/tlob_load/initstate", F_OK) ? ENOENT : EAGAIN;
	check_errno(syscall(SYS_delete_module, "tlob_load", O_NONBLOCK), err);
	kill(pid, SIGCONT);
	reap(pid);
	check_counter("owed", 0);
	check_eq(counter("failures"), failures);
}

/* Killed while it owes: nobody waits for what it will not do. */
TEST(killed_while_it_owes)
{
	int up[2], st, i;
	uint32_t *p;
	pid_t pid;
	char c = 0;

	words_begin();
	check_eq(pipe(up), 0);
	for (i = 0; i < 10; i++) {
		set("monitor_enable", "0");
		pid = fork();
		if (!pid) {
			p = pages(1, PROT_READ | PROT_WRITE);
			check_eq(enroll(p, BIT), 0);
			madvise(p, getpagesize(), MADV_DONTNEED);
			check_eq(write(up[1], &c, 1), 1);
			raise(SIGSTOP);
			_exit(0);
		}
		check_eq(read(up[0], &c, 1), 1);
		check_eq(waitpid(pid, &st, WUNTRACED), pid);
		set("monitor_enable", "1");
		check_eq(counter("owed"), 1);
		kill(pid, SIGKILL);
		waitpid(pid, &st, 0);
		check_counter("owed", 0);
	}
	check_counter("words", 0);
}

static void *sleeps(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* All threads but one sleep for ever, and that one has the bit. */
TEST(one_of_many_threads)
{
	uint32_t *p = pages(1, PROT_READ | PROT_WRITE);
	pthread_t thread;
	pid_t pid;
	int i;

	words_begin();
	check_eq(enroll(p, BIT), 0);
	for (i = 0; i < 20; i++)
		check_eq(pthread_create(&thread, NULL, sleeps, NULL), 0);
	check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
	pid = fork();
	if (!pid) {
		set("monitor_enable", "1");
		_exit(0);
	}
	while (load(p) != 1U << BIT)
		;
	reap(pid);
}

static volatile uint32_t *late_word;
static int late_go[2];

/* Waits until all threads of @pid sleep. */
static void until_all_asleep(pid_t pid)
{
	struct dirent *entry;
	char path[64];
	DIR *tasks;
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	check(tasks);
	while ((entry = readdir(tasks))) {
		tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (tid > 0)
			until_asleep(tid, "S");
	}
	closedir(tasks);
}

/* Wakes up after the switch, and reads the bit until it is 1. */
static void *wakes_late(void *unused)
{
	char c;

	check_eq(read(late_go[0], &c, 1), 1);
	while (*late_word != 1U << BIT)
		;
	return unused;
}

/*
 * All threads sleep at the switch, and the one that wakes up later was created last. Then
 * no other thread owes the word any more.
 */
TEST(last_of_many_wakes)
{
	uint32_t *p = pages(1, PROT_READ | PROT_WRITE);
	pthread_t thread;
	int i, fd;

	words_begin();
	check_eq(pipe(late_go), 0);
	late_word = p;
	check_eq(enroll(p, BIT), 0);
	for (i = 0; i < 20; i++)
		check_eq(pthread_create(&thread, NULL, sleeps, NULL), 0);
	check_eq(pthread_create(&thread, NULL, wakes_late, NULL), 0);
	/* the switch comes from another process: this thread sleeps as well */
	check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
	fd = fork();
	if (!fd) {
		until_all_asleep(getppid());
		set("monitor_enable", "1");
		/* the passes of the worker are over */
		sleep_ns(3000 * MS);
		check(counter("owed") > 0);
		check_eq(write(late_go[1], "", 1), 1);
		_exit(0);
	}
	check_eq(pthread_join(thread, NULL), 0);
	reap(fd);
	check_counter("owed", 0);
	check_eq(counter("stale"), 0);
}
