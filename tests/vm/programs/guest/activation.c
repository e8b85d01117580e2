// SPDX-License-Identifier: GPL-2.0
/* Watches: each activation of a thread is a window, from its wake-up to its next rest. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>

#include "guest.h"
#include "monitor.h"
#include "sched_events.h"
#include "waits.h"

#define MS	1000000ULL
#define US	1000ULL
#define HOUR	(3600000 * MS)

#define ROUNDS	24

static int watch_until(int fd, pid_t tid, uint64_t budget, const uint32_t *until, uint32_t n)
{
	struct tlob_watch w = {
		.tid = tid, .threshold_ns = budget, .tag = 42, .flags = TLOB_START_EVERY,
		.nr_until = n,
	};

	memcpy(w.until, until, n * sizeof(*until));
	return ioctl(fd, TLOB_IOC_WATCH, &w);
}

static int watch(int fd, pid_t tid, uint64_t budget)
{
	return watch_until(fd, tid, budget, NULL, 0);
}

/* Switches the monitor on, and opens a file for records of activations. */
static int activations_open(void)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_ACTIVATION };
	int fd = monitor_open();

	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

static bool next(int fd, struct tlob_task_activation *a)
{
	ssize_t n = read(fd, a, sizeof(*a));

	if (n < 0) {
		check_eq(errno, EAGAIN);
		return false;
	}
	check_eq(n, sizeof(*a));
	check_task_window(&a->window);
	check(a->timer_ns <= a->window.part_ns[TLOB_TASK_PART_SLEEPING]);
	check(a->wake_ns <= a->window.elapsed_ns);
	check_eq(a->window.tag, 42);
	check_eq(a->reserved, 0);
	return true;
}

static uint64_t end_of(const struct tlob_task_activation *a)
{
	return a->window.start_ns + a->window.elapsed_ns;
}

/* A thread of this process, which the tests watch. */
struct actor {
	pthread_t thread;
	pid_t tid;			/* 0: it has not begun */
	int ready, go;			/* eventfds */
	uint64_t due[ROUNDS], woke[ROUNDS], rests[ROUNDS]; /* its own clock */
	int work, epoll;		/* eventfds */
	uint32_t lock;			/* a futex */
	uint64_t nap_ns;
};

static void signal_fd(int fd)
{
	uint64_t one = 1;

	check_eq(write(fd, &one, sizeof(one)), sizeof(one));
}

/* Returns how many signals have come. */
static uint64_t await_fd(int fd)
{
	uint64_t n;

	check_eq(read(fd, &n, sizeof(n)), sizeof(n));
	return n;
}

/* The thread says that it exists, and rests until it may go. */
static void actor_ready(struct actor *a)
{
	a->tid = (pid_t)syscall(SYS_gettid);
	signal_fd(a->ready);
	await_fd(a->go);
}

static void actor_start(struct actor *a, void *(*run)(void *))
{
	memset(a, 0, sizeof(*a));
	a->ready = eventfd(0, EFD_CLOEXEC);
	a->go = eventfd(0, EFD_CLOEXEC);
	a->work = eventfd(0, EFD_CLOEXEC);
	check(a->ready >= 0 && a->go >= 0 && a->work >= 0);
	check_eq(pthread_create(&a->thread, NULL, run, a), 0);
	await_fd(a->ready);
	/* until it rests in await_fd() */
	sleep_ns(5 * MS);
}

static void actor_join(struct actor *a)
{
	check_eq(pthread_join(a->thread, NULL), 0);
	/* it is joined before its exit has cut its window */
	while (!syscall(SYS_tgkill, getpid(), a->tid, 0))
		sleep_ns(MS);
	close(a->ready);
	close(a->go);
	close(a->work);
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(ns / (1000 * MS)), .tv_nsec = (long)(ns % (1000 * MS)),
	};

	check_eq(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), 0);
}

