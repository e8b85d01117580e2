// SPDX-License-Identifier: GPL-2.0
/*
 * The actor that watches the activations of any thread: all other actors with their windows,
 * regions and words, children that exit or execute at any moment, and threads of the kernel.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "../late_stack.h"
#include "soak.h"

/* Returns the last process that began, in any namespace; 0 without /proc. */
static pid_t youngest(void)
{
	char text[128] = "", *at;

	read_text("/proc/loadavg", text, sizeof(text));
	at = strrchr(text, ' ');
	return at ? (pid_t)strtol(at, NULL, 10) : 0;
}

/* An actor, one of the youngest children of the others, or any that exists or does not. */
static pid_t any_thread(void)
{
	pid_t last = youngest();

	switch (rnd(4)) {
	case 0:
		return 2 + (pid_t)rnd((unsigned int)last);
	case 1:
		return last - (pid_t)rnd(10);
	default:
		return getppid() + 1 + (pid_t)rnd(MAX_ACTORS / 2);
	}
}

/* A thread of the kernel makes no calls, and another actor may have switched the monitor off. */
static int watch_any(int fd)
{
	struct tlob_watch w = {
		.tid = any_thread(), .threshold_ns = 1000 + rnd(2000000),
		.flags = TLOB_START_EVERY,
		.until = { SYS_clock_nanosleep, SYS_nanosleep, SYS_wait4, SYS_read, SYS_futex },
		.nr_until = rnd(2) ? rnd(6) : 0,
	};

	return count(w.nr_until ? WATCH_UNTIL : WATCH,
		     ioctl(fd, TLOB_IOC_WATCH, &w) ? -errno : 0);
}

/* An entry of the ring that two activations had would have stacks of others, or none. */
static void check_late(const struct tlob_late_activation *r)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_LATE; i++)
		if (!late_stack_is_right(r, i))
			defect("activation %llu: stack %u of task %d has %lld bytes",
			       (unsigned long long)r->activation.nr, i, r->late.at[i].pid,
			       (long long)r->late.at[i].size);
}

/* Reads some of the records; the ring loses others. Returns how many, or -errno. */
static int read_activations(int fd)
{
	static struct tlob_late_activation record[64];
	ssize_t n = read(fd, record, sizeof(record));
	int i;

	if (n < 0)
		return -errno;
	for (i = 0; i < (int)(n / (ssize_t)sizeof(*record)); i++) {
		const struct tlob_task_activation *a = &record[i].activation;

		check_task_window(&a->window);
		if (a->timer_ns > a->window.part_ns[TLOB_TASK_PART_TIMER] +
				  a->window.part_ns[TLOB_TASK_PART_STEAL] ||
		    a->wake_ns > a->window.elapsed_ns)
			defect("activation %llu of %u ns: timer %llu, wake %llu",
			       (unsigned long long)a->nr, (unsigned int)a->window.elapsed_ns,
			       (unsigned long long)a->timer_ns,
			       (unsigned long long)a->wake_ns);
		check_late(&record[i]);
	}
	return i;
}

static void watch_some(int fd)
{
	struct tlob_ring_setup setup = { .format = TLOB_FORMAT_ACTIVATION };
	unsigned int n;
	int got;

	if (ioctl(fd, TLOB_IOC_RING, &setup))
		return;
	for (n = 1 + rnd(20); n && !shared->stop && !shared->unloading; n--) {
		watch_any(fd);
		watch_any(fd);
		sleep_us(rnd(10000));
		do {
			got = read_activations(fd);
			/* nothing yet, or the monitor went off */
			if (got)
				count(ACTIVATIONS, got < 0 ? got : 0);
		} while (got > 0);
	}
}

void act_watches(void)
{
	while (!shared->stop) {
		int fd;

		rest_at_gate();
		fd = open("/dev/tlob", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0) {
			sleep_us(20000);
			continue;
		}
		watch_some(fd);
		close(fd);
		live_on(now_us(), rnd(100000));
	}
}
