// SPDX-License-Identifier: GPL-2.0
/* The sleeps that end an activation, and the sleeps inside of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

#include "guest.h"
#include "monitor.h"
#include "waits.h"
#include "watched.h"

#define GROUP	"activation"

static void futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* Rests in epoll_pwait(), which arm64 has as well; in an activation it waits for a lock. */
static void *looping(void *arg)
{
	struct actor *a = arg;
	struct epoll_event event = { .events = EPOLLIN }, got;
	int i;

	a->epoll = epoll_create1(EPOLL_CLOEXEC);
	check(a->epoll >= 0);
	check_eq(epoll_ctl(a->epoll, EPOLL_CTL_ADD, a->work, &event), 0);
	actor_ready(a);
	for (i = 0; i < 4; i++) {
		check_eq(epoll_pwait(a->epoll, &got, 1, -1, NULL), 1);
		await_fd(a->work);
		while (__atomic_load_n(&a->lock, __ATOMIC_ACQUIRE) <= (uint32_t)i)
			futex(&a->lock, FUTEX_WAIT, (uint32_t)i);
	}
	close(a->epoll);
	return NULL;
}

static void *unlocks(void *arg)
{
	struct actor *a = arg;

	__atomic_add_fetch(&a->lock, 1, __ATOMIC_RELEASE);
	futex(&a->lock, FUTEX_WAKE, 1);
	return NULL;
}

/* The caller wakes the thread from its rest, another thread from its wait for the lock. */
static void loop_drive(struct actor *a)
{
	pthread_t thread;
	int i;

	signal_fd(a->go);
	for (i = 0; i < 4; i++) {
		sleep_ns(5 * MS);
		signal_fd(a->work);
		sleep_ns(5 * MS);
		check_eq(pthread_create(&thread, NULL, unlocks, a), 0);
		check_eq(pthread_join(thread, NULL), 0);
	}
}

/* With `until` only the sleep in the named call is a rest; the wait for the lock lies inside. */
TEST(until)
{
	static const uint32_t calls[] = { SYS_clock_nanosleep, SYS_epoll_pwait };
	unsigned int whole = 0, ended = 0;
	struct tlob_task_activation w;
	struct actor a;
	int fd = activations_open();

	actor_start(&a, looping);
	check_eq(watch_until(fd, a.tid, HOUR, calls, 2), 0);
	loop_drive(&a);
	actor_join(&a);
	while (activation_next(fd, &w)) {
		ended += !!(w.window.flags & TLOB_TASK_ENDED);
		whole += w.window.part_ns[TLOB_TASK_PART_SLEEPING] > MS;
		/* who wakes it later is not its waker */
		check_eq(w.waker.tid, getpid());
	}
	/* the first sleep is in no named call; the last activation ends with the thread */
	if (deterministic()) {
		check_eq(ended, 3);
		check_eq(whole, 4);
	}
	/* on a busy host a signal may come before the thread rests */
	check(ended <= 3 && whole <= 4);

	close(fd);
	monitor_off();
}

/* What futex() expects in each round: a mutex, a robust one, unknown, a condition variable. */
static uint32_t word[] = { 2, FUTEX_WAITERS | 1, 7, 0 };

/* Rests in epoll_pwait(), and in each activation it waits for a word to change. */
static void *locking(void *arg)
{
	struct actor *a = arg;
	struct epoll_event event = { .events = EPOLLIN }, got;
	uint32_t was;
	int i;

	a->epoll = epoll_create1(EPOLL_CLOEXEC);
	check(a->epoll >= 0);
	check_eq(epoll_ctl(a->epoll, EPOLL_CTL_ADD, a->work, &event), 0);
	actor_ready(a);
	for (i = 0; i < 4; i++) {
		check_eq(epoll_pwait(a->epoll, &got, 1, -1, NULL), 1);
		await_fd(a->work);
		was = __atomic_load_n(&word[i], __ATOMIC_ACQUIRE);
		while (was != ~0U && __atomic_load_n(&word[i], __ATOMIC_ACQUIRE) == was)
			futex(&word[i], FUTEX_WAIT_PRIVATE, was);
	}
	close(a->epoll);
	return NULL;
}

