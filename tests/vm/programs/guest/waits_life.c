// SPDX-License-Identifier: GPL-2.0
/* The wait profiler while tasks come and go: churn, a pid twice, SIGKILL, unload, races. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sched.h>

#include "guest.h"
#include "waits.h"

#define GROUP	"waits_life"

#define MS	1000000ULL
#define US	1000ULL
#define SLOTS	4096		/* the module's default */
#define SECONDS	(debug_kernel ? 5 : 2)

static void *mayfly(void *arg)
{
	if (arg)
		*(uint64_t *)arg = now_ns();
	/* on a busy host a short sleep may be over before it begins */
	sleep_ns(deterministic() ? 60 * US : 2 * MS);
	return NULL;
}

static uint64_t born[2 * SLOTS];

static void a_thread(uint64_t *when)
{
	pthread_t thread;

	check_eq(pthread_create(&thread, NULL, mayfly, when), 0);
	pthread_join(thread, NULL);
}

/* More tasks than slots: those that exited first give way, and no task is lost. */
TEST(churn)
{
	unsigned int i, threads, mine = 0, younger = 0;
	uint64_t oldest = UINT64_MAX;
	int fd = records_open();
	struct waits *w;

	set("waits", "on pids=%d", getpid());
	/* on a busy host, and on a debug kernel, a sleep may be over when it begins: then some more */
	for (threads = 0; threads < SLOTS + 300 ||
			  (threads < 2 * SLOTS && !status_field("waits", "evicted")); threads++)
		a_thread(&born[threads]);
	set("waits", "off");
	w = waits_read(fd);
	note("%llu evicted, %llu lost", (unsigned long long)w->status.evicted,
	     (unsigned long long)w->status.lost_tasks);
	check_eq(w->status.lost_tasks, 0);
	check(w->status.evicted >= (deterministic() && !debug_kernel ? 300 : 1));
	for (i = 0; i < w->tasks; i++) {
		if (w->task[i].tgid != (unsigned int)getpid())
			continue;
		mine++;
		if (w->task[i].flags & TLOB_WAIT_EXITED && w->task[i].start_ns < oldest)
			oldest = w->task[i].start_ns;
	}
	note("%u of %u threads are there, %llu evicted", mine, threads,
	     (unsigned long long)w->status.evicted);
	/* the main thread and all but the oldest of the others */
	check(mine <= SLOTS);
	/*
	 * Those that stayed are the last ones that began, without a gap. On a busy host some
	 * come too late to sleep at all.
	 */
	for (i = 0; i < threads; i++)
		younger += born[i] > oldest;
	check(mine <= younger + 2);
	if (deterministic())
		check(mine >= SLOTS - 200 && mine + 64 >= younger);
	close(fd);
}

/* A task that sleeps once, with this pid. 0 or -errno. */
static int sleeper_with_pid(pid_t wanted)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&wanted, .set_tid_size = 1,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (!pid) {
		/* longer than a host stands still, or it may be over when it begins */
		sleep_ns(deterministic() ? 2 * MS : 500 * MS);
		_exit(0);
	}
	if (pid < 0)
		return -errno;
	check_eq(pid, wanted);
	check_eq(waitpid(pid, NULL, 0), pid);
	return 0;
}

/* One pid twice is two tasks, each with its own wait. */
TEST(pid_reused)
{
	unsigned int i, found = 0, tries;
	int fd = records_open();
	struct waits *w;
	const pid_t pid = 20000;
	int err = 0;

	set("waits", "on");
	check_eq(sleeper_with_pid(pid), 0);
	for (tries = 0; tries < 100; tries++) {
		err = sleeper_with_pid(pid);
		if (err != -EEXIST)
			break;
		sleep_ns(10 * MS);
	}
	check_eq(err, 0);
	set("waits", "off");
	w = waits_read(fd);
	for (i = 0; i < w->tasks; i++) {
		if (w->task[i].tid != (unsigned int)pid)
			continue;
		found++;
		check(w->task[i].blocked.count);
		if (deterministic() && !debug_kernel)
			check(w->task[i].blocked.total_ns >= 2 * MS - 100 * US &&
			      w->task[i].blocked.total_ns < 3 * MS);
	}
	check_eq(found, 2);
	close(fd);
}

static const char * const deaths[] = {
	"d 3000000", "twice 3000000", "hold mutex 3000000", "hold rt_mutex 3000000",
	"nanosleep", "stopped", "running",
};

