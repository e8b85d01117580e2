// SPDX-License-Identifier: GPL-2.0
/* Windows: their parts add up and hold what happened, and all outputs agree. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "windows.h"

#define GROUP	"window"

#define MS	1000000ULL
#define US	1000ULL

TEST(conserve_kthread)
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

TEST(conserve_user)
{
	run_user(MS, MS, work_200us);
	run_user(MS, MS, work_none);
}

static void work_sleep(void)
{
	sleep_ns(300 * US);
}

TEST(sleep_is_charged)
{
	size_t i;

	needs_sizes();
	run_user(MS, MS, work_sleep);
	for (i = 0; i < N; i++) {
		uint64_t sleep = win[i].part_ns[TLOB_WORK_SLEEP];

		/* more by the timer's slack, less by the interrupt that woke it */
		if (sleep < 290 * US || sleep > 380 * US)
			fail("window %zu: slept %llu ns", i,
			     (unsigned long long)sleep);
	}
}

/* A thread of higher priority that takes the CPU for 200 us for each byte it reads. */
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

TEST(thread_noise_is_charged)
{
	uint32_t count;
	size_t i;

	needs_sizes();
	preemptor_start();
	run_user(MS, MS, work_preempted);
	close(preempt_pipe[1]);
	waitpid(preemptor, NULL, 0);
	/* from 1: in the first window the preemptor may not be in its read() yet */
	for (i = 1; i < N; i++) {
		uint64_t ns = win[i].part_ns[TLOB_WORK_THREAD];

		if (ns < 195 * US || ns > 230 * US)
			fail("window %zu: thread %llu ns", i,
			     (unsigned long long)ns);
		/*
		 * In how many pieces depends on where both threads meet at the pipe's lock: the
		 * largest has at least its share.
		 */
		count = win[i].work_count[TLOB_NOISE_THREAD];
		if (win[i].largest.ns * count < ns)
			fail("window %zu: thread %llu ns in %u pieces, the largest %llu", i,
			     (unsigned long long)ns, count, (unsigned long long)win[i].largest.ns);
		check_eq(win[i].largest.kind, TLOB_NOISE_THREAD);
		check_eq(win[i].largest.id, preemptor);
		check(win[i].largest.in_work);
		check(!strcmp(win[i].largest.name, "tlob-test"));
	}
}

TEST(idle_is_named)
{
	size_t i, idle = 0;

	run_kthread(MS, MS, "none");
	for (i = 0; i < N; i++)
		idle += win[i].delayed_by_pid == 0 &&
			!strncmp(win[i].delayed_by, "swapper", 7) &&
			win[i].delayed_by_idle_state >= 0;
	check(idle > N / 2);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * The window and the scheduler charge the same time to this thread. A window without work
 * gives the constant difference: the way into and out of read(). The scheduler may leave irqs
 * out (CONFIG_IRQ_TIME_ACCOUNTING), so CPU time lies between the sums without and with them.
 */
TEST(agrees_with_cpu_time)
{
	uint64_t empty = 0, begun, used, on_cpu, current, bound;
	struct tlob_window w;
	int fd, i;

	needs_no_stops();
	setup("user", "0", 10 * MS, 10 * MS, "none");
	enable();
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i < 100; i++) {
		begun = cpu_ns();
		if (i >= 10)
			spin_ns(2 * MS + 20 * US * i);
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

TEST(warm_up)
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

/* The kernel's histograms equal those made from its records. */
TEST(hist_is_records)
{
	static struct tlob_hist kernel[TLOB_NR_METRICS], own[TLOB_NR_METRICS];
	static char text[1 << 18];
	unsigned int m, b;
	size_t i;
	int fd;

	setup("kthread", "0", MS, MS, "spin:200us");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	/* the reader is woken every 100 ms: by then there may be twice as many */
	read_windows(fd, win, N / 4);
	disable();
	for (i = N / 4; i < N && read(fd, &win[i], sizeof(*win)) > 0; i++)
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

/* The event has the numbers of the record. */
TEST(event_is_record)
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
