// SPDX-License-Identifier: GPL-2.0
/* The clock of what the hypervisor has stolen, when it becomes known late. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"

#define GROUP	"monitor"

#define INJECT_PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define MS	1000000ULL

static struct {
	int	fd, spins, over;
	struct tlob_task_window window;
} waiter;

static void *waits(void *arg)
{
	struct sched_param other = {};

	/* on CPU 0, as who starts it */
	check_eq(sched_setscheduler(0, SCHED_OTHER, &other), 0);
	check_eq(start_ns(waiter.fd, HOUR, -1, 0), 0);
	__atomic_store_n(&waiter.spins, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&waiter.over, __ATOMIC_ACQUIRE))
		;
	check_eq(ioctl(waiter.fd, TLOB_IOC_STOP_NS, &waiter.window), 0);
	return arg;
}

/*
 * Nothing is stolen from a task that waits for a CPU while its clock becomes known: so it is where a
 * CPU comes up, or where the thread of a run asks anew.
 */
TEST(stolen_before)
{
	char plan[64];
	pthread_t thread;

	if (access(INJECT_PLAN, F_OK))
		skip("needs tlob_inject");
	/* the monitor has asked before, when there was no clock */
	waiter.fd = monitor_open();
	pin(0);
	if (write_file(INJECT_PLAN, "steal 1"))
		skip("tlob_inject has no clock of stolen time here");
	snprintf(plan, sizeof(plan), "steal %llu %llu", (unsigned long long)now_ns() + MS, 20 * MS);
	check_eq(write_file(INJECT_PLAN, plan), 0);
	sleep_ns(50 * MS);

	check_eq(pthread_create(&thread, NULL, waits, NULL), 0);
	while (!__atomic_load_n(&waiter.spins, __ATOMIC_ACQUIRE))
		sleep_ns(MS);
	/* above the waiter, and below the run's thread */
	setup("kthread", "0", MS, MS, "none");
	enable();
	more_windows(0, 5);
	disable();
	__atomic_store_n(&waiter.over, 1, __ATOMIC_RELEASE);
	check_eq(pthread_join(thread, NULL), 0);
	unpin();
	check_task_window(&waiter.window);
	check(waiter.window.part_ns[TLOB_TASK_PART_WAITING] > 0);
	check_eq(waiter.window.part_ns[TLOB_TASK_PART_STEAL], 0);
	close(waiter.fd);
	monitor_off();
	check_eq(write_file(INJECT_PLAN, "steal 0"), 0);
}
