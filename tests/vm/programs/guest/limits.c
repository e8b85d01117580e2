// SPDX-License-Identifier: GPL-2.0
/*
 * Each resource of docs/reference/limits.md: uid 1000 takes all that it may have, next to a
 * run of FIFO 95. Then another user and root do the same call, and it works as if uid 1000
 * were not there. The run misses no expiry. (The timers of budgets have tests of their own.)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"
#include "words.h"

#define GROUP	"limits"

#define GREEDY		1000
#define OTHER		1001
#define WINDOWS		64	/* by START */
#define BOUND		256	/* windows of bindings: a quarter of 1024 */
#define FILES		64
#define WORDS		64
#define SPACES		256
#define FORKERS		8
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static struct program self;

struct resource {
	const char *name;
	/* Takes all, as GREEDY. Its process stays until the end. */
	void (*take)(void);
	/* Takes one more, in a process of its own. Returns 0 or an errno. */
	int (*one)(void);
	int refusal;		/* of one() as GREEDY; 0: it works, -1: either */
};

/* A process in the user namespace in which the following ones run; 0: the initial one. */
static pid_t tenant;

static void as_ids(uid_t real, uid_t effective)
{
	char path[64];
	int fd;

	if (tenant) {
		snprintf(path, sizeof(path), "/proc/%d/ns/user", tenant);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		check_eq(setns(fd, CLONE_NEWUSER), 0);
		close(fd);
	}
	check_eq(setresgid(real, effective, effective), 0);
	check_eq(setresuid(real, effective, effective), 0);
}

static void as(uid_t uid)
{
	as_ids(uid, uid);
}

static int device(void)
{
	return open("/dev/tlob", O_RDWR | O_CLOEXEC);
}

/* @n threads do @what and then wait for ever. */
static void threads(unsigned int n, void *(*what)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	while (n--)
		check_eq(pthread_create(&thread, &attr, what, NULL), 0);
}

static unsigned int ready;

static void *wait_for_ever(void)
{
	__atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static void wait_until_ready(unsigned int n)
{
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < n)
		sleep_ns(MS);
}

static int greedy_file;
static unsigned int refused;

static void *open_window_or_not(void *unused)
{
	(void)unused;
	if (start_ns(greedy_file, HOUR, -1, 0)) {
		check_eq(errno, EDQUOT);
		__atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
	}
	return wait_for_ever();
}

static void *open_window(void *unused)
{
	(void)unused;
	check_eq(start_ns(greedy_file, HOUR, -1, 0), 0);
	return wait_for_ever();
}

static void take_windows(void)
{
	greedy_file = device();
	threads(WINDOWS, open_window);
	wait_until_ready(WINDOWS);
}

static int one_window(void)
{
	int fd = device();

	if (start_ns(fd, HOUR, -1, 0))
		return errno;
	return stop_window(fd) ? errno : 0;
}

/* Each with its ring, which is as large as it can be. */
static int open_ring(void)
{
	struct tlob_ring_setup ring = { .format = TLOB_FORMAT_WINDOW };
	int fd = device();
	void *p;

	if (fd < 0 || ioctl(fd, TLOB_IOC_RING, &ring))
		return errno;
	p = mmap(NULL, ring.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? errno : 0;
}

static void take_files(void)
{
	int i;

	for (i = 0; i < FILES; i++)
		check_eq(open_ring(), 0);
}

static uint32_t words[WORDS + 1];

static int one_word(void)
{
	words_open();
	return enroll(&words[0], BIT) ? errno : 0;
}

static void take_words(void)
{
	int i;

	words_open();
	for (i = 0; i < WORDS; i++)
		check_eq(enroll(&words[i], BIT), 0);
	check_errno(enroll(&words[i], BIT), ENOSPC);
}

static void take_spaces(void)
{
	int up[2], i;
	char c;

	check_eq(pipe(up), 0);
	/* one file for all: their number also has a limit */
	words_open();
	for (i = 0; i < SPACES; i++) {
		pid_t pid = fork();

		check(pid >= 0);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			check_eq(enroll(&words[0], BIT), 0);
			check_eq(write(up[1], "", 1), 1);
			wait_for_ever();
		}
		check_eq(read(up[0], &c, 1), 1);
	}
}

static void *fork_for_ever(void *unused)
{
	(void)unused;
	__atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE);
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return NULL;
}

static void take_forks(void)
{
	check_eq(one_word(), 0);
	threads(FORKERS, fork_for_ever);
	wait_until_ready(FORKERS);
}

