// SPDX-License-Identifier: GPL-2.0
/* The longest wait of a window of the monitor: how long, on which stack, and who ended it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"
#include "waits.h"

#define GROUP	"waits_window"

#define MS	1000000ULL
#define US	1000ULL
#define SECONDS	(debug_kernel ? 2 : 1)

static int pipes[2];
static unsigned int wake_after_ms;

/* Opens /dev/tlob with a ring of the new records, and turns the monitor on. */
static int open_waits(void)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_WAIT };
	int fd = monitor_open();

	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

static void stop_wait(int fd, struct tlob_task_window_wait *w)
{
	memset(w, 0xff, sizeof(*w));
	check_eq(ioctl(fd, TLOB_IOC_STOP_WAIT, w), 0);
	check_task_window(&w->window);
	check_eq(w->wait.reserved, 0);
	check(w->wait.ns <= w->window.elapsed_ns);
	/* both end with the wake-up, in hooks between which the host may take the CPU away */
	if (deterministic())
		check(w->wait.ns <= w->window.part_ns[TLOB_TASK_PART_SLEEPING] + 100 * US);
}

static void wake_pipe(void)
{
	sleep_ns(waits_ms(wake_after_ms));
	check_eq(write(pipes[1], "", 1), 1);
}

/* Waits until a new process has written a byte, for about @ms. Returns the process. */
static pid_t wait_for_child(unsigned int ms)
{
	pid_t pid;
	char c;

	wake_after_ms = ms;
	pid = waits_child(wake_pipe);
	check_eq(read(pipes[0], &c, 1), 1);
	return pid;
}

static const struct tlob_wait_stack *stack_of(const struct waits *w, uint64_t id)
{
	unsigned int i;

	for (i = 0; i < w->stacks; i++)
		if (w->stack[i].id == id)
			return &w->stack[i];
	fail("no stack %llx", (unsigned long long)id);
}

/* The wait of @w is the longest one of this task in the profile, on the same stack. */
static void check_longest(const struct tlob_window_wait *w, const struct waits *all)
{
	const struct tlob_wait_task *t = waits_task(all, (pid_t)syscall(SYS_gettid));
	const struct tlob_wait_stack *s = stack_of(all, w->stack);

	check_eq(w->ns, t->blocked.max_ns);
	check_eq(s->task, t->id);
	check_eq(s->blocked.max_ns, w->ns);
	check(!memcmp(&s->waker, &w->waker, sizeof(w->waker)));
	check(s->nr_kernel && s->nr_code);
}

/* Three waits in one window, by STOP and by the ring: the longest one, to the nanosecond. */
TEST(longest)
{
	struct tlob_task_window_wait w, sent;
	int records = records_open(), fd;
	pid_t pid[2];
	ssize_t n;

	check_eq(pipe(pipes), 0);
	fd = open_waits();
	set("waits", "on pids=%d", getpid());
	check_eq(start_ns(fd, HOUR, fd, TLOB_START_EVERY), 0);
	pid[0] = wait_for_child(4);
	pid[1] = wait_for_child(15);
	sleep_ns(waits_ms(5));
	stop_wait(fd, &w);
	n = read(fd, &sent, sizeof(sent));
	check_eq(n, sizeof(sent));
	check(!memcmp(&w.window, &sent.window, sizeof(sent.window)));
	check(!memcmp(&w.wait, &sent.wait, sizeof(sent.wait)));
	set("waits", "off");
	check_eq(w.wait.flags, TLOB_WAIT_IS_ON);
	check_longest(&w.wait, waits_read(records));
	note("longest %llu ns", (unsigned long long)w.wait.ns);
	if (deterministic()) {
		check_eq(w.wait.waker.kind, TLOB_WAKER_TASK);
		check_eq(w.wait.waker.tid, pid[1]);
		check_eq(w.wait.waker.tgid, pid[1]);
		check(!strcmp(w.wait.waker.comm, w.window.comm));
	}
	if (deterministic() && !debug_kernel)
		check(w.wait.ns > waits_ms(14) && w.wait.ns < waits_ms(16));
	reap(pid[0]);
	reap(pid[1]);
	close(records);
	close(fd);
	monitor_off();
}

