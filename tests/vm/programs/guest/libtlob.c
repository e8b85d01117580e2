// SPDX-License-Identifier: GPL-2.0
/* libtlob's example asks its enable bit at each activation, and measures only while it is set. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "words.h"

#define GROUP	"libtlob"

/* Not for a child: its skip would be lost. */
static void needs_example(void)
{
	if (access("/bin/tlob-budget", X_OK))
		skip("no tlob-budget in this guest");
}

/* Runs libtlob's example. Returns its exit status; @out has its output. */
static int run_example(const char *arguments, char *out, size_t size)
{
	char command[128];
	size_t n;
	FILE *f;

	snprintf(command, sizeof(command), "tlob-budget %s", arguments);
	f = popen(command, "r");
	check(f);
	n = fread(out, 1, size - 1, f);
	out[n] = 0;
	n = pclose(f);
	check(WIFEXITED(n));
	return WEXITSTATUS(n);
}

/* 20 activations of 1 ms, with 200 us of work each. */
TEST(example)
{
	char out[8192];

	needs_example();
	words_begin();
	/* the budget that holds is 1000 s: the host may stand still */
	check_eq(run_example("20 1000 200 1000000000", out, sizeof(out)), 2);
	check(strstr(out, "0 windows, 0 over"));
	set("monitor_enable", "1");
	check_eq(run_example("20 1000 200 1000000000", out, sizeof(out)), 0);
	check(strstr(out, "20 windows, 0 over"));
	check_eq(run_example("20 1000 200 100", out, sizeof(out)), 1);
	check(strstr(out, "activation 19 took"));
	check(strstr(out, "20 windows, 20 over"));
	check_eq(status_field("monitor", "used"), 0);
	set("monitor_enable", "0");
}

/* A program that is running already begins its windows when the monitor is switched on. */
TEST(later)
{
	uint64_t windows, until;
	char out[8192];
	pid_t pid;

	needs_example();
	words_begin();
	pid = fork();
	if (!pid) {
		/* 5 s: more than what follows takes */
		check_eq(run_example("5000 1000 10 1000000000", out, sizeof(out)), 0);
		check(!strstr(out, "\n0 windows"));
		check(!strstr(out, "5000 windows"));
		_exit(0);
	}
	until = now_ns() + PATIENCE;
	while (!counter("words") && now_ns() < until)
		sleep_ns(MS);
	/* some activations without a window, and some with one */
	sleep_ns(200 * MS);
	windows = status_field("monitor", "windows");
	set("monitor_enable", "1");
	while (status_field("monitor", "windows") < windows + 10 && now_ns() < until)
		sleep_ns(MS);
	set("monitor_enable", "0");
	reap(pid);
}

static void enable_event(const char *event, const char *on)
{
	char path[128];

	snprintf(path, sizeof(path),
		 "/sys/kernel/tracing/events/user_events/%s/enable", event);
	/* the event exists while a program has it registered */
	while (access(path, F_OK))
		sleep_ns(MS);
	check_eq(write_file(path, on), 0);
}

/* Where the kernel has user events, begin and end write markers into a trace. */
TEST(markers)
{
	char out[8192];
	uint64_t end;
	pid_t pid;

	needs_example();
	words_begin();
	if (access("/sys/kernel/tracing/user_events_data", F_OK))
		skip("this kernel has no user events");
	pid = fork();
	if (!pid)
		_exit(run_example("10000 1000 10 1000000", out, sizeof(out)) != 2);
	enable_event("tlob_start", "1");
	enable_event("tlob_stop", "1");
	end = now_ns() + PATIENCE;
	do {
		sleep_ns(10 * MS);
		read_file("/sys/kernel/tracing/trace", out, sizeof(out));
	} while (!strstr(out, " tlob_stop: result=") && now_ns() < end);
	enable_event("tlob_start", "0");
	enable_event("tlob_stop", "0");
	check(strstr(out, " tlob_start: budget_ns="));
	check(strstr(out, " tlob_stop: result="));
	reap(pid);
}
