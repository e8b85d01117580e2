// SPDX-License-Identifier: GPL-2.0
/*
 * Activations whose number and times are known: tests/cli/here.d/activations.sh watches them.
 *
 * Usage: activator MODE [N [PERIOD_NS [WORK_NS]]]
 *
 * It waits for a byte on stdin. Then it prints a line for each activation, by its own
 * CLOCK_MONOTONIC: when it was due, when it began to work, when the work was done. Modes:
 *
 *	period	sleeps until absolute times; an activation that comes late does not sleep
 *	move	the same, and moves to another CPU in the middle of each activation
 *	lock	waits for eventfds by epoll; each activation waits for a mutex with priority
 *		inheritance, which another thread holds for a while
 *	nap	the same twice in each activation, which then sleeps for longer than for each
 *	exec	after N activations it executes itself with the mode period
 *	chain	each activation wakes "hog", of a higher priority, on its own CPU. That works,
 *		then wakes "blip", which runs for a moment before the activation continues
 *	exit	a thread works N times, and exits in the middle of the next activation
 *	leave	the first thread exits after N activations; another one stays for a second
 *	realtime	sleeps by CLOCK_REALTIME, twice: 100 ms, and 2 s, in which the clock may be set
 *	restarted	polls N times for 30 ms, and is stopped and continued after 10 ms each time
 *	pass	this thread and another one, on two CPUs, wake each other N times
 *	blocked	a thread works N times, and sleeps; the first one waits for it since before the byte
 *	stall	after N activations it sleeps for 1000 s
 *	jobs	50 threads named "job", one after the other, with N activations each
 *	forks	the same, each in a child process
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct times {
	uint64_t due, began, ended;
};

static uint64_t period = 1000000, work = 50000;
static size_t n = 100;
static struct times *list;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t at)
{
	struct timespec t = { (time_t)(at / 1000000000), (long)(at % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void work_until(uint64_t at)
{
	while (now() < at)
		;
}

static void move(const cpu_set_t *all)
{
	int cpu = sched_getcpu(), i;
	cpu_set_t one;

	for (i = 1; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((cpu + i) % CPU_SETSIZE, all))
			break;
	CPU_ZERO(&one);
	CPU_SET((cpu + i) % CPU_SETSIZE, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void activations(int moves)
{
	uint64_t next = now() + period;
	cpu_set_t all;
	size_t i;

	sched_getaffinity(0, sizeof(all), &all);
	for (i = 0; i < n; i++, next += period) {
		sleep_until(next);
		list[i].due = next;
		list[i].began = now();
		work_until(list[i].began + work / 2);
		if (moves)
			move(&all);
		work_until(list[i].began + work);
		list[i].ended = now();
	}
}

static pthread_mutex_t mutex;
static pthread_barrier_t held;

static size_t rounds = 1;		/* of waiting for the mutex, in each activation */

/* Holds the mutex, and gives it back when the other thread waits for it. */
static void *holder(void *arg)
{
	int event = *(int *)arg;
	uint64_t one = 1;
	size_t i;

	for (i = 0; i < n * rounds; i++) {
		if (i % rounds == 0)
			usleep(rounds > 1 ? 8000 : 1000);
		pthread_mutex_lock(&mutex);
		if (i % rounds == 0 && write(event, &one, sizeof(one)) != sizeof(one))
			exit(1);
		pthread_barrier_wait(&held);
		usleep(2000);
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&held);
	}
	return NULL;
}

static void lock_loop(void)
{
	int event = eventfd(0, 0), epoll = epoll_create1(0);
	struct epoll_event e = { .events = EPOLLIN };
	pthread_mutexattr_t attr;
	uint64_t value;
	pthread_t t;
	size_t i, round;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &attr);
	pthread_barrier_init(&held, NULL, 2);
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &e);
	if (pthread_create(&t, NULL, holder, &event))
		exit(1);
	for (i = 0; i < n; i++) {
		if (epoll_wait(epoll, &e, 1, -1) != 1 || read(event, &value, sizeof(value)) < 0)
			exit(1);
		list[i].due = list[i].began = now();
		for (round = 0; round < rounds; round++) {
			pthread_barrier_wait(&held);
			pthread_mutex_lock(&mutex);
			list[i].ended = now();
			pthread_mutex_unlock(&mutex);
			pthread_barrier_wait(&held);
		}
		if (rounds > 1)
			usleep(2500);
	}
	pthread_join(t, NULL);
}

static int wake_hog, wake_blip;

static void pass(int event)
{
	uint64_t one = 1;

	if (write(event, &one, sizeof(one)) != sizeof(one))
		exit(1);
}

static void *runs_ahead(void *arg)
{
	int event = *(int *)arg;
	uint64_t value;

	pthread_setname_np(pthread_self(), event == wake_hog ? "hog" : "blip");
	while (read(event, &value, sizeof(value)) == sizeof(value)) {
		work_until(now() + (event == wake_hog ? work : 5000));
		if (event == wake_hog)
			pass(wake_blip);
	}
	return NULL;
}

static void start_ahead(int *event, int by)
{
	struct sched_param param;
	int policy, err;
	pthread_t t;

	*event = eventfd(0, 0);
	pthread_getschedparam(pthread_self(), &policy, &param);
	param.sched_priority += by;
	err = pthread_create(&t, NULL, runs_ahead, event);
	if (err || pthread_setschedparam(t, policy, &param))
		exit(1);
}

