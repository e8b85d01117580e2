// SPDX-License-Identifier: GPL-2.0
/* Bindings begin and end windows in programs that were not changed for it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "monitor.h"
#include "region.h"

#define GROUP	"uprobe"

#define MS	1000000ULL
#define US	1000ULL
#define TARGET	"/bin/tlob-target"

static struct program self, copy;

/* The number of violations of the region that begins at @start. */
static unsigned int violations(uint64_t start)
{
	char tag[32];

	snprintf(tag, sizeof(tag), " tag=%" PRIu64 " ", start);
	return trace_lines(tag);
}

/* fork() that must succeed. */
static pid_t child(void)
{
	pid_t pid = fork();

	check(pid >= 0);
	return pid;
}

static void region(void)
{
	self.outer_start();
	self.outer_stop();
}

/* Binds both regions of this program; only the inner one has a short budget. */
static void bind_both(uint64_t inner_ns)
{
	this_program(&self);
	trace_on("tlob_budget_exceeded");
	bind_region("outer", &self, self.outer, HOUR);
	bind_region("inner", &self, self.inner, inner_ns);
	set("monitor_enable", "1");
}

static void check_both(unsigned int times)
{
	check_bound("outer", times, 0, 0);
	check_bound("inner", times, 0, 0);
	check_eq(violations(self.inner[0]), times);
	check_eq(violations(self.outer[0]), 0);
	monitor_off();
}

TEST(two_bindings)
{
	unsigned int i;

	bind_both(100 * US);
	for (i = 0; i < 10; i++) {
		self.outer_start();
		self.inner_start();
		spin_ns(MS);
		self.inner_stop();
		self.outer_stop();
	}
	check_both(10);
}

/* The same while the task moves from CPU to CPU. */
TEST_ON(two_bindings_move, 2)
{
	cpu_set_t mask;
	unsigned int i;

	bind_both(100 * US);
	for (i = 0; i < 10; i++) {
		self.outer_start();
		self.inner_start();
		spin_ns(MS / 2);
		CPU_ZERO(&mask);
		CPU_SET(i & 1, &mask);
		check(!sched_setaffinity(0, sizeof(mask), &mask));
		spin_ns(MS / 2);
		self.inner_stop();
		CPU_ZERO(&mask);
		CPU_SET(!(i & 1), &mask);
		check(!sched_setaffinity(0, sizeof(mask), &mask));
		self.outer_stop();
	}
	check_both(10);
}

/*
 * A window begins at any start of its binding, whose offset is its tag, and ends at any stop. The
 * first start counts, and so does the first stop.
 */
TEST(several_places)
{
	void (*start[2])(void), (*stop[2])(void);
	unsigned int i;

	this_program(&self);
	start[0] = self.outer_start;
	start[1] = self.inner_start;
	stop[0] = self.outer_stop;
	stop[1] = self.inner_stop;
	trace_on("tlob_budget_exceeded");
	set("monitor", "p:all %s:%" PRIu64 ",%" PRIu64 " %" PRIu64 ",%" PRIu64 " threshold=100000",
	    self.path, self.outer[0], self.inner[0], self.outer[1], self.inner[1]);
	set("monitor_enable", "1");
	for (i = 0; i < 12; i++) {
		start[!(i % 3)]();
		spin_ns(MS);
		stop[i & 1]();
		check_bound("all", i + 1, 0, 0);
	}
	check_eq(violations(self.outer[0]), 8);
	check_eq(violations(self.inner[0]), 4);
	start[1]();
	start[0]();
	check_bound("all", 13, 1, 0);
	stop[0]();
	stop[1]();
	check_bound("all", 13, 1, 1);
	check_eq(monitor_stat("used"), 0);
	/* no probe is left */
	set("monitor", "-%s:%" PRIu64, self.path, self.inner[0]);
	bind_region("outer", &self, self.outer, HOUR);
	bind_region("inner", &self, self.inner, HOUR);
	for (i = 0; i < 2; i++) {
		start[i]();
		stop[i]();
	}
	check_bound("outer", 1, 0, 0);
	check_bound("inner", 1, 0, 0);
	monitor_off();
}

/* A violation is reported when the budget ends, before the task comes to its stop. */
TEST(at_the_moment)
{
	unsigned int tries = 0;

	/* a task of a busy host may not be asleep yet when its budget ends: then once more */
	bind_both(200 * MS);
	do {
		check(tries++ < 100);
		self.inner_start();
		sleep_ns(400 * MS);
		check_eq(violations(self.inner[0]), tries);
		self.inner_stop();
		check_eq(violations(self.inner[0]), tries);
	} while (!trace_lines("state=sleeping"));
	check_eq(trace_lines("state=sleeping"), 1);
	monitor_off();
}

