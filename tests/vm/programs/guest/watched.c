// SPDX-License-Identifier: GPL-2.0
/* Threads that tests watch, and the records of their activations. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../late_stack.h"
#include "guest.h"
#include "monitor.h"
#include "watched.h"

int watch_until(int fd, pid_t tid, uint64_t budget, const uint32_t *until, uint32_t n)
{
	struct tlob_watch w = {
		.tid = tid, .threshold_ns = budget, .tag = 42, .flags = TLOB_START_EVERY,
		.nr_until = n,
	};

	if (n)
		memcpy(w.until, until, n * sizeof(*until));
	return ioctl(fd, TLOB_IOC_WATCH, &w);
}

int watch(int fd, pid_t tid, uint64_t budget)
{
	return watch_until(fd, tid, budget, NULL, 0);
}

int activations_open(void)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_ACTIVATION };
	int fd = monitor_open();

	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

bool late_activation_next(int fd, struct tlob_late_activation *r)
{
	const struct tlob_task_activation *a = &r->activation;
	ssize_t n = read(fd, r, sizeof(*r));
	unsigned int i;

	if (n < 0) {
		check_eq(errno, EAGAIN);
		return false;
	}
	check_eq(n, sizeof(*r));
	check_task_window(&a->window);
	check_eq(a->timer_ns, a->window.part_ns[TLOB_TASK_PART_TIMER]);
	check(a->wake_ns <= a->window.elapsed_ns);
	check_eq(a->window.tag, 42);
	for (i = 0; i < TLOB_NR_LATE; i++)
		check(late_stack_is_right(r, i) && (!(r->looked & 1U << i) || r->late.at[i].pid > 0));
	return true;
}

bool activation_next(int fd, struct tlob_task_activation *a)
{
	struct tlob_late_activation r;
	bool there = late_activation_next(fd, &r);

	if (there)
		*a = r.activation;
	return there;
}

uint64_t activation_end(const struct tlob_task_activation *a)
{
	return a->window.start_ns + a->window.elapsed_ns;
}

void signal_fd(int fd)
{
	uint64_t one = 1;

	check_eq(write(fd, &one, sizeof(one)), sizeof(one));
}

uint64_t await_fd(int fd)
{
	uint64_t n;

	check_eq(read(fd, &n, sizeof(n)), sizeof(n));
	return n;
}

void actor_ready(struct actor *a)
{
	a->tid = (pid_t)syscall(SYS_gettid);
	signal_fd(a->ready);
	await_fd(a->go);
}

void actor_start(struct actor *a, void *(*run)(void *))
{
	memset(a, 0, sizeof(*a));
	a->ready = eventfd(0, EFD_CLOEXEC);
	a->go = eventfd(0, EFD_CLOEXEC);
	a->work = eventfd(0, EFD_CLOEXEC);
	check(a->ready >= 0 && a->go >= 0 && a->work >= 0);
	check_eq(pthread_create(&a->thread, NULL, run, a), 0);
	await_fd(a->ready);
	/* in await_fd(); a lock of the kernel's is another state */
	until_asleep(a->tid, "S");
}

void actor_join(struct actor *a)
{
	check_eq(pthread_join(a->thread, NULL), 0);
	/* it is joined before its exit has cut its window */
	while (!syscall(SYS_tgkill, getpid(), a->tid, 0))
		sleep_ns(MS);
	close(a->ready);
	close(a->go);
	close(a->work);
}

void sleep_until(uint64_t ns)
{
	struct timespec t = {
		.tv_sec = (time_t)(ns / (1000 * MS)), .tv_nsec = (long)(ns % (1000 * MS)),
	};

	check_eq(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL), 0);
}

void *periodic(void *arg)
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

void *pooled(void *arg)
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

void pooled_end(struct actor *a)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		signal_fd(a->work);
		sleep_ns(MS);
	}
	actor_join(a);
}

static void *napping(void *arg)
{
	struct actor *a = arg;

	actor_ready(a);
	sleep_ns(a->nap_ns);
	return NULL;
}

void napper_start(struct actor *a, int fd, uint64_t ns)
{
	static const uint32_t call = SYS_read;

	actor_start(a, napping);
	a->nap_ns = ns;
	check_eq(watch_until(fd, a->tid, HOUR, &call, 1), 0);
	signal_fd(a->go);
}
