// SPDX-License-Identifier: GPL-2.0
/* Budgets: each violation is found, reported once, and stops the run where it should. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "guest.h"
#include "windows.h"

#define GROUP	"verdict"

#define MS	1000000ULL
#define US	1000ULL

TEST(budget_kthread)
{
	unsigned int events;

	trace_on("tlob_budget_exceeded");
	run_kthread(MS, 100 * US, "spin:300us");
	events = trace_count("tlob_budget_exceeded");
	/*
	 * One event for each violation, also after the last read. The close may have
	 * cut off a window that was over its budget already.
	 */
	check(events == status(0, "violations") ||
	      events == status(0, "violations") + status(0, "aborted"));
	check_eq(status(0, "violations"), status(0, "windows"));
	check(events >= N);
	trace_off();

	trace_on("tlob_budget_exceeded");
	run_kthread(MS, debug_kernel ? 100 * MS : MS, "spin:300us");
	check_eq(status(0, "violations"), 0);
	check_eq(trace_count("tlob_budget_exceeded"), 0);
	note("%u of %u over 100 us, 0 over 1 ms", events, events);
}

/*
 * Windows end at every ns from 2 us before the budget to 2 us after it. Every verdict is
 * right, and each violation is reported once.
 */
TEST(budget_swept)
{
	unsigned int events, over, wrong = 0, i;
	struct tlob_window w;
	uint64_t end, lo = UINT64_MAX, hi = 0;
	int fd;

	if (!deterministic())
		skip("needs a guest that counts instructions");
	trace_on("tlob_budget_exceeded");
	setup("user", "0", 200 * US, 100 * US, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	/* the first record has no t0 */
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	over = !!(w.flags & TLOB_WINDOW_VIOLATION);
	for (i = 0; i < 4000; i++) {
		/* the current window comes after the last one read, maybe not next */
		uint64_t t0 = w.t0_ns + (now_ns() - w.t0_ns) / (200 * US) *
			      200 * US;

		/* read() takes t3 some 600 ns after its call */
		end = t0 + 100 * US - 2 * US - 600 + i;
		while (now_ns() + 60 < end)
			;
		/* finer than the clock's loop: one turn is two instructions */
		for (unsigned int k = i % 61; k; k--)
			asm volatile("" : : "r" (k));
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		wrong += !!(w.flags & TLOB_WINDOW_VIOLATION) !=
			 (w.response_ns > 100 * US);
		over += w.response_ns > 100 * US;
		if (w.response_ns < lo)
			lo = w.response_ns;
		if (w.response_ns > hi)
			hi = w.response_ns;
	}
	close(fd);
	unpin();
	disable();
	events = trace_count("tlob_budget_exceeded");
	note("%u of 4001 over, %u events, responses %llu ... %llu ns", over,
	     events, (unsigned long long)lo, (unsigned long long)hi);
	check_eq(wrong, 0);
	check(over > 100 && over < 3900);
	/* the window cut off by the close may also be over */
	check_eq(status(0, "violations"), over);
	check(events == over || events == over + 1);
	trace_off();
}

TEST(stop_on_exceed_kthread)
{
	uint64_t windows, until = now_ns() + PATIENCE;

	setup("kthread", "0", MS, 100 * US, "spin:300us");
	set("stop_on_exceed", "1");
	enable();
	while (strcmp(get("enable"), "stopped") && now_ns() < until)
		sleep_ns(MS);
	check(!strcmp(get("enable"), "stopped"));
	windows = status(0, "windows");
	check_eq(windows, 1);
	sleep_ns(20 * MS);
	check_eq(status(0, "windows"), windows);
	check_eq(put("enable", "1"), -EBUSY);
	disable();
	check(!strcmp(get("enable"), "0"));
	check_expiries(0);
}

/* The violation's record is the last one, and the run is over. */
TEST(stop_on_exceed_user)
{
	struct tlob_window w;
	int fd;

	setup("user", "0", MS, 500 * US, "none");
	set("stop_on_exceed", "1");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check(!(w.flags & TLOB_WINDOW_VIOLATION));
	spin_ns(700 * US);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check(w.flags & TLOB_WINDOW_VIOLATION);
	check(w.flags & TLOB_WINDOW_LAST);
	check_errno(read(fd, &w, sizeof(w)), ENODEV);
	check_errno(ioctl(fd, TLOB_IOC_STOP, &w), ENODEV);
	close(fd);
	unpin();
	disable();
	check_expiries(0);
}

static void wait_for_hup(int file)
{
	struct pollfd p = { .fd = file };
	uint64_t end = now_ns() + PATIENCE;

	while (!(p.revents & POLLHUP) && now_ns() < end)
		check(poll(&p, 1, 100) >= 0);
	check(p.revents & POLLHUP);
}

/* A thread that has stopped its window arms no other, and one that is gone none either. */
static void stop_ends_rings(bool leave)
{
	struct tlob_window w;
	int fd, ring;

	setup("user", "0", MS, 500 * US, "none");
	set("stop_on_exceed", "1");
	enable();
	pin(0);
	ring = open_cpu(0, "windows", O_RDONLY | O_NONBLOCK);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	spin_ns(700 * US);
	check_errno(ioctl(fd, TLOB_IOC_STOP, &w), EOVERFLOW);
	check(w.flags & TLOB_WINDOW_VIOLATION);
	if (leave)
		close(fd);
	unpin();
	wait_for_hup(ring);
	check_eq(read(ring, &w, sizeof(w)), sizeof(w));
	check_eq(read(ring, &w, sizeof(w)), 0);
	if (!leave) {
		wait_for_hup(fd);
		close(fd);
	}
	close(ring);
	disable();
}

TEST(stop_ends_rings_of_idle)
{
	stop_ends_rings(false);
}

TEST(stop_ends_rings_of_gone)
{
	stop_ends_rings(true);
}

/* CPU 1 has no thread in this run. */
TEST_ON(stop_ends_rings_of_none, 2)
{
	struct tlob_window w;
	int fd, ring;

	setup("user", "0-1", MS, 500 * US, "none");
	set("stop_on_exceed", "1");
	enable();
	ring = open_cpu(1, "windows", O_RDONLY | O_NONBLOCK);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	spin_ns(700 * US);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	unpin();
	wait_for_hup(ring);
	check_eq(read(ring, &w, sizeof(w)), 0);
	close(fd);
	close(ring);
	disable();
}
