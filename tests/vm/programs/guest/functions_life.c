// SPDX-License-Identifier: GPL-2.0
/*
 * Time in functions that other tasks call: they wait in one, move, are killed and die in
 * it, while runs begin and end. And what a probe costs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions.h"
#include "guest.h"
#include "monitor.h"

#define GROUP	"functions_life"

#define MS	1000000ULL
#define US	1000ULL
#define HOUR	3600000000000ULL	/* a budget that no test exceeds */
#define PROBED	"/sys/kernel/tracing/enabled_functions"

static pthread_t other;
static volatile pid_t other_tid;
static const char *command;
static int other_cpu, other_device;

static void *run_other(void *unused)
{
	(void)unused;
	pin(other_cpu);
	if (other_device >= 0)
		check_eq(start_ns(other_device, HOUR, other_device, TLOB_START_EVERY), 0);
	other_tid = (pid_t)syscall(SYS_gettid);
	write_file(INJECT, command);
	if (other_device >= 0)
		check_eq(stop_window(other_device), 0);
	return NULL;
}

/* SIGUSR1 without SA_RESTART ends a wait. */
static void on_signal(int sig)
{
	(void)sig;
}

void functions_other_start(int cpu, const char *what, int device)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &act, NULL);
	other_cpu = cpu;
	other_device = device;
	command = what;
	other_tid = 0;
	check_eq(pthread_create(&other, NULL, run_other, NULL), 0);
	while (!other_tid)
		sleep_ns(MS);
	/* in its call: what the kernel waits for by itself is another state */
	if (!strcmp(what, "wait"))
		until_asleep(other_tid, "S");
}

void functions_other_end(void)
{
	check_eq(pthread_kill(other, SIGUSR1), 0);
	check_eq(pthread_join(other, NULL), 0);
}

/* Another task begins a call in a window; it ends in a later one, or after the run. */
TEST(waiting)
{
	needs_functions();
	check_eq(functions_add("hold", "hold"), 0);
	functions_begin(100 * MS);
	functions_other_start(0, "wait", -1);
	functions_next();
	check_eq(function_total("hold", "open"), 1);
	functions_other_end();
	functions_next();
	check_eq(function_total("hold", "open"), 0);
	check_eq(function_total("hold", "unreturned"), 0);
	/* detached while inside, and attached again */
	functions_other_start(0, "wait", -1);
	functions_next();
	functions_end();
	check_eq(function_total("hold", "unreturned"), 1);
	check_eq(function_total("hold", "open"), 0);
	functions_begin(100 * MS);
	functions_other_end();
	functions_next();
	functions_end();
	check_eq(function_total("hold", "open") + function_total("hold", "unreturned"), 0);
}

/* A process is killed while it sleeps in a call. */
TEST(killed)
{
	pid_t pid;
	int i;

	needs_functions();
	check_eq(functions_add("hold", "hold"), 0);
	functions_begin(20 * MS);
	for (i = 0; i < 3; i++) {
		pid = fork();
		check(pid >= 0);
		if (!pid) {
			/* it is not the measured task; it has its CPU */
			write_file(INJECT, "wait");
			_exit(0);
		}
		until_asleep(pid, "S");
		functions_next();
		check_eq(function_total("hold", "open"), 1);
		kill(pid, SIGKILL);
		check_eq(waitpid(pid, NULL, 0), pid);
		functions_next();
		check_eq(function_total("hold", "open"), 0);
	}
	functions_end();
	check_eq(function_total("hold", "unreturned"), 0);
}

/* A call begins on a measured CPU and ends on another one. */
TEST_ON(migrating, 2)
{
	int i;

	needs_functions();
	check_eq(functions_add("move", "move"), 0);
	functions_begin(50 * MS);
	for (i = 0; i < 5; i++) {
		functions_other_start(0, "migrate 1 20000", -1);
		check_eq(pthread_join(other, NULL), 0);
		functions_next();
	}
	check_eq(function_total("move", "open"), 0);
	functions_end();
	check(function_total("move", "calls") >= 5);
	check_eq(function_total("move", "unreturned"), 0);
}

/* Returns whether the kernel has a probe at @function. */
static bool is_probed(const char *function)
{
	size_t len = strlen(function);
	FILE *file = fopen(PROBED, "r");
	bool found = false;
	char line[512];

	check(file);
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, function, len) && line[len] == ' ';
	fclose(file);
	return found;
}

