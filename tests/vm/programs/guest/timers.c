// SPDX-License-Identifier: GPL-2.0
/*
 * What an unprivileged user's windows do to a real-time workload on the same CPU: their timers,
 * compared with as many timerfds of that user, and their number.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "file_offset.h"
#include "guest.h"
#include "monitor.h"

#define GROUP	"timers"

#define MS	1000000ULL
#define THREADS	64
#define ROUNDS	10
#define ROUND	(50 * MS)
#define NOBODY	1000

/* When all timers of the first round are due: at an expiry of the workload. */
static uint64_t first_due;
static int device;			/* /dev/tlob; -1: timerfds */

static void sleep_until(uint64_t at)
{
	uint64_t now = now_ns();

	if (at > now)
		sleep_ns(at - now);
}

static void arm(int fd, uint64_t due)
{
	struct itimerspec t = {
		.it_value = { (time_t)(due / 1000000000), (long)(due % 1000000000) },
	};

	if (device < 0)
		check(!timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL));
	else if (start_ns(device, due - now_ns(), -1, 0))
		fail("START %lld ns ahead: %s", (long long)(due - now_ns()),
		     strerror(errno));
}

/* Armed well before, one after the other, and ended between two expiries. */
static void *user(void *arg)
{
	uint64_t i = (uintptr_t)arg, round, due = first_due;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	check(fd >= 0);
	for (round = 0; round < ROUNDS; round++, due += ROUND) {
		sleep_until(due - ROUND / 2 + i * MS / 10 + MS / 2);
		arm(fd, due);
		sleep_until(due + ROUND / 5 + MS / 2);
		/* with a timer's own delay the budget is over by now */
		if (device >= 0)
			check_errno(stop_window(device), EOVERFLOW);
	}
	close(fd);
	return NULL;
}