static void *periodic(void *arg)
{
	struct actor *a = arg;
	uint64_t first;
	int i;

	pin(0);
	actor_ready(a);
	first = now_ns() + 2 * MS;
	for (i = 0; i < ROUNDS; i++) {
		a->due[i] = first + (uint64_t)i * MS;
		sleep_until(a->due[i]);
		a->woke[i] = now_ns();
		spin_ns(100 * US);
		a->rests[i] = now_ns();
	}
	return NULL;
}

/* Finds the next activation of @tid in the kernel's own events, from @at on. */
static size_t next_expected(const struct sched_events *e, size_t at, pid_t tid,
			    uint64_t *waking, uint64_t *in, uint64_t *out)
{
	*waking = 0;
	*in = 0;
	for (; at < e->n; at++) {
		const struct sched_event *s = &e->event[at];

		if (s->kind == SCHED_WAKING && s->tid == tid && !*waking)
			*waking = s->ns;
		if (s->kind != SCHED_SWITCH || !*waking)
			continue;
		if (s->next == tid && !*in)
			*in = s->ns;
		if (s->tid == tid && s->state & 1) {
			*out = s->ns;
			return at + 1;
		}
	}
	return 0;
}

/* The least and the largest difference of two clocks that look at the same moments. */
struct spread {
	int64_t least, most;
	int n;
};

static void spread_add(struct spread *s, uint64_t ours, uint64_t theirs)
{
	int64_t d = (int64_t)(ours - theirs);

	if (!s->n++ || d < s->least)
		s->least = d;
	if (s->n == 1 || d > s->most)
		s->most = d;
}

static void spread_check(const char *what, const struct spread *s)
{
	note("%s: the record is %lld to %lld ns after the kernel's event", what,
	     (long long)s->least, (long long)s->most);
	if (!deterministic() || debug_kernel)
		return;
	/* both probes of an event run one after the other, in the same instructions */
	check(s->most - s->least <= 100);
	check(s->most < 5000 && s->least > -5000);
}

/*
 * A thread with a timer: each window begins at the expiry that the thread asked for, and it
 * agrees with the kernel's events of the same wake-ups and switches.
 */
static void timed(void)
{
	struct spread begins = { 0 }, runs = { 0 }, ends = { 0 };
	struct tlob_task_activation w;
	uint64_t waking, in, out;
	struct sched_events e;
	struct actor a;
	size_t at = 0;
	int fd, i;

	pin(0);
	fd = activations_open();
	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, HOUR), 0);
	sched_events_begin(&e, 0);
	signal_fd(a.go);
	actor_join(&a);
	sched_events_end(&e);

	/* on a busy host an expiry has passed before its sleep, and then there is no activation */
	if (!deterministic()) {
		for (i = 0; next(fd, &w); i++)
			check_eq(w.nr, i + 1);
		goto out;
	}
	/* from the start signal to the first sleep */
	check(next(fd, &w));
	check_eq(w.nr, 1);
	check_eq(w.timer_ns, 0);
	check_eq(w.waker.kind, TLOB_WAKER_TASK);
	check_eq(w.waker.tid, getpid());
	at = next_expected(&e, at, a.tid, &waking, &in, &out);
	check(at);
	for (i = 0; i < ROUNDS; i++) {
		check(next(fd, &w));
		check_eq(w.nr, i + 2);
		check_eq(w.window.tid, a.tid);
		check_eq(w.window.tgid, getpid());
		/* the last one ends with the thread */
		check_eq(w.window.flags, i < ROUNDS - 1 ? TLOB_TASK_ENDED : TLOB_TASK_CUT);
		check_eq(w.window.start_ns, a.due[i]);
		check_eq(w.waker.kind, TLOB_WAKER_IRQ);
		check(a.woke[i] > w.window.start_ns + w.wake_ns);
		check(a.rests[i] < end_of(&w));
		if (i == ROUNDS - 1)
			break;
		at = next_expected(&e, at, a.tid, &waking, &in, &out);
		check(at);
		spread_add(&begins, w.window.start_ns + w.timer_ns, waking);
		spread_add(&runs, w.window.start_ns + w.wake_ns, in);
		spread_add(&ends, end_of(&w), out);
	}
	check(!next(fd, &w));
	spread_check("sched_waking", &begins);
	spread_check("switched in", &runs);
	spread_check("switched out", &ends);
