// SPDX-License-Identifier: GPL-2.0
/* /dev/tlob: budgets that a thread puts on itself, and what its states are charged. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define MS	1000000ULL
#define US	1000ULL

int monitor_open(void)
{
	int fd;

	set("monitor_enable", "1");
	fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail("/dev/tlob: %s", strerror(errno));
	return fd;
}

int monitor_open_windows(void)
{
	struct tlob_ring_setup setup = { .format = TLOB_FORMAT_WINDOW };
	int fd = monitor_open();

	check_eq(ioctl(fd, TLOB_IOC_RING, &setup), 0);
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

int start_ns(int fd, uint64_t ns, int notify, unsigned int flags)
{
	struct tlob_start_ns s = {
		.threshold_ns = ns, .tag = 42, .notify_fd = notify,
		.flags = flags,
	};

	return ioctl(fd, TLOB_IOC_START_NS, &s);
}

static int start_us(int fd, uint64_t us, int notify, uint64_t tag)
{
	struct tlob_start s = {
		.threshold_us = us, .tag = tag, .notify_fd = notify,
	};

	return ioctl(fd, TLOB_IOC_TRACE_START, &s);
}

static int stop(int fd)
{
	return ioctl(fd, TLOB_IOC_TRACE_STOP);
}

void check_task_window(const struct tlob_task_window *w)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	check_eq(w->version, TLOB_EVENT_VERSION);
	check_eq(w->size, sizeof(*w));
	check_eq(sum, w->elapsed_ns);
	check_eq(w->errors, 0);
	if (deterministic())
		check_eq(w->flags & TLOB_TASK_INEXACT, 0);
	check_eq(!!(w->flags & TLOB_TASK_VIOLATION),
		 w->elapsed_ns > w->threshold_ns);
}

uint64_t monitor_stat(const char *field)
{
	static char buf[65536];
	char key[64], *line, *p;

	read_file(tlob_path("status"), buf, sizeof(buf));
	line = strstr(buf, "monitor: ");
	check(line);
	line[strcspn(line, "\n")] = 0;
	snprintf(key, sizeof(key), " %s=", field);
	p = strstr(line, key);
	if (!p)
		fail("no %s in %s", field, line);
	return strtoull(p + strlen(key), NULL, 10);
}

void monitor_off(void)
{
	set("monitor_enable", "0");
	check_eq(monitor_stat("used"), 0);
	check_eq(monitor_stat("sum_failures"), 0);
	check_eq(monitor_stat("errors"), 0);
}

/* Each error, with nothing left behind. */
static void errors(void)
{
	int fd, other = open("/dev/null", O_RDWR), i;
	struct tlob_start s = { .threshold_us = 1000, .notify_fd = -1 };
	struct tlob_start_ns ns = { .threshold_ns = 1000, .notify_fd = -1 };

	set("monitor_enable", "0");
	fd = open("/dev/tlob", O_RDWR);
	check(fd >= 0);
	check_errno(start_us(fd, 1000, -1, 0), ENODEV);
	check_errno(stop(fd), ESRCH);
	set("monitor_enable", "1");
	set("monitor_enable", "1");
	check(!strcmp(get("monitor_enable"), "1"));
	check_eq(put("monitor_enable", "2"), -EINVAL);

	check_errno(stop(fd), ESRCH);
	check_errno(start_us(fd, 0, -1, 0), EINVAL);
	s.flags = 1;
	check_errno(ioctl(fd, TLOB_IOC_TRACE_START, &s), EINVAL);
	ns.flags = 2;
	check_errno(ioctl(fd, TLOB_IOC_START_NS, &ns), EINVAL);
	check_errno(start_us(fd, 3600000001ULL, -1, 0), ERANGE);
	check_errno(start_us(fd, UINT64_MAX, -1, 0), ERANGE);
	check_errno(start_ns(fd, UINT64_MAX, -1, 0), ERANGE);
	check_errno(start_ns(fd, 3600000000001ULL, -1, 0), ERANGE);
	check_errno(start_ns(fd, 999, -1, 0), ERANGE);
	check_errno(start_ns(fd, 0, -1, 0), EINVAL);
	check_errno(start_us(fd, 1000, other, 0), EINVAL);
	check_errno(start_us(fd, 1000, 999, 0), EBADF);
	check_errno(start_us(fd, 1000, -2, 0), EBADF);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_START, (void *)8), EFAULT);
	check_errno(ioctl(fd, TLOB_IOC_STOP, NULL), ENOTTY);
	check_eq(monitor_stat("used"), 0);

	/* the longest, and a second while it is open, on whatever file */
	check_eq(start_us(fd, 3600000000ULL, -1, 0), 0);
	check_errno(start_us(fd, 1000, -1, 0), EEXIST);
	i = open("/dev/tlob", O_RDWR);
	check_errno(start_us(i, 1000, -1, 0), EEXIST);
	check_errno(stop(i), ESRCH);
	close(i);
	check_eq(monitor_stat("used"), 1);
	check_eq(stop(fd), 0);
	check_errno(stop(fd), ESRCH);
	/* a record that cannot be stored: the window ended */
	check_eq(start_us(fd, 1000, -1, 0), 0);
	check_errno(ioctl(fd, TLOB_IOC_STOP_NS, (void *)8), EFAULT);
	check_errno(stop(fd), ESRCH);
	close(fd);
	monitor_off();
}

/* Windows within the budget and over it, told by STOP, the ring and the event. */
static void verdicts(void)
{
	struct tlob_event e;
	int fd = monitor_open();

	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	trace_on("tlob_budget_exceeded");
	check_eq(start_us(fd, 1000000, fd, 7), 0);
	check_eq(stop(fd), 0);
	check_errno(read(fd, &e, sizeof(e)), EAGAIN);
	check_errno(read(fd, &e, sizeof(e) - 1), EINVAL);
	check_eq(trace_count("tlob_budget_exceeded"), 0);

	check_eq(start_us(fd, 500, fd, 8), 0);
	spin_ns(2 * MS);
	/* at the moment, not at the end */
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	check_eq(e.tid, getpid());
	check_eq(e.pad, 0);
	check_eq(e.threshold_us, 500);
	check_eq(e.state, TLOB_TASK_RUNNING);
	check_eq(e.tag, 8);
	check(e.on_cpu_us + e.off_cpu_us >= 499);
	if (deterministic()) {
		check(e.on_cpu_us >= 500 && e.on_cpu_us < 510);
		check_eq(e.off_cpu_us, 0);
		check_eq(e.switches, 0);
	}
	check_errno(stop(fd), EOVERFLOW);
	/* once */
	check_errno(read(fd, &e, sizeof(e)), EAGAIN);
	check_eq(trace_count("tlob_budget_exceeded"), 1);
	trace_off();
	close(fd);
	monitor_off();
}

const struct test monitor_tests[] = {
	{ "errors", errors, 0 },
	{ "verdicts", verdicts, 0 },
	{ NULL, NULL, 0 },
};
