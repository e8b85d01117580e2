// SPDX-License-Identifier: GPL-2.0
/*
 * Migration, wake-ups from another CPU, hotplug and unloading lose no expiry and leave no wrong
 * sum. The tests check names and counts only: sizes mean nothing on two CPUs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "guest.h"

#define GROUP	"race"

#define MS	1000000ULL
#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

static struct tlob_window w;

static void move_to(pid_t pid, int cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	check(!sched_setaffinity(pid, sizeof(mask), &mask));
}

TEST_ON(migration, 2)
{
	struct pollfd p = { .events = POLLIN };
	int fd;

	setup("user", "1", MS, MS, "none");
	enable();
	pin(1);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	p.fd = fd;
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	move_to(0, 0);
	check_eq(poll(&p, 1, 0), 1);
	check_eq(p.revents, POLLERR);
	check_errno(ioctl(fd, TLOB_IOC_STOP, &w), EXDEV);
	check_errno(read(fd, &w, sizeof(w)), EXDEV);
	/* back on its CPU, it is refused until the file is closed */
	move_to(0, 1);
	check_errno(read(fd, &w, sizeof(w)), EXDEV);
	close(fd);
	check_eq(status(1, "migrated"), 1);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	close(fd);
	disable();
	check_expiries(1);
}

/* Another task moves the thread while it sleeps in read(). */
TEST_ON(migration_in_read, 2)
{
	int up[2];
	pid_t pid;
	char c = 0;

	check_eq(pipe(up), 0);
	setup("user", "1", 1000 * MS, 1000 * MS, "none");
	enable();
	pid = fork();
	if (!pid) {
		int fd;

		pin(1);
		fd = open_cpu(1, "tlob_fd", O_RDONLY);
		check_eq(write(up[1], &c, 1), 1);
		/* an expiry may come before it is moved */
		while (read(fd, &w, sizeof(w)) == sizeof(w))
			;
		check_eq(errno, EXDEV);
		_exit(0);
	}
	check_eq(read(up[0], &c, 1), 1);
	until_asleep(pid, "SD");
	move_to(pid, 0);
	reap(pid);
	disable();
	check_expiries(1);
}

/*
 * The same for a SCHED_OTHER thread with a competitor: since 6.12 the kernel may move it while
 * it sleeps, without a wake-up.
 */
TEST_ON(migration_of_sleeper, 2)
{
	int i, open_pipe[2];
	pid_t hog, pid;
	char c = 0;

	check_eq(pipe(open_pipe), 0);
	setup("user", "1", 20 * MS, 1000 * MS, "none");
	enable();
	hog = fork();
	if (!hog) {
		move_to(0, 1);
		for (;;)
			;
	}
	for (i = 0; i < 40; i++) {
		pid = fork();
		if (!pid) {
			int fd;

			move_to(0, 1);
			fd = open_cpu(1, "tlob_fd", O_RDONLY);
			check_eq(write(open_pipe[1], &c, 1), 1);
			while (read(fd, &w, sizeof(w)) == sizeof(w))
				spin_ns(8 * MS);
			check_eq(errno, EXDEV);
			_exit(0);
		}
		/* a thread that is moved before its open() would be refused */
		check_eq(read(open_pipe[0], &c, 1), 1);
		sleep_ns(100 * MS + 700000ULL * i);
		move_to(pid, 0);
		reap(pid);
	}
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	disable();
	check_expiries(1);
}

