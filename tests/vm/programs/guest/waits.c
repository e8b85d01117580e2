// SPDX-License-Identifier: GPL-2.0
/* The wait profiler: its records, and known sleepers with their times, stacks and wakers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "waits.h"

#define GROUP	"waits"

#define MS	1000000ULL
#define US	1000ULL
#define SLEEP	"/sys/kernel/debug/tlob_inject/sleep"

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

/* Checks what must hold in every snapshot. */
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

bool waits_has(const struct waits *w, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < w->tasks; i++)
		if (w->task[i].tid == (unsigned int)tid)
			return true;
	return false;
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

const char *waits_listed(pid_t tid)
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

uint64_t waits_ms(unsigned int n)
{
	return n * MS * (deterministic() && !debug_kernel ? 1 : 150);
}

static void sleep_command(const char *what, uint64_t ns)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %llu", what, (unsigned long long)ns);
	write_sleep(text);
}

pid_t waits_owing(void (*before)(void))
{
	uint64_t until = now_ns() + PATIENCE;
	int go[2];
	pid_t pid;
	char c;

	check_eq(pipe(go), 0);
	pid = fork();
	check(pid >= 0);
	if (!pid) {
		before();
		check_eq(read(go[0], &c, 1), 1);
		sleep_command("gate", waits_ms(5));
		_exit(0);
	}
	set("waits", "on pids=%d", pid);
	check_eq(write(go[1], "", 1), 1);
	/* in this order: what it owed for the pipe was paid before it slept like this */
	while (task_state(pid) != 'D' || !status_field("waits", "owed")) {
		check(now_ns() < until);
		sleep_ns(5 * MS);
	}
	close(go[0]);
	close(go[1]);
	return pid;
}

void waits_let_go(pid_t pid)
{
	write_sleep("open");
	reap(pid);
}

void waits_owe_nothing(void)
{
	uint64_t until = now_ns() + PATIENCE;

	while (status_field("waits", "owed")) {
		check(now_ns() < until);
		sleep_ns(10 * MS);
	}
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

static int pipes[2], polled[2];
static uint32_t *word;

static void nap(void)
{
	sleep_ns(waits_ms(40));
}

static void wait_pipe(void)
{
	char c;

	check_eq(read(pipes[0], &c, 1), 1);
}

static void wake_pipe(void)
{
	sleep_ns(waits_ms(35));
	check_eq(write(pipes[1], "", 1), 1);
}

static void wait_poll(void)
{
	struct pollfd p = { .fd = polled[0], .events = POLLIN };

	check_eq(poll(&p, 1, -1), 1);
}

static void wake_poll(void)
{
	sleep_ns(waits_ms(30));
	check_eq(write(polled[1], "", 1), 1);
}

static void wait_futex(void)
{
	while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void wake_futex(void)
{
	sleep_ns(waits_ms(25));
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_d(void)
{
	sleep_command("d", waits_ms(20));
}

static void wait_mutex(void)
{
	write_sleep("take mutex");
}

static void hold_mutex(void)
{
	sleep_command("hold mutex", waits_ms(15));
}

static void wait_rt_mutex(void)
{
	write_sleep("take rt_mutex");
}

static void hold_rt_mutex(void)
{
	sleep_command("hold rt_mutex", waits_ms(10));
}

/* The longest first. */
static struct sleeper sleepers[] = {
	{ "nanosleep", nap, NULL, "hrtimer_nanosleep", 40, 0, 0 },
	{ "pipe", wait_pipe, wake_pipe, "pipe_read", 35, 0, 0 },
	{ "poll", wait_poll, wake_poll, "sys_poll", 30, 0, 0 },
	{ "futex", wait_futex, wake_futex, "futex_wait", 25, 0, 0 },
	{ "d", wait_d, NULL, "sleep_d", 20, 0, 0 },
	{ "mutex", wait_mutex, hold_mutex, "inject_write", 15, 0, 0 },
	{ "rt_mutex", wait_rt_mutex, hold_rt_mutex, "rt_mutex", 10, 0, 0 },
};

#define SLEEPERS (sizeof(sleepers) / sizeof(*sleepers))

unsigned int waits_disturb(unsigned int what)
{
	switch (what) {
	case 0:
		set("waits", "off");
		set("waits", "on threshold=2us");
		break;
	case 1:
		set("waits", "reset");
		break;
	}
	return what;
}

pid_t waits_child(void (*run)(void))
{
	pid_t pid = fork();

	check(pid >= 0);
	if (!pid) {
		run();
		_exit(0);
	}
	return pid;
}

/* The waker begins first: it holds the lock, or sleeps, when the other comes. */
static void run_sleeper(struct sleeper *s)
{
	if (s->wake) {
		s->waker = waits_child(s->wake);
		until_asleep(s->waker, "SD");
	}
	s->pid = waits_child(s->wait);
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
	row = waits_listed(s->pid);
	if (!strstr(row, s->kernel))
		fail("%s: no %s in\n%s", s->name, s->kernel, row);
	snprintf(waker, sizeof(waker), "/%d\n", s->waker);
	if (s->wake && !strstr(row, waker))
		fail("%s: not woken by %d:\n%s", s->name, s->waker, row);
	if (!s->wake && !strstr(row, "woken_by=irq") && !preempt_rt())
		fail("%s: not woken by an irq:\n%s", s->name, row);
}

TEST(known_sleepers)
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

TEST(errors)
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

/* A name must not look like a row of its own. */
TEST(names)
{
	const char *row;
	pid_t pid;

	set("waits", "on");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "a\nb\\c");
		nap();
		_exit(0);
	}
	check_eq(waitpid(pid, NULL, 0), pid);
	row = waits_listed(pid);
	if (strncmp(row, "a\\012b\\134c/", 12))
		fail("the row begins with %.20s", row);
	set("waits", "off");
}
