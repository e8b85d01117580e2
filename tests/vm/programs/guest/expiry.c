// SPDX-License-Identifier: GPL-2.0
/* No expiry is lost: overload, STOP, signals and SIGSTOP leave a window or a missed expiry. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "windows.h"

#define GROUP	"expiry"

#define MS	1000000ULL
#define US	1000ULL

/* Work of 1.4 periods: every other expiry is missed, and counted. */
TEST(overload_kthread)
{
	uint64_t missed = 0;
	size_t i;

	run_kthread(MS, MS, "elapsed:1400us");
	for (i = 1; i < N; i++)
		missed += win[i].missed;
	check_eq(win[N - 1].activation - win[0].activation + 1, N + missed);
	check(missed >= N - 1 && missed < N + 10);
	check_eq(status(0, "violations"), status(0, "windows"));
}

static void work_1400us(void)
{
	spin_ns(1400 * US);
}

TEST(overload_user)
{
	uint64_t missed = 0;
	size_t i;

	run_user(MS, MS, work_1400us);
	for (i = 1; i < N; i++)
		missed += win[i].missed;
	check(missed >= N - 1 && missed < N + 10);
}

/*
 * STOP, then a long time without a read: the expiries in it are missed, and the next one
 * begins a window. The next one is the fifth, or on a slow kernel the sixth.
 */
TEST(stop_without_read)
{
	struct tlob_window w;
	uint64_t stopped, t0, back;
	int fd, i;

	setup("user", "0", MS, MS, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i < 20; i++) {
		check_eq(ioctl(fd, TLOB_IOC_STOP, &w), 0);
		check_window(&w);
		check(w.flags & TLOB_WINDOW_STOPPED);
		stopped = w.activation;
		t0 = w.t0_ns;
		check_errno(ioctl(fd, TLOB_IOC_STOP, &w), ESRCH);
		sleep_ns(4500 * US);
		back = now_ns();
		/* STOP delivered that record already */
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_eq(w.flags, TLOB_WINDOW_NONE);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		check(w.t0_ns > back);
		if (deterministic())
			check(w.t0_ns < back + 2 * MS);
		check(w.missed >= 4);
		check_eq(w.activation, stopped + 1 + w.missed);
		check_eq(w.t0_ns, t0 + (w.missed + 1) * MS);
	}
	close(fd);
	unpin();
	disable();
	check_no_defect(0);
	check_expiries(0);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A signal in read() gives EINTR, and no record and no expiry is lost. */
TEST(signal_in_read)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct tlob_window w;
	uint64_t last = 0;
	int fd, i, interrupted = 0;
	pid_t pid;

	setup("user", "0", 5 * MS, 5 * MS, "none");
	enable();
	sigaction(SIGUSR1, &sa, NULL);
	pid = fork();
	if (!pid) {
		for (;;) {
			sleep_ns(1700 * US);
			if (kill(getppid(), SIGUSR1))
				_exit(0);
		}
	}
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	for (i = 0; i < 100; ) {
		ssize_t n = read(fd, &w, sizeof(w));

		if (n < 0) {
			check_eq(errno, EINTR);
			interrupted++;
			continue;
		}
		check_eq(n, sizeof(w));
		if (w.flags & TLOB_WINDOW_NONE)
			continue;
		check_window(&w);
		check_eq(w.missed, 0);
		if (last)
			check_eq(w.activation, last + 1);
		last = w.activation;
		i++;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	unpin();
	disable();
	check(interrupted > 50);
	check_no_defect(0);
	check_expiries(0);
	note("%d signals in 100 windows", interrupted);
}

/*
 * An expiry passes while a signal is handled. The next read() returns at once, and the time
 * from the expiry to it is charged to sched.
 */
TEST(expiry_in_handler)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct tlob_window w;
	int fd;
	pid_t pid;

	setup("user", "0", 20 * MS, 20 * MS, "none");
	enable();
	sigaction(SIGUSR1, &sa, NULL);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	pid = fork();
	if (!pid) {
		unpin();
		sleep_ns(5 * MS);
		kill(getppid(), SIGUSR1);
		_exit(0);
	}
	check_errno(read(fd, &w, sizeof(w)), EINTR);
	spin_ns(25 * MS);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check(w.wake_ns > 5 * MS);
	check(w.part_ns[TLOB_WAKE_SCHED] > 5 * MS);
	waitpid(pid, NULL, 0);
	close(fd);
	unpin();
	disable();
	check_no_defect(0);
	check_expiries(0);
}

/* The time from SIGSTOP to SIGCONT in a window is charged to sleep. */
TEST(stopped_and_continued)
{
	struct tlob_window w;
	int fd, i, st;
	pid_t pid;

	setup("user", "0", MS, MS, "none");
	enable();
	pid = fork();
	if (!pid) {
		pin(0);
		fd = open_cpu(0, "tlob_fd", O_RDONLY);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		for (i = 0; i < 5; i++) {
			raise(SIGSTOP);
			check_eq(read(fd, &w, sizeof(w)), sizeof(w));
			check_window(&w);
			if (i)
				check(w.missed >= 9);
			check(w.part_ns[TLOB_WORK_SLEEP] > 9 * MS);
			check(w.flags & TLOB_WINDOW_VIOLATION);
		}
		_exit(0);
	}
	for (;;) {
		check_eq(waitpid(pid, &st, WUNTRACED), pid);
		if (!WIFSTOPPED(st))
			break;
		sleep_ns(10 * MS);
		kill(pid, SIGCONT);
	}
	check(WIFEXITED(st) && !WEXITSTATUS(st));
	disable();
	check_no_defect(0);
	check_expiries(0);
}

/* The number of windows with an interrupt in their 100 us of work. */
static unsigned int work_interrupted(uint64_t phase_ns)
{
	unsigned int n = 0;
	size_t i;

	set("phase_ns", "%llu", (unsigned long long)phase_ns);
	run_kthread(MS, MS, "spin:100us");
	for (i = 0; i < N; i++) {
		check_eq(win[i].t0_ns % MS, phase_ns % MS);
		n += win[i].work_count[TLOB_NOISE_IRQ] > 0;
	}
	return n;
}

/*
 * A busy CPU's tick is on whole milliseconds: each (HZ=1000) or every fourth (HZ=250). So it
 * hits the work of windows that begin just before a whole millisecond, and no others.
 */
TEST(phase)
{
	unsigned int before = work_interrupted(950 * US);
	unsigned int after = work_interrupted(4500 * US);

	note("%u of %u with the tick 50 us after their expiry, %u with it 500 us before",
	     before, N, after);
	check(before >= N / 5);
	check(after <= N / 50);
	run_user(MS, MS, work_1400us);
	check_eq(win[0].t0_ns % MS, 500 * US);
}
