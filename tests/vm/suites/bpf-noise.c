// SPDX-License-Identifier: GPL-2.0
/*
 * bpf-noise OFFSET MOST - a thread that takes the CPU on the grid of a run, without any module
 * bpf-noise tick - the period of the tick in ns
 * bpf-noise poll - each 4 ms, for longer than a tick: a system call that is preempted at its end only,
 *                  where the kernel is preempted at certain points only
 *
 * In the guest: a thread of FIFO 98 wakes OFFSET ns after each expiry and executes for a while,
 * until it is killed. The run's period is a tick and its phase 1 ms, so its expiries are known. The
 * time goes up to MOST ns in 100 steps and begins again, so any hundred windows in a row have the
 * same ones.
 */
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define PHASE	1000000
#define STEPS	100
#define FILES	1000000

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int poll_for_ever(void)
{
	const struct rlimit most = { FILES, FILES };
	const struct timespec pause = { .tv_nsec = 4000000 };
	static struct pollfd none[FILES];

	memset(none, -1, sizeof(none));
	if (setrlimit(RLIMIT_NOFILE, &most) || mlockall(MCL_CURRENT)) {
		perror("bpf-noise");
		return 1;
	}
	while (poll(none, FILES, 0) >= 0)
		nanosleep(&pause, NULL);
	perror("poll");
	return 1;
}

int main(int argc, char **argv)
{
	const struct sched_param fifo = { .sched_priority = 98 };
	uint64_t period, offset, most, at, began, i;
	struct timespec tick, until;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 1;
	if (argc == 2 && !strcmp(argv[1], "tick"))
		return printf("%ld\n", tick.tv_nsec) < 0;
	if (argc == 2 && !strcmp(argv[1], "poll"))
		return poll_for_ever();
	if (argc != 3)
		return 129;
	period = tick.tv_nsec;
	offset = strtoull(argv[1], NULL, 10);
	most = strtoull(argv[2], NULL, 10);
	if (sched_setscheduler(0, SCHED_FIFO, &fifo) || mlockall(MCL_CURRENT)) {
		perror("bpf-noise");
		return 1;
	}
	at = (now_ns() / period + 1) * period + PHASE + offset;
	for (i = 0;; i++, at += period) {
		until = (struct timespec){ .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		began = now_ns();
		while (now_ns() - began < most * (i % STEPS + 1) / STEPS)
			;
	}
}
