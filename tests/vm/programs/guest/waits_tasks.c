// SPDX-License-Identifier: GPL-2.0
/*
 * The wait profiler and tasks that are not like others: vfork's parent, workers of io_uring, a
 * user whose pages another program answers for, one whose system calls last, and more tasks than
 * slots.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse_server.h"
#include "guest.h"
#include "waits.h"

#define GROUP	"waits_tasks"

#define MS	1000000ULL
#define US	1000ULL
#define SLOTS	4096		/* the module's default */
#define THREADS	10000		/* one after the other */
#define THREADS_MAX "/proc/sys/kernel/threads-max"
#define CROWD	(SLOTS + 200)	/* at a time */
#define FUSE_DIR "/tmp/tlob-waits-fuse"
#define FUSE_USER 1000
#define FUSE_MS	8

/* The parent waits until its child has called _exit(), and the child shares its stack. */
TEST(vfork_parent)
{
	const struct tlob_wait_stack *s;
	const struct tlob_wait_task *t;
	int fd = records_open();
	unsigned int nr;
	struct waits *w;
	pid_t pid;

	set("waits", "on");
	pid = vfork();
	if (!pid) {
		sleep_ns(waits_ms(6));
		_exit(0);
	}
	check_eq(waitpid(pid, NULL, 0), pid);
	set("waits", "off");
	w = waits_read(fd);
	t = waits_task(w, getpid());
	if (deterministic() && !debug_kernel)
		check(t->blocked.max_ns >= waits_ms(6) && t->blocked.max_ns < waits_ms(7));
	for (s = waits_stacks(w, t->id, &nr); nr; nr--, s++)
		if (s->blocked.max_ns == t->blocked.max_ns)
			break;
	check(nr);
	check_eq(s->waker.kind, TLOB_WAKER_TASK);
	check_eq(s->waker.tid, pid);
	check(s->nr_code);
	/* the child has a sleep of its own, with a stack */
	t = waits_task(w, pid);
	check(waits_stacks(w, t->id, &nr));
	close(fd);
}

/* A ring with one entry, by the system calls themselves. */
static int ring_with_one(const struct io_uring_sqe *what)
{
	struct io_uring_params p = { .sq_entries = 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);
	struct io_uring_sqe *sqe;
	char *sq;

	if (ring < 0 && (errno == ENOSYS || errno == EPERM))
		skip("the kernel has no io_uring, or forbids it");
	check(ring >= 0);
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(uint32_t), PROT_READ | PROT_WRITE,
		  MAP_SHARED, ring, IORING_OFF_SQ_RING);
	sqe = mmap(NULL, p.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		   IORING_OFF_SQES);
	check(sq != MAP_FAILED && sqe != MAP_FAILED);
	*sqe = *what;
	*(uint32_t *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	return ring;
}

/*
 * A worker has the memory of its process, and never goes to user mode: it has a kernel stack and
 * owes no user stack.
 */
TEST(io_worker)
{
	unsigned int i, k, nr, workers = 0, tries;
	const struct tlob_wait_stack *s;
	struct io_uring_sqe read_pipe;
	int pipes[2], fd, ring;
	struct waits *w;
	char c = 0;

	check_eq(pipe(pipes), 0);
	read_pipe = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = pipes[0],
		.addr = (uintptr_t)&c, .len = 1,
	};
	ring = ring_with_one(&read_pipe);
	fd = records_open();
	set("waits", "on pids=%d", getpid());
	check_eq(syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0), 1);
	sleep_ns(waits_ms(5));
	check_eq(write(pipes[1], "x", 1), 1);
	check_eq(syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0), 0);
	/* the worker goes to sleep again, or exits with its ring */
	sleep_ns(waits_ms(2));
	close(ring);
	sleep_ns(waits_ms(2));
	set("waits", "off");
	check_eq(c, 'x');
	w = waits_read(fd);
	for (i = 0; i < w->tasks; i++) {
		const struct tlob_wait_task *t = &w->task[i];

		if (strncmp(t->comm, "iou-", 4))
			continue;
		workers++;
		check_eq(t->tgid, getpid());
		for (k = 0, s = waits_stacks(w, t->id, &nr); k < nr; k++) {
			check_eq(s[k].nr_code, 0);
			check(s[k].nr_kernel);
		}
		if (deterministic())
			check(t->blocked.max_ns >= waits_ms(4) && nr);
	}
	note("%u workers", workers);
	check(workers || !deterministic());
	for (tries = 0; status_field("waits", "owed"); tries++) {
		check(tries < 500);
		sleep_ns(10 * MS);
	}
	close(fd);
}

