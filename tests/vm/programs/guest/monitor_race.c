// SPDX-License-Identifier: GPL-2.0
/*
 * No window is lost while everything happens at once on two CPUs: tasks with windows migrate,
 * sleep, are preempted and exit, files are closed, and the monitor goes off and on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define GROUP	"monitor_race"

struct moved {
	int leave, done;		/* CPU 1 gets free; the window has ended */
};

/* Until *@flag. The limit ends a hang. */
static void spin_until(const int *flag)
{
	uint64_t end = now_ns() + 600 * 1000000000ULL;

	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && now_ns() < end)
		;
}

/* A child with FIFO 99 on @cpu. It writes to @ready, then reads from @go, if that is not -1. */
static pid_t hog_on(unsigned int cpu, struct moved *m, int ready, int go)
{
	struct sched_param param = { .sched_priority = 99 };
	pid_t pid = fork();
	cpu_set_t mask;
	char c;

	check(pid >= 0);
	if (pid)
		return pid;
	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	check_eq(sched_setaffinity(0, sizeof(mask), &mask), 0);
	check_eq(sched_setscheduler(0, SCHED_FIFO, &param), 0);
	check_eq(write(ready, "", 1), 1);
	if (go < 0) {
		spin_until(&m->leave);
		_exit(0);
	}
	check_eq(read(go, &c, 1), 1);
	spin_ns(3000000);
	__atomic_store_n(&m->leave, 1, __ATOMIC_RELEASE);
	spin_until(&m->done);
	_exit(0);
}

/* A task waits for CPU 0, and is pulled to CPU 1 when that gets free. Was the culprit named? */
static bool names_culprit(int fd)
{
	struct moved *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sched_param param = { .sched_priority = 90 };
	struct tlob_task_window w;
	int ready[2], go[2];
	pid_t culprit, bystander;
	bool thread;
	char c;

	check(m != MAP_FAILED);
	check_eq(pipe(ready), 0);
	check_eq(pipe(go), 0);
	pin(0);
	/* first, so that the log of CPU 1 knows the bystander */
	check_eq(start_ns(fd, 1000000000, -1, 0), 0);
	bystander = hog_on(1, m, ready[1], -1);
	check_eq(read(ready[0], &c, 1), 1);
	culprit = hog_on(0, m, ready[1], go[0]);
	check_eq(read(ready[0], &c, 1), 1);
	until_asleep(culprit, "S");
	unpin();
	check_eq(sched_setscheduler(0, SCHED_FIFO, &param), 0);
	check_eq(write(go[1], "", 1), 1);
	/* by the culprit, or on the other CPU, before which nothing ends the bystander */
	spin_until(&m->leave);
	check_eq(ioctl(fd, TLOB_IOC_STOP_NS, &w), 0);
	__atomic_store_n(&m->done, 1, __ATOMIC_RELEASE);
	waitpid(culprit, NULL, 0);
	waitpid(bystander, NULL, 0);
	check_eq(sched_getcpu(), 1);
	check_task_window(&w);
	thread = w.largest.kind == TLOB_NOISE_THREAD;
	note("waited %llu ns, of these %llu for %s (%d)", (unsigned long long)w.part_ns[TLOB_TASK_PART_WAITING],
	     (unsigned long long)w.largest.ns, w.largest.name, w.largest.id);
	check(!thread || w.largest.id != bystander);
	munmap(m, sizeof(*m));
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
	unpin();
	return thread && w.largest.id == culprit;
}

/*
 * Who ran on CPU 1 meanwhile is a bystander. Where the machine stands still while a third thread
 * or an interrupt has CPU 0, that one is the largest, and is named: then once more.
 */
TEST_ON(waited_elsewhere, 2)
{
	int fd = monitor_open(), tries = 10;

	while (!names_culprit(fd))
		check(--tries > 0);
	close(fd);
	monitor_off();
}

#define MS	1000000ULL
#define US	1000ULL
/* a debug kernel has fewer turns in a second, and finds more in each */
#define SECONDS	(debug_kernel ? 5 : 2)
#define THREADS	12
#define PER_USER	64		/* the module's default */
#define MEMBERS		80		/* threads of a user */

