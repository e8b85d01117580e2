// SPDX-License-Identifier: GPL-2.0
/*
 * A real-time thread of some user spins on CPU 1: no other thread of that CPU runs meanwhile, and
 * on PREEMPT_RT none of its deferred works and timers. What other users need must not wait for it.
 *
 * The other tasks are on CPU 0. What must come has PATIENCE; only a failure takes so long.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define GROUP	"monitor_race"

#define MS	1000000ULL
#define US	1000ULL
#define HOUR	(3600000 * MS)		/* a budget that no test exceeds */

#define TRACE_OF_WINDOW	"/sys/kernel/tracing/events/tlob_load/tlob_window/id"
#define TRACE_OF_EXCEEDED	"/sys/kernel/tracing/events/tlob_load/tlob_budget_exceeded/id"
#define ANOTHER_EVENT	"/sys/kernel/tracing/events/sched/sched_process_wait/enable"

/* Less than a test may take (main.c), so that it says what did not come. */
#define LIMIT	(60000 * MS)

/* The caller, and threads that it starts from now on. @priority: 0 is no real-time policy. */
static void live_on(int cpu, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	check_eq(sched_setaffinity(0, sizeof(mask), &mask), 0);
	check_eq(sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER, &param), 0);
}

static void say(int *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static bool said(const int *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* The caller sleeps until @flag is said. */
static void until_said(const int *flag, const char *what)
{
	uint64_t limit = now_ns() + LIMIT;

	while (!said(flag)) {
		if (now_ns() > limit)
			fail("%s has not come", what);
		sleep_ns(MS);
	}
}

/* A reader that sleeps until a record comes. */
struct reader {
	int	fd, has_read;
	pid_t	tid;
	pthread_t thread;
};

static void *reads(void *arg)
{
	struct reader *r = arg;
	struct tlob_event e;

	live_on(0, 0);
	__atomic_store_n(&r->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	check_eq(read(r->fd, &e, sizeof(e)), sizeof(e));
	say(&r->has_read);
	return NULL;
}

static void reader_start(struct reader *r)
{
	r->fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	r->has_read = 0;
	r->tid = 0;
	check(r->fd >= 0);
	check_eq(pthread_create(&r->thread, NULL, reads, r), 0);
	while (!__atomic_load_n(&r->tid, __ATOMIC_ACQUIRE))
		sleep_ns(MS);
	until_asleep(r->tid, "S");
}

static void reader_end(struct reader *r)
{
	check_eq(pthread_join(r->thread, NULL), 0);
	close(r->fd);
}

/* A thread that takes CPU 1 for itself. */
struct hog {
	int	fd;			/* of its window */
	const char *trace;		/* the id of the event that it waits for */
	int	waits, spins, over;
	pthread_t thread;
};

static void hog_start(struct hog *h, void *(*run)(void *))
{
	h->spins = 0;
	h->over = 0;
	check_eq(pthread_create(&h->thread, NULL, run, h), 0);
	until_said(&h->spins, "the thread that spins");
}

static void hog_end(struct hog *h)
{
	say(&h->over);
	check_eq(pthread_join(h->thread, NULL), 0);
}

static void spin_until_over(struct hog *h)
{
	say(&h->spins);
	while (!said(&h->over))
		;
}

static void *spins_above(void *arg)
{
	live_on(1, 2);
	spin_until_over(arg);
	return NULL;
}

/* As isolcpus= does for works without a CPU, and without the kernel's 5 % for other tasks. */
static const char * const reserves[][2] = {
	{ "/sys/devices/virtual/workqueue/cpumask", "1" },
	{ "/proc/sys/kernel/sched_rt_runtime_us", "-1" },
	{ "/sys/kernel/debug/sched/fair_server/cpu1/runtime", "0" },
};

#define RESERVES	(sizeof(reserves) / sizeof(*reserves))

static char reserve_was[RESERVES][64];

static void isolate(void)
{
	size_t i;

	for (i = 0; i < RESERVES; i++) {
		*reserve_was[i] = 0;
		if (access(reserves[i][0], F_OK))
			continue;
		read_file(reserves[i][0], reserve_was[i], sizeof(reserve_was[i]));
		/* a CPU that came after the boot has no such server, and takes no value */
		if (strtol(reserve_was[i], NULL, 10) == strtol(reserves[i][1], NULL, 10))
			*reserve_was[i] = 0;
		else if (write_file(reserves[i][0], reserves[i][1]))
			fail("%s cannot be %s", reserves[i][0], reserves[i][1]);
	}
	live_on(0, 0);
}

static void isolate_no_more(void)
{
	size_t i;

	/* a server of the fair class is admitted as long as the other limit is off */
	for (i = RESERVES; i--;)
		if (*reserve_was[i] && write_file(reserves[i][0], reserve_was[i]))
			fail("%s cannot be %s again", reserves[i][0], reserve_was[i]);
}

/* The budget ends, the event has been reported, and the thread spins on. */
static void *violates(void *arg)
{
	struct hog *h = arg;
	struct tlob_task_window w;

	live_on(1, 2);
	check_eq(start_ns(h->fd, 100 * US, h->fd, 0), 0);
	spin_ns(MS);
	errno = 0;
	check(ioctl(h->fd, TLOB_IOC_STOP_NS, &w) == -1 && errno == EOVERFLOW);
	spin_until_over(h);
	return NULL;
}

/* Each reader is woken, also while a task that had a violation keeps its CPU. */
TEST_ON(readers_beside_a_hog, 2)
{
	int fd = monitor_open();
	struct reader of_hog, of_other;
	struct hog hog;

	isolate();
	reader_start(&of_hog);
	reader_start(&of_other);
	hog.fd = of_hog.fd;
	hog_start(&hog, violates);

	check_eq(start_ns(fd, 100 * US, of_other.fd, 0), 0);
	spin_ns(MS);
	check_errno(stop_window(fd), EOVERFLOW);
	until_said(&of_other.has_read, "the record of another user");
	until_said(&of_hog.has_read, "the record of the thread that spins");

	hog_end(&hog);
	reader_end(&of_hog);
	reader_end(&of_other);
	close(fd);
	monitor_off();
	isolate_no_more();
}

/* It begins a window on CPU 1, and hangs on CPU 0. */
static struct {
	int	fd, moved, over;
} mover;

static void *moves_and_hangs(void *unused)
{
	(void)unused;
	live_on(1, 0);
	check_eq(start_ns(mover.fd, 500 * MS, mover.fd, 0), 0);
	live_on(0, 0);
	say(&mover.moved);
	while (!said(&mover.over))
		;
	check_errno(stop_window(mover.fd), EOVERFLOW);
	return NULL;
}

/* The budget of a thread that moves is over in time, also if its first CPU runs no timers. */
TEST_ON(moved_off_a_hog, 2)
{
	struct reader reader;
	pthread_t thread;
	struct hog hog;

	isolate();
	close(monitor_open());
	reader_start(&reader);
	mover.fd = reader.fd;
	check_eq(pthread_create(&thread, NULL, moves_and_hangs, NULL), 0);
	until_said(&mover.moved, "the thread that moves");
	hog_start(&hog, spins_above);
	until_said(&reader.has_read, "the violation of a thread that hangs");
	say(&mover.over);
	check_eq(pthread_join(thread, NULL), 0);
	hog_end(&hog);
	reader_end(&reader);
	monitor_off();
	isolate_no_more();
}

/* The last window that reports to a ring ends, and its thread spins on. */
static struct {
	int	fd;			/* whose file is closed meanwhile */
	int	begun, closed;
} ring_of_hog;

static void *drops_a_ring(void *arg)
{
	struct hog *h = arg;

	live_on(1, 2);
	check_eq(start_ns(h->fd, HOUR, ring_of_hog.fd, 0), 0);
	say(&ring_of_hog.begun);
	while (!said(&ring_of_hog.closed))
		;
	check_eq(stop_window(h->fd), 0);
	spin_until_over(h);
	return NULL;
}

/* A ring is freed, also if the CPU on which its last window ended has no time for works. */
TEST_ON(ring_freed_beside_a_hog, 2)
{
	uint64_t memory, limit;
	struct hog hog = {};

	isolate();
	hog.fd = monitor_open();
	memory = status(-1, "memory_bytes");
	ring_of_hog.fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	check(ring_of_hog.fd >= 0);
	check_eq(pthread_create(&hog.thread, NULL, drops_a_ring, &hog), 0);
	until_said(&ring_of_hog.begun, "the window");
	check(status(-1, "memory_bytes") > memory);
	close(ring_of_hog.fd);
	say(&ring_of_hog.closed);
	until_said(&hog.spins, "the end of the window");
	for (limit = now_ns() + LIMIT; status(-1, "memory_bytes") != memory;) {
		if (now_ns() > limit)
			fail("the ring is still there");
		sleep_ns(MS);
	}
	hog_end(&hog);
	close(hog.fd);
	monitor_off();
	isolate_no_more();
}

/* For threads of the kernel. @pattern: for fnmatch(). @priority: 0 is no real-time policy. */
static void schedule_threads(const char *pattern, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	const int policy = priority ? SCHED_FIFO : SCHED_OTHER;
	DIR *proc = opendir("/proc");
	char path[300], comm[32];
	struct dirent *entry;
	FILE *f;

	check(proc);
	while ((entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !fnmatch(pattern, strtok(comm, "\n"), 0) &&
		    sched_setscheduler(strtol(entry->d_name, NULL, 10), policy, &param))
			check_eq(errno, ESRCH);
		fclose(f);
	}
	closedir(proc);
}

/*
 * Without these no grace period ends beside spins(). Linux 6.1 leaves all softirqs of a CPU to its
 * ksoftirqd once that is awake, those of RCU as well. A worker of the CPU does the next step for
 * SRCU, if the last one was there, such as a callback of RCU that lets go of a tracepoint's probes.
 */
static void schedule_grace_periods(int priority)
{
	schedule_threads("ksoftirqd/1", priority);
	schedule_threads("kworker/1:*", priority);
}

/* In turns with the kernel's own rcuc/1, and the threads above. */
static void *spins(void *arg)
{
	const struct sched_param param = { .sched_priority = 1 };

	live_on(1, 1);
	/* such a callback comes while this thread spins */
	check_eq(write_file(ANOTHER_EVENT, "1"), 0);
	check_eq(write_file(ANOTHER_EVENT, "0"), 0);
	check_eq(sched_setscheduler(0, SCHED_RR, &param), 0);
	spin_until_over(arg);
	return NULL;
}

static void *ends_the_run(void *ended)
{
	disable();
	say(ended);
	return NULL;
}

/* A run ends, also if a task of a higher priority keeps the CPU of its kernel thread. */
TEST_ON(run_ends_beside_a_hog, 2)
{
	pthread_t thread;
	struct hog hog;
	int ended = 0;

	isolate();
	schedule_grace_periods(1);
	setup("kthread", "1", MS, 10 * MS, "none");
	set("policy", "other");
	enable();
	more_windows(1, 1);
	hog_start(&hog, spins);
	check_eq(pthread_create(&thread, NULL, ends_the_run, &ended), 0);
	until_said(&ended, "the end of the run");
	check_eq(pthread_join(thread, NULL), 0);
	hog_end(&hog);
	schedule_grace_periods(0);
	isolate_no_more();
}

/* perf wakes this thread from an event, whose task or timer is not past it yet. */
static void *spins_at_an_event(void *arg)
{
	const struct sched_param param = { .sched_priority = 1 };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.sample_period = 1, .wakeup_events = 1,
	};
	struct pollfd event = { .events = POLLIN };
	struct hog *h = arg;
	char id[32];

	live_on(1, 1);
	check_eq(sched_setscheduler(0, SCHED_RR, &param), 0);
	read_file(h->trace, id, sizeof(id));
	attr.config = strtoull(id, NULL, 10);
	event.fd = (int)syscall(SYS_perf_event_open, &attr, -1, 1, -1, PERF_FLAG_FD_CLOEXEC);
	check(event.fd >= 0);
	check(mmap(NULL, 2UL * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, event.fd, 0) != MAP_FAILED);
	say(&h->waits);
	check_eq(poll(&event, 1, -1), 1);
	spin_until_over(h);
	close(event.fd);
	return NULL;
}

/* Until the run ends. */
static void *is_measured(void *arg)
{
	struct tlob_window w;
	int fd;

	(void)arg;
	live_on(1, 0);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	while (read(fd, &w, sizeof(w)) == sizeof(w))
		;
	check_eq(errno, ENODEV);
	close(fd);
	return NULL;
}

/* A run ends, also if another task keeps the CPU of its user thread since a window ended. */
TEST_ON(run_of_a_user_beside_a_hog, 2)
{
	pthread_t measured, thread;
	struct hog hog = { .trace = TRACE_OF_WINDOW };
	int ended = 0;

	if (access(TRACE_OF_WINDOW, F_OK))
		skip("this kernel has no events for perf");
	/* then the end of the run may wait for a grace period that the hog's CPU must report */
	if (!preempt_rt())
		skip("without PREEMPT_RT the task also keeps the softirqs that the kernel itself waits for");
	isolate();
	schedule_grace_periods(1);
	setup("user", "1", MS, 10 * MS, "none");
	enable();
	check_eq(pthread_create(&hog.thread, NULL, spins_at_an_event, &hog), 0);
	until_said(&hog.waits, "the thread that waits for a window");
	check_eq(pthread_create(&measured, NULL, is_measured, NULL), 0);
	until_said(&hog.spins, "the thread that spins");
	check_eq(pthread_create(&thread, NULL, ends_the_run, &ended), 0);
	until_said(&ended, "the end of the run");
	check_eq(pthread_join(thread, NULL), 0);
	hog_end(&hog);
	check_eq(pthread_join(measured, NULL), 0);
	schedule_grace_periods(0);
	isolate_no_more();
}

/* Its budget is over, and the timer reports that. */
static void *exceeds(void *arg)
{
	const struct hog *h = arg;

	live_on(1, 0);
	check_eq(start_ns(h->fd, MS, -1, 0), 0);
	while (!said(&h->over))
		;
	return NULL;
}

static void *ends_the_monitor(void *ended)
{
	set("monitor_enable", "0");
	say(ended);
	return NULL;
}

#define TRIES	20

/*
 * The hog spins between the first event of the timer and the second. perf wakes it by an
 * interrupt, and the timer may be faster than that: then once more.
 */
static void hog_in_a_timer(struct hog *h, pthread_t *victim)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		*h = (struct hog){ .trace = TRACE_OF_EXCEEDED, .fd = monitor_open() };
		check_eq(pthread_create(&h->thread, NULL, spins_at_an_event, h), 0);
		until_said(&h->waits, "the thread that waits for a violation");
		/* what the timer reports next */
		trace_on("error_env_tlob");
		check_eq(pthread_create(victim, NULL, exceeds, h), 0);
		until_said(&h->spins, "the thread that spins");
		if (!trace_count("error_env_tlob"))
			return;
		hog_end(h);
		check_eq(pthread_join(*victim, NULL), 0);
		trace_off();
		close(h->fd);
	}
	fail("the timer was faster in each of %d times", TRIES);
}

