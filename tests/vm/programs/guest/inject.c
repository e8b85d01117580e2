// SPDX-License-Identifier: GPL-2.0
/*
 * tests/modules/inject makes interruptions of known size at a known moment of a window. A
 * second run has only their triggers: against it the part must grow by the size, and no other
 * part may change.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"inject"

#define MS	1000000LL
#define US	1000LL
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define PERIOD	(5 * MS)
#define REPEAT	5
#define INJECTED	4
#define ACROSS		(-1)

/* One interruption; @at is relative to t0. */
struct injection {
	const char *kind;	/* as in tests/modules/inject */
	long long at, ns;
};

struct scenario {
	const char *name;
	struct injection in[INJECTED];
	/* the growth of each part; a part that is not here must not grow */
	struct {
		int part;
		long long ns;
	} grows[4];		/* ns = ACROSS: the time after t0 */
	long long tolerance;
	const char *largest;	/* its name; NULL: any */
	unsigned int kind;	/* of the largest */
};

/*
 * A fixed number of instructions, as in the kernel's work, so that an interruption cannot
 * shorten it. Entry and exit of an interruption are in no part. The trigger alone has them,
 * too, and they do not change with the size.
 */
static void burn(unsigned int n)
{
	while (n--)
		asm volatile("" : : "r" (n));
}

/* How long the first interruption lasted after @t0, by the module's own clock. */
static long long after_t0(uint64_t t0)
{
	unsigned long long at, ns, begun, ended;
	char text[1024];

	read_file(PLAN, text, sizeof(text));
	if (sscanf(text, "%*s %llu %llu %llu %llu", &at, &ns, &begun,
		   &ended) != 4 || !ended)
		fail("the injection did not happen: %s", text);
	if (ended < t0)
		fail("the injection was over %llu ns before t0",
		     (unsigned long long)t0 - ended);
	return ended - (begun > t0 ? begun : t0);
}

/*
 * One window of the current run, with the interruptions or, without @size, with their triggers
 * alone. Aims at the first expiry that is far enough away.
 */
static void one_window(int fd, bool user, const struct scenario *sc, bool size,
		       uint64_t grid, struct tlob_window *w)
{
	char plan[1024] = "";
	uint64_t t0;
	size_t i, len = 0;
	int err;

	/* a user thread is in a window now, so aim at the expiry after the next */
	t0 = grid + ((now_ns() - grid) / PERIOD + 2) * PERIOD;
	for (i = 0; i < INJECTED && sc->in[i].kind; i++)
		len += snprintf(plan + len, sizeof(plan) - len,
				"%s %lld %lld\n", sc->in[i].kind,
				(long long)t0 + sc->in[i].at, size ? sc->in[i].ns : 0);
	err = write_file(PLAN, plan);
	if (err)
		fail(PLAN ": %s", strerror(-err));
	do {
		if (user) {
			check_eq(read(fd, w, sizeof(*w)), sizeof(*w));
			burn(120000);
		} else {
			read_windows(fd, w, 1);
		}
		if (w->flags & TLOB_WINDOW_NONE)
			continue;
		check_window(w);
		check_eq(w->errors + w->adjusted_ns + w->clock_steps, 0);
	} while (w->t0_ns < t0);
	check_eq(w->t0_ns, t0);
}

static int smaller(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * The median of each part over REPEAT windows. @last gets the last window, @after the time
 * that its interruption lasted after t0.
 */
static void measure(bool user, const struct scenario *sc, bool size,
		    uint64_t *part, struct tlob_window *last, long long *after)
{
	uint64_t value[TLOB_NR_PARTS][REPEAT];
	struct tlob_window w;
	uint64_t grid;
	size_t i, k;
	int fd;

	setup(user ? "user" : "kthread", "0", PERIOD, PERIOD, "loops:120000");
	enable();
	if (user)
		pin(0);
	fd = open_cpu(0, user ? "tlob_fd" : "windows", O_RDONLY);
	do {
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	} while (w.flags & TLOB_WINDOW_NONE);
	grid = w.t0_ns;
	for (k = 0; k < REPEAT; k++) {
		one_window(fd, user, sc, size, grid, &w);
		for (i = 0; i < TLOB_NR_PARTS; i++)
			value[i][k] = w.part_ns[i];
	}
	*after = size ? after_t0(w.t0_ns) : 0;
	close(fd);
	if (user)
		unpin();
	disable();
	check_no_defect(0);
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		qsort(value[i], REPEAT, sizeof(value[i][0]), smaller);
		part[i] = value[i][REPEAT / 2];
	}
	*last = w;
}