/*
 * Nothing of a window is left for the next one in its slot, and without the profiler there is no
 * wait. A wait below the threshold has no stack.
 */
TEST(each_its_own)
{
	struct tlob_task_window_wait w;
	int fd = open_waits();

	set("waits", "on pids=%d", getpid());
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	sleep_ns(waits_ms(2));
	stop_wait(fd, &w);
	check(w.wait.ns >= MS && w.wait.stack);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	stop_wait(fd, &w);
	if (deterministic()) {
		check_eq(w.wait.ns, 0);
		check_eq(w.wait.stack, 0);
		check_eq(w.wait.waker.kind, TLOB_WAKER_UNKNOWN);
	}
	check_eq(w.wait.flags, TLOB_WAIT_IS_ON);

	set("waits", "on threshold=1h pids=%d", getpid());
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	sleep_ns(waits_ms(2));
	stop_wait(fd, &w);
	check(w.wait.ns >= MS);
	check_eq(w.wait.stack, 0);
	/* on PREEMPT_RT the timers of a task without a real-time policy expire in a softirq */
	check_eq(w.wait.waker.kind, preempt_rt() ? TLOB_WAKER_SOFTIRQ : TLOB_WAKER_IRQ);

	/* a scope that leaves the task out */
	set("waits", "on pids=1");
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	sleep_ns(waits_ms(2));
	stop_wait(fd, &w);
	check_eq(w.wait.ns, 0);

	set("waits", "off");
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	sleep_ns(waits_ms(2));
	stop_wait(fd, &w);
	check_eq(w.wait.flags, 0);
	check_eq(w.wait.ns, 0);
	close(fd);
	monitor_off();
}

/* The longer wait was before the inner window began: it is only in the outer one. */
TEST(nested)
{
	struct tlob_listen listen = { .name = "outer", .flags = TLOB_START_EVERY };
	struct tlob_task_window_wait outer, inner;
	static struct program self;
	int fd = open_waits();

	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	check_eq(ioctl(fd, TLOB_IOC_LISTEN, &listen), 0);
	set("waits", "on pids=%d", getpid());
	self.outer_start();
	sleep_ns(waits_ms(6));
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	sleep_ns(waits_ms(2));
	stop_wait(fd, &inner);
	self.outer_stop();
	check_eq(read(fd, &outer, sizeof(outer)), sizeof(outer));
	set("waits", "off");
	check(!strcmp(outer.window.binding, "outer"));
	check(inner.wait.ns && inner.wait.stack && outer.wait.stack);
	check(outer.wait.stack != inner.wait.stack || !deterministic());
	if (deterministic()) {
		check(inner.wait.ns < waits_ms(3));
		check(outer.wait.ns > waits_ms(5));
	}
	unbind_all();
	close(fd);
	monitor_off();
}

/*
 * One window with a budget that ends in its second sleep, and so an event before its end. False if
 * the guest had no time of the host: then the first sleep was not over, or both were, or one was
 * over when it began.
 */
static bool ends_in_second_sleep(int fd)
{
	struct tlob_task_window_wait before = { 0 }, after = { 0 }, w;
	unsigned int records = 0;

	check_eq(start_ns(fd, waits_ms(4), fd, TLOB_START_EVERY), 0);
	sleep_ns(waits_ms(1));
	sleep_ns(waits_ms(8));
	check_errno(ioctl(fd, TLOB_IOC_STOP_WAIT, &w), EOVERFLOW);
	for (; read(fd, &after, sizeof(after)) == sizeof(after); records++) {
		check(after.window.flags & TLOB_TASK_VIOLATION);
		check(after.wait.ns <= after.window.elapsed_ns);
		if (!(after.window.flags & TLOB_TASK_ENDED))
			before = after;
	}
	/* the last one knows all */
	check(records == 1 || records == 2);
	check(after.window.flags & TLOB_TASK_ENDED);
	check_eq(after.wait.ns, w.wait.ns);
	check_eq(after.wait.stack, w.wait.stack);
	check(before.wait.ns <= after.wait.ns);
	return records == 2 && before.wait.ns && before.wait.ns < after.wait.ns &&
	       w.wait.ns >= waits_ms(7) && w.wait.stack;
}