/* A process that owns a set, has its probes attached by @use, and is killed. */
static void owner_is_killed(void (*use)(void))
{
	char text[64];
	int pid, file, ready[2];

	snprintf(text, sizeof(text), "leaf %llx\n",
		 (unsigned long long)function_of_inject("leaf"));
	check_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		file = open(tlob_path("functions"), O_WRONLY | O_TRUNC);
		if (write(file, "until_close\n", 12) != 12 ||
		    write(file, text, strlen(text)) != (ssize_t)strlen(text))
			_exit(1);
		use();
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	check(pid > 0);
	close(ready[1]);
	check_eq(read(ready[0], text, 1), 1);
	close(ready[0]);
	check(is_probed("inject_fn_leaf"));
	/* until then no other file changes them */
	check_eq(functions_add("outer", "outer"), -EBUSY);
	check_errno(open(tlob_path("functions"), O_WRONLY | O_TRUNC), EBUSY);
	kill(pid, SIGKILL);
	check_eq(waitpid(pid, NULL, 0), pid);
	check(!is_probed("inject_fn_leaf"));
	check(!strstr(function_sets(), "set "));
}

static void use_in_run(void)
{
	setup("kthread", "0", 10 * MS, 10 * MS, "none");
	enable();
}

static void use_in_monitor(void)
{
	check_eq(put("functions_monitor", "1"), 0);
}

/* Sets that belong to an open file end with it, and so does what measures with them. */
TEST(owned)
{
	int file;

	needs_functions();
	owner_is_killed(use_in_run);
	check_eq(put("enable", "1"), 0);
	disable();
	owner_is_killed(use_in_monitor);
	/* a run that began while the monitor had the sets does not measure with them */
	check_eq(functions_add("leaf", "leaf"), 0);
	file = open(tlob_path("functions"), O_WRONLY);
	check(file >= 0);
	check_eq(write(file, "until_close", 11), 11);
	use_in_monitor();
	use_in_run();
	check_eq(put("functions_monitor", "0"), 0);
	close(file);
	check(!strstr(function_sets(), "set "));
	check(!strcmp(get("enable"), "1"));
	disable();
	/* the sets that are there go to the owner; without one they stay */
	check_eq(functions_add("leaf", "leaf"), 0);
	file = open(tlob_path("functions"), O_WRONLY);
	check(file >= 0);
	check_eq(functions_add("outer", "outer"), 0);
	check_eq(write(file, "until_close", 11), 11);
	check_eq(put("functions", "until_close"), -EBUSY);
	check(strstr(function_sets(), "refused: another open file owns the sets"));
	close(file);
	check(!strstr(function_sets(), "set "));
}

/* References to tlob_inject. */
static unsigned long inject_refs(void)
{
	char text[32];

	read_file("/sys/module/tlob_inject/refcnt", text, sizeof(text));
	return strtoul(text, NULL, 10);
}

/* A module whose functions are in a set cannot go. */
TEST(module)
{
	needs_functions();
	if (access("/sys/module/tlob_inject/refcnt", F_OK))
		skip("this kernel unloads no modules");
	check_eq(inject_refs(), 0);
	check_eq(put("functions", "leaf 1000\n"), -EINVAL);
	check_eq(inject_refs(), 0);
	check_eq(functions_add("leaf", "leaf"), 0);
	check_eq(functions_add("outer", "outer"), 0);
	check_eq(inject_refs(), 2);
	functions_clear();
	check_eq(inject_refs(), 0);
}

/* Reads all records of both rings; records of one window must fit. */
static unsigned int drain(int windows, int functions)
{
	unsigned int n = 0;

	while (read(windows, &run.w, sizeof(run.w)) == sizeof(run.w)) {
		check_window(&run.w);
		while (run.f.activation < run.w.activation)
			if (read(functions, &run.f, sizeof(run.f)) != sizeof(run.f))
				break;
		if (run.f.activation != run.w.activation)
			continue;
		check_functions();
		n++;
	}
	return n;
}

/* Tasks that wake each other, move, are born and die. */
static void disturb(void)
{
	int up[2], down[2];
	char c = 0;

	if (pipe(up) || pipe(down))
		_exit(1);
	if (!fork())
		while (read(up[0], &c, 1) == 1 && write(down[1], &c, 1) == 1)
			;
	for (;;) {
		pid_t pid;

		if (write(up[1], &c, 1) != 1 || read(down[0], &c, 1) != 1)
			_exit(1);
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

int functions_disturb(void)
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		disturb();
	}
	check(pid > 0);
	return pid;
}

