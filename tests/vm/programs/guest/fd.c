// SPDX-License-Identifier: GPL-2.0
/* tlob_fd: each state and each error of docs/reference/kernel-interface.md. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>

#include "guest.h"

#define GROUP	"fd"

#define MS	1000000ULL

static struct tlob_window w;
/* volatile, or the compiler warns of the bad address. */
static void *volatile bad_address = (void *)1;

static int try_open(int cpu, int flags)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/cpu%d/tlob_fd", cpu);
	return open(tlob_path(name), flags | O_CLOEXEC);
}

/* The budget is long enough for a slow guest. */
static void start_user(void)
{
	setup("user", "0", MS, 10000 * MS, "none");
	enable();
	pin(0);
}

static int start_window(void)
{
	int fd;

	start_user();
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(w.flags, TLOB_WINDOW_NONE);
	return fd;
}

TEST(open_not_enabled)
{
	pin(0);
	check_errno(try_open(0, O_RDONLY), ENODEV);
}

TEST(open_kthread_workload)
{
	setup("kthread", "0", MS, MS, "none");
	enable();
	pin(0);
	check_errno(try_open(0, O_RDONLY), EINVAL);
}

TEST(open_nonblock)
{
	start_user();
	check_errno(try_open(0, O_RDONLY | O_NONBLOCK), EINVAL);
}

TEST(open_not_pinned)
{
	start_user();
	unpin();
	if (cpus_online() < 2)
		skip("on one CPU every thread is pinned to it");
	check_errno(try_open(0, O_RDONLY), EPERM);
	pin(1);
	check_errno(try_open(0, O_RDONLY), EPERM);
}

TEST_ON(open_not_measured, 2)
{
	start_user();
	pin(1);
	check_errno(try_open(1, O_RDONLY), ENODEV);
}

TEST(open_held)
{
	int fd;

	start_user();
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_errno(try_open(0, O_RDONLY), EBUSY);
	close(fd);
	close(open_cpu(0, "tlob_fd", O_RDONLY));
}

TEST(read_short)
{
	char buf[sizeof(w)];
	int fd = start_window();

	check_errno(read(fd, buf, sizeof(w) - 1), EINVAL);
	check_errno(read(fd, buf, 0), EINVAL);
	/* and the window continues */
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
}

/* A deadline thread that gives up its runtime waits for the next period since it asked to, not by a limit. */
TEST(yields_its_runtime)
{
	/* struct sched_attr: the size and SCHED_DEADLINE; runtime, deadline and period come last */
	const uint64_t edf[6] = { 6ULL << 32 | sizeof(edf), 0, 0, 2 * MS, 20 * MS, 20 * MS };
	int fd;

	if (cpus_online() > 1)
		skip("no SCHED_DEADLINE thread is pinned to one of several CPUs");
	fd = start_window();
	check_eq(syscall(SYS_sched_setattr, 0, edf, 0), 0);
	sched_yield();
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check(w.response_ns > 2 * MS);
	check(!(w.flags & TLOB_WINDOW_THROTTLED));
}

/* The next read() returns the record that could not be stored. */
TEST(read_fault)
{
	int fd = start_window();
	uint64_t missed;

	spin_ns(200000);
	check_errno(read(fd, bad_address, sizeof(w)), EFAULT);
	sleep_ns(3 * MS);
	check_errno(read(fd, bad_address, sizeof(w)), EFAULT);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check(w.response_ns > 200000);
	if (deterministic())
		check(w.response_ns < MS);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	missed = w.missed;
	check(missed >= 3);
	close(fd);
	disable();
	check_expiries(0);
}

TEST(stop_fault)
{
	int fd = start_window();
	uint64_t activation;

	check_errno(ioctl(fd, TLOB_IOC_STOP, NULL), EFAULT);
	check_errno(ioctl(fd, TLOB_IOC_STOP, &w), ESRCH);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check(w.flags & TLOB_WINDOW_STOPPED);
	activation = w.activation;
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check(w.activation > activation);
	close(fd);
	disable();
	check_expiries(0);
}

TEST(stop_states)
{
	int fd;

	start_user();
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_errno(ioctl(fd, TLOB_IOC_STOP, &w), ESRCH);
	check_errno(ioctl(fd, _IO(TLOB_IOC_MAGIC, 99), &w), ENOTTY);
	check_errno(write(fd, &w, 1), EBADF);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(ioctl(fd, TLOB_IOC_STOP, &w), 0);
	check_window(&w);
	check_eq(w.flags, TLOB_WINDOW_STOPPED);
}