/* A budget that ends in a sleep: its record knows what was before, the last one knows all. */
TEST(over_budget)
{
	unsigned int turns = 1;
	int fd = open_waits();

	set("waits", "on pids=%d", getpid());
	for (; !ends_in_second_sleep(fd); turns++)
		check(!deterministic() && turns < 100);
	note("%u windows", turns);
	set("waits", "off");
	close(fd);
	monitor_off();
}

TEST(errors)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_FUNCTIONS + 1 };
	struct tlob_task_window_wait w;
	int fd = monitor_open();

	check_errno(ioctl(fd, TLOB_IOC_RING, &request), EINVAL);
	check_errno(ioctl(fd, TLOB_IOC_STOP_WAIT, &w), ESRCH);
	request.format = TLOB_FORMAT_WAIT;
	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	request.format = TLOB_FORMAT_WINDOW;
	check_errno(ioctl(fd, TLOB_IOC_RING, &request), EBUSY);
	check_eq(start_ns(fd, HOUR, fd, TLOB_START_EVERY), 0);
	check_errno(ioctl(fd, TLOB_IOC_STOP_WAIT, (void *)8), EFAULT);
	check_errno(ioctl(fd, TLOB_IOC_STOP_WAIT, &w), ESRCH);
	/* not a whole record */
	check_errno(read(fd, &w, sizeof(w) - 1), EINVAL);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	close(fd);
	monitor_off();
}

static void *wake_by_thread(void *arg)
{
	(void)arg;
	wake_pipe();
	return NULL;
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	check_eq(syscall(SYS_capget, &head, data), 0);
	data[CAP_TO_INDEX(CAP_PERFMON)].effective &= ~CAP_TO_MASK(CAP_PERFMON);
	data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
	check_eq(syscall(SYS_capset, &head, data), 0);
}

/* Without CAP_PERFMON a file tells of a waker in another process only that it was a task. */
TEST(without_capability)
{
	struct tlob_task_window_wait w;
	pthread_t thread;
	pid_t pid;
	char c;
	int fd;

	check_eq(pipe(pipes), 0);
	set("waits", "on pids=%d", getpid());
	set("monitor_enable", "1");
	drop_capabilities();
	fd = open_waits();
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	pid = wait_for_child(3);
	stop_wait(fd, &w);
	reap(pid);
	check(w.wait.ns);
	if (deterministic())
		check_eq(w.wait.waker.kind, TLOB_WAKER_TASK);
	check_eq(w.wait.waker.tid, 0);
	check_eq(w.wait.waker.tgid, 0);
	check_eq(w.wait.waker.comm[0], 0);

	wake_after_ms = 3;
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(pthread_create(&thread, NULL, wake_by_thread, NULL), 0);
	check_eq(read(pipes[0], &c, 1), 1);
	stop_wait(fd, &w);
	pthread_join(thread, NULL);
	if (deterministic()) {
		check(w.wait.waker.tid && w.wait.waker.tid != (unsigned int)getpid());
		check_eq(w.wait.waker.tgid, getpid());
		check(!strcmp(w.wait.waker.comm, w.window.comm));
	}
	close(fd);
	set("waits", "off");
	monitor_off();
}

/* No other task's waits, by a directory that root has opened: @err is what the files say. */
static void refused_files(int dir, int err)
{
	check_errno(openat(dir, "waits", O_WRONLY), EACCES);
	check_errno(openat(dir, "waits", O_RDONLY), EACCES);
	check_errno(openat(dir, "waits_records", O_RDONLY), err);
	check_errno(openat(dir, "per_cpu/cpu0/longest_waits", O_RDONLY), EACCES);
}

/* A window of the user's own, whose wait a process of root ends. */
static void knows_no_waker(void)
{
	struct tlob_task_window_wait w;
	int fd = open("/dev/tlob", O_RDWR);
	char c;

	check(fd >= 0);
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(read(pipes[0], &c, 1), 1);
	stop_wait(fd, &w);
	if (deterministic())
		check_eq(w.wait.waker.kind, TLOB_WAKER_TASK);
	check_eq(w.wait.waker.tid, 0);
	check_eq(w.wait.waker.tgid, 0);
	check_eq(w.wait.waker.comm[0], 0);
	close(fd);
}