/* Shared by all processes. */
struct fuse_wait {
	struct fuse_server fuse;
	pid_t server, reader;
};

/* As uid 1000: mounts a file system. Another process then needs a page of a file there. */
static void fuse_user(struct fuse_wait *s)
{
	int fd = fuse_mount(FUSE_DIR, FUSE_USER);
	const char *page;
	pid_t pid;

	if (fd < 0)
		fail("a FUSE file system cannot be mounted: %s", strerror(-fd));
	pid = fork();
	check(pid >= 0);
	if (!pid)
		fuse_serve(fd, &s->fuse);
	s->server = pid;
	close(fd);
	fd = open(FUSE_DIR "/" FUSE_FILE, O_RDONLY | O_CLOEXEC);
	check(fd >= 0);
	page = mmap(NULL, (size_t)getpagesize(), PROT_READ, MAP_PRIVATE, fd, 0);
	check(page != MAP_FAILED);
	/* one request for one page */
	check_eq(madvise((void *)page, (size_t)getpagesize(), MADV_RANDOM), 0);
	pid = fork();
	check(pid >= 0);
	if (!pid)
		_exit(*(const volatile char *)page);
	s->reader = pid;
	reap(pid);
	kill(s->server, SIGKILL);
	_exit(0);
}

/* A fault waits for a page that a program reads. The wait is in the kernel's part of the fault. */
TEST(fuse_page)
{
	const struct tlob_wait_stack *stack;
	const struct tlob_wait_task *t;
	int fd = records_open();
	struct fuse_wait *s;
	const char *row;
	unsigned int nr;
	struct waits *w;
	pid_t pid;

	if (access("/dev/fuse", F_OK))
		skip("this guest has no FUSE");
	mkdir(FUSE_DIR, 0700);
	check_eq(chown(FUSE_DIR, FUSE_USER, FUSE_USER), 0);
	check_eq(chmod("/dev/fuse", 0666), 0);	/* as udev does */
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(s != MAP_FAILED);
	s->fuse.think_ns = waits_ms(FUSE_MS);
	set("waits", "on");
	pid = fork();
	check(pid >= 0);
	if (!pid)
		fuse_user(s);
	reap(pid);
	set("waits", "off");
	check_eq(chmod("/dev/fuse", 0600), 0);
	w = waits_read(fd);
	t = waits_task(w, s->reader);
	/* the one with the largest total comes first */
	stack = waits_stacks(w, t->id, &nr);
	check(nr);
	note("the page took %llu ns, its server slept %llu ns",
	     (unsigned long long)stack->blocked.max_ns, (unsigned long long)s->fuse.thought_ns);
	check(s->fuse.thought_ns >= waits_ms(FUSE_MS));
	/* on several CPUs the server may begin while the reader is on its way to sleep */
	if (deterministic() && !debug_kernel)
		check(stack->blocked.max_ns >= s->fuse.thought_ns &&
		      stack->blocked.max_ns < s->fuse.thought_ns + MS);
	check_eq(stack->waker.kind, TLOB_WAKER_TASK);
	check_eq(stack->waker.tid, s->server);
	/* the instruction that needs the page */
	check(stack->nr_code);
	row = waits_listed(s->reader);
	if (!strstr(row, "request_wait_answer") || !strstr(row, "filemap_fault"))
		fail("no page of FUSE in\n%s", row);
	close(fd);
}