void functions_disturb_end(int pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Appends the address of each function of @names that can be probed to @text. */
static void append_probed(char *text, size_t size, const char *names)
{
	char line[256], name[128], wanted[132], type;
	unsigned long long address;
	FILE *file = fopen("/proc/kallsyms", "r");

	check(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %125s", &address, &type, name) != 3)
			continue;
		snprintf(wanted, sizeof(wanted), " %s ", name);
		if (!strstr(names, wanted) || put("functions", "probed %llx\n", address))
			continue;
		functions_clear();
		snprintf(text + strlen(text), size - strlen(text), " %llx", address);
	}
	fclose(file);
}

/* Sets of functions that all contexts call: locks, the scheduler, interrupts, processes. */
static void add_busy_sets(void)
{
	static const char * const sets[][2] = {
		{ "lock", " _raw_spin_lock _raw_spin_lock_irqsave rt_spin_lock mutex_lock " },
		{ "sched", " schedule try_to_wake_up finish_task_switch.isra.0 " },
		{ "irq", " hrtimer_interrupt __sysvec_apic_timer_interrupt handle_softirqs __do_softirq " },
		/* do_exit never returns */
		{ "task", " vfs_read vfs_write kernel_clone exit_mm do_exit " },
	};
	char text[4][512];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		snprintf(text[i], sizeof(text[i]), "%s", sets[i][0]);
		append_probed(text[i], sizeof(text[i]), sets[i][1]);
	}
	for (i = 0; i < 4; i++)
		check_eq(put("functions", "%s\n", text[i]), 0);
}

/* While tasks call these functions, move, are born and die, runs begin and end. */
TEST(race)
{
	const int cpus = cpus_online();
	int windows[2], functions[2], cpu;
	unsigned int turn, seen = 0;
	pid_t pid;

	needs_functions();
	if (deterministic())
		skip("it takes minutes where instructions are counted");
	add_busy_sets();
	pid = functions_disturb();
	for (turn = 0; turn < 4; turn++) {
		setup("kthread", cpus > 1 ? "0-1" : "0", MS, MS, turn % 2 ? "spin:100us" : "none");
		set("timeline", "%d", turn == 3);
		enable();
		for (cpu = 0; cpu < 2 && cpu < cpus; cpu++) {
			functions[cpu] = open_cpu(cpu, "functions", O_RDONLY | O_NONBLOCK);
			windows[cpu] = open_cpu(cpu, "windows", O_RDONLY | O_NONBLOCK);
		}
		sleep_ns(200 * MS);
		disable();
		for (cpu = 0; cpu < 2 && cpu < cpus; cpu++) {
			run.f.activation = 0;
			seen += drain(windows[cpu], functions[cpu]);
			close(windows[cpu]);
			close(functions[cpu]);
			check_no_defect(cpu);
		}
		check_eq(function_total("lock", "open"), 0);
	}
	functions_disturb_end(pid);
	note("%u windows; %s", seen, strstr(function_sets(), "set lock"));
	check(seen > 0);
	check(function_total("lock", "calls") > 0);
	check(function_total("task", "calls") > 0);
}

static uint64_t cost(void)
{
	check_eq(write_file(INJECT, "cost 20"), 0);
	return function_of_inject("cost");
}

/* The cost of a probe, outside of a window and in one. */
TEST(costs)
{
	uint64_t bare, attached, in, same, own;

	needs_sized_functions();
	pin(0);
	cost();
	bare = cost();
	check_eq(functions_add("empty", "empty"), 0);
	check_eq(functions_add("leaf", "leaf outer"), 0);
	setup("user", "0", 100 * MS, 100 * MS, "none");
	enable();
	cost();
	attached = cost();
	disable();
	functions_begin(100 * MS);
	cost();
	in = cost();
	functions_next();
	note("the empty function's own times add up to %llu ns in %u calls",
	     (unsigned long long)functions_net(0), run.f.set[0].calls);
	functions_end();
	own = strtoull(strstr(function_sets(), "probe_ns: ") + 10, NULL, 10);
	functions_clear();
	check_eq(functions_add("empty", "empty recurse"), 0);
	same = cost();
	check_eq(same, bare);
	note("instructions that a probe adds to a call: %llu outside of windows, %llu in one",
	     (unsigned long long)(attached - bare), (unsigned long long)(in - bare));
	check(attached > bare && in > attached);
	/* the kernel part has measured the same with its own clock, before the run */
	note("probe_ns %llu", (unsigned long long)own);
	check(own * 10 > (in - bare) * 8 && own * 10 < (in - bare) * 12);
	check(in - bare < 1016);
	unpin();
}