static pid_t victim(const char *how)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (pid)
		return pid;
	/* first a wait with a stack, so there is something to owe and to free */
	sleep_ns(MS);
	if (!strcmp(how, "nanosleep"))
		sleep_ns(10000 * MS);
	if (!strcmp(how, "stopped"))
		raise(SIGSTOP);
	if (!strcmp(how, "running"))
		for (;;)
			;
	write_sleep(how);
	_exit(0);
}

/* SIGKILL in every state, at many moments: nothing is owed for ever. */
TEST(killed)
{
	unsigned int i, turn;
	pid_t pid;

	set("waits", "on");
	for (turn = 0; turn < 10; turn++) {
		for (i = 0; i < sizeof(deaths) / sizeof(*deaths); i++) {
			pid = victim(deaths[i]);
			sleep_ns(300 * US + (uint64_t)turn * 700 * US);
			kill(pid, SIGKILL);
			check_eq(waitpid(pid, NULL, 0), pid);
		}
	}
	waits_owe_nothing();
	check_eq(status_field("waits", "lost_stacks"), 0);
	set("waits", "off");
}

static unsigned int references(void)
{
	char text[32];

	read_file("/sys/module/tlob_load/refcnt", text, sizeof(text));
	return strtoul(text, NULL, 10);
}

static void nothing(void)
{
}

/* A task that owes a stack holds the module until the profiler goes off, and keeps its wait. */
TEST(unload_waits)
{
	const struct tlob_wait_stack *s;
	struct waits *w;
	unsigned int nr;
	pid_t pid;
	int fd;

	if (access("/sys/module/tlob_load/refcnt", R_OK))
		skip("tlob_load is built in");
	check_eq(references(), 0);
	pid = waits_owing(nothing);
	check_eq(status_field("waits", "owed"), 1);
	check_eq(references(), 1);
	check_errno(syscall(SYS_delete_module, "tlob_load", O_NONBLOCK), EAGAIN);
	set("waits", "off");
	check_eq(status_field("waits", "owed"), 0);
	check_eq(references(), 0);
	fd = records_open();
	w = waits_read(fd);
	s = waits_stacks(w, waits_task(w, pid)->id, &nr);
	for (; nr && s->nr_code != 1; nr--)
		s++;
	check(nr && s->nr_kernel && s->blocked.count == 1);
	close(fd);
	/* what was taken back belongs to no task later */
	set("waits", "reset");
	waits_let_go(pid);
	check_eq(references(), 0);
	check(!strcmp(get("waits"), ""));
}

static bool over;
static int ring[8][2];

/* Passes a byte on, round and round, and sleeps between. */
static void *pass(void *arg)
{
	unsigned int me = (uintptr_t)arg, seed = me;
	cpu_set_t mask;
	char c;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		CPU_ZERO(&mask);
		CPU_SET(rand_r(&seed) % 2, &mask);
		if (!(rand_r(&seed) % 16))
			sched_setaffinity(0, sizeof(mask), &mask);
		check_eq(read(ring[me][0], &c, 1), 1);
		if (rand_r(&seed) % 2)
			sleep_ns(rand_r(&seed) % (100 * US));
		check_eq(write(ring[(me + 1) % 8][1], &c, 1), 1);
	}
	/* no task may wait for ever */
	check_eq(write(ring[(me + 1) % 8][1], "", 1), 1);
	return NULL;
}

static void *breed(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		a_thread(NULL);
	return NULL;
}