static unsigned int slept, parked;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

/* Sleeps once, and returns whether it has: on a busy host the time may be over too soon. */
static void *nap(void *arg)
{
	struct rusage used;

	sleep_ns(deterministic() ? 60 * US : 2 * MS);
	check_eq(getrusage(RUSAGE_THREAD, &used), 0);
	__atomic_add_fetch(&slept, used.ru_nvcsw > 0, __ATOMIC_SEQ_CST);
	return arg;
}

/* The rows of this process, and of its other threads all sleeps that began. */
static unsigned int rows_of_mine(const struct waits *w, uint64_t *sleeps)
{
	unsigned int i, rows = 0;

	*sleeps = 0;
	for (i = 0; i < w->tasks; i++) {
		if (w->task[i].tgid != (unsigned int)getpid())
			continue;
		rows++;
		if (w->task[i].tid != (unsigned int)getpid())
			*sleeps += w->task[i].blocked.count + !!w->task[i].asleep_ns;
	}
	return rows;
}

/* The sleeps of all evicted tasks: one row has them. */
static uint64_t sleeps_of_others(const struct waits *w)
{
	unsigned int i, rows = 0;
	uint64_t sleeps = 0;

	for (i = 0; i < w->tasks; i++) {
		if (!(w->task[i].flags & TLOB_WAIT_OTHERS))
			continue;
		rows++;
		sleeps = w->task[i].blocked.count;
		check_eq(w->task[i].tid, 0);
	}
	check_eq(rows, !!w->status.evicted);
	return sleeps;
}

/*
 * Each of ten thousand threads, and the main one, is in a row or is counted as evicted. No sleep
 * is missing in the sum.
 */
TEST(ten_thousand)
{
	unsigned int i, rows;
	int fd = records_open();
	pthread_t thread;
	uint64_t sleeps;
	struct waits *w;

	slept = 0;
	set("waits", "on pids=%d", getpid());
	for (i = 0; i < THREADS; i++) {
		check_eq(pthread_create(&thread, NULL, nap, NULL), 0);
		pthread_join(thread, NULL);
	}
	set("waits", "off");
	w = waits_read(fd);
	rows = rows_of_mine(w, &sleeps);
	note("%u of %d threads slept: %u rows, %llu evicted, %llu lost", slept, THREADS, rows,
	     (unsigned long long)w->status.evicted, (unsigned long long)w->status.lost_tasks);
	check_eq(w->status.lost_tasks, 0);
	check(rows <= SLOTS && rows + 64 > SLOTS);
	sleeps += sleeps_of_others(w);
	check(sleeps >= slept);
	if (deterministic() && !debug_kernel)
		check(sleeps < slept + 64);
	/* elsewhere a thread may sleep for the first time while it exits */
	if (deterministic() && !debug_kernel)
		check_eq(rows + w->status.evicted, slept + 1);
	else
		check(rows + w->status.evicted > slept);
	close(fd);
}

