// SPDX-License-Identifier: GPL-2.0
/*
 * bpf-activations N OUT - a periodic thread, and what the kernel's own events say of it
 * bpf-activations trip - prints the ns of two wake-ups and two switches between this thread and
 *                        another one: the median, and those that 5 and 90 % do not exceed. Then the
 *                        median by which a sleep is too long, with one timer, wake-up and switch
 * bpf-activations between - this thread works for 30 ms. Another process has its CPU from 2 ms on. A
 *                        second thread comes between at 6 ms, and an irq of 500 us at 12 ms
 *
 * bpf-activations kernel - another thread, "holder", has an rt_mutex of the kernel's for 20 ms. This
 *                        one asks for it 5 ms later
 *
 * Waits for a byte on stdin. With N it sleeps N times until an absolute time, 2 ms apart, and works
 * for 100 us. Each line of OUT has the times of an activation in ns of CLOCK_MONOTONIC: due,
 * sched_waking, switched in, began and ended by its own clock, switched out to sleep; and how often
 * it was preempted, and for how long.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "sched_events.h"

#define MS	1000000UL
#define PERIOD	2000000
#define WORK	100000
#define TASK_INTERRUPTIBLE	1UL	/* of prev_state */

struct times {
	uint64_t due, began, ended;
};

void fail_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

void read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (n < 0)
		fail("cannot read %s", path);
	buf[n] = 0;
	close(fd);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void activations(struct times *t, unsigned int n)
{
	uint64_t next = now() + PERIOD;
	struct timespec at;
	unsigned int i;

	for (i = 0; i < n; i++, next += PERIOD) {
		at.tv_sec = (time_t)(next / 1000000000);
		at.tv_nsec = (long)(next % 1000000000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		t[i].due = next;
		t[i].began = now();
		while (now() < t[i].began + WORK)
			;
		t[i].ended = now();
	}
}

/* The first event of @kind from @at on that is about this thread: it is woken or comes, or it @leaves. */
static size_t find(const struct sched_events *e, size_t at, enum sched_event_kind kind, bool leaves)
{
	for (; at < e->n; at++)
		if (e->event[at].kind == kind &&
		    (kind == SCHED_SWITCH && !leaves ? e->event[at].next : e->event[at].tid) == getpid())
			return at;
	fail("only %zu events", e->n);
}

/* Writes the line of the activation whose events begin at @at. Returns where they end. */
static size_t write_line(FILE *f, const struct sched_events *e, size_t at, const struct times *t)
{
	uint64_t woken, came, left, away = 0;
	unsigned int preempted = 0;

	/* a lock that sleeps on PREEMPT_RT may have woken it before */
	while (at < e->n && e->event[at].ns < t->due)
		at++;
	at = find(e, at, SCHED_WAKING, false);
	woken = e->event[at].ns;
	at = find(e, at, SCHED_SWITCH, false);
	came = e->event[at].ns;
	at = find(e, at, SCHED_SWITCH, true);
	for (; !(e->event[at].state & TASK_INTERRUPTIBLE); preempted++) {
		left = e->event[at].ns;
		at = find(e, at, SCHED_SWITCH, false);
		away += e->event[at].ns - left;
		at = find(e, at, SCHED_SWITCH, true);
	}
	fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %" PRIu64 "\n",
		t->due, woken, came, t->began, t->ended, e->event[at].ns, preempted, away);
	return at;
}

#define TRIPS	2000
#define WARM	200

static void pass(int from, int to)
{
	uint64_t one = 1;

	check(read(from, &one, sizeof(one)) == sizeof(one));
	check(write(to, &one, sizeof(one)) == sizeof(one));
}

static void *peer(void *arg)
{
	int *fds = arg, i;

	for (i = 0; i < WARM + TRIPS; i++)
		pass(fds[0], fds[1]);
	return NULL;
}

