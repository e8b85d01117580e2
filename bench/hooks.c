// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what the module adds to a context switch, to an interrupt and to a wake-up on
 * CPU 0. In a deterministic guest a ns is an instruction. Needs tlob_load and
 * tests/modules/inject. Prints lines "SOURCE STATE switch-ns irq-ns wakeup-ns": the
 * differences to the state without the module's probes. SOURCE is the argument; osnoise
 * needs its tracer to be active.
 *
 *	not_measured	enabled, and no expiry armed on this CPU
 *	armed		a thread sleeps in read() of tlob_fd, its expiry is far
 *	open		a window is open, its thread sleeps in it
 *	timeline	the same with a timeline; not with osnoise, which has none
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "measure.h"

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

/* Without the module's probes. */
static struct {
	double of_switch, of_irq, of_wakeup;
} base;

static void report(const char *source, const char *state)
{
	double s = one_switch(NULL, NULL), t = one_irq(), w = one_wakeup();

	printf("%s %s %.1f %.1f %.1f\n", source, state, s - base.of_switch, t - base.of_irq,
	       w - base.of_wakeup);
}

static void in_window(const char *source, const char *state)
{
	pthread_t thread;

	put(CONTROL "enable", "1");
	pthread_create(&thread, NULL, measured, "open");
	usleep(1100000);
	report(source, state);
	if (write(pipes[1], "x", 1) != 1)
		die("pipe");
	pthread_join(thread, NULL);
	put(CONTROL "enable", "0");
}

int main(int argc, char **argv)
{
	const char *source = argc > 1 ? argv[1] : "hooks";
	pthread_t thread;

	pin();
	if (pipe(pipes))
		die("pipe");
	put(CONTROL "workload", "user");
	put(CONTROL "cpus", "0");
	put(CONTROL "period_ns", "1000000000");
	put(CONTROL "budget_ns", "10000000000");
	put(CONTROL "noise_source", source);
	/* twice, since the first time may allocate */
	one_switch(NULL, NULL);
	base.of_switch = one_switch(NULL, NULL);
	base.of_irq = one_irq();
	base.of_wakeup = one_wakeup();
	printf("%s none %.1f %.1f %.1f\n", source, base.of_switch, base.of_irq, base.of_wakeup);

	put(CONTROL "enable", "1");
	report(source, "not_measured");
	pthread_create(&thread, NULL, measured, "armed");
	usleep(1100000);	/* the first window has ended, and the next expiry is armed */
	report(source, "armed");
	pthread_join(thread, NULL);
	put(CONTROL "enable", "0");

	in_window(source, "open");
	if (!strcmp(source, "hooks")) {
		put(CONTROL "timeline", "1");
		in_window(source, "timeline");
		put(CONTROL "timeline", "0");
	}
	return 0;
}