/* The monitor is switched off, also if another task keeps the CPU in a budget's timer. */
TEST_ON(monitor_off_beside_a_hog, 2)
{
	pthread_t victim, thread;
	struct hog hog;
	int i, ended = 0;

	if (access(TRACE_OF_EXCEEDED, F_OK))
		skip("this kernel has no events for perf");
	if (!preempt_rt())
		skip("without PREEMPT_RT no task preempts a timer");
	isolate();
	/*
	 * What a callback of CPU 1 leaves to the worker there would keep the end of the monitor, see
	 * above. Each of these waits for a step of it.
	 */
	live_on(0, 0);
	for (i = 0; i < 2; i++) {
		close(monitor_open());
		monitor_off();
	}
	/* it has no turns with the hog; until 6.12 its timers are those of ksoftirqd/1, as is */
	schedule_threads("ktimers/1", 0);
	hog_in_a_timer(&hog, &victim);
	check_eq(pthread_create(&thread, NULL, ends_the_monitor, &ended), 0);
	until_said(&ended, "the end of the monitor");
	check_eq(trace_count("error_env_tlob"), 1);
	check_eq(pthread_join(thread, NULL), 0);
	hog_end(&hog);
	check_eq(pthread_join(victim, NULL), 0);
	schedule_threads("ktimers/1", 1);
	trace_off();
	close(hog.fd);
	monitor_off();
	unpin();
	isolate_no_more();
}

#define WAKE_UPS	8

/* The first read may find windows. Each later one sleeps. */
static void *reads_windows(void *arg)
{
	struct tlob_window w[64];
	struct reader *r = arg;
	int i;

	live_on(0, 0);
	for (i = 0; i <= WAKE_UPS; i++)
		check(read(r->fd, w, sizeof(w)) > 0);
	say(&r->has_read);
	return NULL;
}

/* A reader of a run is woken, also if a task keeps the first CPU that the run does not measure. */
TEST_ON(reader_of_a_run_beside_a_hog, 3)
{
	struct reader reader = {};
	struct hog hog;

	isolate();
	setup("kthread", "0", 50 * MS, 10 * MS, "none");
	enable();
	reader.fd = open_cpu(0, "windows", O_RDONLY);
	hog_start(&hog, spins_above);
	check_eq(pthread_create(&reader.thread, NULL, reads_windows, &reader), 0);
	until_said(&reader.has_read, "a window");
	/* RCU waits for that CPU, and disabling for RCU */
	hog_end(&hog);
	reader_end(&reader);
	isolate_no_more();
}