/* A wake-up by SIGCONT from another CPU comes through the mailbox. */
TEST_ON(remote_wakeup, 2)
{
	int st, n = 0;
	pid_t pid;

	setup("user", "1", MS, 1000 * MS, "none");
	enable();
	pid = fork();
	if (!pid) {
		int fd, i, slept = 0;

		pin(1);
		fd = open_cpu(1, "tlob_fd", O_RDONLY);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		/* SIGCONT may come before the thread sleeps: on a busy host often */
		for (i = 0; i < 100 || (slept <= 10 && i < 10000); i++) {
			raise(SIGSTOP);
			check_eq(read(fd, &w, sizeof(w)), sizeof(w));
			check_window(&w);
			check_eq(w.errors, 0);
			slept += w.part_ns[TLOB_WORK_SLEEP] > 0;
		}
		check(slept > 10);
		_exit(0);
	}
	pin(0);
	for (;; n++) {
		check_eq(waitpid(pid, &st, WUNTRACED), pid);
		if (!WIFSTOPPED(st))
			break;
		kill(pid, SIGCONT);
	}
	check(WIFEXITED(st) && !WEXITSTATUS(st));
	check(n >= 100);
	unpin();
	disable();
	check_eq(status(1, "sum_failures"), 0);
	check_expiries(1);
}

static void offline(const char *workload)
{
	struct pollfd p = { .events = POLLIN };
	pid_t pid = 0;

	setup(workload, "0-1", MS, MS, "spin:100us");
	enable();
	if (!strcmp(workload, "user")) {
		pid = fork();
		if (!pid) {
			pin(1);
			p.fd = open_cpu(1, "tlob_fd", O_RDONLY);
			while (read(p.fd, &w, sizeof(w)) == sizeof(w))
				;
			check_eq(errno, ENODEV);
			check_eq(poll(&p, 1, 0), 1);
			check_eq(p.revents, POLLHUP);
			_exit(0);
		}
	}
	/* a user thread has its CPU by then */
	more_windows(1, 10);
	check(!write_file(CPU1_ONLINE, "0"));
	if (pid)
		reap(pid);
	else
		more_windows(0, 10);
	check_expiries(1);
	check(!write_file(CPU1_ONLINE, "1"));
	/* a CPU that comes back stays out of this run */
	if (pid) {
		pin(1);
		check_errno(open(tlob_path("per_cpu/cpu1/tlob_fd"), O_RDONLY),
			    ENODEV);
		unpin();
	}
	disable();
	/* the next run has it again */
	setup("kthread", "0-1", MS, MS, "none");
	enable();
	more_windows(1, 1);
	disable();
	check_expiries(0);
	check_expiries(1);
}

/* A second reader of either file gets its error while the first one sleeps. */
TEST_ON(second_reader, 2)
{
	int st, fd, wfd;
	pid_t pid;

	setup("user", "1", 1000 * MS, 1000 * MS, "none");
	enable();
	pin(1);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	wfd = open_cpu(1, "windows", O_RDONLY);
	pid = fork();
	if (!pid) {
		move_to(0, 0);
		sleep_ns(100 * MS);
		check_errno(read(fd, &w, sizeof(w)), EPERM);
		/* a read of `windows` may sleep; the alarm ends it */
		alarm(1);
		signal(SIGALRM, SIG_DFL);
		(void)!read(wfd, &w, sizeof(w));
		_exit(0);
	}
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(waitpid(pid, &st, 0), pid);
	check((WIFEXITED(st) && !WEXITSTATUS(st)) ||
	      (WIFSIGNALED(st) && WTERMSIG(st) == SIGALRM));
	close(wfd);
	close(fd);
	unpin();
	disable();
}

TEST_ON(offline_kthread, 2)
{
	offline("kthread");
}

TEST_ON(offline_user, 2)
{
	offline("user");
}

TEST_ON(enable_while_offline, 2)
{
	setup("kthread", "0-1", MS, MS, "none");
	check(!write_file(CPU1_ONLINE, "0"));
	check_eq(put("enable", "1"), -ENODEV);
	check(!write_file(CPU1_ONLINE, "1"));
	enable();
	disable();
}

