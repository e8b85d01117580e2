// SPDX-License-Identifier: GPL-2.0
/* Timelines: the spans of each window, in their order, against the window's sums. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"timeline"

#define MS	1000000ULL
#define US	1000ULL
#define N	100
#ifdef __x86_64__
/* Without this feature, on the kernels of `make check`. */
#define HOOKS_OF_IRQ	158
#else
/*
 * As it was measured with this feature, in steps of 16. An IPI has three hooks here: one asks
 * whether it is the timer's, and the one of its kind compares it with those known.
 */
#define HOOKS_OF_IRQ	432
#endif
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"

static struct tlob_timeline line;

static bool in_status(const char *text)
{
	static char buf[65536];

	read_file(tlob_path("status"), buf, sizeof(buf));
	return strstr(buf, text);
}

/* The time of span @i of @t, in ns. */
static uint64_t span_ns(const struct tlob_timeline *t, unsigned int i)
{
	return t->span[i].end_ns - (i ? t->span[i - 1].end_ns : t->start_ns);
}

/* Names and numbers belong to noise. */
static void check_name(const struct tlob_span *s)
{
	check(memchr(s->name, 0, sizeof(s->name)));
	switch (s->part) {
	case TLOB_WAKE_IRQ: case TLOB_WORK_IRQ:
	case TLOB_WAKE_SOFTIRQ: case TLOB_WORK_SOFTIRQ:
	case TLOB_WAKE_THREAD: case TLOB_WORK_THREAD:
		check(*s->name);
		break;
	case TLOB_WAKE_NMI: case TLOB_WORK_NMI:
		check(!strcmp(s->name, "nmi"));
		break;
	default:
		check(!*s->name && !s->id);
	}
}

/* Checks what must hold between any window and its timeline. */
static void check_timeline(const struct tlob_timeline *t, const struct tlob_window *w)
{
	uint64_t part[TLOB_NR_PARTS] = { 0 }, at = t->start_ns;
	unsigned int i;

	check_eq(t->version, TLOB_TIMELINE_VERSION);
	check_eq(t->size, sizeof(*t));
	check_eq(t->cpu, w->cpu);
	check_eq(t->activation, w->activation);
	check(t->spans <= TLOB_TIMELINE_SPANS);
	check(t->spans || !w->response_ns);
	check(!t->not_kept == !t->start_ns);
	check(!t->not_kept || t->spans == TLOB_TIMELINE_SPANS);
	for (i = 0; i < t->spans; i++) {
		const struct tlob_span *s = &t->span[i];

		check(s->part < TLOB_NR_PARTS);
		check(s->end_ns > at);
		if (s->part < TLOB_WORK_ON_CPU)
			check(s->end_ns <= w->wake_ns);
		else
			check(at >= w->wake_ns);
		check_name(s);
		part[s->part] += s->end_ns - at;
		at = s->end_ns;
	}
	check_eq(at, w->response_ns);
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		uint64_t is = w->part_ns[i];

		if (i == TLOB_WORK_ON_CPU)
			is += w->part_ns[TLOB_WORK_HW];
		if (i == TLOB_WORK_HW)
			is = 0;
		if (t->not_kept)
			check(part[i] <= is);
		else if (part[i] != is)
			fail("activation %llu: %s is %llu, but its spans are %llu",
			     (unsigned long long)w->activation,
			     tlob_metric_names[TLOB_METRIC_PARTS + i],
			     (unsigned long long)is, (unsigned long long)part[i]);
	}
}

static void show(const struct tlob_timeline *t)
{
	unsigned int i;

	for (i = 0; i < t->spans; i++)
		note("%9llu %9llu %s %s %d", (unsigned long long)t->span[i].end_ns,
		     (unsigned long long)span_ns(t, i),
		     tlob_metric_names[TLOB_METRIC_PARTS + t->span[i].part],
		     t->span[i].name, t->span[i].id);
}

static void begin(const char *workload, uint64_t period, const char *work)
{
	setup(workload, "0", period, period, work);
	set("noise_source", "hooks");
	set("timeline", "1");
	enable();
}