/* A binding counts hits while the monitor is off, and a stop without its start. */
TEST(off_and_on)
{
	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	region();
	check_eq(bound("outer", "off"), 1);
	check_eq(bound("outer", "hits"), 1);
	check_eq(bound("outer", "unmatched"), 0);

	self.outer_start();
	set("monitor_enable", "1");
	self.outer_stop();
	check_eq(bound("outer", "unmatched"), 1);
	region();
	check_eq(bound("outer", "windows"), 1);
	/* inside a window: switching off ends it */
	self.outer_start();
	monitor_off();
	self.outer_stop();
	check_eq(bound("outer", "windows"), 2);
	check_eq(bound("outer", "unmatched"), 1);
	check_eq(bound("outer", "off"), 2);
}

static void recursion_into(int depth)
{
	self.outer_start();
	if (depth)
		recursion_into(depth - 1);
	self.outer_stop();
}

/* In a recursion the outermost start and the innermost stop count. */
TEST(recursion)
{
	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	recursion_into(3);
	check_bound("outer", 1, 3, 3);
	region();
	check_bound("outer", 2, 3, 3);
	monitor_off();
}

/* A window whose region was left by longjmp() continues to the next stop. */
TEST(long_jump)
{
	static jmp_buf out;
	static volatile int left;

	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	if (!setjmp(out)) {
		self.outer_start();
		left = 1;
		longjmp(out, 1);
	}
	check(left);
	check_eq(monitor_stat("used"), 1);
	region();
	check_bound("outer", 1, 1, 0);
	check_eq(monitor_stat("used"), 0);
	monitor_off();
}

/* A child inherits the breakpoints, but not its parent's window. */
TEST(forks)
{
	pid_t pid;

	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	self.outer_start();
	pid = child();
	if (!pid) {
		self.outer_stop();
		region();
		_exit(0);
	}
	reap(pid);
	self.outer_stop();
	check_bound("outer", 2, 0, 1);
	monitor_off();
}

/* The window is the task's: it continues in the next program, to the task's end. */
TEST(execs)
{
	pid_t pid;

	if (access(TARGET, X_OK))
		skip(TARGET " is not here");
	this_program(&self);
	trace_on("tlob_budget_exceeded");
	bind_region("outer", &self, self.outer, MS);
	set("monitor_enable", "1");
	pid = child();
	if (!pid) {
		self.outer_start();
		execl(TARGET, TARGET, "1000", NULL);
		_exit(1);
	}
	reap(pid);
	check_bound("outer", 1, 0, 0);
	check_eq(monitor_stat("used"), 0);
	region();
	check_bound("outer", 2, 0, 0);
	monitor_off();
}