out:
	unpin();
	close(fd);
	monitor_off();
}

/* Computes while it is watched, and rests once. */
static void *busy(void *arg)
{
	struct actor *a = arg;

	actor_ready(a);
	spin_ns(10 * MS);
	await_fd(a->work);
	return NULL;
}

/* How often a thread of this process has gone to sleep. */
static unsigned long sleeps_of(pid_t tid)
{
	char path[64], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	read_file(path, text, sizeof(text));
	at = strstr(text, "\nvoluntary_ctxt_switches:");
	check(at);
	return strtoul(strchr(at, ':') + 1, NULL, 10);
}

/*
 * The first activation is the one after the call, also of a thread that runs meanwhile: the
 * caller itself, and one that is preempted by the caller, or runs on another CPU.
 */
static void first_one(void)
{
	struct tlob_task_activation w;
	unsigned long slept;
	struct actor a;
	uint64_t due;
	int fd = activations_open();

	check_eq(watch(fd, (pid_t)syscall(SYS_gettid), HOUR), 0);
	due = now_ns() + 20 * MS;
	sleep_until(due);
	sleep_ns(MS);
	check(next(fd, &w));
	check_eq(w.nr, 1);
	/* on a busy host it may be too late to sleep */
	if (deterministic())
		check_eq(w.window.start_ns, due);
	close(fd);

	fd = activations_open();
	actor_start(&a, busy);
	pin(0);
	signal_fd(a.go);
	sleep_ns(2 * MS);
	slept = sleeps_of(a.tid);
	check_eq(watch(fd, a.tid, HOUR), 0);
	if (deterministic())
		check_eq(sleeps_of(a.tid), slept);
	while (deterministic() && sleeps_of(a.tid) == slept)
		sleep_ns(MS);
	sleep_ns(MS);
	signal_fd(a.work);
	actor_join(&a);
	unpin();
	check(next(fd, &w) || !deterministic());
	if (deterministic()) {
		check_eq(w.nr, 1);
		check_eq(w.waker.tid, getpid());
		check_eq(w.window.flags, TLOB_TASK_CUT);
	}
	check(!next(fd, &w));
	close(fd);
	monitor_off();
}

static void *by_the_clock(void *arg)
{
	struct actor *a = arg;
	struct timespec t;

	actor_ready(a);
	check_eq(clock_gettime(CLOCK_REALTIME, &t), 0);
	t.tv_sec += 2;
	check_eq(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL), 0);
	a->woke[0] = now_ns();
	return NULL;
}

/* A sleep until a time of day ends early because the clock is set: the activation begins then. */
static void clock_is_set(void)
{
	struct tlob_task_activation w;
	struct timespec t, old;
	struct actor a;
	uint64_t set_at;
	int fd = activations_open();

	actor_start(&a, by_the_clock);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	sleep_ns(20 * MS);
	check_eq(clock_gettime(CLOCK_REALTIME, &old), 0);
	t = old;
	t.tv_sec += 3;
	set_at = now_ns();
	check_eq(clock_settime(CLOCK_REALTIME, &t), 0);
	actor_join(&a);
	check_eq(clock_settime(CLOCK_REALTIME, &old), 0);
	/* to the sleep; on a busy host it may have been too late to sleep */
	check(next(fd, &w));
	check_eq(w.nr, 1);
	if (next(fd, &w)) {
		check_eq(w.nr, 2);
		check_eq(w.timer_ns, 0);
		check(w.window.start_ns >= set_at);
		check(w.window.start_ns + w.wake_ns <= a.woke[0]);
	} else {
		check(!deterministic());
	}
	close(fd);
	monitor_off();
}

