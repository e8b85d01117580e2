// SPDX-License-Identifier: GPL-2.0
/* The wait profiler: known sleepers with their times, stacks and wakers, in each scope. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"
#include "waits.h"

#define MS	1000000ULL
#define US	1000ULL
#define SLEEP	"/sys/kernel/debug/tlob_inject/sleep"
#define CGROUP	"/tmp/tlob-cgroup2"

int records_open(void)
{
	int fd = open(tlob_path("waits_records"), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail("waits_records: %s", strerror(errno));
	return fd;
}

/* Sorts one record into @w. Returns its size. */
static size_t take_record(struct waits *w, const void *record)
{
	const struct tlob_wait_task *task = record;

	switch (task->type) {
	case TLOB_WAIT_STATUS:
		check_eq(w->tasks + w->stacks + w->copies, 0);
		memcpy(&w->status, record, sizeof(w->status));
		check_eq(w->status.version, TLOB_WAIT_VERSION);
		break;
	case TLOB_WAIT_TASK:
		check(w->tasks < WAITS_MAX);
		w->task[w->tasks++] = *task;
		break;
	case TLOB_WAIT_STACK:
		check(w->stacks < WAITS_MAX);
		memcpy(&w->stack[w->stacks++], record, sizeof(*w->stack));
		break;
	case TLOB_WAIT_COPY:
		check(w->copies < COPIES_MAX);
		memcpy(&w->copy[w->copies++], record, sizeof(*w->copy));
		break;
	default:
		fail("a record of type %u", task->type);
	}
	return task->size;
}

/* What must hold in every snapshot. */
static void check_waits(const struct waits *w)
{
	unsigned int i, k;

	check_eq(w->tasks, w->status.tasks);
	check_eq(w->stacks, w->status.stacks);
	for (i = 0; i < w->tasks; i++) {
		const struct tlob_wait_task *t = &w->task[i];

		check(t->blocked.max_ns <= t->blocked.total_ns);
		check_eq(t->blocked.count, t->runnable.count);
		if (i)
			check(t->blocked.total_ns <= t[-1].blocked.total_ns);
	}
	for (i = 0; i < w->stacks; i++) {
		const struct tlob_wait_stack *s = &w->stack[i];
		uint64_t total = 0, count = 0;

		check(s->blocked.count);
		check(s->blocked.total_ns >= s->blocked.count * w->status.threshold_ns);
		check(s->nr_kernel <= TLOB_WAIT_FRAMES && s->nr_code <= TLOB_WAIT_CODE);
		if (i && s[-1].task == s->task)
			continue;
		for (k = i; k < w->stacks && w->stack[k].task == s->task; k++) {
			total += w->stack[k].blocked.total_ns;
			count += w->stack[k].blocked.count;
		}
		for (k = 0; k < w->tasks && w->task[k].id != s->task; k++)
			;
		if (k < w->tasks) {
			check(total <= w->task[k].blocked.total_ns);
			check(count <= w->task[k].blocked.count);
		}
	}
}

struct waits *waits_read(int fd)
{
	static struct waits w;
	static char buf[1 << 16];
	ssize_t n, at;

	w.tasks = 0;
	w.stacks = 0;
	w.copies = 0;
	check_eq(lseek(fd, 0, SEEK_SET), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (at = 0; at < n; )
			at += take_record(&w, buf + at);
	check_eq(n, 0);
	check_waits(&w);
	return &w;
}

const struct tlob_wait_task *waits_task(const struct waits *w, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < w->tasks; i++)
		if (w->task[i].tid == (unsigned int)tid)
			return &w->task[i];
	fail("no task %d", tid);
}

/* The stacks of a task; they are sorted by task. Returns the first. */
const struct tlob_wait_stack *waits_stacks(const struct waits *w, uint64_t task,
					   unsigned int *nr)
{
	const struct tlob_wait_stack *first = NULL;
	unsigned int i;

	*nr = 0;
	for (i = 0; i < w->stacks; i++) {
		if (w->stack[i].task != task)
			continue;
		if (!first)
			first = &w->stack[i];
		++*nr;
	}
	return first;
}

/* The rows of @tid in the listing, in a static buffer. */
static const char *listed(pid_t tid)
{
	static char text[1 << 20], key[32];
	char *p, *end, *line = text;

	read_file(tlob_path("waits"), text, sizeof(text));
	snprintf(key, sizeof(key), "/%d tgid=", tid);
	p = strstr(text, key);
	if (!p)
		fail("waits does not list %d", tid);
	for (end = p; (end = strchr(end, '\n')) && end[1] == ' '; end++)
		;
	if (end)
		*end = 0;
	while ((end = memchr(line, '\n', p - line)))
		line = end + 1;
	return line;
}

