// SPDX-License-Identifier: GPL-2.0
/*
 * Enable bits: words of this program that the kernel sets while the monitor is on.
 * A bit whose page is not there when the monitor is switched comes a little later,
 * so the tests wait for it; one that is there is right at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define MS	1000000ULL
#define PATIENCE	(10000 * MS)
#define WORDS	64		/* the most that a process may have */
#define BIT	5
#define OTHERS	0x80000001U	/* bits of the word that are the program's */

static int tlob;		/* /dev/tlob */

/* The monitor is off afterwards, whatever a test left; closes what it opened. */
static void begin(void)
{
	tlob = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	if (tlob < 0)
		fail("/dev/tlob: %s", strerror(errno));
	set("monitor_enable", "0");
}

static int word_ioctl(unsigned long cmd, const void *addr, unsigned int bit)
{
	struct tlob_enable e = { .addr = (uintptr_t)addr, .bit = bit };

	return ioctl(tlob, cmd, &e);
}

static int enroll(const void *addr, unsigned int bit)
{
	return word_ioctl(TLOB_IOC_REGISTER, addr, bit);
}

static int leave(const void *addr, unsigned int bit)
{
	return word_ioctl(TLOB_IOC_UNREGISTER, addr, bit);
}

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* The kernel's last try is after a second; but a busy host may stop the guest. */
static void check_comes(const uint32_t *word, uint32_t value)
{
	uint64_t end = now_ns() + PATIENCE;

	while (load(word) != value && now_ns() < end)
		sleep_ns(MS);
	check_eq(load(word), value);
}

static uint32_t *pages(size_t n, int prot)
{
	uint32_t *p = mmap(NULL, n * getpagesize(), prot,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(p != MAP_FAILED);
	return p;
}

static uint64_t counter(const char *name)
{
	return status_field("enable_bits", name);
}

/* It gets there, and not beyond. */
static void check_counter(const char *name, uint64_t value)
{
	uint64_t end = now_ns() + PATIENCE;

	while (counter(name) != value && now_ns() < end)
		sleep_ns(10 * MS);
	check_eq(counter(name), value);
}

/* Waits for a child that must end with 0. */
static void reap(pid_t pid)
{
	int st;

	check_eq(waitpid(pid, &st, 0), pid);
	check_eq(st, 0);
}

static void follows_the_monitor(void)
{
	static uint32_t word = OTHERS;
	int i;

	begin();
	check_eq(enroll(&word, BIT), 0);
	for (i = 0; i < 20; i++) {
		check_eq(load(&word), OTHERS);
		set("monitor_enable", "1");
		check_eq(load(&word), OTHERS | 1U << BIT);
		set("monitor_enable", "0");
	}
	check_eq(load(&word), OTHERS);
	check_eq(counter("failures"), 0);
}

/* Every bit of a word is a registration of its own. */
static void every_bit(void)
{
	static uint32_t word;
	unsigned int bit;

	begin();
	for (bit = 0; bit < 32; bit++)
		check_eq(enroll(&word, bit), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), UINT32_MAX);
	for (bit = 0; bit < 32; bit += 2)
		check_eq(leave(&word, bit), 0);
	check_eq(load(&word), 0xaaaaaaaa);
	set("monitor_enable", "0");
	check_eq(load(&word), 0);
}

/* A registration writes what is right now, and its end what was. */
static void at_registration(void)
{
	static uint32_t word = OTHERS;

	begin();
	set("monitor_enable", "1");
	check_eq(enroll(&word, BIT), 0);
	check_eq(load(&word), OTHERS | 1U << BIT);
	check_eq(leave(&word, BIT), 0);
	check_eq(load(&word), OTHERS);
	check_errno(leave(&word, BIT), ENOENT);
	set("monitor_enable", "0");
	/* a bit that says 1 by mistake is put right, too */
	word |= 1U << BIT;
	check_eq(enroll(&word, BIT), 0);
	check_eq(load(&word), OTHERS);
	check_eq(leave(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), OTHERS);
	set("monitor_enable", "0");
}