static void *pooled(void *arg)
{
	struct actor *a = arg;
	uint64_t got = 0;

	actor_ready(a);
	while (got < ROUNDS) {
		got += await_fd(a->work);
		spin_ns(20 * US);
	}
	return NULL;
}

/* Threads of a pool: each activation has its waker, and is not lost, whichever thread it wakes. */
static void pool(void)
{
	struct actor a[3];
	struct tlob_task_activation w;
	unsigned int seen[3] = { 0 };
	int fd = activations_open(), i, j;

	for (j = 0; j < 3; j++) {
		actor_start(&a[j], pooled);
		check_eq(watch(fd, a[j].tid, HOUR), 0);
		signal_fd(a[j].go);
	}
	for (i = 0; i < ROUNDS; i++)
		for (j = 0; j < 3; j++) {
			/* until they rest, so that each signal is a wake-up */
			sleep_ns(MS);
			signal_fd(a[j].work);
		}
	for (j = 0; j < 3; j++)
		actor_join(&a[j]);
	while (next(fd, &w)) {
		for (j = 0; j < 3 && a[j].tid != (pid_t)w.window.tid; j++)
			;
		check(j < 3);
		check_eq(w.nr, ++seen[j]);
		check_eq(w.waker.kind, TLOB_WAKER_TASK);
		check_eq(w.waker.tid, getpid());
		check_eq(w.timer_ns, 0);
	}
	for (j = 0; j < 3; j++) {
		/* it may be busy at one signal and find the next one there */
		check(seen[j] > ROUNDS / 2 && seen[j] <= ROUNDS + 1);
		if (deterministic())
			check_eq(seen[j], ROUNDS + 1);
	}
	close(fd);
	monitor_off();
}

/* Lets a pooled() thread end. */
static void actor_end(struct actor *a)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		signal_fd(a->work);
		sleep_ns(MS);
	}
	actor_join(a);
}

static void futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* Rests in epoll_pwait(), which all architectures have; in the middle of an activation it waits for a lock. */
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
static void until(void)
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
	while (next(fd, &w)) {
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

	/* and without, each of both sleeps is a rest */
	actor_start(&a, looping);
	check_eq(watch(fd, a.tid, HOUR), 0);
	loop_drive(&a);
	actor_join(&a);
	for (ended = 0; next(fd, &w); ended++)
		check_eq(w.window.part_ns[TLOB_TASK_PART_SLEEPING], 0);
	check(ended <= 9);
	if (deterministic())
		check_eq(ended, 9);
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
static void stopped(void)
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
	check(next(fd, &w));
	check_eq(w.window.flags, TLOB_TASK_ENDED);
	check_eq(w.waker.tid, getpid());
	check(end_of(&w) < *woke);
	check(next(fd, &w));
	check(w.waker.kind != TLOB_WAKER_TASK);
	check(w.window.start_ns > *woke - MS && w.window.start_ns < *woke);
	check_eq(w.window.flags, TLOB_TASK_CUT);
out:
	while (next(fd, &w))
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

/* Sleeps in the middle of an activation, if only its read() is a rest. */
static void *napping(void *arg)
{
	struct actor *a = arg;

	actor_ready(a);
	sleep_ns(a->nap_ns);
	return NULL;
}

static void napper_start(struct actor *a, int fd, uint64_t ns)
{
	static const uint32_t call = SYS_read;

	actor_start(a, napping);
	a->nap_ns = ns;
	check_eq(watch_until(fd, a->tid, HOUR, &call, 1), 0);
	signal_fd(a->go);
}

/* A profile of waits in windows has sleeps inside of activations, and no rests. */
static void profiled(void)
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
	check(waits_has(w, b.tid));
	/* on two CPUs it may wait for memory as it exits */
	check(!deterministic() || !waits_has(w, a.tid));
	close(records);
	set("waits", "off");
	close(fd);
	monitor_off();
}