void write_sleep(const char *text)
{
	int fd = open(SLEEP, O_WRONLY);

	if (fd < 0)
		fail("%s: %s", SLEEP, strerror(errno));
	if (write(fd, text, strlen(text)) < 0)
		fail("%s: %s", text, strerror(errno));
	close(fd);
}

/* A process that waits in one way, @turns times. The other side wakes it. */
struct sleeper {
	const char *name;
	void (*wait)(void);
	void (*wake)(void);		/* by another process; NULL: a timer */
	const char *kernel;		/* is in its kernel stack */
	unsigned int ms;
	pid_t pid, waker;
};

/*
 * On a busy host a task may come so late that what it waits for is there already, and it does not
 * sleep at all. So all times are longer there.
 */
static uint64_t ms(unsigned int n)
{
	return n * MS * (deterministic() ? 1 : 20);
}

static int pipes[2], polled[2];
static uint32_t *word;

static void nap(void)
{
	sleep_ns(ms(40));
}

static void wait_pipe(void)
{
	char c;

	check_eq(read(pipes[0], &c, 1), 1);
}

static void wake_pipe(void)
{
	sleep_ns(ms(35));
	check_eq(write(pipes[1], "", 1), 1);
}

static void wait_poll(void)
{
	struct pollfd p = { .fd = polled[0], .events = POLLIN };

	check_eq(poll(&p, 1, -1), 1);
}

static void wake_poll(void)
{
	sleep_ns(ms(30));
	check_eq(write(polled[1], "", 1), 1);
}

