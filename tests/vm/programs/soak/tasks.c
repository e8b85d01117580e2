// SPDX-License-Identifier: GPL-2.0
/* Actors around the monitor: tasks with budgets, bindings, words, on and off. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "../guest/file_offset.h"
#include "soak.h"

static int sys(long ret)
{
	return ret < 0 ? -errno : 0;
}

void check_task_window(const struct tlob_task_window *w)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	if (sum != w->elapsed_ns || w->errors)
		defect("a window of %llu ns has parts of %llu, %u errors",
		       (unsigned long long)w->elapsed_ns,
		       (unsigned long long)sum, w->errors);
}

static __attribute__((noinline)) void region_end(void)
{
	asm volatile("");
}

__attribute__((noinline)) void task_region(void)
{
	sleep_us(rnd(300));
	region_end();
	asm volatile("");
}

/* Budgets from a tenth of the work that follows to much more, on any CPU. */
static void budgeted(void)
{
	static uint32_t words[8];
	struct tlob_enable e = {
		.addr = (uintptr_t)&words[rnd(8)], .bit = rnd(32),
	};
	int fd = open("/dev/tlob", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct tlob_task_window_wait wait = { 0 };
	struct tlob_task_window_functions record;
	struct tlob_task_window w;
	unsigned int n;
	size_t size;
	int err;

	if (count(DEV_OPEN, sys(fd)))
		_exit(0);
	size = rnd(2) && !functions_ring(fd) ? sizeof(record) : sizeof(w);
	count(REGISTER, sys(ioctl(fd, TLOB_IOC_REGISTER, &e)));
	for (n = rnd(50); n && !shared->stop && !shared->unloading; n--) {
		struct tlob_start_ns s = {
			.threshold_ns = 1000 + rnd(2000000),
			.notify_fd = fd, .flags = TLOB_START_EVERY,
		};

		count(DEV_START, sys(ioctl(fd, TLOB_IOC_START_NS, &s)));
		make_calls();
		task_region();
		pin(rnd(cpus));
		if (!rnd(10))
			continue;	/* the next START finds it open */
		if (rnd(2)) {
			err = sys(ioctl(fd, TLOB_IOC_STOP_NS, &w));
		} else {
			err = sys(ioctl(fd, TLOB_IOC_STOP_WAIT, &wait));
			w = wait.window;
		}
		if (!err || err == -EOVERFLOW)
			check_task_window(&w);
		count(DEV_STOP, err == -EOVERFLOW ? 0 : err);
		while (read(fd, &record, size) == (ssize_t)size) {
			check_task_window(&record.window);
			if (size == sizeof(record))
				check_task_functions(&record);
		}
	}
	_exit(0);
}

void act_tasks(void)
{
	while (!shared->stop) {
		pid_t pid;
		int st;

		rest_at_gate();
		if (access("/dev/tlob", F_OK)) {
			sleep_us(20000);
			continue;
		}
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			other_choices(getpid());
			budgeted();
		}
		if (rnd(2)) {
			sleep_us(rnd(50000));
			kill(pid, SIGKILL);
		}
		waitpid(pid, &st, 0);
		sleep_us(rnd(50000));
	}
}

int bind_region(const char *name, const char *file)
{
	char exe[4096], line[sizeof(exe) + 128];
	uint64_t from = file_offset(task_region, exe), to = file_offset(region_end, exe);

	if (!from || !to) {
		defect("the region is not in /proc/self/maps");
		return -ENOEXEC;
	}
	snprintf(line, sizeof(line), "p:%s %s:%llu %llu threshold=100000", name, file ? file : exe,
		 (unsigned long long)from, (unsigned long long)to);
	return write_file(control("monitor"), line);
}

/* Binds and unbinds a region while the tasks above run through it. */
void act_bindings(void)
{
	while (!shared->stop) {
		uint64_t began = now_us();

		if (!count(BIND, bind_region("soak", NULL)))
			live_on(now_us(), rnd(100000));
		count(UNBIND, write_file(control("monitor"), "-:soak"));
		rest_at_gate();
		/* a breakpoint takes grace periods to come and go */
		live_on(began, 0);
	}
}

void act_monitor(void)
{
	uint64_t began;

	while (!shared->stop) {
		if (access(control("monitor_enable"), F_OK))
			sleep_us(20000);
		began = now_us();
		count(MONITOR_ON, write_file(control("monitor_enable"), "1"));
		live_on(began, rnd(300000));
		count(MONITOR_OFF, write_file(control("monitor_enable"), "0"));
		rest_at_gate();
		sleep_us(rnd(30000));
	}
}

/* A window that is stopped at about the time that its budget ends. */
static int short_budget(int fd, enum action action, int stop_on)
{
	struct tlob_start_ns s = { .threshold_ns = 1000 + rnd(200000), .notify_fd = -1 };
	int err;

	err = count(action, sys(ioctl(fd, TLOB_IOC_START_NS, &s)));
	if (stop_on >= 0)
		pin(stop_on);
	else
		task_region();
	if (!err)
		ioctl(fd, TLOB_IOC_TRACE_STOP);
	return err;
}

/*
 * On PREEMPT_RT a real-time task's window has another timer than the others'. A window that is
 * stopped on another CPU gives its slot away while its timer may still run, and the next window
 * there has the same slot and the other timer.
 */
void act_timers(void)
{
	static const struct sched_param fifo = { .sched_priority = 10 }, other;
	unsigned int n;
	int fd, err;

	while (!shared->stop) {
		rest_at_gate();
		fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
		if (fd < 0) {
			sleep_us(20000);
			continue;
		}
		for (n = 20; n && !shared->stop && !shared->unloading; n--) {
			err = short_budget(fd, OTHER_BUDGET, (int)rnd(cpus));
			sched_setscheduler(0, SCHED_FIFO, &fifo);
			short_budget(fd, RT_BUDGET, rnd(2) ? -1 : (int)rnd(cpus));
			sched_setscheduler(0, SCHED_OTHER, &other);
			/* the monitor is off */
			if (err)
				break;
		}
		close(fd);
		/* as many as these are the load of a whole CPU otherwise */
		live_on(now_us(), 100000 + rnd(400000));
	}
}