/*
 * STOP judges by its own reading of the clock, even when the budget's timer comes later. The
 * windows end around the budget, and STOP's verdict is always the record's.
 */
TEST(stop_over_budget)
{
	int fd, i, over = 0;

	needs_sizes();
	setup("user", "0", MS, 300000, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	for (i = 0; i < 400; i++) {
		int ret;

		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		/* 280 us + 0 ... 40 us: both verdicts come */
		spin_ns(280000 + i * 100);
		errno = 0;
		ret = ioctl(fd, TLOB_IOC_STOP, &w);
		check_window(&w);
		check_eq(ret, w.response_ns > w.budget_ns ? -1 : 0);
		check_eq(errno, ret ? EOVERFLOW : 0);
		over += !!ret;
	}
	if (deterministic())
		check(over > 50 && over < 350);
	close(fd);
	disable();
	check_eq(status(0, "violations"), over);
	check_expiries(0);
	note("%d of 400 ends were over the budget", over);
}

TEST(fork_reads)
{
	int fd = start_window();
	pid_t pid = fork();

	if (!pid) {
		check_errno(read(fd, &w, sizeof(w)), EPERM);
		check_errno(ioctl(fd, TLOB_IOC_STOP, &w), EPERM);
		_exit(0);
	}
	reap(pid);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
}

static void *thread_reads(void *arg)
{
	check_errno(read(*(int *)arg, &w, sizeof(w)), EPERM);
	return NULL;
}

TEST(other_thread_reads)
{
	int fd = start_window();
	pthread_t thread;

	check(!pthread_create(&thread, NULL, thread_reads, &fd));
	pthread_join(thread, NULL);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
}

/* The opener's exit ends the window, though a fork holds the file. */
TEST(exit_with_fork)
{
	int pipes[2], fd = -1;
	uint64_t until;
	pid_t pid;

	setup("user", "0", MS, MS, "none");
	enable();
	check(!pipe(pipes));
	pid = fork();
	if (!pid) {
		pin(0);
		fd = open_cpu(0, "tlob_fd", O_RDONLY);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		if (!fork()) {
			char c;

			unpin();
			close(pipes[1]);
			/* until the test closes its end */
			_exit(read(pipes[0], &c, 1) < 0);
		}
		_exit(0);
	}
	check_eq(waitpid(pid, NULL, 0), pid);
	check(strstr(get("enable"), "1"));
	pin(0);
	check_eq(status(0, "aborted"), 1);
	check_errno(try_open(0, O_RDONLY), EBUSY);
	close(pipes[0]);
	close(pipes[1]);
	/* once the last holder is gone, the CPU is free */
	until = now_ns() + PATIENCE;
	do {
		sleep_ns(10 * MS);
		fd = try_open(0, O_RDONLY);
	} while (fd < 0 && errno == EBUSY && now_ns() < until);
	check(fd >= 0);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check(w.missed > 0);
	close(fd);
	disable();
	check_no_defect(0);
	check_expiries(0);
}

TEST(killed_in_read)
{
	pid_t pid;
	int i;

	setup("user", "0", 100 * MS, MS, "none");
	enable();
	for (i = 0; i < 5; i++) {
		pid = fork();
		if (!pid) {
			int fd;

			pin(0);
			fd = open_cpu(0, "tlob_fd", O_RDONLY);
			for (;;)
				if (read(fd, &w, sizeof(w)) < 0)
					_exit(1);
		}
		sleep_ns(60 * MS * i);
		kill(pid, SIGKILL);
		check_eq(waitpid(pid, NULL, 0), pid);
	}
	pin(0);
	close(open_cpu(0, "tlob_fd", O_RDONLY));
	disable();
	check_expiries(0);
}

/* At the end of a run a reader that sleeps gets ENODEV, and poll() gives POLLHUP. */
TEST(disable_wakes)
{
	struct pollfd p = { .events = POLLIN };
	int fd, up[2];
	pid_t pid;
	char c = 0;

	check_eq(pipe(up), 0);
	setup("user", "0", 1000 * MS, 1000 * MS, "none");
	enable();
	pid = fork();
	if (!pid) {
		pin(0);
		fd = open_cpu(0, "tlob_fd", O_RDONLY);
		p.fd = fd;
		check_eq(poll(&p, 1, 0), 0);
		check_eq(write(up[1], &c, 1), 1);
		/* an expiry may come before the run ends */
		while (read(fd, &w, sizeof(w)) == sizeof(w))
			;
		check_eq(errno, ENODEV);
		check_eq(poll(&p, 1, 0), 1);
		check_eq(p.revents, POLLHUP);
		check_errno(read(fd, &w, sizeof(w)), ENODEV);
		check_errno(ioctl(fd, TLOB_IOC_STOP, &w), ENODEV);
		_exit(0);
	}
	check_eq(read(up[0], &c, 1), 1);
	until_asleep(pid, "SD");
	disable();
	reap(pid);
}

/* An ended run's file stays refused in the next run, and holds nothing. */
TEST(old_fd_in_new_run)
{
	int old = start_window(), fd;

	disable();
	enable();
	check_errno(read(old, &w, sizeof(w)), ENODEV);
	check_errno(ioctl(old, TLOB_IOC_STOP, &w), ENODEV);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_errno(read(old, &w, sizeof(w)), ENODEV);
	close(old);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	close(fd);
	disable();
	check_expiries(0);
}

/*
 * A read() waits in a page fault while its run ends and another begins. It must not arm the
 * new run's CPU, nor take the windows of the new owner.
 */
static int fault_fd;
static void *fault_page;

static void *read_into_fault(void *arg)
{
	(void)arg;
	pin(0);
	fault_fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_errno(read(fault_fd, fault_page, sizeof(w)), ENODEV);
	check_errno(read(fault_fd, &w, sizeof(w)), ENODEV);
	return NULL;
}

static void fault_across_runs(bool new_owner)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { 0 };
	struct uffdio_zeropage zero = { 0 };
	long size = sysconf(_SC_PAGESIZE);
	int fd = -1, uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	pthread_t thread;

	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api))
		skip("no userfaultfd: %s", strerror(errno));
	fault_page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)fault_page;
	reg.range.len = size;
	reg.mode = UFFDIO_REGISTER_MODE_MISSING;
	check(!ioctl(uffd, UFFDIO_REGISTER, &reg));

	setup("user", "0", MS, MS, "none");
	enable();
	check(!pthread_create(&thread, NULL, read_into_fault, NULL));
	check(poll(&p, 1, PATIENCE / MS) == 1 && p.revents == POLLIN);
	disable();
	enable();
	if (new_owner) {
		pin(0);
		fd = open_cpu(0, "tlob_fd", O_RDONLY);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	}
	zero.range = reg.range;
	check(!ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
	check(!pthread_join(thread, NULL));
	if (new_owner) {
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
	} else {
		sleep_ns(20 * MS);
		check_eq(status(0, "expiries"), 0);
	}
	disable();
	check_expiries(0);
}

