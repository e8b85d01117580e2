// SPDX-License-Identifier: GPL-2.0
/* Windows end with their task, their file and the monitor; a user may have a limited number. */
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define MS	1000000ULL
#define HOUR	3600000000000ULL
#define SLOTS	1024		/* the module's default */
#define PER_USER	64	/* the same */

/*
 * Up to 6.15 the kernel gives up a task's memory before it tells the monitor of the exit.
 * A thread that waits for the exit may therefore still find the window.
 */
static void check_none_used(void)
{
	unsigned int i;

	for (i = 0; i < 100 && monitor_stat("used"); i++)
		sleep_ns(10 * MS);
	check_eq(monitor_stat("used"), 0);
}

/* Threads that start a window each and keep it until they are let go. */
struct crowd {
	int fd;
	unsigned int started, refused;
	int refusal;			/* errno of the last */
	pthread_barrier_t begun, go;
};

static void *one_of_crowd(void *arg)
{
	struct crowd *c = arg;

	if (!start_ns(c->fd, HOUR, -1, 0)) {
		__atomic_fetch_add(&c->started, 1, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_add(&c->refused, 1, __ATOMIC_RELAXED);
		c->refusal = errno;
	}
	pthread_barrier_wait(&c->begun);
	pthread_barrier_wait(&c->go);
	return NULL;
}

/* @n threads start a window each on @fd; then @meanwhile runs, and they exit. */
static void crowd(struct crowd *c, int fd, unsigned int n,
		  void (*meanwhile)(struct crowd *c))
{
	pthread_t *thread = calloc(n, sizeof(*thread));
	pthread_attr_t attr;
	unsigned int i;

	memset(c, 0, sizeof(*c));
	c->fd = fd;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64UL * 1024);
	pthread_barrier_init(&c->begun, NULL, n + 1);
	pthread_barrier_init(&c->go, NULL, n + 1);
	for (i = 0; i < n; i++)
		check_eq(pthread_create(&thread[i], &attr, one_of_crowd, c), 0);
	pthread_barrier_wait(&c->begun);
	if (meanwhile)
		meanwhile(c);
	pthread_barrier_wait(&c->go);
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

static void close_crowd(struct crowd *c)
{
	uint64_t before = monitor_stat("cut");

	check_eq(monitor_stat("used"), c->started);
	close(c->fd);
	check_none_used();
	check_eq(monitor_stat("cut"), before + c->started);
}

/* Closing a file ends the windows of all threads that use it. */
static void close_33(void)
{
	struct crowd c;

	crowd(&c, monitor_open(), 33, close_crowd);
	check_eq(c.started, 33);
	monitor_off();
}

/* All slots are taken: further windows get ENOSPC, are counted, and all slots come back. */
static void close_1000(void)
{
	struct crowd c;
	uint64_t before = monitor_stat("cut"), none = monitor_stat("no_slot");
	int fd = monitor_open();

	crowd(&c, fd, SLOTS + 6, NULL);
	check_eq(c.started, SLOTS);
	check_eq(c.refused, 6);
	check_eq(c.refusal, ENOSPC);
	check_eq(monitor_stat("no_slot"), none + 6);
	check_none_used();
	check_eq(monitor_stat("cut"), before + SLOTS);
	/* the exits have freed all slots */
	crowd(&c, fd, 1000, NULL);
	check_eq(c.started, 1000);
	close(fd);
	monitor_off();
}

static void wait_for(pid_t pid)
{
	int wstatus;

	check_eq(waitpid(pid, &wstatus, 0), pid);
	check(WIFSIGNALED(wstatus) || !wstatus);
}

static void *exit_thread(void *arg)
{
	check_eq(start_ns(*(int *)arg, HOUR, -1, 0), 0);
	return NULL;
}

static void *exit_all(void *arg)
{
	check_eq(start_ns(*(int *)arg, HOUR, -1, 0), 0);
	syscall(SYS_exit_group, 0);
	return NULL;
}

/* An exit without STOP ends the window, though the file is still open elsewhere. */
static void exits(void)
{
	void *(*how[])(void *) = { exit_thread, exit_all };
	int fd = monitor_open(), pipes[2];
	pthread_t thread;
	unsigned int i;
	pid_t pid;
	char c;

	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			check_eq(pthread_create(&thread, NULL, how[i], &fd), 0);
			pthread_join(thread, NULL);
			_exit(0);
		}
		wait_for(pid);
		check_none_used();
	}

	/* SIGKILL: while it sleeps, and while it runs */
	for (i = 0; i < 2; i++) {
		check_eq(pipe(pipes), 0);
		pid = fork();
		if (!pid) {
			check_eq(start_ns(fd, HOUR, -1, 0), 0);
			check_eq(write(pipes[1], "", 1), 1);
			if (i)
				spin_ns(HOUR);
			pause();
		}
		check_eq(read(pipes[0], &c, 1), 1);
		check_eq(monitor_stat("used"), 1);
		kill(pid, SIGKILL);
		wait_for(pid);
		check_none_used();
		close(pipes[0]);
		close(pipes[1]);
	}
	close(fd);
	monitor_off();
}