/* The child has the word: it cannot register it again. */
static int one_fork(void)
{
	int err = one_word(), st, i;
	pid_t pid;

	for (i = 0; i < 20 && !err; i++) {
		pid = fork();
		if (!pid)
			_exit(!enroll(&words[0], BIT) || errno != EADDRINUSE);
		check_eq(waitpid(pid, &st, 0), pid);
		err = st ? ENOMEM : 0;
	}
	return err;
}

static void *enter_region(void *unused)
{
	(void)unused;
	self.outer_start();
	return wait_for_ever();
}

static void take_bound(void)
{
	threads(BOUND, enter_region);
	wait_until_ready(BOUND);
}

static int one_bound(void)
{
	self.outer_start();
	self.outer_stop();
	return 0;
}

/* Returns what @r->one() does in a process with these uids. */
static int one_as_ids(const struct resource *r, uid_t real, uid_t effective)
{
	pid_t pid = fork();
	int st;

	if (!pid) {
		as_ids(real, effective);
		_exit(r->one());
	}
	check_eq(waitpid(pid, &st, 0), pid);
	check(WIFEXITED(st));
	return WEXITSTATUS(st);
}

static int one_as(const struct resource *r, uid_t uid)
{
	return one_as_ids(r, uid, uid);
}

/* Takes all of @r as @uid. Returns the process that has it. */
static pid_t take_all_as(const struct resource *r, uid_t uid)
{
	int up[2];
	pid_t pid;
	char c;

	check_eq(pipe(up), 0);
	pid = fork();
	if (!pid) {
		close(up[0]);
		as(uid);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		r->take();
		check_eq(write(up[1], "", 1), 1);
		wait_for_ever();
	}
	close(up[1]);
	if (read(up[0], &c, 1) != 1)
		fail("uid %d cannot take all %s", uid, r->name);
	close(up[0]);
	return pid;
}

static pid_t take_all(const struct resource *r)
{
	return take_all_as(r, GREEDY);
}

static void run_begin(void)
{
	set("monitor_enable", "1");
	check_eq(chmod("/dev/tlob", 0666), 0);
	setup("kthread", "0", MS, 100 * MS, "spin:20us");
	set("policy", "fifo:95");
	enable();
}

static void run_end(void)
{
	sleep_ns(30 * MS);
	if (status(0, "windows") <= 20)
		more_windows(0, 20);
	disable();
	check_eq(chmod("/dev/tlob", 0660), 0);
	check(status(0, "windows") > 20);
	check_expiries(0);
	check_no_defect(0);
	/*
	 * Elsewhere the host may stop the guest for longer than a period. So may what a
	 * debug kernel does in each call, and a fork where nothing preempts the kernel.
	 */
	if (deterministic() && !debug_kernel && preempt_rt())
		check_eq(status(0, "missed"), 0);
	note("%llu windows of the run, %llu expiries missed",
	     (unsigned long long)status(0, "windows"),
	     (unsigned long long)status(0, "missed"));
}

static void check_resource(const struct resource *r)
{
	pid_t greedy;
	int err;

	run_begin();
	greedy = take_all(r);
	err = one_as(r, GREEDY);
	if (r->refusal >= 0)
		check_eq(err, r->refusal);
	check_eq(one_as(r, OTHER), 0);
	check_eq(one_as(r, 0), 0);
	kill(greedy, SIGKILL);
	check_eq(waitpid(greedy, NULL, 0), greedy);
	run_end();
	monitor_off();
}

TEST(windows)
{
	check_resource(&(struct resource){
		"windows", take_windows, one_window, EDQUOT });
}

/* A setuid program has no more windows by START than the user who runs it. */
TEST(setuid_program)
{
	const struct resource r = { "windows", take_windows, one_window, EDQUOT };
	pid_t greedy;

	run_begin();
	greedy = take_all(&r);
	check_eq(one_as_ids(&r, GREEDY, 0), EDQUOT);
	check_eq(one_as_ids(&r, 0, 0), 0);
	kill(greedy, SIGKILL);
	check_eq(waitpid(greedy, NULL, 0), greedy);
	run_end();
	monitor_off();
}

TEST(files_and_rings)
{
	uint64_t before, page = getpagesize();
	const struct resource r = { "files", take_files, open_ring, EDQUOT };
	uint64_t all;
	pid_t greedy;

	check_resource(&r);
	/* the same without a run: nothing else changes the memory */
	check_eq(chmod("/dev/tlob", 0666), 0);
	before = status(-1, "memory_bytes");
	greedy = take_all(&r);
	all = status(-1, "memory_bytes") - before;
	kill(greedy, SIGKILL);
	check_eq(waitpid(greedy, NULL, 0), greedy);
	check_eq(chmod("/dev/tlob", 0660), 0);
	check(all > 0 && all <= FILES * ((256 << 10) + page));
	check_eq(status(-1, "memory_bytes"), before);
}