/* A task that exits or is killed inside the region loses no slot. */
TEST(exits)
{
	unsigned int i, times = 100;
	pid_t pid;

	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	for (i = 0; i < times; i++) {
		pid = child();
		if (!pid) {
			self.outer_start();
			if (i % 3 == 0)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		check_eq(waitpid(pid, NULL, 0), pid);
	}
	check_bound("outer", times, 0, 0);
	check_eq(monitor_stat("used"), 0);
	monitor_off();
}

static pthread_barrier_t inside;

/* Only the calling thread gets the uid in @arg, if that is not 0: so the system call. */
static void *stay_inside(void *arg)
{
	uid_t uid = (uintptr_t)arg;

	check(!uid || !syscall(SYS_setresuid, uid, uid, uid));
	self.outer_start();
	pthread_barrier_wait(&inside);
	pthread_barrier_wait(&inside);
	self.outer_stop();
	return NULL;
}

/*
 * More threads than slots enter the region, of users who are all below their limits: the binding
 * counts those without a slot. It leaves the reserve alone.
 */
TEST(no_slot)
{
	unsigned int slots, usable, threads;
	pthread_attr_t attr;
	pthread_t *thread;
	uintptr_t i;

	/* KCSAN takes minutes for so many threads */
	needs_no_stops();
	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	slots = monitor_stat("slots");
	usable = slots - slots / 8;
	threads = usable + 7;
	thread = calloc(threads, sizeof(*thread));
	check(thread);
	check(!pthread_attr_init(&attr));
	check(!pthread_attr_setstacksize(&attr, SMALL_STACK));
	check(!pthread_barrier_init(&inside, NULL, threads + 1));
	for (i = 0; i < threads; i++)
		check(!pthread_create(&thread[i], &attr, stay_inside,
				      (void *)(2000 + i / (slots / 8))));
	pthread_barrier_wait(&inside);
	check_eq(monitor_stat("used"), usable);
	check_eq(bound("outer", "windows"), usable);
	check_eq(bound("outer", "no_slot"), 7);
	check_eq(bound("outer", "hits"), threads);
	pthread_barrier_wait(&inside);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	check_eq(bound("outer", "unmatched"), 7);
	free(thread);
	monitor_off();
}

/* Another program never comes to the stop: exec takes the window away. */
TEST(exec_ends_it)
{
	uint64_t cut;
	int up[2];
	pid_t pid;
	char c;

	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	set("monitor_enable", "1");
	cut = monitor_stat("cut");
	check(!pipe2(up, O_CLOEXEC));
	pid = child();
	if (!pid) {
		self.outer_start();
		execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	}
	close(up[1]);
	/* the exec has closed it, and its tracepoint comes a moment later */
	check_eq(read(up[0], &c, 1), 0);
	while (monitor_stat("used"))
		sleep_ns(MS);
	check_bound("outer", 1, 0, 0);
	check_eq(monitor_stat("cut"), cut + 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	monitor_off();
}

/* As uid 1000, @threads inside of the region, until @go is closed. */
static void crowd_inside(unsigned int threads, int up, int go)
{
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int i;
	char c = 0;

	check(!setresuid(1000, 1000, 1000));
	check(!pthread_attr_init(&attr));
	check(!pthread_attr_setstacksize(&attr, SMALL_STACK));
	check(!pthread_barrier_init(&inside, NULL, threads + 1));
	for (i = 0; i < threads; i++)
		check(!pthread_create(&thread, &attr, stay_inside, NULL));
	pthread_barrier_wait(&inside);
	check_eq(write(up, &c, 1), 1);
	check_eq(read(go, &c, 1), 0);
	_exit(0);
}

/* One user takes a quarter of the slots by bindings, and no more. */
TEST(share_of_a_user)
{
	uint64_t slots, refused, before;
	int up[2], go[2], fd;
	pid_t pid;
	char c;

	needs_no_stops();
	this_program(&self);
	bind_region("outer", &self, self.outer, HOUR);
	fd = monitor_open();
	slots = monitor_stat("slots");
	before = monitor_stat("over_quota");
	check(!pipe(up) && !pipe(go));
	pid = child();
	if (!pid) {
		close(go[1]);
		crowd_inside(slots, up[1], go[0]);
	}
	close(up[1]);
	check_eq(read(up[0], &c, 1), 1);
	/* root has both kinds of windows all the same */
	check_eq(start_ns(fd, HOUR, -1, 0), 0);
	check_eq(ioctl(fd, TLOB_IOC_TRACE_STOP), 0);
	region();
	refused = slots - slots / 4;
	check_eq(monitor_stat("used"), slots / 4);
	check_eq(bound("outer", "windows"), slots / 4 + 1);
	check_eq(bound("outer", "no_slot"), refused);
	check_eq(monitor_stat("over_quota"), before + refused);
	close(go[1]);
	reap(pid);
	check_eq(monitor_stat("used"), 0);
	close(fd);
	monitor_off();
}

static void copy_region(void)
{
	copy.outer_start();
	copy.outer_stop();
}

/* Running code keeps the bindings of the file it was mapped from, not of its new namesake. */
TEST(replaced_program)
{
	static struct program new;

	fresh_dir();
	copy_program(&copy, BOUND_DIR "/copy");
	map_program(&copy);
	bind_region("old", &copy, copy.outer, HOUR);
	set("monitor_enable", "1");
	copy_region();
	check(!unlink(copy.path));
	copy_region();
	check_bound("old", 2, 0, 0);

	copy_program(&new, BOUND_DIR "/copy");
	bind_region("new", &new, new.outer, HOUR);
	map_program(&new);
	copy_region();
	new.outer_start();
	new.outer_stop();
	check_bound("old", 3, 0, 0);
	check_bound("new", 1, 0, 0);
	/* the code continues without the probes */
	set("monitor", "-:old");
	copy_region();
	check_bound("new", 1, 0, 0);
	monitor_off();
}

/* A program at fixed addresses, where offsets in the file differ from addresses. */
TEST(static_program)
{
	char text[64] = "", *end;
	int out[2];
	pid_t pid;

	if (access(TARGET, X_OK))
		skip(TARGET " is not here");
	snprintf(copy.path, sizeof(copy.path), TARGET);
	check(!pipe(out));
	pid = child();
	if (!pid) {
		dup2(out[1], STDOUT_FILENO);
		execl(TARGET, TARGET, NULL);
		_exit(1);
	}
	reap(pid);
	check(read(out[0], text, sizeof(text) - 1) > 0);
	copy.outer[0] = strtoull(text, &end, 10);
	copy.outer[1] = strtoull(end, NULL, 10);
	check(copy.outer[0] && copy.outer[1]);
	bind_region("outer", &copy, copy.outer, HOUR);
	set("monitor_enable", "1");
	pid = child();
	if (!pid) {
		execl(TARGET, TARGET, "100", NULL);
		_exit(1);
	}
	reap(pid);
	check_bound("outer", 100, 0, 0);
	monitor_off();
}

/* Two functions of libc that nothing else here calls. */
static long (*volatile libc_start)(const char *) = a64l;
static char *(*volatile libc_stop)(long) = l64a;

static void libc_region(void)
{
	libc_start("z");
	libc_stop(63);
}

TEST(shared_library)
{
	pid_t pid;

	copy.outer[0] = file_offset((void *)libc_start, copy.path);
	copy.outer[1] = file_offset((void *)libc_stop, copy.path);
	check(copy.outer[0] && copy.outer[1]);
	this_program(&self);
	check(strcmp(self.path, copy.path));
	bind_region("libc", &copy, copy.outer, HOUR);
	set("monitor_enable", "1");
	libc_region();
	pid = child();
	if (!pid) {
		libc_region();
		_exit(0);
	}
	reap(pid);
	check_bound("libc", 2, 0, 0);
	monitor_off();
}