static void *nap_and_park(void *arg)
{
	nap(NULL);
	__atomic_add_fetch(&parked, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

/* The voluntary switches of all threads but the main one, which sleep. */
static uint64_t switches(unsigned int *asleep)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	static char text[4096];
	DIR *d = opendir("/proc/self/task");
	uint64_t sum = 0;
	struct dirent *e;
	char path[300], *at;

	check(d);
	*asleep = 0;
	while ((e = readdir(d))) {
		if (*e->d_name == '.' || strtol(e->d_name, NULL, 10) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", e->d_name);
		read_file(path, text, sizeof(text));
		*asleep += !!strstr(text, "\nState:\tS");
		at = strstr(text, key);
		check(at);
		sum += strtoull(at + sizeof(key) - 1, NULL, 10);
	}
	closedir(d);
	return sum;
}

/* More threads at a time than slots: each sleep is in a row, or is counted as lost. */
TEST(too_many)
{
	static pthread_t thread[CROWD];
	int fd = records_open();
	unsigned int i, rows, asleep;
	pthread_attr_t attr;
	uint64_t sleeps, all;
	struct waits *w;

	parked = 0;
	/* a small guest allows less */
	check_eq(write_file(THREADS_MAX, "20000"), 0);
	check_eq(pthread_attr_init(&attr), 0);
	check_eq(pthread_attr_setstacksize(&attr, SMALL_STACK), 0);
	pthread_mutex_lock(&gate);
	set("waits", "on pids=%d", getpid());
	/* this thread has a row, so none of its sleeps is among the lost ones */
	sleep_ns(MS);
	for (i = 0; i < CROWD; i++)
		check_eq(pthread_create(&thread[i], &attr, nap_and_park, NULL), 0);
	while (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) < CROWD)
		sleep_ns(20 * MS);
	do {
		sleep_ns(20 * MS);
		all = switches(&asleep);
	} while (asleep < CROWD);
	set("waits", "off");
	w = waits_read(fd);
	rows = rows_of_mine(w, &sleeps);
	note("%llu sleeps of %d threads: %llu in %u rows, %llu lost", (unsigned long long)all, CROWD,
	     (unsigned long long)sleeps, rows, (unsigned long long)w->status.lost_tasks);
	check_eq(w->status.evicted, 0);
	check_eq(rows, SLOTS);
	check(w->status.lost_tasks >= CROWD + 1 - SLOTS);
	check_eq(sleeps + w->status.lost_tasks, all);
	pthread_mutex_unlock(&gate);
	for (i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
	close(fd);
}

/* A child that reads all records again and again. */
static pid_t reader_of(int fd)
{
	static char bytes[64 << 10];
	pid_t pid = fork();

	check(pid >= 0);
	if (pid)
		return pid;
	for (;;) {
		lseek(fd, 0, SEEK_SET);
		while (read(fd, bytes, sizeof(bytes)) > 0)
			;
	}
}

/* Switches spin on the lock under which a row is copied, so it is held for one row at a time. */
TEST(read_by_rows)
{
	enum { ROWS = SLOTS / 2, WINDOWS = 1000 };
	static struct tlob_window w[WINDOWS];
	static pthread_t thread[ROWS];
	int records = records_open(), fd;
	uint64_t p50, p99;
	unsigned int i;
	pid_t pid;

	needs_sizes();
	if (!deterministic())
		skip("needs a guest that counts instructions");
	parked = 0;
	pthread_mutex_lock(&gate);
	set("waits", "on pids=%d", getpid());
	for (i = 0; i < ROWS; i++)
		check_eq(pthread_create(&thread[i], NULL, nap_and_park, NULL), 0);
	while (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) < ROWS)
		sleep_ns(20 * MS);
	pid = reader_of(records);
	setup("kthread", "0", 200 * US, MS, "none");
	set("policy", "fifo:95");
	enable();
	fd = open_cpu(0, "windows", 0);
	read_windows(fd, w, WINDOWS);
	disable();
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, NULL, 0), pid);
	set("waits", "off");
	check(waits_read(records)->status.tasks >= ROWS);
	pthread_mutex_unlock(&gate);
	for (i = 0; i < ROWS; i++)
		pthread_join(thread[i], NULL);
	close(fd);
	close(records);
	p50 = wake_quantile(w, WINDOWS, 50);
	p99 = wake_quantile(w, WINDOWS, 99);
	note("wake while %d rows are read: p50 %llu, p99 %llu ns", ROWS, (unsigned long long)p50,
	     (unsigned long long)p99);
	/* elsewhere a system call is preempted only where it asks */
	check(p99 <= (preempt_rt() ? 2 * p50 : MS));
}

