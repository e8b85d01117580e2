// SPDX-License-Identifier: GPL-2.0
/*
 * What the module adds to a context switch and to an interrupt on CPU 0, in
 * ns, which are instructions in a deterministic guest. Needs tlob_load and
 * tests/inject. Prints lines "SOURCE STATE switch-ns irq-ns", the differences
 * to the state without the module's probes; SOURCE is the argument, and for
 * osnoise the tracer must be active already.
 *
 *	not_measured	enabled, and nothing armed on this CPU
 *	armed		a thread sleeps in read() of tlob_fd, its expiry is far
 *	open		a window is open, its thread sleeps in it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/tlob.h>

#define CONTROL	"/sys/kernel/debug/tlob_load/"
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define SWITCHES	10000
#define TICKS		2000
#define TICK_NS		20000

static void die(const char *what)
{
	fprintf(stderr, "hooks: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void be(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		die("SCHED_FIFO");
}

static void *yield(void *arg)
{
	int i;

	(void)arg;
	be(50);
	for (i = 0; i < SWITCHES; i++)
		sched_yield();
	return NULL;
}

/* ns for a switch between two threads that yield to each other. */
static double one_switch(void)
{
	pthread_t other;
	uint64_t start;
	int i;

	be(50);
	if (pthread_create(&other, NULL, yield, NULL))
		die("thread");
	for (i = 0; i < 100; i++)
		sched_yield();	/* the other has started */
	start = now_ns();
	for (i = 0; i < SWITCHES / 2; i++)
		sched_yield();
	start = now_ns() - start;
	pthread_join(other, NULL);
	/* each turn is a switch to the other and one back */
	return (double)start / SWITCHES;
}

/* ns that a fixed number of instructions takes while the ticks come. */
static double one_tick(void)
{
	char plan[64];
	uint64_t start;
	unsigned int n;

	snprintf(plan, sizeof(plan), "ticks %d %d\n", TICKS, TICK_NS);
	put(PLAN, plan);
	start = now_ns();
	for (n = TICKS * TICK_NS / 2; n; n--)
		asm volatile("" : : "r" (n));
	return (double)(now_ns() - start) / TICKS;
}

static int pipes[2];

/* A user thread in the state @arg: "armed" or "open". */
static void *measured(void *arg)
{
	int fd = open(CONTROL "per_cpu/cpu0/tlob_fd", O_RDONLY);
	struct tlob_window w;
	char c;

	be(95);
	if (fd < 0)
		die("tlob_fd");
	if (read(fd, &w, sizeof(w)) != sizeof(w))
		die("read");
	if (!strcmp(arg, "armed")) {
		if (read(fd, &w, sizeof(w)) != sizeof(w))
			die("read");
	} else if (read(pipes[0], &c, 1) != 1) {
		die("pipe");
	}
	close(fd);
	return NULL;
}

static void report(const char *source, const char *state, double base_switch,
		   double base_tick)
{
	double s = one_switch(), t = one_tick();

	printf("%s %s %.1f %.1f\n", source, state, s - base_switch,
	       t - base_tick);
}

int main(int argc, char **argv)
{
	const char *source = argc > 1 ? argv[1] : "hooks";
	double base_switch, base_tick;
	pthread_t thread;
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(0, &mask);
	sched_setaffinity(0, sizeof(mask), &mask);
	if (pipe(pipes))
		die("pipe");
	put(CONTROL "workload", "user");
	put(CONTROL "cpus", "0");
	put(CONTROL "period_ns", "1000000000");
	put(CONTROL "budget_ns", "10000000000");
	put(CONTROL "noise_source", source);
	/* twice: the first time warms nothing up, but may allocate */
	one_switch();
	base_switch = one_switch();
	base_tick = one_tick();
	printf("%s none %.1f %.1f\n", source, base_switch, base_tick);

	put(CONTROL "enable", "1");
	report(source, "not_measured", base_switch, base_tick);
	pthread_create(&thread, NULL, measured, "armed");
	usleep(1100000);	/* the first window is open and ended: armed */
	report(source, "armed", base_switch, base_tick);
	pthread_join(thread, NULL);
	put(CONTROL "enable", "0");

	put(CONTROL "enable", "1");
	pthread_create(&thread, NULL, measured, "open");
	usleep(1100000);
	report(source, "open", base_switch, base_tick);
	if (write(pipes[1], "x", 1) != 1)
		die("pipe");
	pthread_join(thread, NULL);
	put(CONTROL "enable", "0");
	return 0;
}