static void chain_loop(void)
{
	uint64_t next;
	cpu_set_t one;
	size_t i;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	start_ahead(&wake_hog, 2);
	start_ahead(&wake_blip, 1);
	next = now() + period;
	for (i = 0; i < n; i++, next += period) {
		sleep_until(next);
		list[i].due = next;
		list[i].began = now();
		pass(wake_hog);
		list[i].ended = now();
	}
}

static void *dying(void *arg)
{
	(void)arg;
	activations(0);
	sleep_until(now() + period);
	work_until(now() + work);
	return NULL;
}

static void sleep_by_the_clock(void)
{
	struct timespec t;
	size_t i;

	for (i = 0; i < n; i++) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += i ? 2 : 0;
		t.tv_nsec += i ? 0 : 100000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
		list[i].due = list[i].began = now();
		work_until(list[i].began + work);
		list[i].ended = now();
	}
}

/* A child of this process stops it. */
static void polls_with_stops(void)
{
	pid_t child, self = getpid();
	size_t i;

	for (i = 0; i < n; i++) {
		child = fork();
		if (!child) {
			usleep(10000);
			kill(self, SIGSTOP);
			usleep(1000);
			kill(self, SIGCONT);
			_exit(0);
		}
		list[i].due = list[i].began = list[i].ended = now();
		poll(NULL, 0, 30);
		waitpid(child, NULL, 0);
	}
}

static int turn[2];

static void *passes(void *arg)
{
	int me = *(int *)arg;
	uint64_t value;
	cpu_set_t one;
	size_t i;

	CPU_ZERO(&one);
	CPU_SET(me, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (i = 0; i < n; i++) {
		if (read(turn[me], &value, sizeof(value)) != sizeof(value))
			exit(1);
		pass(turn[!me]);
	}
	return NULL;
}

static void pass_loop(void)
{
	static int number[2] = { 0, 1 };
	pthread_t t;

	turn[0] = eventfd(1, 0);
	turn[1] = eventfd(0, 0);
	if (pthread_create(&t, NULL, passes, &number[1]))
		exit(1);
	passes(&number[0]);
	pthread_join(t, NULL);
}

static void print(void)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", list[i].due, list[i].began,
		       list[i].ended);
	fflush(stdout);
}

static void *works(void *arg)
{
	char c;

	(void)arg;
	if (read(0, &c, 1) != 1)
		exit(1);
	activations(0);
	print();
	sleep(1000);
	return NULL;
}

static void *staying(void *arg)
{
	pthread_join(*(pthread_t *)arg, NULL);
	sleep(1);
	exit(0);
}

#define JOBS	50

/* It is real-time if that is permitted. Its last activation ends, too. */
static void *job(void *arg)
{
	const struct sched_param param = { .sched_priority = 20 };

	(void)arg;
	prctl(PR_SET_NAME, "job");
	sched_setscheduler(0, SCHED_FIFO, &param);
	activations(0);
	usleep(100);
	print();
	return NULL;
}

static void jobs(int forks)
{
	pthread_t t;
	size_t i;

	for (i = 0; i < JOBS; i++) {
		if (forks && fork()) {
			wait(NULL);
			continue;
		}
		pthread_create(&t, NULL, job, NULL);
		pthread_join(t, NULL);
		if (forks)
			_exit(0);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	static pthread_t first;
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t t;
	char c;

	if (argc > 2)
		n = strtoull(argv[2], NULL, 10);
	if (argc > 3)
		period = strtoull(argv[3], NULL, 10);
	if (argc > 4)
		work = strtoull(argv[4], NULL, 10);
	list = calloc(n, sizeof(*list));
	if (list && !strcmp(mode, "blocked")) {
		pthread_create(&t, NULL, works, NULL);
		pthread_join(t, NULL);
	}
	if (!list || read(0, &c, 1) != 1)
		return 1;
	if (!strcmp(mode, "nap"))
		rounds = 2;
	if (!strcmp(mode, "jobs") || !strcmp(mode, "forks"))
		jobs(!strcmp(mode, "forks"));
	if (!strcmp(mode, "lock") || !strcmp(mode, "nap")) {
		lock_loop();
	} else if (!strcmp(mode, "chain")) {
		chain_loop();
	} else if (!strcmp(mode, "realtime")) {
		sleep_by_the_clock();
	} else if (!strcmp(mode, "restarted")) {
		polls_with_stops();
	} else if (!strcmp(mode, "pass")) {
		pass_loop();
	} else if (!strcmp(mode, "exit")) {
		pthread_create(&t, NULL, dying, NULL);
		pthread_join(t, NULL);
	} else {
		activations(!strcmp(mode, "move"));
	}
	print();
	if (!strcmp(mode, "stall"))
		sleep_until(now() + 1000 * 1000000000ULL);
	if (!strcmp(mode, "exec"))
		execl("/proc/self/exe", argv[0], "period", argv[2], NULL);
	if (!strcmp(mode, "leave")) {
		first = pthread_self();
		pthread_create(&t, NULL, staying, &first);
		pthread_exit(NULL);
	}
	return 0;
}