/* Switching the monitor off ends an open window, and switching it on does not bring it back. */
static void disabled(void)
{
	int fd = monitor_open();

	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	set("monitor_enable", "0");
	check_none_used();
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), ESRCH);
	check_errno(start_ns(fd, HOUR, -1, 0), ENODEV);
	set("monitor_enable", "1");
	check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), ESRCH);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	close(fd);
	monitor_off();
}

/* A child does not inherit its parent's window. */
static void forked(void)
{
	int fd = monitor_open();
	pid_t pid;

	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	pid = fork();
	if (!pid) {
		check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), ESRCH);
		check_eq(start_ns(fd, HOUR, -1, 0), 0);
		check_eq(monitor_stat("used"), 2);
		check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
		_exit(0);
	}
	wait_for(pid);
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	close(fd);
	monitor_off();
}

static void start_and_exec_as(int fd, const char *program)
{
	char name[16];

	check_eq(fcntl(fd, F_SETFD, 0), 0);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	snprintf(name, sizeof(name), "%d", fd);
	execl(program, "tlob-test", "--stop", name, NULL);
	fail("exec: %s", strerror(errno));
}

static void *start_and_exec(void *arg)
{
	start_and_exec_as(*(int *)arg, "/proc/self/exe");
	return NULL;
}

