// SPDX-License-Identifier: GPL-2.0
/* Late windows: which windows have a record, and whose stacks it has. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"late"

#define MS	1000000ULL
#define PERIOD	(2 * MS)
#define BUDGET	MS
#define BURSTS	20

static struct tlob_late_window late[64];
static struct tlob_window win[512];

/* A reader finds a ring during a run, and none without a run. */
TEST(file)
{
	int fd;

	setup("kthread", "0", PERIOD, BUDGET, "none");
	check_errno(open(tlob_path("per_cpu/cpu0/late_windows"), O_RDONLY), ENODEV);
	enable();
	fd = open_cpu(0, "late_windows", O_RDONLY | O_NONBLOCK);
	check_errno(open(tlob_path("per_cpu/cpu0/late_windows"), O_RDONLY), EBUSY);
	check_errno(read(fd, late, sizeof(*late) - 1), EINVAL);
	disable();
	close(fd);
	check_errno(open(tlob_path("per_cpu/cpu0/late_windows"), O_RDONLY), ENODEV);
}

static void check_stack(const struct tlob_late_stack *s, pid_t tid)
{
	check_eq(s->pid, tid);
	check(s->size > 0 && s->size <= (long long)sizeof(s->frame));
	check_eq(s->size % sizeof(s->frame[0]), 0);
	/* the kernel's half */
	check(s->frame[0] >> 63);
}

/* This thread kept the CPU from the measured one, and gave it up in its sleep. */
static void check_late(const struct tlob_late_window *l, pid_t tid)
{
	const struct tlob_late_stack *left = &l->late.at[TLOB_LATE_LEFT];

	check_stack(left, tid);
	check_eq(left->blocked, 1);
	check_eq(left->call, SYS_clock_nanosleep);
	check_eq(l->late.at[TLOB_LATE_MET].pid, 0);
	/* of the budget's timer */
	if (l->window.wake_ns > BUDGET)
		check_stack(&l->late.at[TLOB_LATE_TICK], tid);
}

/* A task that keeps the CPU is in the records of all windows that it makes late. */
TEST(keeper)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	int stacks, windows, found = 0;
	ssize_t n, m, i, k = 0;

	if (!deterministic())
		skip("other tasks may keep the CPU here");
	setup("kthread", "0", PERIOD, BUDGET, "none");
	set("policy", "fifo:10");
	enable();
	stacks = open_cpu(0, "late_windows", O_RDONLY);
	windows = open_cpu(0, "windows", O_RDONLY);
	pin(0);
	for (i = 0; i < BURSTS; i++) {
		spin_ns(5 * MS);
		sleep_ns(5 * MS);
	}
	unpin();
	disable();
	n = read(stacks, late, sizeof(late)) / (ssize_t)sizeof(*late);
	m = read(windows, win, sizeof(win)) / (ssize_t)sizeof(*win);
	check(n >= BURSTS);
	for (i = 0; i < n; i++) {
		check(late[i].window.wake_ns > 50000);
		while (k < m && win[k].activation < late[i].window.activation)
			k++;
		check(k < m && !memcmp(&win[k], &late[i].window, sizeof(*win)));
		if (late[i].late.at[TLOB_LATE_LEFT].pid != tid)
			continue;
		check_late(&late[i], tid);
		found++;
	}
	check(found >= BURSTS);
	close(stacks);
	close(windows);
}

/* Keeps the CPU from 300 us before @t0 until @ns after it. */
static void keep_around(uint64_t t0, uint64_t ns)
{
	uint64_t now = now_ns();

	sleep_ns(t0 - 300000 > now ? t0 - 300000 - now : 0);
	now = now_ns();
	spin_ns(t0 + ns > now ? t0 + ns - now : 0);
}

/* A wake-up that is shorter than 16 others has no record, unless it is a violation. */
TEST(learns)
{
	unsigned int longer = 0, shorter = 0, i;
	pid_t tid = (pid_t)syscall(SYS_gettid);
	uint64_t first;
	int stacks, windows;
	ssize_t n, m, k;

	if (!deterministic())
		skip("other tasks may keep the CPU here");
	setup("kthread", "0", 10 * MS, 10 * MS, "none");
	set("policy", "fifo:10");
	enable();
	stacks = open_cpu(0, "late_windows", O_RDONLY);
	windows = open_cpu(0, "windows", O_RDONLY);
	read_windows(windows, win, 1);
	pin(0);
	first = win->t0_ns + ((now_ns() - win->t0_ns) / (10 * MS) + 2) * 10 * MS;
	for (i = 0; i < 20; i++)
		keep_around(first + 10 * MS * i, i < 16 ? 3 * MS : MS);
	unpin();
	disable();
	n = read(stacks, late, sizeof(late)) / (ssize_t)sizeof(*late);
	m = read(windows, win, sizeof(win)) / (ssize_t)sizeof(*win);
	for (k = 0; k < m; k++)
		shorter += win[k].wake_ns > MS / 2 && win[k].wake_ns < 2 * MS;
	check(shorter >= 4);
	for (k = 0; k < n; k++) {
		/* it kept the CPU in the beginning as well */
		if (late[k].late.at[TLOB_LATE_LEFT].pid != tid || late[k].window.t0_ns < first)
			continue;
		check(late[k].window.wake_ns > 2 * MS);
		longer++;
	}
	check_eq(longer, 16);
	close(stacks);
	close(windows);
}

/* A window in time has none. Without full preemption the kernel itself may make a few late. */
TEST(in_time)
{
	ssize_t n, k;
	int fd;

	if (!deterministic())
		skip("other tasks may keep the CPU here");
	needs_sizes();
	setup("kthread", "0", PERIOD, BUDGET, "none");
	enable();
	fd = open_cpu(0, "late_windows", O_RDONLY);
	more_windows(0, 100);
	disable();
	n = read(fd, late, sizeof(late));
	check(n >= 0 && n < 10 * (ssize_t)sizeof(*late));
	for (k = 0; k < n / (ssize_t)sizeof(*late); k++)
		check(late[k].window.wake_ns > 50 * MS / 1000);
	check_eq(read(fd, late, sizeof(late)), 0);
	close(fd);
}
