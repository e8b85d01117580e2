// SPDX-License-Identifier: GPL-2.0
/* Actors that use the wait profiler: all actors sleep, so all of them are measured. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "soak.h"

#define RECORDS		(64U << 10)	/* holds any record */
#define HELD		150		/* threads in recv() */

void act_waits(void)
{
	static const char * const good[] = {
		"on", "on threshold=1us", "on threshold=10ms", "on windows",
		"on threshold=1us windows", "on pids=1,2,3", "reset",
	};
	static const char * const bad[] = {
		"", "on threshold=1", "on threshold=999ns", "on pids=", "on pids=0", "off now",
		"on cgroup=nowhere",
	};
	uint64_t began;
	unsigned int i;
	int err;

	while (!shared->stop) {
		/* a task that owes a stack holds the module, and some task always does */
		if (shared->unloading) {
			write_file(control("waits"), "off");
			rest_at_gate();
		}
		i = rnd(sizeof(good) / sizeof(*good));
		began = now_us();
		count(WAITS_ON, write_file(control("waits"), good[i]));
		live_on(began, rnd(100000));
		i = rnd(sizeof(bad) / sizeof(*bad));
		err = write_file(control("waits"), bad[i]);
		if (!err)
			defect("waits took '%s'", bad[i]);
		if (!rnd(4))
			count(WAITS_OFF, write_file(control("waits"), "off"));
		sleep_us(rnd(20000));
	}
}

/* One record at @at, of @left bytes. Returns its size, 0 after a defect. */
static size_t look_at_record(const unsigned char *at, size_t left)
{
	struct tlob_wait_task task;
	uint16_t type, size;

	memcpy(&type, at, sizeof(type));
	memcpy(&size, at + sizeof(type), sizeof(size));
	if (left < 8 || size < 8 || size > left || size % 8 ||
	    type < TLOB_WAIT_STATUS || type > TLOB_WAIT_COPY) {
		defect("waits_records: type %u, size %u, %zu bytes left", type, size, left);
		return 0;
	}
	if (type == TLOB_WAIT_TASK) {
		memcpy(&task, at, sizeof(task));
		if (!task.id || task.blocked.max_ns > task.blocked.total_ns ||
		    task.runnable.max_ns > task.runnable.total_ns)
			defect("waits_records: task %u: id %llu, longest wait %llu of %llu ns", task.tid,
			       (unsigned long long)task.id, (unsigned long long)task.blocked.max_ns,
			       (unsigned long long)task.blocked.total_ns);
	}
	return size;
}

/* Reads a snapshot to its end or, now and then, leaves in the middle. */
static int read_records(void)
{
	static unsigned char buf[RECORDS];
	int fd = open(control("waits_records"), O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, at;
	size_t size;

	if (fd < 0)
		return -errno;
	while (rnd(64) && !shared->unloading) {
		n = read(fd, buf, RECORDS - rnd(RECORDS / 2));
		if (n <= 0)
			break;
		for (at = 0; at < n; at += (ssize_t)size) {
			size = look_at_record(buf + at, (size_t)(n - at));
			if (!size)
				break;
		}
	}
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

void act_wait_readers(void)
{
	static char text[STATUS_MAX];

	while (!shared->stop) {
		rest_at_gate();
		count(WAITS_RECORDS, read_records());
		count(WAITS_LIST, read_text(control("waits"), text, sizeof(text)));
		sleep_us(rnd(50000));
	}
}

static void *receive_all(void *arg)
{
	char buf[4096];

	recv(*(int *)arg, buf, sizeof(buf), MSG_WAITALL);
	return NULL;
}

/* Threads of a user wait again and again in one system call, so each owes its stacks for long. */
static void hold(void)
{
	static int ends[HELD][2];
	unsigned int n = rnd(4) ? 20 : HELD, i, rounds;
	pthread_attr_t attr;
	pthread_t thread;

	if (become_user())
		_exit(0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < n && !shared->unloading; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends[i]) ||
		    pthread_create(&thread, &attr, receive_all, &ends[i][0]))
			break;
	n = i;
	for (rounds = 1 + rnd(20); rounds && !shared->stop && !shared->unloading; rounds--) {
		for (i = 0; i < n; i++)
			send(ends[i][1], "", 1, 0);
		sleep_us(rnd(10000));
	}
	count(WAITS_HELD, n && !rounds ? 0 : -EINTR);
	_exit(0);
}

void act_held(void)
{
	while (!shared->stop) {
		pid_t pid;
		int st;

		rest_at_gate();
		pid = fork();
		if (!pid) {
			other_choices(getpid());
			hold();
		}
		waitpid(pid, &st, 0);
		live_on(now_us(), rnd(200000));
	}
}