/* Sleeps that are no rest lie inside: for a child of vfork(), and while stopped. */
static void inside(void)
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
	check(next(fd, &w));
	check(w.window.part_ns[TLOB_TASK_PART_SLEEPING] > 19 * MS);
	check(w.window.switches >= 1);
	while (next(fd, &w))
		;

	pid = fork();
	check(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	sleep_ns(5 * MS);
	/* the file's other threads and processes as well */
	check_eq(watch(fd, pid, HOUR), 0);
	kill(pid, SIGSTOP);
	check_eq(waitpid(pid, &st, WUNTRACED), pid);
	check(WIFSTOPPED(st));
	sleep_ns(20 * MS);
	kill(pid, SIGCONT);
	/* until it rests again */
	sleep_ns(deterministic() ? 5 * MS : 500 * MS);
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, &st, 0), pid);
	check(next(fd, &w));
	check_eq(w.window.flags, TLOB_TASK_ENDED);
	check(w.window.part_ns[TLOB_TASK_PART_SLEEPING] > 19 * MS);
	/* it was killed in a rest, and the way to its exit is an activation */
	check(next(fd, &w));
	check_eq(w.window.flags, TLOB_TASK_CUT);
	check(!next(fd, &w));
	close(fd);
	monitor_off();
}

/* A violation is reported once, at its moment; the record at the end has it as well. */
static void late(void)
{
	unsigned int reported, over[2] = { 0 }, cut = 0;
	struct tlob_task_activation w;
	struct actor a;
	int fd = activations_open();

	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, 50 * US), 0);
	trace_on("tlob_budget_exceeded");
	signal_fd(a.go);
	actor_join(&a);
	reported = trace_count("tlob_budget_exceeded");
	trace_off();
	while (next(fd, &w)) {
		over[!!(w.window.flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT))] +=
			!!(w.window.flags & TLOB_TASK_VIOLATION);
		cut += !!(w.window.flags & TLOB_TASK_CUT);
	}
	/* the last activation exits with the thread */
	check_eq(cut, 1);
	check_eq(reported, over[1]);
	/* a late timer finds that the end has given the verdict */
	check(over[0] <= over[1]);
	if (deterministic()) {
		check_eq(over[0], ROUNDS);
		check_eq(over[1], ROUNDS);
	}
	close(fd);
	monitor_off();
}

static void no_permission(int fd)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (!pid) {
		/* the file has the right, and its user has not */
		if (setuid(1000) || !watch(fd, getppid(), HOUR) || errno != EPERM)
			_exit(1);
		fd = open("/dev/tlob", O_RDWR);
		if (fd < 0 || !watch(fd, getpid(), HOUR) || errno != EPERM)
			_exit(2);
		_exit(0);
	}
	reap(pid);
}

