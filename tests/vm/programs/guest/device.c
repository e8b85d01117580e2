// SPDX-License-Identifier: GPL-2.0
/* /dev/tlob: what its callers, its readers and those who trace the monitor see. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define GROUP	"device"

#define MS	1000000ULL
#define HOUR	3600000000000ULL

/* In another pid namespace each file still shows the pids that its opener sees. */
TEST(pid_namespace)
{
	int fd = monitor_open(), inner;
	struct tlob_task_window w;
	struct tlob_event e;
	pid_t pid;

	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid < 0)
		skip("clone(CLONE_NEWPID): %s", strerror(errno));
	if (!pid) {
		check_eq(start_ns(fd, 1000, fd, 0), 0);
		check_errno(ioctl(fd, TLOB_IOC_STOP_NS, &w), EOVERFLOW);
		check(w.tid > 1 && w.tid == w.tgid);
		inner = open("/dev/tlob", O_RDWR);
		check(inner >= 0);
		check_eq(start_ns(inner, 1000, inner, 0), 0);
		check_errno(ioctl(inner, TLOB_IOC_TRACE_STOP), EOVERFLOW);
		check_eq(read(inner, &e, sizeof(e)), sizeof(e));
		check_eq(e.tid, 1);
		_exit(0);
	}
	reap(pid);
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	check_eq(e.tid, pid);
	close(fd);
	monitor_off();
}

#ifdef __x86_64__
/* ioctl(2) as a 32-bit program calls it. Returns 0 or -errno. */
static int ioctl32(int fd, unsigned int cmd, void *low)
{
	long ret = 54;		/* __NR_ioctl of i386 */

	asm volatile("int $0x80"
		     : "+a" (ret)
		     : "b" ((long)fd), "c" ((long)cmd), "d" (low)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

TEST(caller_of_32_bit)
{
	struct tlob_start *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
				    -1, 0);
	int fd = monitor_open();
	struct tlob_event e;

	check(s != MAP_FAILED);
	*s = (struct tlob_start) {
		.threshold_us = 1, .tag = 1ULL << 40, .notify_fd = fd,
	};
	check_eq(ioctl32(fd, TLOB_IOC_TRACE_START, s), 0);
	check_eq(ioctl32(fd, TLOB_IOC_TRACE_START, s), -EEXIST);
	check_eq(ioctl32(fd, TLOB_IOC_TRACE_STOP, NULL), -EOVERFLOW);
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	check_eq(e.tag, 1ULL << 40);
	close(fd);
	monitor_off();
}
#endif

static void *reads_until_over(void *fd)
{
	struct tlob_event e;

	return (void *)(intptr_t)read((int)(intptr_t)fd, &e, sizeof(e));
}

/* A reader is told that the monitor went off, and until its next window. */
TEST(reader_is_told)
{
	int fd = monitor_open(), idle = open("/dev/tlob", O_RDWR);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct tlob_event e;
	pthread_t thread;
	void *n;
	int i;

	check(idle >= 0);
	for (i = 0; i < 3; i++) {
		set("monitor_enable", "1");
		check_eq(start_ns(fd, 1000, fd, 0), 0);
		spin_ns(MS);
		check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
		check_eq(read(fd, &e, sizeof(e)), sizeof(e));
		check_eq(poll(&p, 1, 0), 0);
		check_eq(start_ns(fd, 3600 * (1000 * MS), fd, 0), 0);
		check_eq(pthread_create(&thread, NULL, reads_until_over,
					(void *)(intptr_t)fd), 0);
		sleep_ns(20 * MS);
		set("monitor_enable", "0");
		check_eq(pthread_join(thread, &n), 0);
		check_eq((intptr_t)n, 0);
		check_eq(poll(&p, 1, -1), 1);
		check_eq(p.revents, POLLHUP);
		/* a START that fails changes nothing */
		check_errno(start_ns(fd, 1000, fd, 0), ENODEV);
		check_eq(poll(&p, 1, 0), 1);
		check_eq(p.revents, POLLHUP);
	}
	/* one who never had a window waits for the first */
	p.fd = idle;
	check_eq(poll(&p, 1, 0), 0);
	close(idle);
	close(fd);
}

/* No key stands twice in the line of an event: who reads the text takes the first. */
TEST(keys_are_unique)
{
	static const char * const keys[] = {
		" cpu=", " on_cpu=", " off_cpu=", " wake_irq=", " work_irq=",
		" work_on_cpu=", " work_softirq=", " work_sleep=",
	};
	int fd = monitor_open();
	char line[4096];
	const char *p;
	size_t i;
	FILE *f;

	trace_on("tlob_budget_exceeded");
	check_eq(start_ns(fd, 1000, -1, 0), 0);
	spin_ns(MS);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
	f = fopen("/sys/kernel/tracing/instances/tlob-test/trace", "r");
	check(f);
	do {
		check(fgets(line, sizeof(line), f));
	} while (!strstr(line, " tlob_budget_exceeded: "));
	fclose(f);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		p = strstr(line, keys[i]);
		if (!p || strstr(p + 1, keys[i]))
			fail("%s%s", p ? "twice:" : "not there:", keys[i]);
	}
	check(!strstr(line, " irq="));
	trace_off();
	close(fd);
	monitor_off();
}