/* Off and on, reset and read while tasks wake each other on both CPUs. */
TEST_ON(races, 2)
{
	uint64_t end = now_ns() + (uint64_t)SECONDS * 1000 * MS;
	unsigned int seed = 1, snapshots = 0, copies = 0;
	pthread_t thread[9];
	int fd = records_open(), i;

	for (i = 0; i < 8; i++)
		check_eq(pipe(ring[i]), 0);
	for (i = 0; i < 8; i++)
		check_eq(pthread_create(&thread[i], NULL, pass, (void *)(uintptr_t)i), 0);
	check_eq(pthread_create(&thread[8], NULL, breed, NULL), 0);
	for (i = 0; i < 4; i++)
		check_eq(write(ring[(size_t)i * 2][1], "", 1), 1);
	set("waits", "on threshold=5us");
	/* A guest on a busy host reads a few a second: the count decides, not the clock. */
	while (now_ns() < end || snapshots < 32 || copies < 32) {
		struct waits *w = waits_read(fd);

		snapshots++;
		copies += w->copies;
		switch (waits_disturb(rand_r(&seed) % 8)) {
		case 2:
			close(fd);
			fd = records_open();
			break;
		case 3:
			get("waits");
			break;
		}
		sleep_ns(2 * MS);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (i = 0; i < 9; i++)
		pthread_join(thread[i], NULL);
	set("waits", "off");
	waits_owe_nothing();
	note("%u snapshots, %u copies", snapshots, copies);
	close(fd);
}

static int slow[2];

/* One write() that waits for its reader again and again. */
static void write_all(void)
{
	static char much[100 * 4096];

	check_eq(write(slow[1], much, sizeof(much)), sizeof(much));
}

/* A system call with more waits than a shard has works: all are in its one stack. */
TEST(long_call)
{
	const struct tlob_wait_stack *s;
	const struct tlob_wait_task *t;
	uint64_t count = 0;
	int fd = records_open(), i;
	char page[4096];
	struct waits *w;
	unsigned int nr;
	pid_t pid;

	check_eq(pipe(slow), 0);
	check_eq(fcntl(slow[1], F_SETPIPE_SZ, 4096), 4096);
	set("waits", "on");
	pid = waits_child(write_all);
	for (i = 0; i < 100; i++) {
		sleep_ns(deterministic() ? MS : 5 * MS);
		check_eq(read(slow[0], page, sizeof(page)), sizeof(page));
	}
	reap(pid);
	waits_owe_nothing();
	set("waits", "off");
	w = waits_read(fd);
	check_eq(w->status.lost_stacks, 0);
	t = waits_task(w, pid);
	s = waits_stacks(w, t->id, &nr);
	note("%llu waits on %u stacks", (unsigned long long)t->blocked.count, nr);
	for (; nr; nr--, s++)
		count += s->blocked.count;
	if (deterministic()) {
		check(t->blocked.count >= 98);
		check(count >= 98);
	}
	close(fd);
}

static void *sleep_shortly(void *arg)
{
	(void)arg;
	pin(0);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		sleep_ns(deterministic() ? 50 * US : MS);
	return NULL;
}

/*
 * A task sleeps while the probes are attached and detached, one after the other. Each of its waits
 * that counts has its wake-up, so each is over the threshold and has a stack.
 */
TEST(whole_waits)
{
	unsigned int turn, nr, waits = 0;
	int fd = records_open();
	pthread_t thread;

	check_eq(pthread_create(&thread, NULL, sleep_shortly, NULL), 0);
	/* longer on a busy host, where a sleep may be over when it begins */
	for (turn = 0; turn < 40 || (!waits && turn < 4000); turn++) {
		const struct tlob_wait_stack *s;
		uint64_t stacks = 0, count = 0;
		struct waits *w;
		unsigned int i;

		set("waits", "on threshold=1us pids=%d", getpid());
		sleep_ns(MS);
		set("waits", "off");
		waits_owe_nothing();
		w = waits_read(fd);
		check_eq(w->status.lost_stacks, 0);
		for (i = 0; i < w->tasks; i++) {
			if (w->task[i].tid == (unsigned int)getpid())
				continue;
			check(!count);
			count = w->task[i].blocked.count;
			s = waits_stacks(w, w->task[i].id, &nr);
			for (; nr; nr--, s++)
				stacks += s->blocked.count;
		}
		/* on a busy host a sleep may be over when it begins */
		if (deterministic() && stacks != count)
			fail("turn %u: %llu waits, %llu of them with a stack", turn,
			     (unsigned long long)count, (unsigned long long)stacks);
		waits += count;
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	note("%u waits", waits);
	check(waits > (deterministic() ? 40 : 0));
	close(fd);
}

static pid_t *execs;			/* the tid of the thread that calls execve() */

static void *replace_process(void *arg)
{
	(void)arg;
	*execs = syscall(SYS_gettid);
	sleep_ns(deterministic() ? MS : 20 * MS);
	execl("/bin/busybox", "busybox", "usleep", deterministic() ? "2000" : "20000", NULL);
	_exit(1);
}

static void thread_execs(void)
{
	pthread_t thread;

	check_eq(pthread_create(&thread, NULL, replace_process, NULL), 0);
	pause();
}

/* A thread that calls execve() gets the pid of its process, and keeps its waits. */
TEST(exec_changes_tid)
{
	int fd = records_open();
	struct waits *w;
	pid_t pid;

	execs = mmap(NULL, sizeof(*execs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(execs != MAP_FAILED);
	set("waits", "on");
	pid = waits_child(thread_execs);
	reap(pid);
	set("waits", "off");
	w = waits_read(fd);
	check(*execs && *execs != pid);
	check(!waits_has(w, *execs));
	check(waits_has(w, pid));
	close(fd);
}

/* After off a wait that went on does not grow. */
TEST(off_ends_waits)
{
	int fd = records_open();
	uint64_t asleep;
	pid_t pid;

	set("waits", "on");
	pid = victim("nanosleep");
	until_asleep(pid, "S");
	sleep_ns(200 * MS);
	set("waits", "off");
	asleep = waits_task(waits_read(fd), pid)->asleep_ns;
	check(asleep);
	sleep_ns(2 * MS);
	check_eq(waits_task(waits_read(fd), pid)->asleep_ns, asleep);
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, NULL, 0), pid);
	check_eq(waits_task(waits_read(fd), pid)->asleep_ns, asleep);
	close(fd);
}

#define EVENTS	"/sys/kernel/tracing/dynamic_events"
#define PROBE	"tlob_test/asleep"

/* Returns whether the kernel has warned of something since it booted. */
static bool has_warned(void)
{
	char text[32];

	read_file("/proc/sys/kernel/tainted", text, sizeof(text));
	return strtoul(text, NULL, 10) & 1UL << 9;
}

static void nap(void)
{
	sleep_ns(waits_ms(5));
}

/* The task sleeps in a function with a return probe, whose address the walk finds on its stack. */
TEST(in_probed_function)
{
	bool warned = has_warned();
	int fd = records_open();
	pid_t pid;

	if (write_file(EVENTS, "r:" PROBE " hrtimer_nanosleep"))
		skip("this kernel has no return probes");
	check_eq(write_file("/sys/kernel/tracing/events/" PROBE "/enable", "1"), 0);
	set("waits", "on");
	pid = waits_child(nap);
	reap(pid);
	set("waits", "off");
	check_eq(write_file("/sys/kernel/tracing/events/" PROBE "/enable", "0"), 0);
	check_eq(write_file(EVENTS, "-:" PROBE), 0);
	check(waits_has(waits_read(fd), pid));
	check(has_warned() == warned);
	close(fd);
}

#define BIG	(64UL << 20)

/* Changes the whole of a mapping again and again, each time under its write lock. */
static void *protect(void *big)
{
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		check_eq(mprotect(big, BIG, PROT_READ), 0);
		check_eq(mprotect(big, BIG, PROT_READ | PROT_WRITE), 0);
	}
	return NULL;
}

/*
 * Another thread holds the lock of the mappings. Since 6.4 they are read without it. Before, the
 * stack cannot be distinguished from others of the same function: it is counted as unreadable, and
 * the reader gets no copy for all of them.
 */
TEST(mappings_locked)
{
	unsigned int i, k, turn, bare = 0;
	int fd = records_open();
	pthread_t thread;
	struct waits *w;
	void *big;

	big = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
		   -1, 0);
	check(big != MAP_FAILED);
	check_eq(pthread_create(&thread, NULL, protect, big), 0);
	set("waits", "on pids=%d", getpid());
	pin(0);
	for (turn = 0; turn < 500; turn++)
		sleep_ns(deterministic() ? 150 * US : 2 * MS);
	unpin();
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	set("waits", "off");
	w = waits_read(fd);
	for (i = 0; i < w->stacks; i++) {
		/* every stack of a libc has the caller of the system call */
		if (w->stack[i].nr_code > 1)
			continue;
		bare += w->stack[i].blocked.count;
		for (k = 0; k < w->copies; k++)
			check(w->copy[k].stack != w->stack[i].id);
	}
	note("%u waits with the mappings locked", bare);
	if (kernel_since(6, 4))
		check_eq(bare, 0);
	else
		check(bare);
	check_eq(w->status.unreadable, bare);
	close(fd);
}

/* An open file has what there is, and not room for all that there may be: 6 MiB. */
TEST(many_readers)
{
	enum { READERS = 500 };
	const struct rlimit files = { READERS + 50, READERS + 50 };
	int fd[READERS], i;
	char text[512];

	check_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	set("waits", "on");
	sleep_ns(20 * MS);
	for (i = 0; i < READERS; i++) {
		fd[i] = open(tlob_path("waits"), O_RDONLY | O_CLOEXEC);
		check(fd[i] >= 0);
		check(read(fd[i], text, sizeof(text)) > 0);
	}
	for (i = 0; i < READERS; i++)
		close(fd[i]);
	set("waits", "off");
}
