// SPDX-License-Identifier: GPL-2.0
/* CPUs that the module leaves alone: no timer for later on an isolated one, and no interrupt for the monitor. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "isolated.h"
#include "monitor.h"

#define GROUP	"monitor_race"

#define CGROUP	"/tmp/tlob-cgroup2"
#define MIGRATION	"/proc/sys/kernel/timer_migration"
#define MS	1000000ULL

bool isolate(bool on)
{
	char text[64];

	if (!kernel_since(6, 12))
		skip("drivers are not told before Linux 6.12 which CPUs a cpuset isolates");
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		fail("cgroup2: %s", strerror(errno));
	if (!on)
		return !write_file(CGROUP "/iso/cpuset.cpus.partition", "member") &&
		       !rmdir(CGROUP "/iso");
	if (write_file(CGROUP "/cgroup.subtree_control", "+cpuset") ||
	    mkdir(CGROUP "/iso", 0700) ||
	    write_file(CGROUP "/iso/cpuset.cpus", "1") ||
	    write_file(CGROUP "/iso/cpuset.cpus.partition", "isolated"))
		return false;
	read_file(CGROUP "/iso/cpuset.cpus.partition", text, sizeof(text));
	return !strcmp(text, "isolated\n");
}

void isolated_enter(void)
{
	check_eq(write_file(CGROUP "/iso/cgroup.procs", "0"), 0);
	check_eq(sched_getcpu(), 1);
}

static pid_t on_isolated(void (*task)(int fd), int fd)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (pid)
		return pid;
	isolated_enter();
	task(fd);
	_exit(0);
}

/* The first window of all: the monitor looks later whether any is left. */
static void has_window(int fd)
{
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(stop_window(fd), 0);
}

/* Returns whether it has come. */
static bool until_line(const char *text)
{
	uint64_t limit = now_ns() + PATIENCE;

	while (!trace_lines(text))
		if (now_ns() > limit)
			return false;
		else
			sleep_ns(10 * MS);
	return true;
}

/*
 * No timer is armed there, and what is for later comes nevertheless. What expires there says nothing:
 * a CPU that is not idle expires the timers of those that are. The others hear of a failure too, so
 * the machine is as before by then.
 */
TEST_ON(later_off_isolated_cpu, 2)
{
	unsigned int armed, armed_there;
	char migration[16] = "";
	bool came;
	int fd;

	if (!isolate(true))
		skip("no cpuset can isolate a CPU here");
	if (!access(MIGRATION, F_OK)) {
		read_file(MIGRATION, migration, sizeof(migration));
		check_eq(write_file(MIGRATION, "0"), 0);
	}
	trace_on("hrtimer_start");
	trace_on("workqueue_queue_work");
	fd = monitor_open();
	reap(on_isolated(has_window, fd));
	came = until_line("function=tlob_unused");
	armed = trace_lines("function=tlob_later_due");
	armed_there = trace_lines_on(1, "function=tlob_later_due");
	close(fd);
	monitor_off();
	trace_off();
	if (*migration)
		check_eq(write_file(MIGRATION, migration), 0);
	check(isolate(false));
	check(came);
	check(armed > 0);
	check_eq(armed_there, 0);
}

/* No CPU is interrupted when the monitor is enabled beside a run, whose probes it shares. */
TEST_ON(enabled_beside_a_run, 2)
{
	int fd;

	if (access("/sys/kernel/tracing/events/csd/csd_queue_cpu", F_OK))
		skip("this kernel does not report who interrupts other CPUs");
	setup("kthread", "1", MS, MS, "none");
	check_eq(put("noise_source", "hooks"), 0);
	pin(0);
	enable();
	trace_on("csd_queue_cpu");
	fd = monitor_open();
	close(fd);
	monitor_off();
	check_eq(trace_lines("tlob_find_steal"), 0);
	disable();
	/* the end of the run's window is such an interrupt */
	check(trace_lines("tlob_window_kill") > 0);
	trace_off();
	unpin();
}