static int exit_status(pid_t pid)
{
	int wstatus;

	check_eq(waitpid(pid, &wstatus, 0), pid);
	check(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

/* Copies this program to @path, with @mode. */
static void copy_self(const char *path, mode_t mode)
{
	int in = open("/proc/self/exe", O_RDONLY);
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	char buf[65536];
	ssize_t n;

	check(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		check_eq(write(out, buf, n), n);
	check_eq(n, 0);
	check_eq(fchmod(out, mode), 0);
	close(in);
	close(out);
}

/* A window survives exec, also the exec of a thread that becomes the leader. */
static void executed(void)
{
	uint64_t before = monitor_stat("cut");
	int fd = monitor_open(), threaded;
	pthread_t thread;
	pid_t pid;

	for (threaded = 0; threaded < 2; threaded++) {
		pid = fork();
		if (!pid) {
			if (!threaded)
				start_and_exec(&fd);
			pthread_create(&thread, NULL, start_and_exec, &fd);
			pause();
		}
		/* --stop exits with 0: its STOP found the window */
		wait_for(pid);
		check_none_used();
	}
	check_eq(monitor_stat("cut"), before);
	close(fd);
	monitor_off();
}

/* Exec of a set-uid program ends the window: its user may not observe that program. */
static void executed_secure(void)
{
	static const char program[] = "/dev/shm/tlob-test-suid";
	uint64_t before = monitor_stat("cut");
	int fd = monitor_open();
	pid_t pid;

	copy_self(program, 04755);
	check_eq(chmod("/dev/tlob", 0666), 0);
	pid = fork();
	if (!pid) {
		check_eq(setresuid(1000, 1000, 1000), 0);
		fd = open("/dev/tlob", O_RDWR);
		check(fd >= 0);
		start_and_exec_as(fd, program);
	}
	/* its STOP finds no window */
	check_eq(exit_status(pid), ESRCH);
	check_eq(monitor_stat("cut"), before + 1);
	check_eq(chmod("/dev/tlob", 0660), 0);
	unlink(program);
	close(fd);
	monitor_off();
}

/* In another pid namespace each file still shows the pids that its opener sees. */
static void pid_namespace(void)
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
	wait_for(pid);
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	check_eq(e.tid, pid);
	close(fd);
	monitor_off();
}

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

static void caller_of_32_bit(void)
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

/* A crowd of @uid on a file of its own; @c says how many windows it got. */
static void as_user(uid_t uid, struct crowd *c, unsigned int n,
		    void (*meanwhile)(struct crowd *c))
{
	int fd;

	check_eq(setresuid(uid, uid, uid), 0);
	fd = open("/dev/tlob", O_RDWR);
	check(fd >= 0);
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	crowd(c, fd, n, meanwhile);
	close(fd);
}

/* The user's limit is reached, and another process with another file is refused, too. */
static void others_of_user(struct crowd *c)
{
	struct crowd second;
	struct tlob_event e;
	pid_t pid;

	check_eq(c->started, PER_USER);
	check_eq(c->refused, 6);
	check_eq(c->refusal, EDQUOT);
	pid = fork();
	if (!pid) {
		as_user(1000, &second, 1, NULL);
		check_eq(second.started, 0);
		_exit(0);
	}
	wait_for(pid);
	/* root's violation meanwhile is not in the ring of this file */
	check_errno(read(c->fd, &e, sizeof(e)), EAGAIN);
}

static void many_files(void)
{
	unsigned int i;

	check_eq(setresuid(1000, 1000, 1000), 0);
	for (i = 0; i < PER_USER; i++)
		check(open("/dev/tlob", O_RDWR) >= 0);
	check_errno(open("/dev/tlob", O_RDWR), EDQUOT);
}

static void unprivileged(void)
{
	uint64_t before = monitor_stat("over_quota");
	int fd = monitor_open();
	struct crowd c;
	uid_t uid;
	pid_t pid;

	check_eq(chmod("/dev/tlob", 0600), 0);
	pid = fork();
	if (!pid) {
		check_eq(setresuid(1000, 1000, 1000), 0);
		check_errno(open("/dev/tlob", O_RDWR), EACCES);
		_exit(0);
	}
	wait_for(pid);
	check_eq(chmod("/dev/tlob", 0666), 0);
	for (uid = 1000; uid < 1002; uid++) {
		pid = fork();
		if (!pid) {
			as_user(uid, &c, PER_USER + 6,
				uid == 1000 ? others_of_user : NULL);
			check_eq(c.started, PER_USER);
			_exit(0);
		}
		check_eq(start_ns(fd, 1000, fd, 0), 0);
		check_errno(ioctl(fd, TLOB_IOC_TRACE_STOP), EOVERFLOW);
		wait_for(pid);
	}
	check_eq(monitor_stat("over_quota"), before + 6 + 1 + 6);
	pid = fork();
	if (!pid) {
		many_files();
		_exit(0);
	}
	wait_for(pid);
	/* the user's windows and files are free again */
	pid = fork();
	if (!pid) {
		as_user(1000, &c, PER_USER, NULL);
		check_eq(c.started, PER_USER);
		_exit(0);
	}
	wait_for(pid);
	check_eq(chmod("/dev/tlob", 0660), 0);
	/* with CAP_SYS_RESOURCE there is no limit */
	crowd(&c, fd, 3 * PER_USER, NULL);
	check_eq(c.started, 3 * PER_USER);
	close(fd);
	monitor_off();
}

static void *reads_until_over(void *fd)
{
	struct tlob_event e;

	return (void *)(intptr_t)read((int)(intptr_t)fd, &e, sizeof(e));
}

/* A reader is told that the monitor went off, and until its next window. */
static void reader_is_told(void)
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
static void keys_are_unique(void)
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
static void files_in_a_loop(void)
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
static void events(void)
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
	check_eq(start_ns(fd, MS, -1, 0), 0);
	sleep_ns(20 * MS);
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
	snprintf(line, sizeof(line), " detail_env_tlob: %d: threshold_ns=1000000 ",
		 getpid());
	check_eq(trace_lines(line), 1);
	trace_off();
	close(fd);
	monitor_off();
}

const struct test life_tests[] = {
	{ "close_33", close_33, 0 },
	{ "close_1000", close_1000, 0 },
	{ "exits", exits, 0 },
	{ "disabled", disabled, 0 },
	{ "forked", forked, 0 },
	{ "executed", executed, 0 },
	{ "reader_is_told", reader_is_told, 0 },
	{ "keys_are_unique", keys_are_unique, 0 },
	{ "executed_secure", executed_secure, 0 },
	{ "pid_namespace", pid_namespace, 0 },
	{ "caller_of_32_bit", caller_of_32_bit, 0 },
	{ "unprivileged", unprivileged, 0 },
	{ "files_in_a_loop", files_in_a_loop, 0 },
	{ "events", events, 0 },
	{ NULL, NULL, 0 },
};
