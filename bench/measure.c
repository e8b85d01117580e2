// SPDX-License-Identifier: GPL-2.0
/* See measure.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define SWITCHES	10000
#define IRQS		50
#define SERIES		20
#define WAKEUPS		100

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		strerror(errno));
	exit(1);
}

void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void pin(void)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(0, &mask);
	if (sched_setaffinity(0, sizeof(mask), &mask))
		die("sched_setaffinity");
}

void be(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		die("SCHED_FIFO");
}

struct around {
	void (*begin)(void);
	void (*end)(void);
};

static void *yield(void *arg)
{
	struct around *around = arg;
	int i;

	be(50);
	if (around->begin)
		around->begin();
	for (i = 0; i < SWITCHES; i++)
		sched_yield();
	if (around->end)
		around->end();
	return NULL;
}

double one_switch(void (*begin)(void), void (*end)(void))
{
	struct around around = { begin, end };
	pthread_t other;
	uint64_t start;
	int i;

	be(50);
	if (begin)
		begin();
	if (pthread_create(&other, NULL, yield, &around))
		die("thread");
	for (i = 0; i < 100; i++)
		sched_yield();	/* the other has started */
	start = now_ns();
	for (i = 0; i < SWITCHES / 2; i++)
		sched_yield();
	start = now_ns() - start;
	if (end)
		end();
	pthread_join(other, NULL);
	/* each turn is a switch to the other and one back */
	return (double)start / SWITCHES;
}

/* @arg is what it sleeps on. */
static void *sleeper(void *arg)
{
	int i;

	be(49);
	for (i = 0; i < WAKEUPS; i++)
		syscall(SYS_futex, arg, FUTEX_WAIT_PRIVATE, i, NULL, NULL, 0);
	return NULL;
}

double one_wakeup(void)
{
	uint64_t least = UINT64_MAX, now;
	int woken = 0, i;
	pthread_t other;

	be(50);
	if (pthread_create(&other, NULL, sleeper, &woken))
		die("thread");
	for (i = 1; i <= WAKEUPS; i++) {
		usleep(1000);	/* the other has gone to sleep */
		__atomic_store_n(&woken, i, __ATOMIC_RELAXED);
		now = now_ns();
		if (syscall(SYS_futex, &woken, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) != 1)
			die("nothing slept");
		now = now_ns() - now;
		least = now < least ? now : least;
	}
	pthread_join(other, NULL);
	return (double)least;
}

static double irqs_once(void)
{
	unsigned long long least = 0;
	char plan[32], line[32] = "";
	FILE *f;

	snprintf(plan, sizeof(plan), "self %d\n", IRQS);
	put(PLAN, plan);
	f = fopen(PLAN, "r");
	if (!f || !fgets(line, sizeof(line), f) || strncmp(line, "self ", 5))
		die(PLAN);
	fclose(f);
	least = strtoull(line + 5, NULL, 10);
	return (double)least;
}

/*
 * Measures in short series with sleep between. On PREEMPT_RT an interrupt that finds a softirq
 * pending wakes ksoftirqd, which costs 85 instructions. While this thread keeps the CPU, each
 * interrupt after the next tick finds one.
 */
double one_irq(void)
{
	double least = irqs_once(), now;
	int i;

	for (i = 0; i < SERIES; i++) {
		usleep(5000);
		now = irqs_once();
		least = now < least ? now : least;
	}
	return least;
}