/* As uid 1000; with @own_namespace it has all capabilities there. */
static void try_as_user(int dir, bool own_namespace, int err)
{
	pid_t pid;

	check_eq(pipe(pipes), 0);
	pid = fork();
	check(pid >= 0);
	if (!pid) {
		check_eq(setresuid(1000, 1000, 1000), 0);
		if (own_namespace && unshare(CLONE_NEWUSER)) {
			note("no user namespaces: %s", strerror(errno));
			_exit(0);
		}
		refused_files(dir, err);
		knows_no_waker();
		_exit(0);
	}
	wake_after_ms = 3;
	wake_pipe();
	reap(pid);
	close(pipes[0]);
	close(pipes[1]);
}

/* The files are root's, and CAP_PERFMON is asked for where their modes were changed. */
TEST(as_user)
{
	int dir;

	set("waits", "on");
	set("monitor_enable", "1");
	dir = open(tlob_path("."), O_PATH | O_DIRECTORY);
	check(dir >= 0);
	check_eq(chmod("/dev/tlob", 0666), 0);
	try_as_user(dir, false, EACCES);
	try_as_user(dir, true, EACCES);
	check_eq(fchmodat(dir, "waits_records", 0444, 0), 0);
	try_as_user(dir, false, EPERM);
	try_as_user(dir, true, EPERM);
	check_eq(fchmodat(dir, "waits_records", 0400, 0), 0);
	check_eq(chmod("/dev/tlob", 0660), 0);
	close(dir);
	set("waits", "off");
	monitor_off();
}

#define FREE_PID	30000	/* in the initial namespace */

/* Starts a process with the number @nr here and FREE_PID there. It writes a byte with @wakes. */
static pid_t start_numbered(pid_t nr, bool wakes)
{
	const pid_t numbers[] = { nr, FREE_PID };
	const struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)numbers, .set_tid_size = 2,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	check(pid >= 0);
	if (pid)
		return pid;
	if (wakes) {
		sleep_ns(waits_ms(3));
		check_eq(write(pipes[1], "", 1), 1);
	} else {
		pause();
	}
	_exit(0);
}

/* The waker is gone, and a process that never woke anything has its number. */
static void number_used_again(int fd)
{
	struct tlob_task_window_wait w;
	pid_t pid;
	char c;

	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	start_numbered(20, true);
	check_eq(read(pipes[0], &c, 1), 1);
	reap(20);
	pid = start_numbered(30, false);
	stop_wait(fd, &w);
	if (deterministic())
		check_eq(w.wait.waker.kind, TLOB_WAKER_TASK);
	check_eq(w.wait.waker.tid, 0);
	check_eq(w.wait.waker.comm[0], 0);
	check_eq(kill(pid, SIGKILL), 0);
	check_eq(waitpid(pid, NULL, 0), pid);
}

/* In a pid namespace of its own: the waker's pids are that namespace's. */
static void inside(void)
{
	struct tlob_task_window_wait w;
	pid_t pid;
	char c;
	int fd;

	check_eq(getpid(), 1);
	fd = open_waits();
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	pid = wait_for_child(3);
	stop_wait(fd, &w);
	check_eq(waitpid(pid, NULL, 0), pid);
	check_eq(w.window.tid, 1);
	if (deterministic()) {
		check_eq(w.wait.waker.tid, pid);
		check_eq(w.wait.waker.tgid, pid);
		check(w.wait.waker.comm[0]);
	}
	/* and one that the namespace does not have */
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(read(pipes[0], &c, 1), 1);
	stop_wait(fd, &w);
	check_eq(w.wait.waker.tid, 0);
	check_eq(w.wait.waker.comm[0], 0);
	if (deterministic())
		check_eq(w.wait.waker.kind, TLOB_WAKER_TASK);
	number_used_again(fd);
	close(fd);
}