static void *releases(void *round)
{
	uint32_t *at = round;

	__atomic_store_n(at, ~0U, __ATOMIC_RELEASE);
	futex(at, FUTEX_WAKE_PRIVATE, 1);
	return (void *)(uintptr_t)gettid();
}

/* A wait for a lock of the program is no rest: it lies inside, and who ended it is known. */
TEST(locked)
{
	static const uint32_t flags[] = {
		TLOB_TASK_ENDED, TLOB_TASK_ENDED | TLOB_TASK_LOCK,
		TLOB_TASK_ENDED | TLOB_TASK_LOCK, TLOB_TASK_ENDED | TLOB_TASK_UNCLEAR,
		TLOB_TASK_ENDED, TLOB_TASK_ENDED, TLOB_TASK_CUT,
	};
	unsigned int n = 0, i, locks = 0, unclear = 0;
	struct tlob_task_activation w;
	void *by[4];
	struct actor a;
	pthread_t t;
	int fd = activations_open();

	actor_start(&a, locking);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	for (i = 0; i < 4; i++) {
		sleep_ns(5 * MS);
		signal_fd(a.work);
		sleep_ns(5 * MS);
		check_eq(pthread_create(&t, NULL, releases, &word[i]), 0);
		check_eq(pthread_join(t, &by[i]), 0);
	}
	actor_join(&a);
	while (activation_next(fd, &w)) {
		bool lock = w.window.flags & TLOB_TASK_LOCK;

		unclear += !!(w.window.flags & TLOB_TASK_UNCLEAR);
		/* on a busy host it may come when the word has changed */
		if (deterministic() && n < 7)
			check_eq(w.window.flags & ~TLOB_TASK_INEXACT, flags[n]);
		n++;
		check(!lock || w.wait.ns * 2 > w.window.part_ns[TLOB_TASK_PART_SLEEPING]);
		if (lock && deterministic()) {
			check(w.wait.ns > MS);
			check_eq(w.wait.waker.tid, (uintptr_t)by[locks]);
		}
		locks += lock;
	}
	check(n <= 7 && locks <= 2 && unclear <= 1);
	if (deterministic())
		check_eq(n, 7);
	close(fd);
	monitor_off();
}

static pthread_mutex_t inherits;
static pid_t relay;

/* Waits for the mutex, and gives it on at once. */
static void *relays(void *unused)
{
	(void)unused;
	__atomic_store_n(&relay, gettid(), __ATOMIC_RELEASE);
	check_eq(pthread_mutex_lock(&inherits), 0);
	check_eq(pthread_mutex_unlock(&inherits), 0);
	return NULL;
}

/* Waits for the mutex in an activation, and in the next one until 5 ms are over. */
static void *inheriting(void *arg)
{
	struct actor *a = arg;
	struct timespec at;

	actor_ready(a);
	await_fd(a->work);
	check_eq(pthread_mutex_lock(&inherits), 0);
	check_eq(pthread_mutex_unlock(&inherits), 0);
	await_fd(a->work);
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += 5 * MS;
	at.tv_sec += at.tv_nsec / (long)(1000 * MS);
	at.tv_nsec %= (long)(1000 * MS);
	if (!pthread_mutex_timedlock(&inherits, &at))
		check_eq(pthread_mutex_unlock(&inherits), 0);
	await_fd(a->work);
	return NULL;
}