/* A ring that a window reports to is a file of its user until the window has ended. */
TEST(rings_of_closed_files)
{
	pid_t pid;

	check_eq(chmod("/dev/tlob", 0666), 0);
	set("monitor_enable", "1");
	pid = fork();
	if (!pid) {
		struct tlob_ring_setup request = { .format = TLOB_FORMAT_WINDOW };
		uint64_t end = now_ns() + PATIENCE;
		int file, ring, i;

		as(1000);
		file = device();
		ring = device();
		check_eq(ioctl(ring, TLOB_IOC_RING, &request), 0);
		check_eq(start_ns(file, HOUR, ring, 0), 0);
		close(ring);
		/* next to the first file and the ring */
		for (i = 2; i < FILES; i++)
			check(device() >= 0);
		check_errno(device(), EDQUOT);
		check_eq(ioctl(file, TLOB_IOC_TRACE_STOP), 0);
		/* a work frees the ring */
		while (device() < 0 && now_ns() < end)
			sleep_ns(10 * MS);
		check(now_ns() < end);
		check_errno(device(), EDQUOT);
		_exit(0);
	}
	reap(pid);
	check_eq(chmod("/dev/tlob", 0660), 0);
	monitor_off();
}

/* In the user namespace: half of a user's windows as one uid, and as many and one more as another. */
static void in_namespace(int mapped, int up)
{
	char c;

	check_eq(unshare(CLONE_NEWUSER), 0);
	check_eq(write(up, "", 1), 1);
	check_eq(read(mapped, &c, 1), 1);
	if (!fork()) {
		as(1);
		greedy_file = device();
		threads(WINDOWS / 2, open_window);
		wait_until_ready(WINDOWS / 2);
		check_eq(write(up, "", 1), 1);
		wait_for_ever();
	}
	check_eq(read(mapped, &c, 1), 1);
	as(2);
	greedy_file = device();
	threads(WINDOWS / 2 + 1, open_window_or_not);
	wait_until_ready(WINDOWS / 2 + 1);
	check_eq(refused, 1);
	_exit(0);
}

/* A user with subordinate uids has one share, not one for each of them. */
TEST(user_namespace)
{
	int down[2], up[2];
	char path[64], c;
	pid_t pid;

	if (access("/proc/self/ns/user", F_OK))
		skip("this kernel has no user namespaces");
	set("monitor_enable", "1");
	check_eq(chmod("/dev/tlob", 0666), 0);
	check_eq(pipe(down), 0);
	check_eq(pipe(up), 0);
	pid = fork();
	if (!pid) {
		as(GREEDY);
		check_eq(prctl(PR_SET_DUMPABLE, 1), 0);
		in_namespace(down[0], up[1]);
	}
	check_eq(read(up[0], &c, 1), 1);
	/* what newuidmap does */
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	check_eq(write_file(path, "0 1000 1\n1 100000 9\n"), 0);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	check_eq(write_file(path, "0 1000 1\n1 100000 9\n"), 0);
	check_eq(write(down[1], "", 1), 1);
	check_eq(read(up[0], &c, 1), 1);
	check_eq(write(down[1], "", 1), 1);
	reap(pid);
	check_eq(chmod("/dev/tlob", 0660), 0);
	/* restore_settings() switches the monitor off once the other process was killed */
}

/*
 * Makes a user namespace, as root with the group @gid, whose uids are those from @first on. A
 * setuid program has root's uid and the gid of its user.
 */