static void wait_futex(void)
{
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void wake_futex(void)
{
	sleep_ns(ms(25));
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void sleep_command(const char *what, uint64_t ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %llu", what, (unsigned long long)ns);
	write_sleep(text);
}

static void wait_d(void)
{
	sleep_command("d", ms(20));
}

static void wait_mutex(void)
{
	write_sleep("take mutex");
}

static void hold_mutex(void)
{
	sleep_command("hold mutex", ms(15));
}

static void wait_rt_mutex(void)
{
	write_sleep("take rt_mutex");
}

static void hold_rt_mutex(void)
{
	sleep_command("hold rt_mutex", ms(10));
}

/* The longest first. */
static struct sleeper sleepers[] = {
	{ "nanosleep", nap, NULL, "hrtimer_nanosleep", 40, 0, 0 },
	{ "pipe", wait_pipe, wake_pipe, "pipe_read", 35, 0, 0 },
	{ "poll", wait_poll, wake_poll, "sys_poll", 30, 0, 0 },
	{ "futex", wait_futex, wake_futex, "futex_wait", 25, 0, 0 },
	{ "d", wait_d, NULL, "sleep_d", 20, 0, 0 },
	{ "mutex", wait_mutex, hold_mutex, "sleep_write", 15, 0, 0 },
	{ "rt_mutex", wait_rt_mutex, hold_rt_mutex, "rt_mutex", 10, 0, 0 },
};

#define SLEEPERS (sizeof(sleepers) / sizeof(*sleepers))

static pid_t child(void (*run)(void))
{
	pid_t pid = fork();

	check(pid >= 0);
	if (!pid) {
		run();
		_exit(0);
	}
	return pid;
}

/* Waits until @pid sleeps in what it does. */
static void until_asleep(pid_t pid)
{
	char path[64], text[512], *state;
	unsigned int tries;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (tries = 0; tries < 10000; tries++) {
		read_file(path, text, sizeof(text));
		state = strrchr(text, ')');
		check(state && state[1] == ' ');
		if (state[2] == 'S' || state[2] == 'D')
			return;
		sleep_ns(100 * US);
	}
	fail("%d does not sleep", pid);
}

/* The waker begins first: it holds the lock, or sleeps, when the other comes. */
static void run_sleeper(struct sleeper *s)
{
	if (s->wake) {
		s->waker = child(s->wake);
		until_asleep(s->waker);
	}
	s->pid = child(s->wait);
	reap(s->pid);
	if (s->wake)
		reap(s->waker);
}

static void check_sleeper(const struct waits *w, const struct sleeper *s)
{
	const struct tlob_wait_task *t = waits_task(w, s->pid);
	uint64_t ns = s->ms * MS;
	const char *row;
	char waker[40];

	note("%s: %llu waits, %llu ns", s->name, (unsigned long long)t->blocked.count,
	     (unsigned long long)t->blocked.total_ns);
	/* the waker begins some time before, and a timer may be late by its slack */
	if (deterministic() && !debug_kernel)
		check(t->blocked.max_ns >= ns - MS && t->blocked.max_ns < ns + 200 * US);
	row = listed(s->pid);
	if (!strstr(row, s->kernel))
		fail("%s: no %s in\n%s", s->name, s->kernel, row);
	snprintf(waker, sizeof(waker), "/%d\n", s->waker);
	if (s->wake && !strstr(row, waker))
		fail("%s: not woken by %d:\n%s", s->name, s->waker, row);
	if (!s->wake && !strstr(row, "woken_by=irq") && !preempt_rt())
		fail("%s: not woken by an irq:\n%s", s->name, row);
}

static void known_sleepers(void)
{
	struct waits *w;
	size_t i;
	int fd;

	check_eq(pipe(pipes), 0);
	check_eq(pipe(polled), 0);
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(word != MAP_FAILED);
	fd = records_open();
	set("waits", "on");
	for (i = 0; i < SLEEPERS; i++)
		run_sleeper(&sleepers[i]);
	set("waits", "off");
	w = waits_read(fd);
	for (i = 0; i < SLEEPERS; i++)
		check_sleeper(w, &sleepers[i]);
	if (deterministic())
		for (i = 1; i < SLEEPERS; i++)
			check(waits_task(w, sleepers[i].pid) >
			      waits_task(w, sleepers[i - 1].pid));
	check_eq(w->status.lost_tasks, 0);
	check_eq(w->status.lost_stacks, 0);
	check_eq(w->status.owed, 0);
	close(fd);
}

/* Two callers of one function, with frames of the same size. */
static __attribute__((noinline)) void first_caller(void)
{
	sleep_ns(3 * MS);
	asm volatile("");
}

static __attribute__((noinline)) void second_caller(void)
{
	sleep_ns(2 * MS);
	asm volatile("");
}

static bool in_function(uint64_t addr, void (*function)(void))
{
	uintptr_t start = (uintptr_t)function;

	/* both are shorter than this, and what follows is not on the stack */
	return addr > start && addr < start + 32;
}

static bool stack_has(const struct tlob_wait_stack *s, void (*function)(void))
{
	unsigned int i;

	for (i = 0; i < s->nr_code; i++)
		if (in_function(s->code[i], function))
			return true;
	return false;
}

static bool copy_has(const struct tlob_wait_copy *c, void (*function)(void))
{
	uint64_t addr;
	unsigned int i;

	for (i = 0; i + sizeof(addr) <= c->length; i += sizeof(addr)) {
		memcpy(&addr, c->data + i, sizeof(addr));
		if (in_function(addr, function))
			return true;
	}
	return false;
}

static const struct tlob_wait_copy *copy_of(const struct waits *w, uint64_t stack)
{
	unsigned int i;

	for (i = 0; i < w->copies; i++)
		if (w->copy[i].stack == stack)
			return &w->copy[i];
	return NULL;
}

/* The same calls from the same place each time. */
static __attribute__((noinline)) void calls(unsigned int first, unsigned int second)
{
	unsigned int i;

	for (i = 0; i < first; i++)
		first_caller();
	for (i = 0; i < second; i++)
		second_caller();
	asm volatile("");
}

/* Each caller has a stack of its own, with its raw copy, which is read once. */
static void user_stacks(void)
{
	const struct tlob_wait_stack *s;
	unsigned int nr, i, firsts = 0, seconds = 0, known;
	uint64_t had[COPIES_MAX];
	int fd = records_open();
	struct waits *w;

	set("waits", "on pids=%d", getpid());
	calls(3, 5);
	w = waits_read(fd);
	s = waits_stacks(w, waits_task(w, getpid())->id, &nr);
	for (; nr; nr--, s++) {
		const struct tlob_wait_copy *c = copy_of(w, s->id);

		check(!stack_has(s, first_caller) || !stack_has(s, second_caller));
		if (stack_has(s, first_caller)) {
			firsts += s->blocked.count;
			check(c && copy_has(c, first_caller));
		}
		if (stack_has(s, second_caller)) {
			seconds += s->blocked.count;
			check(c && copy_has(c, second_caller));
		}
		if (c) {
			check_eq(c->tgid, getpid());
			check_eq(c->reg[TLOB_WAIT_REG_IP], s->code[0]);
			check(c->reg[TLOB_WAIT_REG_SP] <= (uintptr_t)&nr);
		}
	}
	if (deterministic()) {
		check_eq(firsts, 3);
		check_eq(seconds, 5);
	}
	check(firsts && firsts <= 3);
	check(seconds && seconds <= 5);
	known = w->copies;
	for (i = 0; i < known; i++)
		had[i] = w->copy[i].stack;
	calls(3, 3);
	w = waits_read(fd);
	for (i = 0; i < known; i++)
		check(!copy_of(w, had[i]));
	close(fd);

	/* the next reader has none until a task waits again */
	fd = records_open();
	check_eq(waits_read(fd)->copies, 0);
	calls(0, 1);
	w = waits_read(fd);
	for (i = 0; i < w->copies && !copy_has(&w->copy[i], second_caller); i++)
		;
	check(i < w->copies);
	close(fd);
	set("waits", "off");
}

static void errors(void)
{
	static const char * const bad[] = { "", "1", "on x", "on pids=", "off now" };
	char byte;
	size_t i;
	int fd, other;

	set("waits", "off");
	set("waits", "reset");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		check_eq(put("waits", "%s\n", bad[i]), -EINVAL);
	check_eq(put("waits", "on threshold=1"), -ERANGE);
	check_eq(put("waits", "on cgroup=/no such group"), -ENOENT);
	check(!strcmp(get("waits"), ""));
	fd = records_open();
	other = open(tlob_path("waits_records"), O_RDONLY);
	check(other < 0 && errno == EBUSY);
	check_errno(read(fd, &byte, 1), EINVAL);
	check_errno(syscall(SYS_read, fd, (void *)8, 4096), EFAULT);
	check_errno(pread(fd, &byte, 1, 5), EINVAL);
	close(fd);
}

/* Without CAP_PERFMON and CAP_SYS_ADMIN: no raw copies, and no user addresses in the listing. */
static void without_capability(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int fd;

	set("waits", "on");
	first_caller();
	check(strstr(listed(getpid()), "    user 0x"));
	check_eq(syscall(SYS_capget, &head, data), 0);
	data[CAP_TO_INDEX(CAP_PERFMON)].effective &= ~CAP_TO_MASK(CAP_PERFMON);
	data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
	check_eq(syscall(SYS_capset, &head, data), 0);
	fd = open(tlob_path("waits_records"), O_RDONLY);
	check(fd < 0 && errno == EPERM);
	check(!strstr(listed(getpid()), "    user 0x"));
	check(strstr(listed(getpid()), "    kernel "));
	set("waits", "off");
}

static bool has_task(const struct waits *w, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < w->tasks; i++)
		if (w->task[i].tid == (unsigned int)tid)
			return true;
	return false;
}

static void sleep_once(void)
{
	sleep_ns(ms(1));
}

static void sleep_in_cgroup(void)
{
	check_eq(write_file(CGROUP "/tlob/cgroup.procs", "0"), 0);
	sleep_ns(ms(1));
}

/* Only the waits that a scope names. */
static void scopes(void)
{
	int fd = records_open(), device;
	struct waits *w;
	pid_t pid;

	set("waits", "on pids=1,%d", getpid());
	pid = child(sleep_once);
	sleep_once();
	reap(pid);
	w = waits_read(fd);
	check(has_task(w, getpid()));
	check(!has_task(w, pid));

	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		fail("cgroup2: %s", strerror(errno));
	if (mkdir(CGROUP "/tlob", 0700) && errno != EEXIST)
		fail("cgroup: %s", strerror(errno));
	set("waits", "on cgroup=/tlob");
	pid = child(sleep_in_cgroup);
	reap(pid);
	w = waits_read(fd);
	check(has_task(w, pid));
	check(!has_task(w, getpid()));

	set("waits", "on windows");
	device = monitor_open();
	sleep_ns(ms(3));
	check_eq(start_us(device, 10000000, -1, 0), 0);
	sleep_ns(ms(2));
	check_eq(stop_window(device), 0);
	sleep_ns(ms(3));
	w = waits_read(fd);
	if (deterministic()) {
		check_eq(waits_task(w, getpid())->blocked.count, 1);
		check(waits_task(w, getpid())->blocked.total_ns >= ms(2) - 100 * US);
	}
	set("waits", "off");
	close(fd);
	close(device);
	monitor_off();
}

/* A threshold limits stacks, not totals. */
static void thresholds(void)
{
	const struct tlob_wait_task *t;
	int fd = records_open();
	struct waits *w;
	unsigned int nr;

	set("waits", "on threshold=10ms pids=%d", getpid());
	first_caller();
	w = waits_read(fd);
	t = waits_task(w, getpid());
	check_eq(w->status.threshold_ns, 10 * MS);
	if (deterministic()) {
		check(t->blocked.total_ns >= 3 * MS - 100 * US);
		waits_stacks(w, t->id, &nr);
		check_eq(nr, 0);
	}
	sleep_ns(ms(12));
	w = waits_read(fd);
	check(waits_stacks(w, waits_task(w, getpid())->id, &nr));
	set("waits", "reset");
	w = waits_read(fd);
	check(!has_task(w, getpid()) || waits_task(w, getpid())->blocked.max_ns < ms(12) - MS);
	set("waits", "off");
	close(fd);
}

const struct test waits_tests[] = {
	{ "errors", errors, 0 },
	{ "known_sleepers", known_sleepers, 0 },
	{ "user_stacks", user_stacks, 0 },
	{ "without_capability", without_capability, 0 },
	{ "scopes", scopes, 0 },
	{ "thresholds", thresholds, 0 },
	{ }
};