static void users(void)
{
	pthread_t thread[THREADS];
	pthread_attr_t attr;
	uintptr_t i;

	check(!setgid(NOBODY) && !setuid(NOBODY));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	for (i = 0; i < THREADS; i++)
		check(!pthread_create(&thread[i], &attr, user, (void *)i));
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

/* The largest wake.irq of a run with those timers. */
static uint64_t wake_irq_max(bool windows)
{
	static char hist[1 << 20];
	uint64_t violations = 0;
	struct tlob_window w;
	char *line;
	pid_t pid;
	int fd, st;

	device = windows ? monitor_open() : -1;
	if (windows)
		violations = monitor_stat("violations");
	setup("kthread", "0", MS, MS, "none");
	enable();
	fd = open_cpu(0, "windows", 0);
	read_windows(fd, &w, 1);
	close(fd);
	/* the record is up to 100 ms old */
	first_due = w.t0_ns + 6 * ROUND;
	pid = fork();
	if (!pid) {
		users();
		_exit(0);
	}
	check(waitpid(pid, &st, 0) == pid && !st);
	read_file(tlob_path("per_cpu/cpu0/hist"), hist, sizeof(hist));
	disable();
	if (windows) {
		check_eq(monitor_stat("violations") - violations,
			 THREADS * ROUNDS);
		close(device);
		monitor_off();
	}
	line = strstr(hist, "wake.irq n=");
	check(line);
	line = strstr(line, " max=");
	check(line);
	return strtoull(line + 5, NULL, 10);
}

TEST(of_a_user)
{
	uint64_t fds, windows;

	if (!preempt_rt())
		skip("every timer expires in hard interrupts without PREEMPT_RT");
	needs_sizes();
	check(!chmod("/dev/tlob", 0666));
	fds = wake_irq_max(false);
	windows = wake_irq_max(true);
	check(!chmod("/dev/tlob", 0660));
	note("wake.irq max: %llu ns with timerfds, %llu with windows",
	     (unsigned long long)fds, (unsigned long long)windows);
	/*
	 * 64 windows that expire in the hard interrupt make it 25 times as large. Twice as large it is
	 * also where one more interrupt comes in the wait of one window.
	 */
	check(windows <= 8 * fds);
}

/* As many regions as bindings can be: pairs of functions that do nothing. */
#define REGIONS	256
__asm__(".text\nmany_regions: .rept 512\n\tnop\n\tret\n.endr\nmany_regions_end:");
extern const char many_regions[], many_regions_end[];
static size_t region_size;

static void call_region(unsigned int i)
{
	((void (*)(void))(many_regions + i * region_size))();
}

static void bind_many(void)
{
	uint64_t at, region[2];
	struct program p;
	unsigned int i;
	char name[16];

	region_size = ((uintptr_t)many_regions_end - (uintptr_t)many_regions) / (2UL * REGIONS);
	at = file_offset(many_regions, p.path);
	check(at);
	for (i = 0; i < REGIONS; i++) {
		region[0] = at + i * region_size;
		region[1] = at + (REGIONS + i) * region_size;
		snprintf(name, sizeof(name), "r%u", i);
		bind_region(name, &p, region, HOUR);
	}
}

/* The median of `wake` while a thread of another user has @windows open, and runs. */
static uint64_t wake_beside(unsigned int windows)
{
	struct tlob_window w[101];
	unsigned int i;
	int up[2], fd;
	pid_t pid;
	char c;

	check(!pipe(up));
	pid = fork();
	if (!pid) {
		check(!setgid(NOBODY) && !setuid(NOBODY));
		for (i = 0; i < windows; i++)
			call_region(i);
		check(write(up[1], "", 1) == 1);
		for (;;)
			spin_ns(HOUR);
	}
	check(read(up[0], &c, 1) == 1);
	check_eq(monitor_stat("used"), windows);
	setup("kthread", "0", MS, 10 * MS, "none");
	set("policy", "fifo:95");
	enable();
	fd = open_cpu(0, "windows", 0);
	read_windows(fd, w, 101);
	close(fd);
	check_no_defect(0);
	disable();
	kill(pid, SIGKILL);
	check(waitpid(pid, NULL, 0) == pid);
	return wake_quantile(w, 101, 50);
}

/* A user may have many windows in a task; only the task's own calls may cost more by that. */
TEST(many_in_a_task)
{
	uint64_t one, many;

	needs_sizes();
	if (put("monitor", "-:none") == -EOPNOTSUPP)
		skip("this kernel has no uprobes");
	bind_many();
	set("monitor_enable", "1");
	one = wake_beside(1);
	many = wake_beside(REGIONS);
	note("wake p50: %llu ns with one window, %llu with %d", (unsigned long long)one,
	     (unsigned long long)many, REGIONS);
	check(many * 4 <= one * 5);
	unbind_all();
	monitor_off();
}

/* How often the kernel has said that it has to stop a task for the local timer, on CPU 0. */
static uint64_t timer_interrupts(void)
{
	static char text[1 << 16];
	char *line;

	read_file("/proc/interrupts", text, sizeof(text));
	line = strstr(text, "LOC:");
	if (!line)
		skip("/proc/interrupts does not count the local timer's");
	return strtoull(line + 4, NULL, 10);
}

struct victim {
	int	file;
	uint64_t due;
	bool	open, over;
};

/* No real-time policy: the budget's timer expires in the thread of timers. */
static void *has_the_slot(void *arg)
{
	struct victim *v = arg;

	unpin();
	check(!start_ns(v->file, v->due - now_ns(), -1, 0));
	__atomic_store_n(&v->open, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&v->over, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

/*
 * The timer of a window is about to run its function. At that moment a real-time task takes the
 * window away and opens one of its own in the same slot, which arms the other timer of the slot.
 * Returns the timer interrupts of the next millisecond. @after: when the task comes, in ns after
 * the end of the budget.
 */
static uint64_t take_slot_over(uint64_t after)
{
	struct victim v = { .file = open("/dev/tlob", O_RDWR | O_CLOEXEC) };
	int mine = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	uint64_t before;
	pthread_t thread;

	check(v.file >= 0 && mine >= 0);
	v.due = now_ns() + MS;
	check(!pthread_create(&thread, NULL, has_the_slot, &v));
	while (!__atomic_load_n(&v.open, __ATOMIC_ACQUIRE))
		sleep_ns(MS / 20);
	sleep_until(v.due + after);
	close(v.file);
	check(!start_ns(mine, HOUR, -1, 0));
	before = timer_interrupts();
	sleep_ns(MS);
	before = timer_interrupts() - before;
	check(!stop_window(mine));
	close(mine);
	__atomic_store_n(&v.over, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	return before;
}

/* A slot that another window has taken meanwhile is left alone by the timer of the first one. */
TEST(of_another_window)
{
	uint64_t after, n, least = UINT64_MAX, most = 0, at = 0;

	if (!preempt_rt())
		skip("every timer expires in hard interrupts without PREEMPT_RT");
	needs_sizes();
	close(monitor_open());
	pin(0);
	for (after = 0; after < 8000; after += 10) {
		n = take_slot_over(after);
		if (n < least)
			least = n;
		if (n > most) {
			most = n;
			at = after;
		}
	}
	note("%llu to %llu timer interrupts in a millisecond, most %llu ns after the budget",
	     (unsigned long long)least, (unsigned long long)most, (unsigned long long)at);
	check(most <= least + 20);
	monitor_off();
}