/* Each error; a watch keeps its slot, and is gone with its file and the monitor. */
static void errors(void)
{
	struct tlob_watch w = { .threshold_ns = MS, .flags = TLOB_START_EVERY };
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_FUNCTIONS };
	uint32_t call = SYS_read;
	struct actor a;
	int fd, other;

	set("monitor_enable", "0");
	fd = open("/dev/tlob", O_RDWR);
	check(fd >= 0);
	check_errno(watch(fd, getpid(), HOUR), ENODEV);
	set("monitor_enable", "1");
	check_errno(watch(fd, 0, HOUR), ESRCH);
	check_errno(watch(fd, -1, HOUR), ESRCH);
	check_errno(watch(fd, 4000000, HOUR), ESRCH);
	check_errno(watch(fd, getpid(), 0), EINVAL);
	check_errno(watch(fd, getpid(), 999), ERANGE);
	check_errno(watch(fd, getpid(), HOUR + 1), ERANGE);
	w.tid = getpid();
	w.reserved = 1;
	check_errno(ioctl(fd, TLOB_IOC_WATCH, &w), EINVAL);
	w.reserved = 0;
	w.flags = 2;
	check_errno(ioctl(fd, TLOB_IOC_WATCH, &w), EINVAL);
	w.flags = 0;
	w.nr_until = TLOB_WATCH_UNTIL + 1;
	check_errno(ioctl(fd, TLOB_IOC_WATCH, &w), EINVAL);
	check_errno(ioctl(fd, TLOB_IOC_WATCH, (void *)8), EFAULT);
	/* kthreadd makes no system calls */
	check_errno(watch_until(fd, 2, HOUR, &call, 1), EINVAL);
	check_eq(watch(fd, 2, HOUR), 0);

	check_eq(watch(fd, getpid(), HOUR), 0);
	check_errno(watch(fd, getpid(), HOUR), EBUSY);
	other = open("/dev/tlob", O_RDWR);
	check_errno(watch(other, getpid(), HOUR), EBUSY);
	close(fd);
	check_eq(watch(other, getpid(), HOUR), 0);
	/* the watch does not disturb windows by START of the same file */
	check_errno(stop_window(other), ESRCH);
	check_eq(start_ns(other, HOUR, -1, 0), 0);
	sleep_ns(MS);
	check_eq(stop_window(other), 0);
	sleep_ns(MS);
	check_errno(stop_window(other), ESRCH);
	set("monitor_enable", "0");
	set("monitor_enable", "1");
	check_eq(watch(other, getpid(), HOUR), 0);
	close(other);

	fd = open("/dev/tlob", O_RDWR);
	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check_errno(watch(fd, getpid(), HOUR), EINVAL);
	close(fd);
	fd = activations_open();
	actor_start(&a, periodic);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	actor_join(&a);
	check_errno(watch(fd, a.tid, HOUR), ESRCH);
	no_permission(fd);
	close(fd);
	monitor_off();
}

/* Slots: each watch keeps one, and gives it back; a user's limit counts it. */
static void slots(void)
{
	uint64_t no_slot = monitor_stat("no_slot");
	unsigned int i, got = 0, all = (unsigned int)monitor_stat("slots");
	pid_t pid[2048];
	int fd;

	check(all <= 2048);
	set("monitor_enable", "1");
	fd = open("/dev/tlob", O_RDWR);
	for (i = 0; i < all; i++) {
		pid[i] = fork();
		check(pid[i] >= 0);
		if (!pid[i])
			for (;;)
				pause();
		got += !watch(fd, pid[i], HOUR);
	}
	check_eq(got, all);
	check_errno(watch(fd, getpid(), HOUR), ENOSPC);
	check_eq(monitor_stat("no_slot"), no_slot + 1);
	for (i = 0; i < all; i++) {
		kill(pid[i], SIGKILL);
		check_eq(waitpid(pid[i], NULL, 0), pid[i]);
	}
	check_eq(watch(fd, getpid(), HOUR), 0);
	close(fd);
	monitor_off();
}

/* Wakes its peer and rests, over and over. */
struct peer {
	int mine, other;
	volatile bool *over;
};

static void *ping(void *arg)
{
	const struct peer *p = arg;

	while (!*p->over) {
		signal_fd(p->other);
		await_fd(p->mine);
	}
	signal_fd(p->other);
	return NULL;
}

/*
 * Threads that wake each other all the time on two CPUs, while files that watch them come
 * and go, and threads exit in an activation: no event is out of order.
 */