static long available_kib(void)
{
	char text[4096], *line;

	read_file("/proc/meminfo", text, sizeof(text));
	line = strstr(text, "MemAvailable:");
	check(line);
	return strtol(line + strlen("MemAvailable:"), NULL, 10);
}

/* Closing a file frees its ring: 2000 files in a loop keep no memory. */
TEST(files_in_a_loop)
{
	long before = available_kib(), least = before, kib;
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_EVENT };
	unsigned int i;
	int fd;

	set("monitor_enable", "1");
	for (i = 0; i < 2000; i++) {
		fd = open("/dev/tlob", O_RDWR);
		check(fd >= 0);
		check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
		/* with an unread event and an open window */
		check_eq(start_ns(fd, 1000, fd, 0), 0);
		check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
		check_eq(start_ns(fd, HOUR, fd, 0), 0);
		close(fd);
		kib = i % 100 ? least : available_kib();
		if (kib < least)
			least = kib;
	}
	note("%u files with %llu KiB each: at most %ld KiB less are there", i,
	     (unsigned long long)request.length / 1024, before - least);
	check(before - least < 32L * 1024);
	monitor_off();
}

/* The automaton's path through a sleep that outlives the budget. */
TEST(events)
{
	static const char * const way[] = {
		"unmonitored x start -> running",
		"running x sleep -> sleeping",
		"sleeping x budget_expired -> sleeping",
		"sleeping x wakeup -> waiting",
		"waiting x switch_in -> running",
		"running x stop -> unmonitored (final)",
	};
	int fd = monitor_open();
	unsigned int i;
	char line[128];

	trace_on("event_tlob");
	trace_on("error_tlob");
	trace_on("error_env_tlob");
	trace_on("detail_env_tlob");
	/* It sleeps when the budget ends: a host that stands still is late by less than that. */
	check_eq(start_ns(fd, 500 * MS, -1, 0), 0);
	sleep_ns(1500 * MS);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
	for (i = 0; i < sizeof(way) / sizeof(*way); i++) {
		snprintf(line, sizeof(line), " event_tlob: %d: %s", getpid(),
			 way[i]);
		if (!trace_lines(line))
			fail("no%s", line);
	}
	check_eq(trace_count("error_tlob"), 0);
	snprintf(line, sizeof(line),
		 " error_env_tlob: %d: event budget_expired not expected in the state sleeping with env elapsed=",
		 getpid());
	check_eq(trace_lines(line), 1);
	snprintf(line, sizeof(line), " detail_env_tlob: %d: threshold_ns=500000000 ",
		 getpid());
	check_eq(trace_lines(line), 1);
	trace_off();
	close(fd);
	monitor_off();
}