/* CPUs come and go while runs begin and end, with readers and user threads. */
TEST_ON(hotplug_and_enable, 2)
{
	uint64_t end = now_ns() + 5000 * MS;
	pid_t plugger, user;
	int n = 0, refused = 0;

	plugger = fork();
	if (!plugger) {
		for (;;) {
			write_file(CPU1_ONLINE, "0");
			sleep_ns(3 * MS);
			write_file(CPU1_ONLINE, "1");
			sleep_ns(150 * MS);
		}
	}
	user = fork();
	if (!user) {
		char name[64] = "per_cpu/cpu1/tlob_fd";
		cpu_set_t mask;

		for (;;) {
			int fd;

			CPU_ZERO(&mask);
			CPU_SET(1, &mask);
			sched_setaffinity(0, sizeof(mask), &mask);
			fd = open(tlob_path(name), O_RDONLY);
			if (fd < 0) {
				sleep_ns(MS);
				continue;
			}
			while (read(fd, &w, sizeof(w)) == sizeof(w))
				;
			close(fd);
		}
	}
	for (; now_ns() < end || n == refused; n++) {
		int err;

		setup(n & 1 ? "user" : "kthread", "0-1", MS, MS, "spin:100us");
		err = put("enable", "1");
		if (err) {
			check_eq(err, -ENODEV);
			refused++;
			sleep_ns(5 * MS);
			continue;
		}
		sleep_ns(10 * MS * (n % 5));
		disable();
		check_expiries(0);
		check_expiries(1);
		check_eq(status(0, "sum_failures"), 0);
		check_eq(status(1, "sum_failures"), 0);
	}
	kill(user, SIGKILL);
	kill(plugger, SIGKILL);
	waitpid(user, NULL, 0);
	waitpid(plugger, NULL, 0);
	write_file(CPU1_ONLINE, "1");
	note("%d runs, %d refused with ENODEV", n, refused);
}

TEST_ON(both_cpus, 2)
{
	static struct tlob_window win[2][200];
	int fd[2], cpu, i;

	set("align_ns", "250000");
	setup("kthread", "0-1", 2 * MS, 2 * MS, "spin:100us");
	enable();
	for (cpu = 0; cpu < 2; cpu++)
		fd[cpu] = open_cpu(cpu, "windows", O_RDONLY);
	for (cpu = 0; cpu < 2; cpu++) {
		read_windows(fd[cpu], win[cpu], 200);
		for (i = 0; i < 200; i++) {
			check_window(&win[cpu][i]);
			check_eq(win[cpu][i].cpu, cpu);
			check_eq(win[cpu][i].errors, 0);
		}
	}
	/* align_ns puts the second CPU's grid 250 us later */
	check_eq((win[1][0].t0_ns - win[0][0].t0_ns + 2000 * MS) %
		 (2 * MS), 250000);
	disable();
	for (cpu = 0; cpu < 2; cpu++) {
		check_eq(status(cpu, "sum_failures"), 0);
		check_expiries(cpu);
		close(fd[cpu]);
	}
}

/* A user thread is preempted anywhere while runs end and begin. */
TEST_ON(preempted_while_disabled, 2)
{
	uint64_t end = now_ns() + 4000 * MS, windows = 0;
	pid_t hog[2], user;
	int i, n = 0;

	for (i = 0; i < 2; i++) {
		hog[i] = fork();
		if (hog[i])
			continue;
		move_to(0, 1);
		for (;;)
			sleep_ns((now_ns() % 50) * 1000);
	}
	trace_on("tlob_budget_exceeded");
	trace_on("tlob_window");
	user = fork();
	if (!user) {
		char name[64] = "per_cpu/cpu1/tlob_fd";

		move_to(0, 1);
		for (;;) {
			int fd = open(tlob_path(name), O_RDONLY);

			while (fd >= 0 && read(fd, &w, sizeof(w)) == sizeof(w))
				;
			if (fd >= 0)
				close(fd);
		}
	}
	/* longer on a busy host */
	for (; now_ns() < end || !windows; n++) {
		setup("user", "1", 50000, 1000, "none");
		enable();
		sleep_ns((n % 7) * MS);
		disable();
		check_expiries(1);
		check_eq(status(1, "sum_failures"), 0);
		windows += status(1, "windows");
	}
	kill(user, SIGKILL);
	waitpid(user, NULL, 0);
	for (i = 0; i < 2; i++) {
		kill(hog[i], SIGKILL);
		waitpid(hog[i], NULL, 0);
	}
	trace_off();
	note("%d runs, %llu windows", n, (unsigned long long)windows);
}