static void refused(void)
{
	static uint32_t word[2];
	struct tlob_enable e = { .addr = (uintptr_t)word, .reserved = 1 };
	uint32_t *page = pages(2, PROT_READ | PROT_WRITE);
	size_t size = getpagesize();

	begin();
	check_errno(enroll((char *)word + 2, BIT), EINVAL);
	check_errno(enroll((char *)word + 1, BIT), EINVAL);
	check_errno(enroll(word, 32), EINVAL);
	check_errno(enroll(word, UINT32_MAX), EINVAL);
	check_errno(ioctl(tlob, TLOB_IOC_REGISTER, &e), EINVAL);
	check_errno(ioctl(tlob, TLOB_IOC_REGISTER, 8), EFAULT);
	check_errno(enroll(NULL, BIT), EFAULT);
	check_errno(enroll((void *)0xffff800000000000, BIT), EFAULT);
	check_errno(enroll((void *)-4L, BIT), EFAULT);
	check_errno(leave((char *)word + 2, BIT), EINVAL);
	check_errno(leave(word, 32), EINVAL);
	check_errno(leave(word, BIT), ENOENT);
	page[0] = OTHERS;
	check_eq(mprotect(page, size, PROT_READ), 0);
	check_errno(enroll(page, BIT), EFAULT);
	check_eq(page[0], OTHERS);
	/* memory that the program has never touched will do */
	page = (void *)((char *)page + size);
	check_eq(enroll(page, BIT), 0);
	check_errno(enroll(page, BIT), EADDRINUSE);
	check_eq(enroll(page, BIT + 1), 0);
	check_eq(leave(page, BIT), 0);
	check_errno(leave(page, BIT), ENOENT);
	check_eq(leave(page, BIT + 1), 0);
	munmap(page, size);
	check_errno(enroll(page, BIT), EFAULT);
}

static void limit(void)
{
	static uint32_t word[WORDS + 1];
	int i;

	begin();
	for (i = 0; i < WORDS; i++)
		check_eq(enroll(&word[i], BIT), 0);
	check_errno(enroll(&word[i], BIT), ENOSPC);
	check_errno(enroll(&word[0], BIT), EADDRINUSE);
	set("monitor_enable", "1");
	for (i = 0; i < WORDS; i++)
		check_eq(load(&word[i]), 1U << BIT);
	check_eq(load(&word[i]), 0);
	/* the place of one that goes is free */
	check_eq(leave(&word[3], BIT), 0);
	check_eq(enroll(&word[WORDS], BIT), 0);
	check_eq(load(&word[WORDS]), 1U << BIT);
	check_eq(load(&word[3]), 0);
	set("monitor_enable", "0");
	for (i = 0; i < WORDS; i++)
		check_eq(load(&word[i]), 0);
}

/* Pages that are gone, or cannot be written, do not disturb the others. */
static void page_goes(void)
{
	size_t size = getpagesize(), step = size / sizeof(uint32_t);
	uint32_t *p = pages(4, PROT_READ | PROT_WRITE);
	uint64_t failures;
	int i;

	begin();
	for (i = 0; i < 4; i++)
		check_eq(enroll(&p[i * step], BIT), 0);
	failures = counter("failures");
	check_eq(munmap(&p[step], size), 0);
	check_eq(mprotect(&p[2 * step], size, PROT_READ), 0);
	set("monitor_enable", "1");
	check_eq(load(&p[0]), 1U << BIT);
	check_eq(load(&p[3 * step]), 1U << BIT);
	check_counter("failures", failures + 2);
	check_eq(load(&p[2 * step]), 0);
	/* it is not given up: the next update reaches it */
	check_eq(mprotect(&p[2 * step], size, PROT_READ | PROT_WRITE), 0);
	set("monitor_enable", "0");
	set("monitor_enable", "1");
	check_comes(&p[2 * step], 1U << BIT);
	set("monitor_enable", "0");
	/* a word whose page is gone can be unregistered */
	check_eq(leave(&p[step], BIT), 0);
	check_errno(leave(&p[step], BIT), ENOENT);
}

/* The page was given back: the kernel faults it in, without waiting for it. */
static void page_is_not_there(void)
{
	uint32_t *p = pages(1, PROT_READ | PROT_WRITE);
	uint64_t failures;
	int i;

	begin();
	check_eq(enroll(p, BIT), 0);
	failures = counter("failures");
	for (i = 0; i < 20; i++) {
		check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
		set("monitor_enable", "1");
		check_comes(p, 1U << BIT);
		set("monitor_enable", "0");
		check_comes(p, 0);
	}
	check_eq(counter("failures"), failures);
}

/* Shared memory of a file: one word, seen by both of its mappings. */
static void shared_file(void)
{
	int fd = memfd_create("tlob", MFD_CLOEXEC);
	uint32_t *a, *b;

	begin();
	check_eq(ftruncate(fd, getpagesize()), 0);
	a = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	b = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	check(a != MAP_FAILED && b != MAP_FAILED);
	check_eq(enroll(a, BIT), 0);
	check_errno(enroll(b, BIT), EFAULT);
	set("monitor_enable", "1");
	check_comes(b, 1U << BIT);
	/* beyond the end of the file there is nothing to write to */
	check_eq(ftruncate(fd, 0), 0);
	set("monitor_enable", "0");
	check_eq(leave(a, BIT), 0);
}