/* Who holds a mutex with priority inheritance is known while it is waited for; its waker may differ. */
TEST(held)
{
	struct tlob_task_activation w;
	unsigned int ended = 0, open = 0;
	pthread_mutexattr_t attr;
	struct actor a;
	pthread_t t;
	int fd = activations_open();

	pthread_mutexattr_init(&attr);
	check_eq(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT), 0);
	check_eq(pthread_mutex_init(&inherits, &attr), 0);
	actor_start(&a, inheriting);
	check_eq(watch(fd, a.tid, 2 * MS), 0);
	signal_fd(a.go);
	sleep_ns(5 * MS);
	check_eq(pthread_mutex_lock(&inherits), 0);
	check_eq(pthread_create(&t, NULL, relays, NULL), 0);
	while (!__atomic_load_n(&relay, __ATOMIC_ACQUIRE))
		sleep_ns(MS);
	until_asleep(relay, "S");
	signal_fd(a.work);
	sleep_ns(5 * MS);
	check_eq(pthread_mutex_unlock(&inherits), 0);
	check_eq(pthread_join(t, NULL), 0);
	sleep_ns(5 * MS);
	check_eq(pthread_mutex_lock(&inherits), 0);
	signal_fd(a.work);
	sleep_ns(10 * MS);
	check_eq(pthread_mutex_unlock(&inherits), 0);
	signal_fd(a.work);
	actor_join(&a);
	while (activation_next(fd, &w)) {
		check(w.window.flags & TLOB_TASK_LOCK || !w.holder.kind);
		/* on a busy host the mutex may be free, or another one's, when it comes */
		if (!deterministic() || !(w.window.flags & TLOB_TASK_LOCK))
			continue;
		check_eq(w.holder.kind, TLOB_WAKER_TASK);
		check_eq(w.holder.tid, gettid());
		check_eq(w.holder.tgid, getpid());
		if (!(w.window.flags & TLOB_TASK_ENDED))
			open++;
		else if (!ended++)
			check_eq(w.wait.waker.tid, relay);
		else
			check(w.wait.waker.kind != TLOB_WAKER_TASK);
	}
	if (deterministic()) {
		check_eq(open, 2);
		check_eq(ended, 2);
	}
	close(fd);
	monitor_off();
}

#define CYCLES	10
#define EARLY	3	/* times at equal distances, until they are known as a cycle */

/* A cycle each 5 ms, with two sleeps in its middle. */
static void *cyclic(void *arg)
{
	const struct timespec once = { .tv_nsec = MS };
	uint64_t at = now_ns() + 20 * MS;
	int i;

	actor_ready(arg);
	for (i = 0; i < CYCLES; i++, at += 5 * MS) {
		sleep_until(at);
		check_eq(ppoll(NULL, 0, &once, NULL), 0);
		sleep_ns(MS);
	}
	sleep_until(at);
	return NULL;
}

/* A cycle ends where the thread sleeps until equally spaced times. Other sleeps are inside. */
TEST(cycle)
{
	struct tlob_task_activation w;
	int fd = activations_open();
	unsigned int whole = 0;
	struct actor a;

	actor_start(&a, cyclic);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	actor_join(&a);
	while (activation_next(fd, &w))
		whole += w.call == SYS_clock_nanosleep && w.call_stack & 1 &&
			 w.window.part_ns[TLOB_TASK_PART_SLEEPING] > 2 * MS;
	/* on a busy host a time has passed before its sleep */
	check(whole <= CYCLES);
	if (deterministic())
		check(whole >= CYCLES - EARLY);
	close(fd);
	monitor_off();
}

/* A child that sleeps, and says by its own clock when that ended. */
static void sleep_and_pause(volatile uint64_t *woke)
{
	sleep_ns(50 * MS);
	*woke = now_ns();
	for (;;)
		pause();
}

/* A stop ends a rest in a call of `until`. What continues after it is the same rest. */
TEST(stopped)
{
	static const uint32_t call = SYS_clock_nanosleep;
	volatile uint64_t *woke = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct tlob_task_activation w;
	int fd = activations_open(), st;
	pid_t pid;

	check(woke != MAP_FAILED);
	pid = fork();
	check(pid >= 0);
	if (!pid)
		sleep_and_pause(woke);
	sleep_ns(5 * MS);
	check_eq(watch_until(fd, pid, HOUR, &call, 1), 0);
	kill(pid, SIGSTOP);
	check_eq(waitpid(pid, &st, WUNTRACED), pid);
	sleep_ns(5 * MS);
	kill(pid, SIGCONT);
	while (!*woke)
		sleep_ns(MS);
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, &st, 0), pid);
	/* from the signal to the rest of the sleep, if the host was not too busy for both */
	if (!deterministic())
		goto out;
	check(activation_next(fd, &w));
	check_eq(w.window.flags, TLOB_TASK_ENDED);
	check_eq(w.waker.tid, getpid());
	check(activation_end(&w) < *woke);
	check(activation_next(fd, &w));
	check(w.waker.kind != TLOB_WAKER_TASK);
	check(w.window.start_ns > *woke - MS && w.window.start_ns < *woke);
	check_eq(w.window.flags, TLOB_TASK_CUT);
