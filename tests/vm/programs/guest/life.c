// SPDX-License-Identifier: GPL-2.0
/* Windows end with their task, their file and the monitor; a user may have a limited number. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define GROUP	"life"

#define MS	1000000ULL
#define HOUR	3600000000000ULL
#define SLOTS	1024		/* the module's default */
#define PER_USER	64	/* the same */

/*
 * Up to 6.15 the kernel gives up a task's memory before it informs the monitor of the exit.
 * A thread that waits for the exit may therefore still find the window.
 */
static void check_none_used(void)
{
	uint64_t until = now_ns() + PATIENCE;

	while (monitor_stat("used") && now_ns() < until)
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
	pthread_attr_setstacksize(&attr, SMALL_STACK);
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
TEST(close_33)
{
	struct crowd c;

	crowd(&c, monitor_open(), 33, close_crowd);
	check_eq(c.started, 33);
	monitor_off();
}

/* All slots are taken: further windows get ENOSPC, are counted, and all slots come back. */
TEST(close_1000)
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
TEST(exits)
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
TEST(disabled)
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
TEST(forked)
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
TEST(executed)
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

static void only_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	check_eq(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void *executes(void *unused)
{
	only_on(0);
	sleep_ns(5 * MS);
	execlp("true", "true", NULL);
	return unused;
}

/*
 * A thread on CPU 0 calls execve(), @n times, while its leader runs on the measured @cpu. The
 * two exchange their pids: no event is missing.
 */
static void executions(int cpu, unsigned int n)
{
	pthread_t thread;
	char name[8];
	pid_t pid;

	snprintf(name, sizeof(name), "%d", cpu);
	setup("kthread", name, 100 * MS, 100 * MS, "none");
	enable();
	while (n--) {
		pid = fork();
		if (!pid) {
			pthread_create(&thread, NULL, executes, NULL);
			only_on(cpu);
			for (;;)
				;
		}
		reap(pid);
	}
	more_windows(cpu, 1);
	disable();
	check_eq(status(cpu, "errors"), 0);
	check_no_defect(cpu);
}

TEST(executed_in_a_run)
{
	executions(0, 5);
}

TEST_ON(leader_of_executed, 2)
{
	executions(1, 200);
}

/* The times of a record are in the initial time namespace. */
TEST(time_namespace)
{
	const uint64_t offset = 1000000 * MS;
	struct tlob_task_window w;
	uint64_t before;
	pid_t pid;
	int fd;

	if (access("/proc/self/timens_offsets", F_OK))
		skip("this kernel has no time namespaces");
	fd = monitor_open();
	check_eq(unshare(CLONE_NEWTIME), 0);
	check_eq(write_file("/proc/self/timens_offsets", "monotonic 1000 0"), 0);
	/* the children are in it */
	pid = fork();
	if (!pid) {
		before = now_ns();
		check(before >= offset);
		check_eq(start_ns(fd, HOUR, -1, 0), 0);
		check_eq(ioctl(fd, TLOB_IOC_STOP_NS, &w), 0);
		check(w.start_ns + offset >= before);
		check(w.start_ns + offset + w.elapsed_ns <= now_ns());
		_exit(0);
	}
	wait_for(pid);
	close(fd);
	monitor_off();
}

/* From root to uid 1000 with one capability at most (-1: none). */
static void become_user(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	check_eq(prctl(PR_SET_KEEPCAPS, capability >= 0), 0);
	check_eq(setresgid(1000, 1000, 1000), 0);
	check_eq(setresuid(1000, 1000, 1000), 0);
	if (capability < 0)
		return;
	data[capability / 32].effective = 1U << capability % 32;
	data[capability / 32].permitted = 1U << capability % 32;
	check_eq(syscall(SYS_capset, &header, data), 0);
}

/* A copy of this program with @mode. Returns the errno of the STOP after its exec. */
static int stop_after_exec(mode_t mode, int capability)
{
	static const char program[] = "/dev/shm/tlob-test-exec";
	int code, fd;
	pid_t pid;

	copy_self(program, mode);
	pid = fork();
	if (!pid) {
		become_user(capability);
		fd = open("/dev/tlob", O_RDWR);
		check(fd >= 0);
		start_and_exec_as(fd, program);
	}
	code = exit_status(pid);
	unlink(program);
	return code;
}

/*
 * Exec ends the window of a user who may not observe that program. The right is
 * CAP_PERFMON when the file is opened; CAP_SYS_RESOURCE is no right to observe.
 */
TEST(executed_hidden)
{
	uint64_t before = monitor_stat("cut");
	int fd = monitor_open();

	check_eq(chmod("/dev/tlob", 0666), 0);
	check_eq(stop_after_exec(0755, -1), 0);
	check_eq(stop_after_exec(04755, -1), ESRCH);
	check_eq(stop_after_exec(0711, -1), ESRCH);
	check_eq(stop_after_exec(04755, CAP_SYS_RESOURCE), ESRCH);
	check_eq(stop_after_exec(0711, CAP_SYS_RESOURCE), ESRCH);
	check_eq(monitor_stat("cut"), before + 4);
	check_eq(stop_after_exec(04755, CAP_PERFMON), 0);
	check_eq(stop_after_exec(0711, CAP_PERFMON), 0);
	check_eq(monitor_stat("cut"), before + 4);
	check_eq(chmod("/dev/tlob", 0660), 0);
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

/* The user's limit is reached, and another process with another file is also refused. */
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

TEST(unprivileged)
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