/* The option, and what a run with it refuses. */
TEST(option)
{
	int fd;

	setup("kthread", "0", MS, MS, "none");
	check(!strcmp(get("timeline"), "0"));
	set("noise_source", "hooks");
	enable();
	check_errno(open(tlob_path("per_cpu/cpu0/timelines"), O_RDONLY), ENODEV);
	disable();

	set("timeline", "1");
	/* osnoise reports how long an interruption took, not when it began */
	set("noise_source", "osnoise");
	check_eq(put("enable", "1"), -EINVAL);
	set("noise_source", "both");
	check_eq(put("enable", "1"), -EINVAL);
	set("noise_source", "auto");
	enable();
	check(in_status("noise_source: hooks\n"));
	fd = open_cpu(0, "timelines", O_RDONLY);
	check_errno(open(tlob_path("per_cpu/cpu0/timelines"), O_RDONLY), EBUSY);
	check_errno(read(fd, &line, sizeof(line) - 1), EINVAL);
	disable();
	/* all that was written, then the end */
	while (read(fd, &line, sizeof(line)) > 0)
		;
	check_eq(read(fd, &line, sizeof(line)), 0);
	close(fd);
	check_errno(open(tlob_path("per_cpu/cpu0/timelines"), O_RDONLY), ENODEV);
}

TEST(conserve_kthread)
{
	struct tlob_window w;
	int fd, windows, i;

	begin("kthread", MS, "spin:200us");
	fd = open_cpu(0, "timelines", O_RDONLY);
	windows = open_cpu(0, "windows", O_RDONLY);
	for (i = 0; i < N; i++) {
		read_windows(windows, &w, 1);
		check_window(&w);
		check_eq(read(fd, &line, sizeof(line)), sizeof(line));
		check_timeline(&line, &w);
		check_eq(line.not_kept, 0);
	}
	close(windows);
	close(fd);
	disable();
	check_no_defect(0);
}

/* A window of the current user thread with @work in it, and its timeline. */
static void one_window(int fd, int lines, void (*work)(void), struct tlob_window *w)
{
	work();
	check_eq(read(fd, w, sizeof(*w)), sizeof(*w));
	check_window(w);
	check_eq(read(lines, &line, sizeof(line)), sizeof(line));
	check_timeline(&line, w);
}

static void work_with_sleep(void)
{
	spin_ns(100 * US);
	sleep_ns(50 * US);
	spin_ns(100 * US);
}

/* Every wait for a timer makes at least a span of on_cpu and one of sleep. */
static void work_many(void)
{
	int i;

	for (i = 0; i < TLOB_TIMELINE_SPANS; i++)
		sleep_ns(20 * US);
}

static void user_windows(void (*work)(void), unsigned int n, bool overrun)
{
	struct tlob_window w;
	int fd, lines;

	begin("user", 20 * MS, "none");
	lines = open_cpu(0, "timelines", O_RDONLY);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	while (n--) {
		one_window(fd, lines, work, &w);
		check_eq(!!line.not_kept, overrun);
	}
	close(fd);
	unpin();
	close(lines);
	disable();
	check_no_defect(0);
}

TEST(conserve_user)
{
	unsigned int i, sleep = 0;

	user_windows(work_with_sleep, N / 2, false);
	for (i = 0; i < line.spans; i++)
		if (line.span[i].part == TLOB_WORK_SLEEP) {
			check(span_ns(&line, i) >= 40 * US);
			check(i && line.span[i - 1].part != TLOB_WORK_SLEEP);
			sleep++;
		}
	/* on a busy host the timer may fire before the thread sleeps */
	if (deterministic())
		check_eq(sleep, 1);
}

/* More boundaries than are kept: the last ones, and how many came before. */
TEST(overrun)
{
	user_windows(work_many, 5, true);
	note("%u spans are not kept, the others begin at %llu ns", line.not_kept,
	     (unsigned long long)line.start_ns);
	check(line.not_kept >= TLOB_TIMELINE_SPANS);
}