/* All interrupts of CPU 1 in /proc/interrupts, without nmis. */
static uint64_t interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long long zero, one;
	uint64_t sum = 0;
	char line[1024], name[32];

	check(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %31[^:]: %llu %llu", name, &zero, &one) == 3 &&
		    strcmp(name, "NMI"))
			sum += one;
	fclose(f);
	return sum;
}

static void *send_ipis(void *stop)
{
	move_to(0, 0);
	while (!*(volatile bool *)stop) {
		/* an expedited barrier sends a call-function IPI to the CPUs of this program */
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
		sleep_ns(200000);
	}
	return NULL;
}

/*
 * A window counts as many irqs as /proc/interrupts, and knows their names: local timer,
 * call-function and reschedule interrupts.
 */
TEST_ON(irqs_are_counted, 2)
{
	static const char * const names[] = {
		"local_timer", "arch_timer", "call_function", "call_function_s", "reschedule",
		"irq_work",
	};
	bool stop = false, named = false;
	uint64_t before, after, n, outer;
	pthread_t thread;
	size_t i;
	int fd;

	check(!syscall(SYS_membarrier,
		       MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
	setup("user", "1", 1000 * MS, 10000 * MS, "none");
	enable();
	check(!pthread_create(&thread, NULL, send_ipis, &stop));
	pin(1);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	outer = interrupts();
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	before = interrupts();
	/* the host decides how many come */
	do {
		spin_ns(700 * MS);
		after = interrupts();
	} while (after - before <= 10);
	check(!ioctl(fd, TLOB_IOC_STOP, &w) || errno == EOVERFLOW);
	outer = interrupts() - outer;
	stop = true;
	unpin();
	pthread_join(thread, NULL);
	check_window(&w);
	check_eq(w.errors, 0);
	n = w.wake_count[TLOB_NOISE_IRQ] + w.work_count[TLOB_NOISE_IRQ];
	note("%llu irqs in the window, %llu in /proc/interrupts within it and %llu around it; the largest: %s",
	     (unsigned long long)n, (unsigned long long)(after - before),
	     (unsigned long long)outer, w.largest.name);
	/* all that came within it, and none that did not come around it */
	check(n >= after - before && n <= outer);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		named |= !strcmp(w.largest.name, names[i]);
	check(w.largest.kind != TLOB_NOISE_IRQ || named);
	close(fd);
	disable();
}

/* Unloading ends a run at any moment; an open file prevents unloading. */
TEST_ON(unload_during_run, 2)
{
	int i, fd;

	needs_module();
	for (i = 0; i < 9; i++) {
		/* long work is cut short */
		if (i % 4)
			setup("kthread", "0-1", MS, MS, "spin:20us");
		else
			setup("kthread", "1", 1000 * MS, MS, "spin:400ms");
		enable();
		sleep_ns((i % 5) * MS);
		if (i % 3 == 1) {
			fd = open_cpu(1, "windows", O_RDONLY);
			check_eq(unload_module(), -EAGAIN);
			close(fd);
		}
		check_eq(unload_module(), 0);
		check(access(tlob_path("enable"), F_OK));
		check_eq(load_module(), 0);
	}
	setup("user", "1", MS, MS, "none");
	enable();
	pin(1);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(unload_module(), -EAGAIN);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	close(fd);
	unpin();
	check_eq(unload_module(), 0);
	check_eq(load_module(), 0);
}