static void compare(const struct scenario *sc, bool user)
{
	uint64_t with[TLOB_NR_PARTS], without[TLOB_NR_PARTS];
	struct tlob_window w, unused;
	int part, wrong = 0;
	long long after;
	size_t i;

	measure(user, sc, false, without, &unused, &after);
	measure(user, sc, true, with, &w, &after);
	for (part = 0; part < TLOB_NR_PARTS; part++) {
		long long grew = with[part] - without[part], expected = 0;
		long long off;
		bool exact;

		for (i = 0; i < 4; i++)
			if (sc->grows[i].ns && sc->grows[i].part == part)
				expected += sc->grows[i].ns == ACROSS ?
					    after : sc->grows[i].ns;
		off = grew - expected;
		/* the hypervisor's clock has counted it, so nothing is lost on the way */
		exact = expected > 0 && (part == TLOB_WAKE_STEAL || part == TLOB_WORK_STEAL) &&
			sc->in[0].at > 0;
		if ((exact && off) || off < -sc->tolerance || off > sc->tolerance) {
			note("%s, %s: %s grew by %lld ns, expected %lld (%llu -> %llu)",
			     sc->name, user ? "user" : "kthread",
			     tlob_metric_names[TLOB_METRIC_PARTS + part], grew,
			     expected, (unsigned long long)without[part],
			     (unsigned long long)with[part]);
			wrong++;
		}
	}
	if (sc->largest && (strcmp(w.largest.name, sc->largest) ||
			    w.largest.kind != sc->kind)) {
		note("%s: the largest is %s, kind %u, %llu ns, expected %s",
		     sc->name, w.largest.name, w.largest.kind,
		     (unsigned long long)w.largest.ns, sc->largest);
		wrong++;
	}
	if (wrong)
		fail("%s", sc->name);
}

static void both_workloads(const struct scenario *sc, size_t n)
{
	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	needs_sizes();
	for (; n--; sc++) {
		compare(sc, false);
		compare(sc, true);
	}
}

#define RUN(scenarios) \
	both_workloads(scenarios, sizeof(scenarios) / sizeof(*(scenarios)))

TEST(irq)
{
	static const struct scenario s[] = {
		{ "irq in progress at t0", { { "irq", -10 * US, 20 * US } },
		  { { TLOB_WAKE_IRQ, ACROSS } }, 2 * US, "irq_work",
		  TLOB_NOISE_IRQ },
		{ "irq in the work", { { "irq", 100 * US, 20 * US } },
		  { { TLOB_WORK_IRQ, 20 * US } }, 2 * US, "irq_work",
		  TLOB_NOISE_IRQ },
		{ "irq in the wake phase", { { "irq", 1 * US, 20 * US } },
		  { { TLOB_WAKE_IRQ, 20 * US } }, 2 * US, "irq_work",
		  TLOB_NOISE_IRQ },
	};

	RUN(s);
}