static pid_t new_tenant(uid_t first, gid_t gid)
{
	char path[64], map[64], c;
	int up[2];
	pid_t pid;

	check_eq(pipe(up), 0);
	pid = fork();
	if (!pid) {
		check_eq(setresgid(gid, gid, gid), 0);
		check_eq(unshare(CLONE_NEWUSER), 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		check_eq(write(up[1], "", 1), 1);
		wait_for_ever();
	}
	check_eq(read(up[0], &c, 1), 1);
	snprintf(map, sizeof(map), "0 %u 2000\n", first);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	check_eq(write_file(path, map), 0);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	check_eq(write_file(path, map), 0);
	return pid;
}

/*
 * User namespaces that root made, as for containers: the users in one have limits of their own,
 * and the sum of four. Another one has all of its own.
 */
TEST(tenants)
{
	const struct resource r = { "windows", take_windows, one_window, EDQUOT };
	pid_t a, b, held[6];
	unsigned int i;

	if (access("/proc/self/ns/user", F_OK))
		skip("this kernel has no user namespaces");
	set("monitor_enable", "1");
	check_eq(chmod("/dev/tlob", 0666), 0);
	a = new_tenant(100000, 0);
	b = new_tenant(200000, 0);

	tenant = a;
	held[0] = take_all_as(&r, 1);
	check_eq(one_as(&r, 1), EDQUOT);
	check_eq(one_as(&r, 2), 0);
	tenant = b;
	check_eq(one_as(&r, 1), 0);
	/* the whole of the first one */
	tenant = a;
	for (i = 1; i < 4; i++)
		held[i] = take_all_as(&r, 1 + i);
	check_eq(one_as(&r, 5), EDQUOT);
	tenant = b;
	held[4] = take_all_as(&r, 1);
	tenant = 0;
	held[5] = take_all_as(&r, GREEDY);
	check_eq(one_as(&r, 0), 0);
	for (i = 0; i < ARRAY_SIZE(held); i++) {
		kill(held[i], SIGKILL);
		check_eq(waitpid(held[i], NULL, 0), held[i]);
	}
	/* and nothing of it is left */
	tenant = a;
	check_eq(one_as(&r, 5), 0);
	tenant = 0;
	kill(a, SIGKILL);
	kill(b, SIGKILL);
	waitpid(a, NULL, 0);
	waitpid(b, NULL, 0);
	check_eq(chmod("/dev/tlob", 0660), 0);
	monitor_off();
}

/* Namespaces that setuid programs made have the limits of one user, all together. */
TEST(setuid_namespaces)
{
	const struct resource r = { "windows", take_windows, one_window, EDQUOT };
	pid_t a, b, held;

	if (access("/proc/self/ns/user", F_OK))
		skip("this kernel has no user namespaces");
	set("monitor_enable", "1");
	check_eq(chmod("/dev/tlob", 0666), 0);
	a = new_tenant(100000, GREEDY);
	b = new_tenant(200000, GREEDY);
	tenant = a;
	held = take_all_as(&r, 1);
	check_eq(one_as(&r, 2), EDQUOT);
	tenant = b;
	check_eq(one_as(&r, 1), EDQUOT);
	tenant = 0;
	check_eq(one_as(&r, GREEDY), 0);
	kill(held, SIGKILL);
	check_eq(waitpid(held, NULL, 0), held);
	kill(a, SIGKILL);
	kill(b, SIGKILL);
	waitpid(a, NULL, 0);
	waitpid(b, NULL, 0);
	check_eq(chmod("/dev/tlob", 0660), 0);
	monitor_off();
}

TEST(words_of_a_process)
{
	check_resource(&(struct resource){ "words", take_words, one_word, 0 });
}

TEST(spaces)
{
	check_resource(&(struct resource){
		"address spaces", take_spaces, one_word, EDQUOT });
	check_counter("processes", 0);
}

TEST(forks)
{
	check_resource(&(struct resource){ "forks", take_forks, one_fork, -1 });
}

TEST(bound_windows)
{
	const struct resource r = { "windows of bindings", take_bound, one_bound, 0 };
	uint64_t taken;
	pid_t greedy;

	if (put("monitor", "-:none") == -EOPNOTSUPP)
		skip("this kernel has no uprobes");
	this_program(&self);
	bind_region("limits", &self, self.outer, HOUR);
	run_begin();
	greedy = take_all(&r);
	taken = bound("limits", "windows");
	check_eq(taken, BOUND);
	check_eq(one_as(&r, GREEDY), 0);
	check_eq(bound("limits", "windows"), taken);
	check_eq(bound("limits", "no_slot"), 1);
	/* a setuid program counts for the user who runs it */
	check_eq(one_as_ids(&r, GREEDY, 0), 0);
	check_eq(bound("limits", "windows"), taken);
	check_eq(bound("limits", "no_slot"), 2);
	check_eq(one_as(&r, OTHER), 0);
	check_eq(bound("limits", "windows"), taken + 1);
	check_eq(one_as(&r, 0), 0);
	check_eq(bound("limits", "windows"), taken + 2);
	/* START is another limit */
	check_eq(one_as(&(struct resource){ .one = one_window }, GREEDY), 0);
	kill(greedy, SIGKILL);
	check_eq(waitpid(greedy, NULL, 0), greedy);
	run_end();
	unbind_all();
	monitor_off();
}