TEST(fault_into_next_run)
{
	fault_across_runs(false);
}

TEST(fault_with_new_owner)
{
	fault_across_runs(true);
}

/* Expiries between a close and the next open are missed; those after the last close are not. */
TEST(missed_between_opens)
{
	int fd = start_window();
	uint64_t expiries;

	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	close(fd);
	sleep_ns(20 * MS);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	/* all since the last record, which another file has read */
	check(w.missed >= 20);
	close(fd);
	expiries = status(0, "expiries");
	sleep_ns(20 * MS);
	disable();
	check_eq(status(0, "expiries"), expiries);
	check_eq(status(0, "windows"), 2);
	check_expiries(0);
}

TEST(map_page)
{
	long size = sysconf(_SC_PAGESIZE);
	struct tlob_fd_page *page;
	int fd, i;
	uint64_t before;

	start_user();
	fd = open_cpu(0, "tlob_fd", O_RDWR);
	check_errno((long)mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0),
		    EINVAL);
	check_errno((long)mmap(NULL, size, PROT_READ, MAP_SHARED, fd, size),
		    EINVAL);
	check_errno((long)mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, fd, 0),
		    EINVAL);
	check_errno((long)mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0), EPERM);
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	check(page != MAP_FAILED);
	check_errno(mprotect(page, size, PROT_READ | PROT_WRITE), EACCES);
	for (i = 0; i < 10; i++) {
		before = *(volatile __u64 *)&page->interference;
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		/* at least the timer's interrupt; it may come before the sleep */
		check(*(volatile __u64 *)&page->interference > before);
	}
	close(fd);
	disable();
	/* the mapping outlives the file, the run and the next enable */
	before = *(volatile __u64 *)&page->interference;
	enable();
	disable();
	check_eq(*(volatile __u64 *)&page->interference, before);
	munmap(page, size);

	/* a read-only mapping needs no write access */
	enable();
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	check(page != MAP_FAILED);
	check_errno(mprotect(page, size, PROT_READ | PROT_WRITE), EACCES);
	munmap(page, size);
	close(fd);
}