static int smaller(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median: attach itself also runs now and then. */
static uint64_t too_long(void)
{
	static uint64_t took[TRIPS];
	uint64_t due = now();
	struct timespec at;
	int i;

	for (i = 0; i < TRIPS; i++) {
		due += MS;
		at.tv_sec = (time_t)(due / 1000000000);
		at.tv_nsec = (long)(due % 1000000000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		took[i] = now() - due;
	}
	qsort(took, TRIPS, sizeof(*took), smaller);
	return took[TRIPS / 2];
}

static int trip(void)
{
	int fds[2] = { eventfd(0, 0), eventfd(1, 0) }, i;
	static uint64_t took[WARM + TRIPS];
	uint64_t began;
	pthread_t t;

	check(!pthread_create(&t, NULL, peer, fds));
	for (i = 0; i < WARM + TRIPS; i++) {
		began = now();
		pass(fds[1], fds[0]);
		took[i] = now() - began;
	}
	qsort(took + WARM, TRIPS, sizeof(*took), smaller);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", took[WARM + TRIPS / 2],
	       took[WARM + TRIPS / 20], took[WARM + TRIPS * 9 / 10], too_long());
	return pthread_join(t, NULL);
}

static uint64_t begins;			/* of @between */

static void until(uint64_t ns, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	const struct timespec at = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	check(!sched_setscheduler(0, SCHED_FIFO, &param));
	check(!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL));
}

static void work_until(uint64_t ns)
{
	while (now() < ns)
		;
}

/* Another process: it is not watched. */
static pid_t has_the_cpu(void)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (pid)
		return pid;
	until(begins + 2 * MS, 50);
	work_until(begins + 25 * MS);
	_exit(0);
}

static void *comes_between(void *arg)
{
	char c;

	check(read(0, &c, 1) == 1);
	begins = now() + 50 * MS;
	check(write(*(int *)arg, &begins, sizeof(begins)) == sizeof(begins));
	until(begins + 6 * MS, 60);
	work_until(begins + 7 * MS);
	until(begins + 40 * MS, 60);
	return NULL;
}

static int between(void)
{
	int go = eventfd(0, 0), plan = open("/sys/kernel/debug/tlob_inject/plan", O_WRONLY);
	pthread_t third;
	uint64_t at;
	char text[64];
	pid_t pid;

	check(plan >= 0 && !pthread_create(&third, NULL, comes_between, &go));
	check(read(go, &at, sizeof(at)) == sizeof(at));
	pid = has_the_cpu();
	snprintf(text, sizeof(text), "irq %" PRIu64 " 500000", begins + 12 * MS);
	check(write(plan, text, strlen(text)) == (ssize_t)strlen(text));
	until(begins, 10);
	work_until(begins + 30 * MS);
	/* the end of the activation */
	until(begins + 35 * MS, 10);
	return pthread_join(third, NULL) || waitpid(pid, NULL, 0) != pid;
}

static void ask(const char *command)
{
	int fd = open("/sys/kernel/debug/tlob_inject/sleep", O_WRONLY);

	check(fd >= 0 && write(fd, command, strlen(command)) == (ssize_t)strlen(command));
	close(fd);
}

static void *holds(void *unused)
{
	(void)unused;
	pthread_setname_np(pthread_self(), "holder");
	ask("hold rt_mutex 20000000");
	return NULL;
}

static int kernel_lock(void)
{
	pthread_t holder;

	check(!pthread_create(&holder, NULL, holds, NULL));
	usleep(5000);
	ask("take rt_mutex");
	/* the end of the activation */
	usleep(5000);
	return pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
	unsigned int n = argc == 3 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0, i;
	struct times *t = calloc(n + 1, sizeof(*t));
	struct sched_events e;
	size_t at = 0;
	FILE *f;
	char c;

	if (argc == 2 && !strcmp(argv[1], "between")) {
		free(t);
		return between();
	}
	check(t && read(0, &c, 1) == 1);
	if (argc == 2) {
		free(t);
		return strcmp(argv[1], "kernel") ? trip() : kernel_lock();
	}
	check(n);
	f = fopen(argv[2], "w");
	check(f);
	sched_events_begin(&e, 0);
	/* the last one ends with the events: it is not asked for */
	activations(t, n + 1);
	sched_events_end(&e);
	for (i = 0; i < n; i++)
		at = write_line(f, &e, at, &t[i]);
	free(t);
	return fclose(f) ? 1 : 0;
}
