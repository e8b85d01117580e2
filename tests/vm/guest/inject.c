// SPDX-License-Identifier: GPL-2.0
/*
 * Interruptions of known size at a known moment of a window, made by
 * tests/inject. Each run is compared with the same one in which only the trigger
 * comes: the part must grow by the size, and no other part may change.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define MS	1000000LL
#define US	1000LL
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define PERIOD	(5 * MS)
#define REPEAT	5
#define INJECTED	4
#define ACROSS		(-1)

/* What is injected where, relative to t0. */
struct injection {
	const char *kind;	/* as in tests/inject */
	long long at, ns;
};

struct scenario {
	const char *name;
	struct injection in[INJECTED];
	/* by how much each part grows; a part that is not named: not at all */
	struct {
		int part;
		long long ns;
	} grows[4];		/* ns: ACROSS, what lies after t0 */
	long long tolerance;
	const char *largest;	/* its name, or NULL: not looked at */
	unsigned int kind;	/* of the largest */
};

static bool is_rt(void)
{
	char rt[16] = "0";

	if (!access("/sys/kernel/realtime", R_OK))
		read_file("/sys/kernel/realtime", rt, sizeof(rt));
	return *rt == '1';
}

/*
 * A fixed number of instructions, as in the kernel's work: an interruption must
 * not shorten it, nor the time that no part shows (its entry and exit, which
 * the trigger alone has too) change with its size.
 */
static void burn(unsigned int n)
{
	while (n--)
		asm volatile("" : : "r" (n));
}

/* How long the first injection lasted after @t0, by its own clock. */
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
 * One window of the run that goes on, with the injections (@size: or only their
 * triggers). Waits for the first expiry that is far enough away.
 */
static void one_window(int fd, bool user, const struct scenario *sc, bool size,
		       uint64_t grid, struct tlob_window *w)
{
	char plan[1024] = "";
	uint64_t t0;
	size_t i, len = 0;
	int err;

	/* user threads are in a window now: the next one is at least this far */
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
 * The median of each part over REPEAT windows; @last gets the last window and
 * @after how long its injection lasted after t0.
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

		for (i = 0; i < 4; i++)
			if (sc->grows[i].ns && sc->grows[i].part == part)
				expected += sc->grows[i].ns == ACROSS ?
					    after : sc->grows[i].ns;
		off = grew - expected;
		if (off < -sc->tolerance || off > sc->tolerance) {
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
	for (; n--; sc++) {
		compare(sc, false);
		compare(sc, true);
	}
}

#define RUN(scenarios) \
	both_workloads(scenarios, sizeof(scenarios) / sizeof(*(scenarios)))

static void irq(void)
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

static void thread(void)
{
	static const struct scenario s[] = {
		{ "thread in progress at t0",
		  { { "thread", -10 * US, 50 * US } },
		  { { TLOB_WAKE_THREAD, ACROSS } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
		{ "thread in the wake phase", { { "thread", 1 * US, 50 * US } },
		  { { TLOB_WAKE_THREAD, 50 * US } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
		{ "thread in the work", { { "thread", 100 * US, 50 * US } },
		  { { TLOB_WORK_THREAD, 50 * US } }, 4 * US, "inject_thread",
		  TLOB_NOISE_THREAD },
	};

	RUN(s);
}

static void irqsoff(void)
{
	static const struct scenario s[] = {
		{ "irqs off across t0", { { "irqsoff", -20 * US, 40 * US } },
		  { { TLOB_WAKE_IRQ_DELAY, ACROSS } }, 4 * US, NULL, 0 },
	};

	RUN(s);
}

static void nmi(void)
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

	RUN(s);
}

static void softirq(void)
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

	if (is_rt())
		RUN(rt);
	else
		RUN(s);
}

static void nested(void)
{
	static const struct scenario s[] = {
		{ "nmi in an irq in the work",
		  { { "irq", 100 * US, 30 * US }, { "nmi", 110 * US, 20 * US } },
		  { { TLOB_WORK_IRQ, 30 * US }, { TLOB_WORK_NMI, 20 * US } },
		  2 * US, "irq_work", TLOB_NOISE_IRQ },
		{ "irq in a thread in the work",
		  { { "thread", 100 * US, 50 * US }, { "irq", 120 * US, 20 * US } },
		  { { TLOB_WORK_THREAD, 50 * US }, { TLOB_WORK_IRQ, 20 * US } },
		  4 * US, "inject_thread", TLOB_NOISE_THREAD },
	};
	static const struct scenario softirq[] = {
		{ "irq and nmi in a softirq in the work",
		  { { "softirq", 100 * US, 60 * US }, { "irq", 120 * US, 20 * US },
		    { "nmi", 125 * US, 10 * US } },
		  { { TLOB_WORK_SOFTIRQ, 60 * US }, { TLOB_WORK_IRQ, 20 * US },
		    { TLOB_WORK_NMI, 10 * US } },
		  3 * US, "HI", TLOB_NOISE_SOFTIRQ },
	};

	RUN(s);
	if (!is_rt())
		RUN(softirq);
}

/*
 * Nmis at random instructions of the measured CPU, between the readings of the
 * clock and their publication too: the sums hold, and nothing is charged that
 * was not there to take. (Their sizes are compared where sizes mean something.)
 */
static void nmi_storm(void)
{
	unsigned long long count, total, seen = 0, windows = 0;
	static struct tlob_window win[4096];
	const char *line;
	char text[2048];
	ssize_t n;
	int fd, st;
	pid_t pid;

	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	setup("kthread", "0", 200 * US, 200 * US, "spin:50us");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY | O_NONBLOCK);
	pid = fork();
	if (!pid) {
		pin(1);
		_exit(-write_file(PLAN, "storm 20000 2000"));
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
	check_eq(count, 20000);
	note("%llu nmis, %llu seen in %llu windows", count, seen, windows);
	check(seen > count / 100 && seen <= count);
	check_eq(status(0, "sum_failures"), 0);
}

const struct test inject_tests[] = {
	{ "irq", irq, 0 },
	{ "softirq", softirq, 0 },
	{ "nmi", nmi, 0 },
	{ "thread", thread, 0 },
	{ "irqsoff", irqsoff, 0 },
	{ "nested", nested, 0 },
	{ "nmi_storm", nmi_storm, 2 },
	{ NULL, NULL, 0 },
};