out:
	while (activation_next(fd, &w))
		;
	close(fd);
	monitor_off();
}

/* vfork() waits for its child in a sleep that a signal does not end. */
static void *vforking(void *arg)
{
	struct actor *a = arg;
	pid_t pid;

	actor_ready(a);
	pid = vfork();
	if (!pid) {
		sleep_ns(20 * MS);
		_exit(0);
	}
	check(pid > 0);
	check_eq(waitpid(pid, NULL, 0), pid);
	await_fd(a->work);
	return NULL;
}

/* How often @tid waited, in the profile. */
static uint64_t waits_of(const struct waits *w, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < w->tasks; i++)
		if (w->task[i].tid == (unsigned int)tid)
			return w->task[i].blocked.count;
	return 0;
}

/* A profile of waits in windows has sleeps inside of activations, and no rests. */
TEST(profiled)
{
	struct actor a, b;
	struct waits *w;
	int fd, records, i;

	/* before the monitor, whose probes are attached later then */
	set("waits", "on windows");
	fd = activations_open();
	records = records_open();
	actor_start(&a, pooled);
	check_eq(watch(fd, a.tid, HOUR), 0);
	napper_start(&b, fd, 5 * MS);
	signal_fd(a.go);
	for (i = 0; i < ROUNDS; i++) {
		sleep_ns(MS);
		signal_fd(a.work);
	}
	actor_join(&a);
	actor_join(&b);
	w = waits_read(records);
	check(waits_of(w, b.tid) > 0);
	/*
	 * It rested ROUNDS times, and may wait for memory as it exits. With PREEMPT_RT and two CPUs
	 * it may also wait for the lock that its waker holds, each time.
	 */
	if (deterministic())
		check(waits_of(w, a.tid) < ROUNDS / 4);
	close(records);
	set("waits", "off");
	close(fd);
	monitor_off();
}

/* Waits for the next record; fails after PATIENCE. */
static void await_activation(int fd, struct tlob_task_activation *w)
{
	uint64_t end = now_ns() + PATIENCE;

	while (!activation_next(fd, w)) {
		check(now_ns() < end);
		sleep_ns(MS);
	}
}

/* Sleeps that are no rest lie inside: for a child of vfork(), and while stopped. */
TEST(inside)
{
	struct tlob_task_activation w;
	struct actor a;
	int fd = activations_open(), st;
	pid_t pid;

	actor_start(&a, vforking);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	sleep_ns(40 * MS);
	signal_fd(a.work);
	actor_join(&a);
	check(activation_next(fd, &w));
	check(w.window.part_ns[TLOB_TASK_PART_SLEEPING] > 19 * MS);
	check(w.window.switches >= 1);
	check(strcmp(w.window.largest.name, TLOB_FROZEN));
	while (activation_next(fd, &w))
		;

	pid = fork();
	check(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	until_asleep(pid, "S");
	/* the file's other threads and processes as well */
	check_eq(watch(fd, pid, HOUR), 0);
	kill(pid, SIGSTOP);
	check_eq(waitpid(pid, &st, WUNTRACED), pid);
	check(WIFSTOPPED(st));
	sleep_ns(20 * MS);
	kill(pid, SIGCONT);
	/* until it rests again. It may have run when the watch began: then that ends first */
	do {
		await_activation(fd, &w);
		check_eq(w.window.flags, TLOB_TASK_ENDED);
	} while (w.window.part_ns[TLOB_TASK_PART_SLEEPING] < 19 * MS);
	check(!strcmp(w.window.largest.name, TLOB_STOPPED));
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, &st, 0), pid);
	/* it was killed in a rest, and the way to its exit is an activation */
	check(activation_next(fd, &w));
	check_eq(w.window.flags, TLOB_TASK_CUT);
	check(!activation_next(fd, &w));
	close(fd);
	monitor_off();
}