/* A full ring drops new timelines: their windows have none, and others have their own. */
TEST(full_ring)
{
	struct tlob_window w;
	uint64_t lines = 0;
	int fd, windows;
	unsigned int i;

	begin("kthread", 100 * US, "none");
	fd = open_cpu(0, "timelines", O_RDONLY);
	windows = open_cpu(0, "windows", O_RDONLY);
	while (status(0, "windows") < 1500)
		sleep_ns(50 * MS);
	disable();
	for (i = 0; read(windows, &w, sizeof(w)) == sizeof(w); i++) {
		check_window(&w);
		if (read(fd, &line, sizeof(line)) != sizeof(line))
			continue;
		check_timeline(&line, &w);
		lines++;
	}
	note("%u windows, %llu timelines", i, (unsigned long long)lines);
	check(lines >= 1024 && lines < i);
	close(windows);
	close(fd);
}

/* One expected span of noise: its part, its length with a tolerance, its name. */
struct expected {
	enum tlob_part part;
	uint64_t ns, tolerance;
	const char *name;
};

#define INJECTED	4

/*
 * The spans of the noise that @plan makes in the work of the window at @t0, in the order of
 * @e. The timer's own irq and the ticks come in between, so other short spans are skipped.
 */
static void check_order(const struct expected *e, size_t n)
{
	unsigned int i;
	size_t k = 0;

	for (i = 0; i < line.spans && k < n; i++) {
		const struct tlob_span *s = &line.span[i];
		uint64_t ns = span_ns(&line, i);

		if (s->part != e[k].part || (e[k].name && strcmp(s->name, e[k].name)) ||
		    ns + e[k].tolerance < e[k].ns || ns > e[k].ns + e[k].tolerance)
			continue;
		k++;
	}
	if (k == n)
		return;
	show(&line);
	fail("span %zu of %zu is missing: %s of %llu ns", k + 1, n,
	     tlob_metric_names[TLOB_METRIC_PARTS + e[k].part], (unsigned long long)e[k].ns);
}

static void burn(unsigned int n)
{
	while (n--)
		asm volatile("" : : "r" (n));
}

static void inject(const char *plan_of, const struct expected *e, size_t n)
{
	const uint64_t period = 5 * MS;
	char plan[512] = "", kind[16];
	struct tlob_window w;
	int fd, lines, used;
	long long at, ns;
	uint64_t t0;

	begin("user", period, "none");
	lines = open_cpu(0, "timelines", O_RDONLY);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	burn(1000);
	one_window(fd, lines, work_with_sleep, &w);
	t0 = w.t0_ns + ((now_ns() - w.t0_ns) / period + 2) * period;
	for (; sscanf(plan_of, "%15s %lld %lld%n", kind, &at, &ns, &used) == 3; plan_of += used)
		snprintf(plan + strlen(plan), sizeof(plan) - strlen(plan), "%s %lld %lld\n", kind,
			 (long long)t0 + at, ns);
	check_eq(write_file(PLAN, plan), 0);
	do {
		burn(400000);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_eq(read(lines, &line, sizeof(line)), sizeof(line));
		check_timeline(&line, &w);
	} while (w.t0_ns < t0);
	check_eq(w.t0_ns, t0);
	check_eq(line.not_kept, 0);
	close(fd);
	unpin();
	close(lines);
	disable();
	check_order(e, n);
	check_no_defect(0);
}

#define INJECT(plan, e)	inject(plan, e, sizeof(e) / sizeof(*(e)))

/* Elsewhere nothing shows the time of an nmi. */
#ifdef __x86_64__
#define MIXED	"irq 100000 20000 thread 200000 50000 nmi 300000 30000"
#else
#define MIXED	"irq 100000 20000 thread 200000 50000"
#endif