static void storm(void)
{
	volatile bool over = false;
	unsigned int seen = 0, round;
	struct tlob_task_activation w;
	struct peer peers[2];
	pthread_t thread[2];
	pid_t tid = getpid();
	int fd, i, fds[2];

	set("monitor_enable", "1");
	for (i = 0; i < 2; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC);
	for (i = 0; i < 2; i++) {
		peers[i] = (struct peer){ fds[i], fds[!i], &over };
		check_eq(pthread_create(&thread[i], NULL, ping, &peers[i]), 0);
	}
	for (round = 0; round < 100; round++) {
		pid_t pid = fork();

		if (!pid) {
			sleep_ns(100 * US);
			_exit(0);
		}
		check(pid > 0);
		fd = activations_open();
		/* the threads have the next tids, as nobody else forks here */
		for (i = 0; i < 8; i++)
			watch(fd, tid + i, i % 2 ? 20 * US : HOUR);
		watch(fd, pid, 20 * US);
		sleep_ns(MS);
		while (next(fd, &w))
			seen++;
		close(fd);
		check_eq(waitpid(pid, NULL, 0), pid);
	}
	over = true;
	for (i = 0; i < 2; i++)
		check_eq(pthread_join(thread[i], NULL), 0);
	check(seen > 100);
	note("%u activations", seen);
	monitor_off();
}

/* What one wake-up and the two switches of two threads that are not watched cost, in ns. */
static uint64_t round_trip(void)
{
	volatile bool over = false;
	int fds[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) }, i;
	struct peer peer = { fds[0], fds[1], &over };
	pthread_t thread;
	uint64_t began;

	check_eq(pthread_create(&thread, NULL, ping, &peer), 0);
	for (i = 0; i < 100; i++) {
		await_fd(fds[1]);
		signal_fd(fds[0]);
	}
	began = now_ns();
	for (i = 0; i < 1000; i++) {
		await_fd(fds[1]);
		signal_fd(fds[0]);
	}
	began = now_ns() - began;
	over = true;
	await_fd(fds[1]);
	signal_fd(fds[0]);
	check_eq(pthread_join(thread, NULL), 0);
	close(fds[0]);
	close(fds[1]);
	return began / 1000;
}

/* Threads that are not watched pay little for those that are. */
static void cost(void)
{
	uint64_t off, on, watched, open, own, after;
	struct actor a, b;
	int fd;

	needs_sizes();
	if (!deterministic())
		skip("needs a guest that counts instructions");
	pin(0);
	off = round_trip();
	fd = activations_open();
	on = round_trip();
	actor_start(&a, pooled);
	check_eq(watch(fd, a.tid, HOUR), 0);
	signal_fd(a.go);
	watched = round_trip();
	/* a window by START ends, and the activation of a watched thread is open meanwhile */
	napper_start(&b, fd, 4000 * MS);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(stop_window(fd), 0);
	sleep_ns(3000 * MS);
	open = round_trip();
	note("in an open activation of another thread %llu", (unsigned long long)open);
	check(open <= watched + 40);
	actor_join(&b);
	check_eq(watch(fd, getpid(), HOUR), 0);
	own = round_trip();
	note("two wake-ups and two switches: off %llu, monitor on %llu, another thread watched %llu, one of both %llu",
	     (unsigned long long)off, (unsigned long long)on, (unsigned long long)watched,
	     (unsigned long long)own);
	actor_end(&a);
	close(fd);
	/* the last watch has taken its probes along; the scheduler's own paths vary a little */
	after = round_trip();
	note("the monitor on again without a watch: %llu", (unsigned long long)after);
	check(after <= on + 40);
	/* for each wake-up and each switch */
	check(watched <= (after > on ? after : on) + 4UL * 22);
	unpin();
	monitor_off();
}

const struct test activation_tests[] = {
	{ "timed", timed, 0 }, { "first", first_one, 0 }, { "pool", pool, 0 },
	{ "clock_is_set", clock_is_set, 0 }, { "until", until, 0 },
	{ "profiled", profiled, 0 }, { "stopped", stopped, 0 }, { "inside", inside, 0 }, { "late", late, 0 }, { "errors", errors, 0 },
	{ "slots", slots, 0 }, { "storm", storm, 0 }, { "cost", cost, 0 },
	{ NULL, NULL, 0 }
};