TEST(pid_namespace)
{
	pid_t pid;

	check_eq(pipe(pipes), 0);
	set("waits", "on");
	set("monitor_enable", "1");
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid < 0 && errno == EINVAL)
		skip("the kernel has no pid namespaces");
	check(pid >= 0);
	if (!pid) {
		inside();
		_exit(0);
	}
	/* after the child's own waker, which has slept for 3 ms */
	wake_after_ms = 12;
	wake_pipe();
	reap(pid);
	set("waits", "off");
	monitor_off();
}

static bool over;
static unsigned int seen, with_stack;

/* Opens windows and waits in them, until it is killed or all is over. */
static void *windows_and_waits(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg;
	int fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	struct tlob_task_window_wait w;
	int err;

	check(fd >= 0);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		err = start_ns(fd, rand_r(&seed) % 2 ? HOUR : 50 * US, -1, 0) ? errno : 0;
		/* a child may still hold the file that was closed, and so its window */
		check(!err || err == ENODEV || err == EEXIST);
		sleep_ns(rand_r(&seed) % (200 * US));
		if (rand_r(&seed) % 16 == 0) {
			/* closes the window in whatever state */
			close(fd);
			fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
			check(fd >= 0);
			continue;
		}
		err = ioctl(fd, TLOB_IOC_STOP_WAIT, &w) ? errno : 0;
		check(!err || err == ESRCH || err == EOVERFLOW);
		if (err == ESRCH || !w.wait.ns)
			continue;
		/* one that was not in this window would be longer than it */
		check(w.wait.ns <= w.window.elapsed_ns);
		check(w.wait.waker.kind <= TLOB_WAKER_NMI);
		__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
		if (w.wait.stack)
			__atomic_fetch_add(&with_stack, 1, __ATOMIC_RELAXED);
	}
	close(fd);
	return NULL;
}

static pid_t killed_child(unsigned int seed)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (pid)
		return pid;
	windows_and_waits((void *)(uintptr_t)seed);
	_exit(0);
}

/* Profiler and monitor go off and on while tasks wait in windows, and some of them are killed. */
TEST(races)
{
	uint64_t end = now_ns() + (uint64_t)SECONDS * 1000 * MS;
	unsigned int seed = 1, turns = 0;
	pthread_t thread[4];
	pid_t pid;
	int i;

	set("monitor_enable", "1");
	set("waits", "on threshold=5us");
	for (i = 0; i < 4; i++)
		check_eq(pthread_create(&thread[i], NULL, windows_and_waits, (void *)(uintptr_t)i),
			 0);
	/* A guest on a busy host does little in a second: the count decides, not the clock. */
	while (now_ns() < end || turns < 32 ||
	       __atomic_load_n(&with_stack, __ATOMIC_RELAXED) < 64) {
		pid = killed_child(turns++);
		sleep_ns(MS + rand_r(&seed) % (2 * MS));
		switch (waits_disturb(rand_r(&seed) % 6)) {
		case 2:
			set("monitor_enable", "0");
			set("monitor_enable", "1");
			break;
		}
		kill(pid, SIGKILL);
		check_eq(waitpid(pid, NULL, 0), pid);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	set("waits", "off");
	note("%u turns, %u windows with a wait, %u of them with a stack", turns, seen, with_stack);
	waits_owe_nothing();
	monitor_off();
}

static void with_window(void)
{
	check_eq(start_ns(open_waits(), HOUR, -1, 0), 0);
}

/* The module can be unloaded once the profiler is off: a window waits for no stack that was owed. */
TEST(unload)
{
	char text[32];
	pid_t pid;

	if (access("/sys/module/tlob_load/refcnt", R_OK))
		skip("tlob_load is built in");
	set("monitor_enable", "1");
	pid = waits_owing(with_window);
	/* the window goes first, then the profiler, while the work is pending */
	set("monitor_enable", "0");
	check_eq(status_field("waits", "owed"), 1);
	set("waits", "off");
	check_eq(status_field("waits", "owed"), 0);
	waits_let_go(pid);
	read_file("/sys/module/tlob_load/refcnt", text, sizeof(text));
	check_eq(strtoul(text, NULL, 10), 0);
}
