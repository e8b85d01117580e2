// SPDX-License-Identifier: GPL-2.0
/* Several tasks with windows wait for one CPU. */
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
#define US	1000ULL
#define MS	1000000ULL

static struct {
	int	fd, over;
	struct tlob_task_window window;
} waiter;

static void become(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	check_eq(sched_setscheduler(0, SCHED_FIFO, &param), 0);
}

static void *waits(void *arg)
{
	become(10);
	check_eq(start_ns(waiter.fd, HOUR, -1, 0), 0);
	while (!__atomic_load_n(&waiter.over, __ATOMIC_ACQUIRE))
		;
	check_eq(ioctl(waiter.fd, TLOB_IOC_STOP_NS, &waiter.window), 0);
	return arg;
}

/* It waits for the CPU also, and gets it first. */
static void *comes_between(void *arg)
{
	become(60);
	check_eq(start_ns(waiter.fd, HOUR, -1, 0), 0);
	sleep_ns(4 * MS);
	check_eq(stop_window(waiter.fd), 0);
	return arg;
}

static void *has_the_cpu(void *arg)
{
	become(50);
	spin_ns(20 * MS);
	return arg;
}

/* An interrupt in a wait counts as irq. It still does after another task waited for the same CPU. */
TEST(irqs_of_each_wait)
{
	pthread_t thread[3];
	char plan[64];
	unsigned int i;

	if (!deterministic() || access(INJECT_PLAN, F_OK))
		skip("needs a guest that counts instructions, and tlob_inject");
	needs_sizes();
	waiter.fd = monitor_open();
	pin(0);
	check_eq(pthread_create(&thread[0], NULL, waits, NULL), 0);
	sleep_ns(2 * MS);
	check_eq(pthread_create(&thread[1], NULL, comes_between, NULL), 0);
	check_eq(pthread_create(&thread[2], NULL, has_the_cpu, NULL), 0);
	snprintf(plan, sizeof(plan), "irq %llu %llu", (unsigned long long)now_ns() + 10 * MS, 500 * US);
	check_eq(write_file(INJECT_PLAN, plan), 0);
	sleep_ns(30 * MS);
	__atomic_store_n(&waiter.over, 1, __ATOMIC_RELEASE);
	for (i = 0; i < sizeof(thread) / sizeof(*thread); i++)
		check_eq(pthread_join(thread[i], NULL), 0);
	unpin();
	check_task_window(&waiter.window);
	check(waiter.window.part_ns[TLOB_TASK_PART_WAITING] > 10 * MS);
	note("irq %llu ns", (unsigned long long)waiter.window.part_ns[TLOB_TASK_PART_IRQ]);
	check(waiter.window.part_ns[TLOB_TASK_PART_IRQ] > 500 * US);
	close(waiter.fd);
	monitor_off();
}