static bool over;
static int shared;			/* a file that all tasks use */
static uint64_t begun, ended, refused, lost;

static void add(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void move_to(unsigned int cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	sched_setaffinity(0, sizeof(mask), &mask);
}

/* One random event in a window. */
static void live(unsigned int *seed)
{
	switch (rand_r(seed) % 5) {
	case 0:
		spin_ns(rand_r(seed) % (200 * US));
		break;
	case 1:
		sleep_ns(rand_r(seed) % (500 * US));
		break;
	case 2:
		move_to(rand_r(seed) % 2);
		break;
	case 3:
		sched_yield();
		break;
	}
}

static void one_window(int fd, unsigned int *seed)
{
	unsigned int i, n = rand_r(seed) % 4;
	struct tlob_task_window w;

	/* a budget may end before, during or after what happens below */
	if (start_ns(fd, 1000 + rand_r(seed) % MS, shared,
		     rand_r(seed) % 2 ? TLOB_START_EVERY : 0)) {
		check(errno == ENODEV || errno == ENOSPC);
		add(&refused);
		return;
	}
	add(&begun);
	for (i = 0; i < n; i++)
		live(seed);
	if (!ioctl(fd, TLOB_IOC_STOP_NS, &w) || errno == EOVERFLOW) {
		check_task_window(&w);
		add(&ended);
	} else {
		/* the monitor was switched off meanwhile */
		check_eq(errno, ESRCH);
		add(&lost);
	}
}

static void *task(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	int fd = open("/dev/tlob", O_RDWR);

	check(fd >= 0);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		one_window(seed % 2 ? fd : shared, &seed);
		if (seed % 2 && !(rand_r(&seed) % 8)) {
			/* sometimes with an open window */
			if (rand_r(&seed) % 2 && !start_ns(fd, MS, fd, 0)) {
				add(&begun);
				add(&lost);
			}
			close(fd);
			fd = open("/dev/tlob", O_RDWR);
			check(fd >= 0);
		}
	}
	close(fd);
	return NULL;
}

/* Starts a window and exits without STOP. */
static void *mayfly(void *arg)
{
	if (!start_ns(shared, (uintptr_t)arg, shared, 0)) {
		add(&begun);
		add(&lost);
	}
	return NULL;
}

