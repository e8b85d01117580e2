// SPDX-License-Identifier: GPL-2.0
/* Programs run through bindings while readers listen to them and root removes them. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"

#define GROUP	"uprobe_live"

#define MS	1000000ULL
#define US	1000ULL

static struct program self;

static int listen_to(int fd, const char *name, unsigned int flags)
{
	struct tlob_listen l = { .flags = flags };

	snprintf(l.name, sizeof(l.name), "%s", name);
	return ioctl(fd, TLOB_IOC_LISTEN, &l);
}

static void expect_record(int fd, unsigned int flags)
{
	struct tlob_task_window w;

	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_task_window(&w);
	check_eq(w.flags & ~TLOB_TASK_INEXACT, flags);
	check(!strcmp(w.binding, "outer"));
	check_eq(w.tag, self.outer[0]);
	check_eq(w.tid, getpid());
}

static void expect_none(int fd)
{
	struct tlob_task_window w;

	check_errno(read(fd, &w, sizeof(w)), EAGAIN);
}

/* The budget of 100 us ends in the sleep, before the stop. */
static void too_slow(void)
{
	self.outer_start();
	sleep_ns(MS);
	self.outer_stop();
}

/* A file's ring gets a binding's windows until the file or the binding goes. */
TEST(listens)
{
	struct tlob_listen bad = { .reserved = 1 };
	int fd = monitor_open_windows(), other = monitor_open_windows();

	this_program(&self);
	check_errno(listen_to(fd, "outer", 0), ENOENT);
	check_errno(listen_to(fd, "", 0), ENOENT);
	bind_region("", &self, self.inner, HOUR);
	check_errno(listen_to(fd, "", 0), ENOENT);
	bind_region("outer", &self, self.outer, 100 * US);
	check_errno(listen_to(fd, "outer", 2), EINVAL);
	check_errno(ioctl(fd, TLOB_IOC_LISTEN, &bad), EINVAL);
	memset(&bad, 'x', sizeof(bad.name));
	bad.reserved = 0;
	check_errno(ioctl(fd, TLOB_IOC_LISTEN, &bad), EINVAL);

	too_slow();
	expect_none(fd);
	check_eq(listen_to(fd, "outer", 0), 0);
	check_errno(listen_to(other, "outer", 0), EBUSY);
	too_slow();
	expect_record(fd, TLOB_TASK_VIOLATION);
	expect_none(fd);
	/* the window's end also has a record */
	check_eq(listen_to(fd, "outer", TLOB_START_EVERY), 0);
	too_slow();
	expect_record(fd, TLOB_TASK_VIOLATION);
	expect_record(fd, TLOB_TASK_VIOLATION | TLOB_TASK_ENDED);
	expect_none(fd);
	expect_none(other);

	/* an open window keeps the ring of a closed file */
	self.outer_start();
	close(fd);
	sleep_ns(MS);
	check_eq(listen_to(other, "outer", 0), 0);
	self.outer_stop();
	expect_none(other);
	too_slow();
	expect_record(other, TLOB_TASK_VIOLATION);
	set("monitor", "-:outer");
	bind_region("outer", &self, self.outer, 100 * US);
	too_slow();
	expect_none(other);
	close(other);
	monitor_off();
}

static void outer_region(void)
{
	self.outer_start();
	self.outer_stop();
}

static volatile bool over;

static void *run_regions(void *cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(*(const int *)cpu, &mask);
	check(!sched_setaffinity(0, sizeof(mask), &mask));
	while (!over)
		outer_region();
	return NULL;
}

static pthread_t runner[2];

/* A thread on each CPU runs through the outer region in a loop. */
static void runners_start(void)
{
	static int cpus[] = { 0, 1 };
	int i;

	this_program(&self);
	set("monitor_enable", "1");
	for (i = 0; i < 2; i++)
		check(!pthread_create(&runner[i], NULL, run_regions, &cpus[i]));
}

static void runners_stop(void)
{
	over = true;
	check(!pthread_join(runner[0], NULL));
	check(!pthread_join(runner[1], NULL));
}

/*
 * The binding is removed and added while both CPUs run through it. Another one stays, which
 * nobody hits: when a process has lost its last uprobe, the kernel takes a breakpoint that
 * was executed just before for the process's own, and sends SIGTRAP.
 */
TEST_ON(removal, 2)
{
	uint64_t hits = 0, end = now_ns() + 10000 * MS;
	unsigned int i;

	this_program(&self);
	bind_region("stays", &self, self.inner, HOUR);
	runners_start();
	/* longer on a busy host */
	for (i = 0; i < 5 || now_ns() < end || !hits; i++) {
		bind_region("outer", &self, self.outer,
			    i & 1 ? HOUR : US);
		sleep_ns(5 * MS);
		hits += bound("outer", "hits");
		check_eq(bound("outer", "no_slot"), 0);
		set("monitor", "-:outer");
		/* no window outlives its binding */
		check_eq(monitor_stat("used"), 0);
	}
	runners_stop();
	note("removed %u times, %" PRIu64 " hits", i, hits);
	monitor_off();
}

/* The binding's ring comes and goes with its file while both CPUs write to it. */
TEST_ON(listening, 2)
{
	uint64_t records = 0, end = now_ns() + 5000 * MS;
	struct tlob_task_window w;
	unsigned int i, n;
	int fd;

	runners_start();
	bind_region("outer", &self, self.outer, HOUR);
	/* longer on a busy host */
	for (i = 0; i < 5 || now_ns() < end || !records; i++) {
		fd = monitor_open_windows();
		check_eq(listen_to(fd, "outer", TLOB_START_EVERY), 0);
		sleep_ns(5 * MS);
		/* at most 100: two threads may write faster than this one reads */
		for (n = 0; n < 100 && read(fd, &w, sizeof(w)) == sizeof(w); n++)
			check_task_window(&w);
		records += n;
		close(fd);
	}
	runners_stop();
	note("listened %u times, %" PRIu64 " records", i, records);
	monitor_off();
}

/* Removing a binding ends the window of a task in the region; the task continues. */
TEST(removal_inside)
{
	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	self.outer_start();
	check_eq(monitor_stat("used"), 1);
	set("monitor", "-:outer");
	check_eq(monitor_stat("used"), 0);
	self.outer_stop();
	bind_region("outer", &self, self.outer, HOUR);
	self.outer_stop();
	outer_region();
	check_bound("outer", 1, 0, 1);
	monitor_off();
}
