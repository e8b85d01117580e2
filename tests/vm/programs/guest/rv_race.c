// SPDX-License-Identifier: GPL-2.0
/*
 * RV and monitor_enable switch the monitor on and off at once, on two CPUs. Meanwhile RV changes
 * its reactor and its switches, and tasks violate budgets. lockdep judges the order of RV's lock
 * and ours.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"
#include "rv.h"

#define GROUP	"rv_race"

#define US	1000ULL
#define SECONDS	5
#define WORKERS	4
#define RV	"/sys/kernel/tracing/rv/"
#define TLOB	RV "monitors/tlob/"

static bool over;
static unsigned int violations;

/* A file, and two texts that are written to it in turn. */
struct toggle {
	const char *path, *text[2];
	uint64_t pause_ns;
};

static void *toggle(void *arg)
{
	const struct toggle *t = arg;
	unsigned int i;
	int err;

	for (i = 0; !__atomic_load_n(&over, __ATOMIC_RELAXED); i++) {
		err = write_file(t->path, t->text[i % 2]);
		if (err)
			fail("%s: %s", t->path, strerror(-err));
		sleep_ns(t->pause_ns);
	}
	return NULL;
}

static void *work(void *arg)
{
	unsigned int seed = *(unsigned int *)arg;
	struct tlob_task_window w;
	int fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);

	check(fd >= 0);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		if (start_ns(fd, 1000 + rand_r(&seed) % (500 * US), -1, 0)) {
			check_eq(errno, ENODEV);
			sleep_ns(100 * US);
			continue;
		}
		if (rand_r(&seed) % 2)
			sleep_ns(rand_r(&seed) % (500 * US));
		else
			spin_ns(rand_r(&seed) % (500 * US));
		if (!ioctl(fd, TLOB_IOC_STOP_NS, &w))
			continue;
		/* over its budget, or taken away */
		check(errno == EOVERFLOW || errno == ESRCH);
		if (errno == EOVERFLOW)
			__atomic_fetch_add(&violations, 1, __ATOMIC_RELAXED);
	}
	close(fd);
	return NULL;
}

TEST_ON(switches, 2)
{
	struct toggle files[] = {
		{ tlob_path("monitor_enable"), { "1", "0" }, 700 * US },
		{ TLOB "enable", { "1", "0" }, 900 * US },
		{ TLOB "reactors", { "printk", "nop" }, 2100 * US },
		{ RV "monitoring_on", { "0", "1" }, 1500 * US },
	};
	pthread_t toggles[4], workers[WORKERS];
	unsigned int seed[WORKERS], i;

	if (access(TLOB "reactors", F_OK))
		skip("no rv/monitors/tlob/reactors: a module, or a kernel without RV");
	for (i = 0; i < 4; i++)
		check_eq(pthread_create(&toggles[i], NULL, toggle, &files[i]),
			 0);
	for (i = 0; i < WORKERS; i++) {
		seed[i] = i;
		check_eq(pthread_create(&workers[i], NULL, work, &seed[i]), 0);
	}
	sleep(SECONDS);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++)
		pthread_join(toggles[i], NULL);
	for (i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	note("%u violations", violations);
	check(violations);
	rv_off();
	monitor_off();
}