/* Noise of known sizes has the order and the sizes in which it was injected. */
TEST(order)
{
	static const struct expected mixed[] = {
		{ TLOB_WORK_ON_CPU, 95 * US, 15 * US, "" },
		{ TLOB_WORK_IRQ, 20 * US, 2 * US, "irq_work" },
		{ TLOB_WORK_ON_CPU, 75 * US, 10 * US, "" },
		{ TLOB_WORK_THREAD, 50 * US, 4 * US, "inject_thread" },
#ifdef __x86_64__
		{ TLOB_WORK_NMI, 30 * US, 2 * US, "nmi" },
#endif
	};
	/*
	 * An irq cuts the thread in two; the second half also has its name. Where it
	 * is cut depends on how long the thread takes to start.
	 */
	static const struct expected nested[] = {
		{ TLOB_WORK_THREAD, 20 * US, 10 * US, "inject_thread" },
		{ TLOB_WORK_IRQ, 20 * US, 2 * US, "irq_work" },
		{ TLOB_WORK_THREAD, 30 * US, 10 * US, "inject_thread" },
	};
	/* a window is late after 50 us, and gets a stack */
	static const struct expected at_t0[] = {
		{ TLOB_WAKE_IRQ_DELAY, 13 * US, 6 * US, "" },
		{ TLOB_WAKE_THREAD, 25 * US, 6 * US, "inject_thread" },
	};
	static const struct expected softirq[] = {
		{ TLOB_WORK_SOFTIRQ, 20 * US, 4 * US, "HI" },
		{ TLOB_WORK_IRQ, 20 * US, 2 * US, "irq_work" },
		{ TLOB_WORK_SOFTIRQ, 40 * US, 4 * US, "HI" },
	};

	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	needs_sizes();
	INJECT(MIXED, mixed);
	INJECT("thread 100000 50000 irq 120000 20000", nested);
	INJECT("irqsoff -10000 20000 thread 15000 25000", at_t0);
	if (!preempt_rt())
		INJECT("softirq 100000 60000 irq 120000 20000", softirq);
}

static int pipes[2];

/* Sleeps in a window until it has to end. */
static void *sleeper(void *unused)
{
	struct tlob_window w;
	char c;
	int fd;

	(void)unused;
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(read(pipes[0], &c, 1), 1);
	close(fd);
	return NULL;
}

/* The least instructions of an interrupt of this CPU and the loop around it. */
static uint64_t one_irq(void)
{
	unsigned long long ns;
	char text[1024];
	const char *self;

	check_eq(write_file(PLAN, "self 50"), 0);
	read_file(PLAN, text, sizeof(text));
	self = strstr(text, "self ");
	check(self && sscanf(self, "self %llu", &ns) == 1);
	return ns;
}

/* The same in a window, or without a run if @timeline is NULL. */
static uint64_t irq_in_window(const char *timeline)
{
	pthread_t thread;
	uint64_t ns;

	setup("user", "0", 1000 * MS, 10000 * MS, "none");
	set("noise_source", "hooks");
	set("timeline", "%s", timeline);
	enable();
	check_eq(pthread_create(&thread, NULL, sleeper, NULL), 0);
	sleep_ns(1100 * MS);
	ns = one_irq();
	check_eq(write(pipes[1], "x", 1), 1);
	check_eq(pthread_join(thread, NULL), 0);
	disable();
	return ns;
}

/*
 * An interrupt has two boundaries. Without a timeline its hooks may cost at most two
 * instructions more at each than without this feature. In Linux 7 a tracepoint enters SRCU
 * besides: there they take 198.
 */
TEST(off_costs_nothing)
{
	uint64_t none, off, on, again;

	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	needs_sizes();
	check_eq(pipe(pipes), 0);
	pin(0);
	one_irq();
	none = one_irq();
	off = irq_in_window("0");
	on = irq_in_window("1");
	again = irq_in_window("0");
	unpin();
	note("an interrupt in a window: %llu instructions of the hooks without a timeline, %llu with one",
	     (unsigned long long)(off - none), (unsigned long long)(on - none));
	check_eq(again, off);
	check(on > off);
	check(kernel_since(7, 0) || off - none <= HOOKS_OF_IRQ + 2 * 2);
}