enum { HOARDERS = 1000, HOARD_MAX = 512 };

static int hoard[HOARDERS][2];

/* One system call that waits for both bytes. */
static void *hoarder(void *arg)
{
	char two[2];

	check_eq(recv(*(int *)arg, two, 2, MSG_WAITALL), 2);
	return NULL;
}

static void hoard_send(void)
{
	unsigned int i;

	for (i = 0; i < HOARDERS; i++)
		check_eq(write(hoard[i][1], "", 1), 1);
}

/* A user whose threads all owe a stack, until @go is closed. */
static void hoard_all(int ready, int go)
{
	const struct rlimit files = { 2 * HOARDERS + 50, 2 * HOARDERS + 50 };
	static pthread_t thread[HOARDERS];
	pthread_attr_t small;
	unsigned int i;
	char c;

	check_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	check_eq(setresuid(1000, 1000, 1000), 0);
	pthread_attr_init(&small);
	check_eq(pthread_attr_setstacksize(&small, 64 << 10), 0);
	for (i = 0; i < HOARDERS; i++) {
		check_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, hoard[i]), 0);
		check_eq(pthread_create(&thread[i], &small, hoarder, &hoard[i][0]), 0);
	}
	sleep_ns(waits_ms(20));
	hoard_send();
	sleep_ns(waits_ms(20));
	check_eq(write(ready, "", 1), 1);
	check_eq(read(go, &c, 1), 0);
	hoard_send();
	for (i = 0; i < HOARDERS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

static void nap_once(void)
{
	sleep_ns(waits_ms(2));
}

/*
 * A user keeps waits owed in a thousand system calls. That user has a part of the works only, the
 * rest is noted without a user stack, other users' stacks are read, and off ends it all.
 */
TEST(hoarded)
{
	unsigned int nr, owed, bare = 0, whole = 0;
	const struct tlob_wait_stack *s;
	int ready[2], go[2], fd = records_open();
	struct waits *w;
	pid_t user, root;
	char c;

	check_eq(pipe(ready), 0);
	check_eq(pipe(go), 0);
	set("waits", "on");
	user = fork();
	check(user >= 0);
	if (!user) {
		close(go[1]);
		hoard_all(ready[1], go[0]);
	}
	check_eq(read(ready[0], &c, 1), 1);
	owed = status_field("waits", "owed");
	root = waits_child(nap_once);
	reap(root);
	note("%u owed", owed);
	check(owed <= HOARD_MAX + 50);
	check(owed >= HOARD_MAX / 2 || !deterministic());
	set("waits", "off");
	check_eq(status_field("waits", "owed"), 0);
	w = waits_read(fd);
	check_eq(w->status.lost_stacks, 0);
	for (s = w->stack; s < w->stack + w->stacks; s++)
		bare += s->nr_code == 1;
	/* each thread's first wait, whether it was owed or not */
	check(bare >= HOARDERS || !deterministic());
	for (s = waits_stacks(w, waits_task(w, root)->id, &nr); nr; nr--, s++)
		whole += s->nr_code > 1;
	check(whole);
	close(go[1]);
	reap(user);
	close(fd);
}

#define GREEDY	1000
#define VICTIMS	10
#define FLOOD	14000		/* more than wait_stacks */

static void as_user(uid_t uid)
{
	check_eq(setresuid(uid, uid, uid), 0);
}

/* A sleep on a stack of its own for each @i: words on it that point to code are its trace. */
static __attribute__((noinline)) void nap_on_stack(unsigned int i)
{
	volatile uintptr_t code[8];
	unsigned int k;

	for (k = 0; k < 8; k++)
		code[k] = (uintptr_t)nap_on_stack + (i >> 2 * k) % 4;
	sleep_ns(waits_ms(2) / 1000);
	(void)code[0];
}

static void nap_on_many_stacks(void)
{
	unsigned int i;

	as_user(GREEDY);
	for (i = 0; i < FLOOD; i++)
		nap_on_stack(i);
}

static void nap_as_another(void)
{
	as_user(GREEDY + 1);
	nap_once();
}

/* Each victim has its row and a stack in it. */
static void check_victims(const struct waits *w, const pid_t *victim)
{
	unsigned int i, nr;

	for (i = 0; i < VICTIMS; i++) {
		waits_stacks(w, waits_task(w, victim[i])->id, &nr);
		if (!nr)
			fail("victim %u of %d has no stack", i, VICTIMS);
	}
}

/* A user who waits on more stacks than there are has a part of them. Others have the rest. */
TEST(stacks_of_a_user)
{
	int i, fd = records_open();
	pid_t victim[VICTIMS];
	struct waits *w;

	set("waits", "on threshold=1us");
	reap(waits_child(nap_on_many_stacks));
	for (i = 0; i < VICTIMS; i++) {
		victim[i] = waits_child(nap_as_another);
		reap(victim[i]);
	}
	set("waits", "off");
	w = waits_read(fd);
	note("%u stacks, %llu lost, %llu uncopied", w->stacks,
	     (unsigned long long)w->status.lost_stacks, (unsigned long long)w->status.uncopied);
	check(w->status.lost_stacks || !deterministic());
	check_victims(w, victim);
	close(fd);
}

static void crowd(int ready, int go)
{
	const struct rlimit tasks = { 2UL * CROWD, 2UL * CROWD };
	static pthread_t thread[CROWD];
	pthread_attr_t attr;
	unsigned int i;
	char c;

	check_eq(setrlimit(RLIMIT_NPROC, &tasks), 0);
	as_user(GREEDY);
	check_eq(pthread_attr_init(&attr), 0);
	check_eq(pthread_attr_setstacksize(&attr, SMALL_STACK), 0);
	pthread_mutex_lock(&gate);
	for (i = 0; i < CROWD; i++)
		check_eq(pthread_create(&thread[i], &attr, nap_and_park, NULL), 0);
	while (__atomic_load_n(&parked, __ATOMIC_SEQ_CST) < CROWD)
		sleep_ns(20 * MS);
	check_eq(write(ready, "", 1), 1);
	check_eq(read(go, &c, 1), 0);
	_exit(0);
}

/* More ended threads than what is left to a user beside the greedy one. */
static void nap_in_threads(void)
{
	pthread_t thread;
	unsigned int i;

	as_user(GREEDY + 1);
	for (i = 0; i < SLOTS / 2; i++) {
		check_eq(pthread_create(&thread, NULL, nap, NULL), 0);
		pthread_join(thread, NULL);
	}
}

/* The same with tasks. Those of the greedy user live, so others take turns with their own. */
TEST(tasks_of_a_user)
{
	int i, ready[2], go[2], fd = records_open();
	pid_t greedy, victim[VICTIMS];
	struct waits *w;
	char c;

	parked = 0;
	check_eq(write_file(THREADS_MAX, "20000"), 0);
	check_eq(pipe(ready), 0);
	check_eq(pipe(go), 0);
	set("waits", "on");
	greedy = fork();
	check(greedy >= 0);
	if (!greedy) {
		close(go[1]);
		crowd(ready[1], go[0]);
	}
	check_eq(read(ready[0], &c, 1), 1);
	reap(waits_child(nap_in_threads));
	for (i = 0; i < VICTIMS; i++) {
		victim[i] = waits_child(nap_as_another);
		reap(victim[i]);
	}
	set("waits", "off");
	w = waits_read(fd);
	note("%u tasks, %llu lost", w->tasks, (unsigned long long)w->status.lost_tasks);
	check(w->status.lost_tasks);
	check_victims(w, victim);
	close(go[1]);
	reap(greedy);
	close(fd);
}