TEST(thread)
{
	static const struct scenario s[] = {
		{ "thread in progress at t0",
		  { { "thread", -10 * US, 50 * US } },
		  { { TLOB_WAKE_THREAD, ACROSS } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
		/* a window is late after 50 us, and gets a stack */
		{ "thread in the wake phase", { { "thread", 1 * US, 40 * US } },
		  { { TLOB_WAKE_THREAD, 40 * US } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
		{ "thread in the work", { { "thread", 100 * US, 50 * US } },
		  { { TLOB_WORK_THREAD, 50 * US } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
	};

	RUN(s);
}

TEST(irqsoff)
{
	static const struct scenario s[] = {
		{ "irqs off across t0", { { "irqsoff", -20 * US, 40 * US } },
		  { { TLOB_WAKE_IRQ_DELAY, ACROSS } }, 4 * US, NULL, 0 },
	};

	RUN(s);
}

/* The window after one scenario of size, in kernel threads. */
static bool meets_user(const struct scenario *sc)
{
	uint64_t part[TLOB_NR_PARTS];
	struct tlob_window w;
	long long after;

	measure(false, sc, true, part, &w, &after);
	return w.flags & TLOB_WINDOW_USER;
}

/* A late timer's interrupt says whether it met user code, which cannot be the reason. */
TEST(met_user)
{
	static const struct scenario s[] = {
		{ .name = "irq in progress at t0", .in = { { "irq", -10 * US, 20 * US } } },
		{ .name = "irqs off across t0", .in = { { "irqsoff", -20 * US, 40 * US } } },
	};
	pid_t hog;

	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	if (!deterministic())
		skip("on several CPUs the hog may not run on ours");
	check(!meets_user(&s[0]));
	hog = fork();
	check(hog >= 0);
	if (!hog)
		for (;;)
			burn(1000);
	check(meets_user(&s[0]));
	check(!meets_user(&s[1]));
	kill(hog, SIGKILL);
	check_eq(waitpid(hog, NULL, 0), hog);
}

static void needs_nmis(void)
{
#ifndef __x86_64__
	skip("nmis have no tracepoint on this architecture, and a module cannot make one");
#endif
}

TEST(nmi)
{
	static const struct scenario s[] = {
		{ "nmi in progress at t0", { { "nmi", -10 * US, 20 * US } },
		  { { TLOB_WAKE_NMI, ACROSS } }, 2 * US, "nmi",
		  TLOB_NOISE_NMI },
		{ "nmi in the wake phase", { { "nmi", 1 * US, 20 * US } },
		  { { TLOB_WAKE_NMI, 20 * US } }, 2 * US, "nmi",
		  TLOB_NOISE_NMI },
		{ "nmi in the work", { { "nmi", 100 * US, 20 * US } },
		  { { TLOB_WORK_NMI, 20 * US } }, 2 * US, "nmi",
		  TLOB_NOISE_NMI },
	};

	needs_nmis();
	RUN(s);
}

/*
 * On arm64 an NMI hits the tracepoints of irqs. It may come in the middle of a hook, so the
 * hooks leave it alone: its time belongs to the thread that it interrupts, in name and part.
 */
TEST(pseudo_nmi)
{
	static const struct scenario s[] = {
		{ "pseudo-NMI in a thread in the wake phase",
		  { { "pseudo_nmi", 1 * US, 40 * US } },
		  { { TLOB_WAKE_THREAD, 40 * US } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
		{ "pseudo-NMI in a thread in the work",
		  { { "pseudo_nmi", 100 * US, 50 * US } },
		  { { TLOB_WORK_THREAD, 50 * US } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
	};

#ifdef __x86_64__
	skip("no NMI hits the tracepoints of irqs on this architecture");
#endif
	RUN(s);
}

TEST(softirq)
{
	static const struct scenario s[] = {
		{ "softirq in progress at t0",
		  { { "softirq", -10 * US, 30 * US } },
		  { { TLOB_WAKE_SOFTIRQ, ACROSS } }, 3 * US, "HI",
		  TLOB_NOISE_SOFTIRQ },
		{ "softirq in the wake phase",
		  { { "softirq", 1 * US, 30 * US } },
		  { { TLOB_WAKE_SOFTIRQ, 30 * US } }, 2 * US, "HI",
		  TLOB_NOISE_SOFTIRQ },
		{ "softirq in the work", { { "softirq", 100 * US, 30 * US } },
		  { { TLOB_WORK_SOFTIRQ, 30 * US } }, 2 * US, "HI",
		  TLOB_NOISE_SOFTIRQ },
	};
	static const struct scenario rt[] = {
		{ "softirq in the work, in a thread below ours",
		  { { "softirq", 100 * US, 30 * US } }, { { 0, 0 } }, 2 * US,
		  NULL, 0 },
	};

	if (preempt_rt())
		RUN(rt);
	else
		RUN(s);
}

/* The source osnoise says how long an interruption was, and not how much of that was stolen. */
static bool steal_is_measured(void)
{
	char text[8192];
	bool is;

	setup("kthread", "0", PERIOD, PERIOD, "loops:120000");
	enable();
	read_file(tlob_path("status"), text, sizeof(text));
	is = !strstr(text, "wake.steal");
	disable();
	return is;
}

/*
 * What the hypervisor steals is in its own part, to the nanosecond, and in no other: a clock
 * of tlob_inject counts it. Across t0 it is cut there.
 */
TEST(steal)
{
	static const struct scenario s[] = {
		{ "stolen across t0", { { "steal", -20 * US, 40 * US } },
		  { { TLOB_WAKE_STEAL, ACROSS } }, 4 * US, NULL, 0 },
		{ "stolen in the wake phase", { { "steal", 1 * US, 40 * US } },
		  { { TLOB_WAKE_STEAL, 40 * US } }, 2 * US, NULL, 0 },
		{ "stolen from a thread in the work", { { "steal", 100 * US, 50 * US } },
		  { { TLOB_WORK_STEAL, 50 * US } }, 2 * US, NULL, 0 },
		{ "stolen from an irq in the wake phase", { { "irq_steal", 1 * US, 20 * US } },
		  { { TLOB_WAKE_STEAL, 20 * US } }, 2 * US, NULL, 0 },
		{ "stolen from an irq in the work", { { "irq_steal", 100 * US, 20 * US } },
		  { { TLOB_WORK_STEAL, 20 * US } }, 2 * US, NULL, 0 },
	};

#ifndef __x86_64__
	skip("the module knows no clock of stolen time on this architecture");
#endif
	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	check_eq(write_file(PLAN, "steal 1"), 0);
	if (!steal_is_measured())
		skip("this source does not measure stolen time");
	RUN(s);
	check_eq(write_file(PLAN, "steal 0"), 0);
}

TEST(nested)
{
	static const struct scenario s[] = {
#ifdef __x86_64__
		{ "nmi in an irq in the work",
		  { { "irq", 100 * US, 30 * US }, { "nmi", 110 * US, 20 * US } },
		  { { TLOB_WORK_IRQ, 30 * US }, { TLOB_WORK_NMI, 20 * US } },
		  2 * US, "irq_work", TLOB_NOISE_IRQ },
#endif
		{ "irq in a thread in the work",
		  { { "thread", 100 * US, 50 * US }, { "irq", 120 * US, 20 * US } },
		  { { TLOB_WORK_THREAD, 50 * US }, { TLOB_WORK_IRQ, 20 * US } },
		  4 * US, "inject_thread", TLOB_NOISE_THREAD },
	};
	static const struct scenario in_softirq[] = {
#ifdef __x86_64__
		{ "irq and nmi in a softirq in the work",
		  { { "softirq", 100 * US, 60 * US }, { "irq", 120 * US, 20 * US },
		    { "nmi", 125 * US, 10 * US } },
		  { { TLOB_WORK_SOFTIRQ, 60 * US }, { TLOB_WORK_IRQ, 20 * US },
		    { TLOB_WORK_NMI, 10 * US } },
		  3 * US, "HI", TLOB_NOISE_SOFTIRQ },
#else
		{ "irq in a softirq in the work",
		  { { "softirq", 100 * US, 60 * US }, { "irq", 120 * US, 20 * US } },
		  { { TLOB_WORK_SOFTIRQ, 60 * US }, { TLOB_WORK_IRQ, 20 * US } },
		  3 * US, "HI", TLOB_NOISE_SOFTIRQ },
#endif
	};

	RUN(s);
	if (!preempt_rt())
		RUN(in_softirq);
}

/*
 * Nmis at random instructions of the measured CPU, also between a reading of the clock and its
 * publication. The sums hold, and no window counts an nmi that did not come. nmi_aimed
 * compares their sizes, in guests where sizes mean something.
 */
TEST_ON(nmi_storm, 2)
{
	unsigned long long count, total, seen = 0, windows = 0;
	static struct tlob_window win[4096];
	const unsigned int nmis = debug_kernel ? 2000 : 20000;
	char text[2048], storm[32];
	const char *line;
	ssize_t n;
	int fd, st;
	pid_t pid;

	needs_nmis();
	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	snprintf(storm, sizeof(storm), "storm %u 2000", nmis);
	setup("kthread", "0", 200 * US, 200 * US, "spin:50us");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY | O_NONBLOCK);
	pid = fork();
	if (!pid) {
		pin(1);
		_exit(-write_file(PLAN, storm));
	}
	do {
		st = -1;
		if (waitpid(pid, &st, WNOHANG) != pid)
			sleep_ns(50 * MS);
		while ((n = read(fd, win, sizeof(win))) > 0) {
			for (n /= sizeof(*win); n--; windows++) {
				check_window(&win[n]);
				check_eq(win[n].errors, 0);
				check_eq(win[n].adjusted_ns, 0);
				seen += win[n].wake_count[TLOB_NOISE_NMI] +
					win[n].work_count[TLOB_NOISE_NMI];
			}
		}
	} while (st == -1);
	check_eq(st, 0);
	disable();
	read_file(PLAN, text, sizeof(text));
	line = strstr(text, "storm ");
	check(line && sscanf(line, "storm %llu %llu", &count, &total) == 2);
	check_eq(count, nmis);
	note("%llu nmis, %llu seen in %llu windows", count, seen, windows);
	/* how many come in windows is up to the host; a deterministic guest tests that all are seen */
	check(seen > 0 && seen <= count);
	check_eq(status(0, "sum_failures"), 0);
}

/* Not a multiple of the tick: else the tick would be in all windows or in none. */
#define AIM_PERIOD	2300017LL
#define AIM		"/sys/kernel/debug/tlob_inject/aim"

static void aim(const char *fmt, ...)
{
	char text[128];
	va_list ap;
	int err;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err = write_file(AIM, text);
	if (err)
		fail(AIM ": %s: %s", text, strerror(-err));
}

/* How many @probes are set, and whether the nmi of the last shot has @hit its probe. */
static void aimed(unsigned int *probes, unsigned int *hit)
{
	char text[128];

	read_file(AIM, text, sizeof(text));
	check_eq(sscanf(text, "%u %u", probes, hit), 2);
}

/*
 * A window with an nmi of @ns at the @nth instruction aimed at. A small nmi before it, in the
 * wake phase, also makes the slow path of a boundary run. Returns false if that instruction
 * did not run.
 */
static bool aimed_window(int fd, unsigned int nth, long long ns,
			 struct tlob_window *w)
{
	unsigned int probes, hit;
	char text[128];
	uint64_t t0;

	check_eq(read(fd, w, sizeof(*w)), sizeof(*w));
	t0 = w->t0_ns + ((now_ns() - w->t0_ns) / AIM_PERIOD + 2) * AIM_PERIOD;
	aim("shot %llu %lld %u", (unsigned long long)t0, ns, nth);
	snprintf(text, sizeof(text), "nmi %llu 500\n",
		 (unsigned long long)t0 + 1000);
	check_eq(write_file(PLAN, text), 0);
	do {
		check_eq(read(fd, w, sizeof(*w)), sizeof(*w));
		burn(20000);
	} while (w->t0_ns < t0);
	check_window(w);
	check_eq(w->t0_ns, t0);
	aimed(&probes, &hit);
	return hit;
}

/*
 * An nmi adds its size to the part nmi if it came before t3, else nothing, and no other part
 * changes. Returns what it added, or -1 with @why when something else changed.
 */
static long long aimed_nmi(const struct tlob_window *without,
			   const struct tlob_window *with, char *why, size_t size)
{
	long long size_ns = 0;
	int part;

	if (with->errors || with->adjusted_ns || with->clock_steps) {
		snprintf(why, size, "errors %u, adjusted_ns %llu",
			 with->errors, (unsigned long long)with->adjusted_ns);
		return -1;
	}
	for (part = 0; part < TLOB_NR_PARTS; part++) {
		long long grew = with->part_ns[part] - without->part_ns[part];

		if (part == TLOB_WAKE_NMI || part == TLOB_WORK_NMI) {
			size_ns += grew;
		} else if (grew < -2 * US || grew > 2 * US) {
			snprintf(why, size, "part %d grew by %lld", part, grew);
			return -1;
		}
	}
	if (size_ns < -US || (size_ns > US && size_ns < 18 * US) || size_ns > 22 * US) {
		snprintf(why, size, "nmi grew by %lld", size_ns);
		return -1;
	}
	return size_ns;
}

/* The growth by an nmi at one instruction; -1 when that does not run. */
static long long aim_at(int fd, const char *symbol, unsigned int nth)
{
	struct tlob_window with, without;
	char why[128] = "it did not run again", text[128];
	long long size_ns = -1;
	unsigned int try;

	if (!aimed_window(fd, nth, 0, &without))
		return -1;
	/* repeated, since the tick may be in one of the two windows */
	for (try = 0; try < 6 && size_ns < 0; try++) {
		if (try % 2 && !aimed_window(fd, nth, 0, &without))
			continue;
		if (aimed_window(fd, nth, 20 * US, &with))
			size_ns = aimed_nmi(&without, &with, why, sizeof(why));
	}
	if (size_ns < 0) {
		read_file(AIM, text, sizeof(text));
		fail("%s, probes, hits and offset %s: %s", symbol, text, why);
	}
	return size_ns;
}

/*
 * An nmi of 20 us comes at each instruction of a window's steps in turn. So it also comes
 * between a reading of the clock and its publication.
 */
TEST(nmi_aimed)
{
	static const struct {
		const char *symbol;
		bool inside;		/* all of the function lies in the window */
	} steps[] = {
		/* first what the mutant nmi-not-reread fails in */
		{ "__tlob_take_news", true }, { "tlob_period_fire", true },
		{ "tlob_window_begin", true }, { "tlob_window_end", false },
	};
	unsigned int i, n, hit, in, probes;
	struct tlob_window w;
	long long size_ns;
	int fd;

	needs_nmis();
	if (access(AIM, F_OK))
		skip("tlob_inject is not loaded");
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	if (strcmp(source, "hooks"))
		skip("to osnoise a kprobe's int3 is also an nmi, and it does not nest them");
	/* an optimised probe is a jump, which replaces several instructions */
	write_file("/proc/sys/debug/kprobes-optimization", "0");
	setup("user", "0", AIM_PERIOD, AIM_PERIOD, "none");
	for (i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		in = 0;
		/* 180 reach the end of t3's section, which has irqs off */
		aim("probe %s 180", steps[i].symbol);
		aimed(&probes, &hit);
		hit = 0;
		enable();
		pin(0);
		fd = open_cpu(0, "tlob_fd", O_RDONLY);
		/* the first record is flagged NONE */
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		for (n = 0; n < probes; n++) {
			size_ns = aim_at(fd, steps[i].symbol, n);
			hit += size_ns >= 0;
			in += size_ns > 2 * US;
		}
		close(fd);
		unpin();
		disable();
		check_no_defect(0);
		note("%s: nmis at %u of %u instructions, %u of them before t3",
		     steps[i].symbol, hit, probes, in);
		check(hit > 20);
		if (steps[i].inside)
			check_eq(in, hit);
		else
			check(in > 5 && in < hit);
	}
	aim("off");
}

/*
 * An nmi makes the interrupt of t1 so long that the budget's timer also comes in it. So the stack
 * of a late window is taken there, and a longer nmi comes meanwhile. What osnoise reports of that
 * interrupt is net of nmis. The rest of it, without the stack, is still an interrupt.
 */
TEST(nmi_in_late_look)
{
	unsigned int probes, hit, try;
	struct tlob_window w;
	char text[128];
	uint64_t t0;
	int fd;

	needs_nmis();
	if (access(AIM, F_OK))
		skip("tlob_inject is not loaded");
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	setup("kthread", "0", AIM_PERIOD, 200 * US, "none");
	/* its entry, where ftrace calls: an int3 would be an nmi, too */
	aim("probe stack_trace_save 1");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, &w, 1);
	/* repeated, since the tick is in some of them: another interrupt to count */
	for (try = 0; try < REPEAT; try++) {
		t0 = w.t0_ns + ((now_ns() - w.t0_ns) / AIM_PERIOD + 2) * AIM_PERIOD;
		aim("shot %llu %lld 0", (unsigned long long)t0, MS);
		snprintf(text, sizeof(text), "nmi %llu %lld\n",
			 (unsigned long long)t0 + 1, 300 * US);
		check_eq(write_file(PLAN, text), 0);
		do {
			read_windows(fd, &w, 1);
		} while (w.t0_ns < t0);
		check_window(&w);
		check_eq(w.t0_ns, t0);
		aimed(&probes, &hit);
		check_eq(hit, 1);
		check_eq(w.errors, 0);
		check_eq(w.adjusted_ns, 0);
		check(w.part_ns[TLOB_WAKE_NMI] >= 1300 * US);
		check(w.part_ns[TLOB_WAKE_IRQ] > 2 * US);
	}
	close(fd);
	disable();
	aim("off");
}
