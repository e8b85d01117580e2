// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what the monitor costs on CPU 0. In a deterministic guest a ns is an instruction.
 * Needs tlob_load and tests/modules/inject. Prints lines "WINDOWS WHAT ns". WINDOWS are open in
 * other tasks, which sleep (-1: the monitor is off).
 *
 *	syscall		an ioctl() that does nothing, a part of START and of STOP
 *	start_stop	START and STOP
 *	switch		a context switch between tasks without windows
 *	switch_own	a context switch between two tasks with a window each
 *	irq		an interrupt of a task without a window
 *	irq_own		an interrupt of a task with a window
 *	probes		a call of a function that is bound from its start to the function it calls;
 *			with the monitor off, the breakpoints alone
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "measure.h"

#define LOOPS	5000

static int fd;
static int go[2];

static void begin(void)
{
	/* nothing here may exceed the budget */
	struct tlob_start_ns s = {
		.threshold_ns = 3600000000000ULL, .notify_fd = -1,
	};

	if (ioctl(fd, TLOB_IOC_START_NS, &s))
		die("START");
}

static void end(void)
{
	if (ioctl(fd, TLOB_IOC_TRACE_STOP))
		die("STOP");
}

static void *sleeper(void *arg)
{
	char c;

	(void)arg;
	begin();
	if (read(go[0], &c, 1) != 0)
		die("pipe");
	return NULL;
}

static void report(int windows, const char *what, double ns)
{
	printf("%d %s %.1f\n", windows, what, ns);
}

static double loops(void (*once)(void))
{
	uint64_t start;
	int i;

	once();
	start = now_ns();
	for (i = 0; i < LOOPS; i++)
		once();
	return (double)(now_ns() - start) / LOOPS;
}

static void nothing(void)
{
	if (ioctl(fd, TLOB_IOC_STOP, NULL) != -1 || errno != ENOTTY)
		die("an unknown ioctl");
}

static void start_stop(void)
{
	begin();
	end();
}

/* The bound region: from the start of region() to region_end(). */
static __attribute__((noinline)) void region_end(void)
{
	asm volatile("");
}

static __attribute__((noinline)) void region(void)
{
	region_end();
	asm volatile("");
}

static uint64_t offset_of(void (*function)(void))
{
	unsigned long from, to, offset;
	uint64_t found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 &&
		    (uintptr_t)function >= from && (uintptr_t)function < to)
			found = (uintptr_t)function - from + offset;
	if (!found)
		die("/proc/self/maps");
	fclose(f);
	return found;
}

static void bind(void)
{
	char path[256], line[512];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		die("/proc/self/exe");
	path[n] = 0;
	snprintf(line, sizeof(line), "p:bench %s:%llu %llu threshold=3600000000000",
		 path, (unsigned long long)offset_of(region),
		 (unsigned long long)offset_of(region_end));
	put(CONTROL "monitor", line);
}

/* Without a free slot the binding would cost less, and measure nothing. */
static void check_bound(void)
{
	char line[512];
	FILE *f = fopen(CONTROL "monitor_stat", "r");

	if (!f || !fgets(line, sizeof(line), f) || !strstr(line, " no_slot=0 "))
		die("a start of the binding had no slot: load the module with more slots");
	fclose(f);
}

static void measure(int windows)
{
	report(windows, "probes", loops(region));
	check_bound();
	report(windows, "switch", one_switch(NULL, NULL));
	report(windows, "irq", one_irq());
	report(windows, "syscall", loops(nothing));
	if (windows < 0)
		return;
	report(windows, "start_stop", loops(start_stop));
	report(windows, "switch_own", one_switch(begin, end));
	begin();
	report(windows, "irq_own", one_irq());
	end();
}

/* Measures while @windows threads sleep in a window each. */
static void measure_beside(int windows)
{
	static pthread_t thread[1000];
	pthread_attr_t attr;
	int i;

	if (pipe(go))
		die("pipe");
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64UL * 1024);
	for (i = 0; i < windows; i++)
		if (pthread_create(&thread[i], &attr, sleeper, NULL))
			die("thread");
	usleep(200000);	/* all have started, and sleep */
	measure(windows);
	close(go[1]);
	for (i = 0; i < windows; i++)
		pthread_join(thread[i], NULL);
	close(go[0]);
}

int main(void)
{
	static const int windows[] = { 0, 1, 100, 1000 };
	unsigned int i;

	pin();
	fd = open("/dev/tlob", O_RDWR);
	if (fd < 0)
		die("/dev/tlob");
	bind();
	/* twice, since the first time may allocate */
	one_switch(NULL, NULL);
	measure(-1);
	put(CONTROL "monitor_enable", "1");
	for (i = 0; i < sizeof(windows) / sizeof(*windows); i++)
		measure_beside(windows[i]);
	put(CONTROL "monitor", "-:bench");
	return 0;
}