static void *breeder(void *arg)
{
	unsigned int seed = (uintptr_t)arg;
	pthread_t thread;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		check_eq(pthread_create(&thread, NULL, mayfly,
					(void *)(uintptr_t)(1000 + rand_r(&seed) % MS)), 0);
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void *reader(void *arg)
{
	struct tlob_task_window w;

	(void)arg;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		if (read(shared, &w, sizeof(w)) == sizeof(w))
			check_task_window(&w);
		else
			sleep_ns(MS);
	return NULL;
}

static void race(bool toggle)
{
	uint64_t windows = monitor_stat("windows"), end;
	pthread_t thread[THREADS + 2];
	unsigned int i;

	shared = monitor_open_windows();
	for (i = 0; i < THREADS; i++)
		check_eq(pthread_create(&thread[i], NULL, task,
					(void *)(uintptr_t)(i + 1)), 0);
	check_eq(pthread_create(&thread[i++], NULL, breeder, (void *)99), 0);
	check_eq(pthread_create(&thread[i++], NULL, reader, NULL), 0);
	end = now_ns() + SECONDS * (1000 * MS);
	/* longer on a busy host */
	while (now_ns() < end || __atomic_load_n(&begun, __ATOMIC_RELAXED) <= 100 ||
	       __atomic_load_n(&ended, __ATOMIC_RELAXED) <= 10) {
		sleep_ns(50 * MS);
		if (toggle) {
			set("monitor_enable", "0");
			set("monitor_enable", "1");
		}
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS + 2; i++)
		pthread_join(thread[i], NULL);
	close(shared);
	note("%llu begun, %llu ended, %llu taken away, %llu refused",
	     (unsigned long long)begun, (unsigned long long)ended,
	     (unsigned long long)lost, (unsigned long long)refused);
	check(begun > 100 && ended > 10);
	check_eq(begun, ended + lost);
	check_eq(monitor_stat("windows"), windows + begun);
	monitor_off();
}

TEST_ON(tasks_and_files, 2)
{
	race(false);
	check_eq(refused, 0);
}

TEST_ON(on_and_off, 2)
{
	race(true);
}

/* Counts of the threads of all users, in memory that they share. */
struct tally {
	uint64_t started, refused, open, most;
	bool over;
};

struct member {
	struct tally *tally;
	int fd;
};

/* START and STOP without a pause, on both CPUs. */
static void *member(void *arg)
{
	struct member *m = arg;
	struct tally *t = m->tally;
	uint64_t open, most;

	while (!__atomic_load_n(&t->over, __ATOMIC_RELAXED)) {
		if (start_ns(m->fd, 1000 * MS, -1, 0)) {
			check_eq(errno, EDQUOT);
			add(&t->refused);
			sched_yield();
			continue;
		}
		add(&t->started);
		open = __atomic_add_fetch(&t->open, 1, __ATOMIC_SEQ_CST);
		most = __atomic_load_n(&t->most, __ATOMIC_RELAXED);
		while (open > most &&
		       !__atomic_compare_exchange_n(&t->most, &most, open, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		/* others start meanwhile */
		sched_yield();
		__atomic_sub_fetch(&t->open, 1, __ATOMIC_SEQ_CST);
		check(!stop_window(m->fd) || errno == EOVERFLOW);
	}
	return NULL;
}

/* @n threads of a user. */
static pid_t members(uid_t uid, unsigned int n, struct tally *t)
{
	struct member m = { .tally = t };
	pthread_t thread[MEMBERS];
	pthread_attr_t attr;
	unsigned int i;
	pid_t pid = fork();

	if (pid)
		return pid;
	check_eq(setresuid(uid, uid, uid), 0);
	m.fd = open("/dev/tlob", O_RDWR);
	check(m.fd >= 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	for (i = 0; i < n; i++)
		check_eq(pthread_create(&thread[i], &attr, member, &m), 0);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

/*
 * Two users and root start and stop windows on both CPUs. No user ever has more than its
 * share, none is refused below it, and every window is counted once.
 */
TEST_ON(limits_hold, 2)
{
	static const struct {
		uid_t uid;
		unsigned int threads;
	} user[] = { { 1000, MEMBERS }, { 1001, PER_USER }, { 0, MEMBERS } };
	uint64_t windows, over_quota, all = 0;
	struct tally *t;
	pid_t pid[3];
	int i;

	t = mmap(NULL, 3 * sizeof(*t), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(t != MAP_FAILED);
	check_eq(chmod("/dev/tlob", 0666), 0);
	shared = monitor_open();
	windows = monitor_stat("windows");
	over_quota = monitor_stat("over_quota");
	for (i = 0; i < 3; i++)
		pid[i] = members(user[i].uid, user[i].threads, &t[i]);
	sleep_ns(SECONDS * (1000 * MS));
	/* longer on a busy host */
	for (i = 0; i < 3; i++)
		while (__atomic_load_n(&t[i].started, __ATOMIC_RELAXED) <= MEMBERS)
			sleep_ns(10 * MS);
	for (i = 0; i < 3; i++)
		__atomic_store_n(&t[i].over, true, __ATOMIC_RELAXED);
	for (i = 0; i < 3; i++) {
		reap(pid[i]);
		all += t[i].started;
		note("uid %u: %llu started, %llu refused, at most %llu at once",
		     user[i].uid, (unsigned long long)t[i].started,
		     (unsigned long long)t[i].refused,
		     (unsigned long long)t[i].most);
	}
	check_eq(chmod("/dev/tlob", 0660), 0);
	check(t[0].most <= PER_USER);
	check_eq(t[1].refused, 0);
	check_eq(t[2].refused, 0);
	check_eq(monitor_stat("used"), 0);
	check_eq(monitor_stat("windows") - windows, all);
	check_eq(monitor_stat("over_quota") - over_quota, t[0].refused);
	close(shared);
	monitor_off();
}
