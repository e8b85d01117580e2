// SPDX-License-Identifier: GPL-2.0
/* Windows: conservation, verdicts, expiries, in both workloads. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define MS	1000000ULL
#define US	1000ULL
#define N	200

static struct tlob_window win[N];

/* N windows of kernel threads on CPU 0 into win[]; then the run is over. */
static void run_kthread(uint64_t period, uint64_t budget, const char *work)
{
	int fd;
	size_t i;

	setup("kthread", "0", period, budget, work);
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, N);
	close(fd);
	disable();
	check_no_defect(0);
	check_expiries(0);
	for (i = 0; i < N; i++) {
		check_window(&win[i]);
		check_eq(win[i].budget_ns, budget);
		check(win[i].flags & TLOB_WINDOW_KTHREAD);
		if (i)
			check_eq(win[i].activation,
				 win[i - 1].activation + 1 + win[i].missed);
		check_eq(win[i].t0_ns - win[0].t0_ns,
			 (win[i].activation - win[0].activation) * period);
	}
}

/* The same from a user thread that does @work between its reads. */
static void run_user(uint64_t period, uint64_t budget, void (*work)(void))
{
	struct tlob_window w;
	size_t i;
	int fd;

	setup("user", "0", period, budget, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(w.flags, TLOB_WINDOW_NONE);
	for (i = 0; i < N; i++) {
		work();
		check_eq(read(fd, &win[i], sizeof(w)), sizeof(w));
	}
	close(fd);
	unpin();
	disable();
	check_no_defect(0);
	check_expiries(0);
	for (i = 0; i < N; i++) {
		check_window(&win[i]);
		check(!(win[i].flags & TLOB_WINDOW_KTHREAD));
		if (i)
			check_eq(win[i].activation,
				 win[i - 1].activation + 1 + win[i].missed);
	}
}

static void conserve_kthread(void)
{
	static const char * const works[] = {
		"none", "spin:200us", "elapsed:200us", "loops:20000",
		"mem:chase,ws=64K", "mem:stream,ws=64K",
	};
	size_t i;

	for (i = 0; i < sizeof(works) / sizeof(*works); i++)
		run_kthread(MS, MS, works[i]);
}

static void work_200us(void)
{
	spin_ns(200 * US);
}

static void work_none(void)
{
}

static void conserve_user(void)
{
	run_user(MS, MS, work_200us);
	run_user(MS, MS, work_none);
}

static void work_sleep(void)
{
	sleep_ns(300 * US);
}

static void sleep_is_charged(void)
{
	size_t i;

	run_user(MS, MS, work_sleep);
	for (i = 0; i < N; i++) {
		uint64_t sleep = win[i].part_ns[TLOB_WORK_SLEEP];

		/* up to the timer's slack, and less what woke it */
		if (sleep < 290 * US || sleep > 380 * US)
			fail("window %zu: slept %llu ns", i,
			     (unsigned long long)sleep);
	}
}

/* A thread above ours that takes the CPU for 200 us at each byte. */
static int preempt_pipe[2];
static pid_t preemptor;

static void preemptor_start(void)
{
	struct sched_param param = { .sched_priority = 99 };
	cpu_set_t mask;
	char c;

	check(!pipe(preempt_pipe));
	preemptor = fork();
	if (preemptor)
		return;
	CPU_ZERO(&mask);
	CPU_SET(0, &mask);
	sched_setaffinity(0, sizeof(mask), &mask);
	sched_setscheduler(0, SCHED_FIFO, &param);
	close(preempt_pipe[1]);
	while (read(preempt_pipe[0], &c, 1) == 1)
		spin_ns(200 * US);
	_exit(0);
}

static void work_preempted(void)
{
	if (write(preempt_pipe[1], "x", 1) != 1)
		fail("no preemptor");
}

static void thread_noise_is_charged(void)
{
	size_t i;

	preemptor_start();
	run_user(MS, MS, work_preempted);
	close(preempt_pipe[1]);
	waitpid(preemptor, NULL, 0);
	/* the first time it may not have come to its read() yet */
	for (i = 1; i < N; i++) {
		uint64_t ns = win[i].part_ns[TLOB_WORK_THREAD];

		if (ns < 195 * US || ns > 230 * US)
			fail("window %zu: thread %llu ns", i,
			     (unsigned long long)ns);
		/* twice, if the two meet at the pipe's lock */
		check(win[i].work_count[TLOB_NOISE_THREAD] >= 1);
		check(win[i].largest.ns > 150 * US);
		check_eq(win[i].largest.kind, TLOB_NOISE_THREAD);
		check_eq(win[i].largest.id, preemptor);
		check(win[i].largest.in_work);
		check(!strcmp(win[i].largest.name, "tlob-test"));
	}
}

static void idle_is_named(void)
{
	size_t i, idle = 0;

	run_kthread(MS, MS, "none");
	for (i = 0; i < N; i++)
		idle += win[i].delayed_by_pid == 0 &&
			!strncmp(win[i].delayed_by, "swapper", 7) &&
			win[i].delayed_by_idle_state >= 0;
	check(idle > N / 2);
}

static void verdicts(void (*run)(uint64_t), const char *who)
{
	unsigned int events;

	trace_on("tlob_budget_exceeded");
	run(100 * US);
	events = trace_count("tlob_budget_exceeded");
	/* one event a violation, windows after the last read included */
	check_eq(events, status(0, "violations"));
	check_eq(events, status(0, "windows"));
	check(events >= N);
	trace_off();

	trace_on("tlob_budget_exceeded");
	run(MS);
	check_eq(status(0, "violations"), 0);
	check_eq(trace_count("tlob_budget_exceeded"), 0);
	note("%s: %u of %u over 100 us, 0 over 1 ms", who, events, events);
}

static void budget_run_kthread(uint64_t budget)
{
	run_kthread(MS, budget, "spin:300us");
}

static void work_300us(void)
{
	spin_ns(300 * US);
}

static void budget_run_user(uint64_t budget)
{
	run_user(MS, budget, work_300us);
}

static void budget_kthread(void)
{
	verdicts(budget_run_kthread, "kernel thread");
}

static void budget_user(void)
{
	verdicts(budget_run_user, "user thread");
}

/* Work of 1.4 periods: every other expiry is missed, and counted. */
static void overload_kthread(void)
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

static void overload_user(void)
{
	uint64_t missed = 0;
	size_t i;

	run_user(MS, MS, work_1400us);
	for (i = 1; i < N; i++)
		missed += win[i].missed;
	check(missed >= N - 1 && missed < N + 10);
}

/* STOP, then a long time without a read: those expiries are missed. */
static void stop_without_read(void)
{
	struct tlob_window w;
	uint64_t stopped;
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
		check_errno(ioctl(fd, TLOB_IOC_STOP, &w), ESRCH);
		sleep_ns(4500 * US);
		/* its record was delivered: nothing new */
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_eq(w.flags, TLOB_WINDOW_NONE);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		check_eq(w.missed, 4);
		check_eq(w.activation, stopped + 5);
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

/* Every signal in read: EINTR, and no record and no expiry is lost. */
static void signal_in_read(void)
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
 * A signal in the handler of which the expiry passes: the next read() starts
 * at once, and the time in between is sched.
 */
static void expiry_in_handler(void)
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

/* SIGSTOP in a window: sleep, until SIGCONT. */
static void stopped_and_continued(void)
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

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * What the window charges to us and to what interrupted us while current is
 * what the scheduler charges to us, but for what a window without work differs
 * by (the way into and out of read()). CPU time may leave irqs out
 * (CONFIG_IRQ_TIME_ACCOUNTING): so it lies between both sums.
 */
static void agrees_with_cpu_time(void)
{
	uint64_t empty = 0, begun, used, on_cpu, current, bound;
	struct tlob_window w;
	int fd, i;

	setup("user", "0", 10 * MS, 10 * MS, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i < 100; i++) {
		begun = cpu_ns();
		if (i >= 10)
			spin_ns(2 * MS + i * 20 * US);
		used = cpu_ns() - begun;
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		on_cpu = w.part_ns[TLOB_WORK_ON_CPU] + w.part_ns[TLOB_WORK_HW];
		current = on_cpu + w.part_ns[TLOB_WORK_IRQ] +
			  w.part_ns[TLOB_WORK_SOFTIRQ] +
			  w.part_ns[TLOB_WORK_NMI];
		if (i < 10) {
			empty = on_cpu - used;
			continue;
		}
		bound = used / 100;
		if (current < used + empty - bound || on_cpu > used + empty + bound)
			fail("window %d: on_cpu %llu, with noise %llu, CPU time %llu, empty %llu",
			     i, (unsigned long long)on_cpu,
			     (unsigned long long)current,
			     (unsigned long long)used,
			     (unsigned long long)empty);
	}
	close(fd);
	unpin();
	disable();
}

/*
 * Windows that end at every ns from 2 us before the budget to 2 us after it:
 * every verdict is right, and each violation is reported once.
 */
static void budget_swept(void)
{
	unsigned int events, over = 0, wrong = 0, i;
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
	/* t0 of the first is not known yet */
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i < 4000; i++) {
		/* the window that runs is the one after the last, or later */
		uint64_t t0 = w.t0_ns + (now_ns() - w.t0_ns) / (200 * US) *
			      200 * US;

		/* so many ns from here to t3 in read() */
		end = t0 + 100 * US - 2 * US - 600 + i;
		while (now_ns() + 60 < end)
			;
		/* to the ns: one turn is one instruction pair */
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
	note("%u of 4000 over, %u events, responses %llu ... %llu ns", over,
	     events, (unsigned long long)lo, (unsigned long long)hi);
	check_eq(wrong, 0);
	check(over > 100 && over < 3900);
	/* the window cut off by the close may be over, too */
	check_eq(status(0, "violations"), over);
	check(events == over || events == over + 1);
	trace_off();
}

static void warm_up(void)
{
	char hist[65536], *p;
	size_t i;

	set("warm_up", "50");
	run_kthread(MS, MS, "spin:100us");
	for (i = 0; i < N; i++)
		check_eq(!!(win[i].flags & TLOB_WINDOW_WARM_UP), i < 50);
	read_file(tlob_path("per_cpu/cpu0/hist"), hist, sizeof(hist));
	p = strstr(hist, "response n=");
	check(p);
	check_eq(strtoull(p + 11, NULL, 10), status(0, "windows") - 50);
}

static void parse_hist(const char *text, struct tlob_hist *h)
{
	char name[64];
	unsigned long long a, b, n;
	const char *line;
	unsigned int m;

	memset(h, 0, TLOB_NR_METRICS * sizeof(*h));
	for (line = text; *line; line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%63s %llu %llu %llu", name, &a, &b, &n) != 4)
			continue;
		for (m = 0; m < TLOB_NR_METRICS; m++)
			if (!strcmp(name, tlob_metric_names[m]))
				break;
		check(m < TLOB_NR_METRICS);
		check_eq(b, tlob_hist_upper(tlob_hist_index(a)));
		h[m].bucket[tlob_hist_index(a)] = n;
	}
}

/* The kernel's histograms are those of its records. */
static void hist_is_records(void)
{
	static struct tlob_hist kernel[TLOB_NR_METRICS], own[TLOB_NR_METRICS];
	static char text[1 << 18];
	unsigned int m, b;
	size_t i;
	int fd;

	setup("kthread", "0", MS, MS, "spin:200us");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, N / 2);
	disable();
	for (i = N / 2; i < N && read(fd, &win[i], sizeof(*win)) > 0; i++)
		;
	close(fd);
	check_eq(i, status(0, "windows"));
	while (i--)
		tlob_hist_window(own, &win[i]);
	read_file(tlob_path("per_cpu/cpu0/hist"), text, sizeof(text));
	parse_hist(text, kernel);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		for (b = 0; b < TLOB_HIST_BUCKETS; b++)
			if (kernel[m].bucket[b] != own[m].bucket[b])
				fail("%s, bucket %u: %llu, records %llu",
				     tlob_metric_names[m], b,
				     (unsigned long long)kernel[m].bucket[b],
				     (unsigned long long)own[m].bucket[b]);
}

static void stop_on_exceed_kthread(void)
{
	uint64_t windows;

	setup("kthread", "0", MS, 100 * US, "spin:300us");
	set("stop_on_exceed", "1");
	enable();
	sleep_ns(50 * MS);
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

/* The violation's record is the last, and then the run is over. */
static void stop_on_exceed_user(void)
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

static void print_stack(void)
{
	static char trace[1 << 20];

	setup("kthread", "0", MS, 100 * US, "spin:300us");
	set("print_stack", "1");
	trace_on("tlob_budget_exceeded");
	trace_on("tlob_stack");
	trace_on("tlob_window");
	enable();
	sleep_ns(30 * MS);
	disable();
	read_file("/sys/kernel/tracing/instances/tlob-test/trace", trace,
		  sizeof(trace));
	check_eq(trace_count("tlob_stack"),
		 trace_count("tlob_budget_exceeded"));
	check(strstr(trace, "state=running"));
	check(strstr(trace, " <- "));
	/* the frame that was interrupted: the work itself */
	check(strstr(trace, "tlob_work_run") || strstr(trace, "tlob_kthread"));
	check(strstr(trace, "comm=tlob_load/0"));
	trace_off();
}

/* The event's numbers are the record's. */
static void event_is_record(void)
{
	static char trace[1 << 20];
	char text[256];
	size_t i;

	trace_on("tlob_window");
	run_kthread(MS, MS, "spin:100us");
	read_file("/sys/kernel/tracing/instances/tlob-test/trace", trace,
		  sizeof(trace));
	for (i = 0; i < N; i++) {
		snprintf(text, sizeof(text),
			 "cpu=0 activation=%llu t0=%llu irq_latency=%llu wake=%llu response=%llu budget=%llu",
			 (unsigned long long)win[i].activation,
			 (unsigned long long)win[i].t0_ns,
			 (unsigned long long)win[i].irq_latency_ns,
			 (unsigned long long)win[i].wake_ns,
			 (unsigned long long)win[i].response_ns,
			 (unsigned long long)win[i].budget_ns);
		if (!strstr(trace, text))
			fail("no event says %s", text);
	}
	trace_off();
}

const struct test window_tests[] = {
	{ "conserve_kthread", conserve_kthread, 0 },
	{ "conserve_user", conserve_user, 0 },
	{ "sleep_is_charged", sleep_is_charged, 0 },
	{ "thread_noise_is_charged", thread_noise_is_charged, 0 },
	{ "idle_is_named", idle_is_named, 0 },
	{ "budget_kthread", budget_kthread, 0 },
	{ "budget_user", budget_user, 0 },
	{ "overload_kthread", overload_kthread, 0 },
	{ "overload_user", overload_user, 0 },
	{ "stop_without_read", stop_without_read, 0 },
	{ "signal_in_read", signal_in_read, 0 },
	{ "expiry_in_handler", expiry_in_handler, 0 },
	{ "stopped_and_continued", stopped_and_continued, 0 },
	{ "agrees_with_cpu_time", agrees_with_cpu_time, 0 },
	{ "budget_swept", budget_swept, 0 },
	{ "warm_up", warm_up, 0 },
	{ "hist_is_records", hist_is_records, 0 },
	{ "stop_on_exceed_kthread", stop_on_exceed_kthread, 0 },
	{ "stop_on_exceed_user", stop_on_exceed_user, 0 },
	{ "print_stack", print_stack, 0 },
	{ "event_is_record", event_is_record, 0 },
	{ NULL, NULL, 0 },
};