/* What a child does when its parent says so, and tells that it is done. */
static void fork_child(int from, int to, const uint32_t *word)
{
	char c;

	check_eq(read(from, &c, 1), 1);
	check_comes(word, 1U << BIT);
	check_errno(enroll(word, BIT), EADDRINUSE);
	check_eq(write(to, &c, 1), 1);
	check_eq(read(from, &c, 1), 1);
	check_comes(word, 0);
	/* the parent keeps what the child gives up */
	check_eq(leave(word, BIT), 0);
	_exit(0);
}

/* After a fork each has its own word, and both follow. */
static void fork_has_its_own(void)
{
	static uint32_t word;
	int down[2], up[2], i;
	pid_t pid;
	char c = 0;

	begin();
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

/* A chain of forks, each at once after the other: the last one has the word. */
static void fork_of_fork(void)
{
	static uint32_t word;
	int depth, i;
	pid_t pid;

	begin();
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

/* What a child has not registered is not written to, wherever its parent has it. */
static void fork_before_registration(void)
{
	static uint32_t word;
	int go[2];
	pid_t pid;
	char c;

	begin();
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

	begin();
	check_counter("words", 0);
	pid = fork();
	if (!pid) {
		check_eq(enroll(&word, BIT), 0);
		_exit(counter("words") != 1);
	}
	reap(pid);
	check_counter("words", 0);
	/* a fork of it the same */
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

	begin();
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

/* A vfork borrows the memory: what it execs takes no word away. */
static void vfork_leaves_it(void)
{
	static uint32_t word;
	int st;
	pid_t pid;

	begin();
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

/* Words are the address space's: they outlive the thread that registered them. */
static void threads(void)
{
	static uint32_t word[8];
	pthread_t thread;
	int i;

	begin();
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

/* The descriptor is only the way in: a word outlives it. */
static void close_leaves_it(void)
{
	static uint32_t word;

	begin();
	check_eq(enroll(&word, BIT), 0);
	close(tlob);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	begin();
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

/* Processes that die, exec and fork while an update looks for them. */
static void dying(void)
{
	static uint32_t word;
	uint64_t end;
	pid_t pid, other;
	int n = 0;

	begin();
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

/* A program that registers and unregisters while the monitor is switched. */
static void storm(void)
{
	static uint32_t word[2] = { OTHERS };
	uint64_t end;
	pid_t other;
	int n = 0;

	begin();
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

static int userfault(uint32_t *p)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { (uintptr_t)p, getpagesize() },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		skip("no userfaultfd: %s", strerror(errno));
	check_eq(ioctl(fd, UFFDIO_API, &api), 0);
	check_eq(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	return fd;
}

/*
 * A page that user space delays as long as it likes. No update waits for it, nor
 * does the worker: the next page of this program has its bit, and when the page
 * comes in time, so has that.
 */
static void userfault_blocks_nobody(void)
{
	uint32_t *p = pages(1, PROT_READ | PROT_WRITE);
	static uint32_t word;
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)p, getpagesize() },
	};
	uint64_t begun, failures;
	int fd;

	begin();
	fd = userfault(p);
	failures = counter("failures");
	check_eq(ioctl(fd, UFFDIO_ZEROPAGE, &zero), 0);
	check_eq(enroll(p, BIT), 0);
	check_eq(enroll(&word, BIT), 0);
	check_eq(madvise(p, getpagesize(), MADV_DONTNEED), 0);
	begun = now_ns();
	set("monitor_enable", "1");
	check(now_ns() - begun < 1000 * MS);
	check_eq(load(&word), 1U << BIT);
	/* it never comes: given up and counted, and nobody waits */
	check_counter("failures", failures + 1);
	set("monitor_enable", "0");
	check_eq(load(&word), 0);
	/* now it does */
	set("monitor_enable", "1");
	sleep_ns(20 * MS);
	check_eq(ioctl(fd, UFFDIO_ZEROPAGE, &zero), 0);
	check_comes(p, 1U << BIT);
	set("monitor_enable", "0");
	check_comes(p, 0);
}

/* Not in a child, whose skip nobody would see. */
static void needs_example(void)
{
	if (access("/bin/tlob-budget", X_OK))
		skip("no tlob-budget in this guest");
}

/* libtlob's example; how it ended. @out has what it printed. */
static int example(const char *arguments, char *out, size_t size)
{
	char command[128];
	size_t n;
	FILE *f;

	snprintf(command, sizeof(command), "tlob-budget %s", arguments);
	f = popen(command, "r");
	check(f);
	n = fread(out, 1, size - 1, f);
	out[n] = 0;
	n = pclose(f);
	check(WIFEXITED(n));
	return WEXITSTATUS(n);
}

/* 20 activations of 1 ms, with 200 us of work each. */
static void libtlob(void)
{
	char out[8192];

	needs_example();
	begin();
	check_eq(example("20 1000 200 1000000", out, sizeof(out)), 2);
	check(strstr(out, "0 windows, 0 over"));
	set("monitor_enable", "1");
	check_eq(example("20 1000 200 1000000", out, sizeof(out)), 0);
	check(strstr(out, "20 windows, 0 over"));
	check_eq(example("20 1000 200 100", out, sizeof(out)), 1);
	check(strstr(out, "activation 19 took"));
	check(strstr(out, "20 windows, 20 over"));
	check_eq(status_field("monitor", "used"), 0);
	set("monitor_enable", "0");
}

/* A program that runs already begins its windows when somebody wants them. */
static void libtlob_later(void)
{
	char out[8192];
	pid_t pid;

	needs_example();
	begin();
	pid = fork();
	if (!pid) {
		check_eq(example("2000 1000 10 1000000", out, sizeof(out)), 0);
		check(!strstr(out, "\n0 windows"));
		check(!strstr(out, "2000 windows"));
		_exit(0);
	}
	sleep_ns(500 * MS);
	set("monitor_enable", "1");
	sleep_ns(500 * MS);
	set("monitor_enable", "0");
	reap(pid);
}

static void enable_event(const char *event, const char *on)
{
	char path[128];

	snprintf(path, sizeof(path),
		 "/sys/kernel/tracing/events/user_events/%s/enable", event);
	/* it is there while a program has registered it */
	while (access(path, F_OK))
		sleep_ns(MS);
	check_eq(write_file(path, on), 0);
}

/* Where the kernel has user events, begin and end are markers in a trace. */
static void libtlob_markers(void)
{
	char out[8192];
	uint64_t end;
	pid_t pid;

	needs_example();
	begin();
	if (access("/sys/kernel/tracing/user_events_data", F_OK))
		skip("this kernel has no user events");
	pid = fork();
	if (!pid)
		_exit(example("2000 1000 10 1000000", out, sizeof(out)) != 2);
	enable_event("tlob_start", "1");
	enable_event("tlob_stop", "1");
	end = now_ns() + PATIENCE;
	do {
		sleep_ns(10 * MS);
		read_file("/sys/kernel/tracing/trace", out, sizeof(out));
	} while (!strstr(out, " tlob_stop: result=") && now_ns() < end);
	enable_event("tlob_start", "0");
	enable_event("tlob_stop", "0");
	check(strstr(out, " tlob_start: budget_ns="));
	check(strstr(out, " tlob_stop: result="));
	reap(pid);
}

/* The module goes while a word is registered, and its bit with it. */
static void unload(void)
{
	static uint32_t word;
	pid_t pid;
	int fd;

	fd = open("/tlob_load.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		skip("no /tlob_load.ko to load again");
	begin();
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	close(tlob);
	/* a child whose page is shared: it takes a worker, which is waited for */
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
	begin();
	check_errno(leave(&word, BIT), ENOENT);
	check_eq(enroll(&word, BIT), 0);
	set("monitor_enable", "1");
	check_eq(load(&word), 1U << BIT);
	set("monitor_enable", "0");
}

const struct test enable_tests[] = {
	{ "follows_the_monitor", follows_the_monitor, 0 },
	{ "every_bit", every_bit, 0 },
	{ "at_registration", at_registration, 0 },
	{ "refused", refused, 0 },
	{ "limit", limit, 0 },
	{ "page_goes", page_goes, 0 },
	{ "page_is_not_there", page_is_not_there, 0 },
	{ "shared_file", shared_file, 0 },
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
	{ "userfault_blocks_nobody", userfault_blocks_nobody, 0 },
	{ "libtlob", libtlob, 0 },
	{ "libtlob_later", libtlob_later, 0 },
	{ "libtlob_markers", libtlob_markers, 0 },
	{ "unload", unload, 0 },
	{ }
};
