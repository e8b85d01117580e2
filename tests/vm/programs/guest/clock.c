// SPDX-License-Identifier: GPL-2.0
/*
 * The clock in line is the kernel's, whatever is done to that: slewed by adjtimex(),
 * or read from another clocksource in the middle of a run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "windows.h"

#define GROUP	"clock"

#define MS	1000000ULL
#define COMPARE	"/sys/kernel/debug/tlob_inject/clock"
#define SOURCE	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define READS	"500000"	/* 1.5 s of instructions */

struct seen {
	unsigned long long reads, in_line, outside, least, most, steps;
};

/* The clocksource that is read in line, and another one where there may be one. */
#ifdef __x86_64__
static const char in_line[] = "tsc", other[] = "hpet";
#else
static const char in_line[] = "arch_sys_counter", other[] = "";
#endif

static void needs_counter(void)
{
	char name[64];
	int ms;

	if (!deterministic())
		skip("two readings are compared to the instruction");
	/* tsc-early becomes tsc in the first seconds after booting */
	for (ms = 0; ms < 10000; ms += 100) {
		read_file(SOURCE, name, sizeof(name));
		name[strcspn(name, "\n")] = 0;
		if (strcmp(name, "tsc-early"))
			break;
		sleep_ns(100 * MS);
	}
	if (strcmp(name, in_line))
		skip("the clocksource is %s", name);
}

/* The step of the clock in ns, as the module says. */
static unsigned int resolution(void)
{
	unsigned int ns = status(-1, "clock_resolution_ns");

	check(ns >= 1 && ns <= 1000);
	return ns;
}

static struct seen compared(void)
{
	struct seen s;
	char text[128];

	if (write_file(COMPARE, READS))
		fail("%s", COMPARE);
	read_file(COMPARE, text, sizeof(text));
	check_eq(sscanf(text, "%llu %llu %llu %llu %llu %llu", &s.reads,
			&s.in_line, &s.outside, &s.least, &s.most, &s.steps), 6);
	note("%llu readings, %llu in line, %llu ... %llu ns after the kernel's",
	     s.reads, s.in_line, s.least, s.most);
	check_eq(s.reads, atoll(READS));
	check_eq(s.outside, 0);
	/* each reading is rounded to a ns, or to the counter's step */
	check(s.most - s.least <= 2ULL * resolution());
	return s;
}

/* Ends with its parent. */
static pid_t meanwhile(void (*change)(unsigned int n))
{
	pid_t pid = fork();
	unsigned int n;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (n = 0;; n++) {
		change(n);
		sleep_ns(25 * MS);
	}
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST(same)
{
	struct seen s;

	needs_counter();
	s = compared();
	check_eq(s.in_line, s.reads);
	check_eq(s.steps, 0);
}

/*
 * All that adjtimex() has to slew the clock with. Each of them up to its limit, but
 * for the tick: with its 10 % the same instructions take longer by some ns.
 */
static void slew(unsigned int n)
{
	static const struct {
		unsigned int modes;
		long value;
	} change[] = {
		{ ADJ_FREQUENCY, 500L << 16 }, { ADJ_FREQUENCY, -(500L << 16) },
		{ ADJ_FREQUENCY, 0 }, { ADJ_TICK, 10050 }, { ADJ_TICK, 9950 },
		{ ADJ_TICK, 10000 }, { ADJ_OFFSET_SINGLESHOT, 100000 },
		{ ADJ_OFFSET_SINGLESHOT, -100000 }, { ADJ_OFFSET_SINGLESHOT, 0 },
	};
	const unsigned int i = n % (sizeof(change) / sizeof(*change));
	struct timex t = { .modes = change[i].modes };

	if (t.modes == ADJ_FREQUENCY)
		t.freq = change[i].value;
	else if (t.modes == ADJ_TICK)
		t.tick = change[i].value;
	else
		t.offset = change[i].value;
	if (adjtimex(&t) < 0)
		_exit(1);
}

static void slew_back(void)
{
	struct timex t = { .modes = ADJ_FREQUENCY | ADJ_TICK, .tick = 10000 };

	check(adjtimex(&t) >= 0);
}

TEST(slewed)
{
	struct seen s;
	pid_t pid;

	needs_counter();
	pid = meanwhile(slew);
	s = compared();
	stop(pid);
	slew_back();
	/* a change of its data may be met */
	check(s.in_line + 1000 > s.reads);
}

TEST(slewed_in_windows)
{
	pid_t pid;

	needs_counter();
	pid = meanwhile(slew);
	run_kthread(MS, MS, "spin:200us");
	stop(pid);
	slew_back();
}

static void other_source(unsigned int n)
{
	if (write_file(SOURCE, n % 2 ? in_line : other))
		_exit(1);
}

static void source_back(void)
{
	if (write_file(SOURCE, in_line))
		fail("the clocksource does not become %s again", in_line);
}

static void needs_another(void)
{
	needs_counter();
	if (!*other || write_file(SOURCE, other))
		skip("no other clocksource");
	source_back();
}

TEST(source_changes)
{
	struct seen s;
	pid_t pid;

	needs_another();
	pid = meanwhile(other_source);
	s = compared();
	stop(pid);
	source_back();
	/* both were there, and for long */
	check(s.in_line > s.reads / 10);
	check(s.in_line < s.reads - s.reads / 10);
}

TEST(source_changes_in_windows)
{
	pid_t pid;

	needs_another();
	pid = meanwhile(other_source);
	run_kthread(MS, MS, "spin:200us");
	stop(pid);
	source_back();
}
