// SPDX-License-Identifier: GPL-2.0
/*
 * soak SECONDS SEED [MODULE]: many processes do everything that the kernel part offers, at once
 * and at random. If some action has not succeeded then, it lasts up to ten times as long, and in
 * half of that time one group of actors at a time has the machine for itself. With MODULE, the
 * path of tlob_load.ko, they also unload and load it.
 *
 * Fails if an action never succeeded, an actor did nothing, the module stayed after all actors had
 * ended, or an expiry was neither a window nor counted as missed. The caller checks the kernel's
 * log. Prints TAP, and for each action attempts, successes and failures by errno. Exit: 0 passed,
 * 1 failed, 129 usage.
 *
 * Next to tlob_delays it lasts SECONDS, and no action has to succeed: each takes long there.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#include "soak.h"

struct shared *shared;
int cpus;
bool can_load;
bool can_fuse;
unsigned int gated;
bool can_functions;
const char *module_path;
static bool delayed;		/* tlob_delays is loaded */

static unsigned int actor;	/* this process, and its children, belong to it */
static enum group group;	/* of the actor */
static unsigned int nr_actors;

static const char * const names[NR_ACTIONS] = {
	[ENABLE] = "enable", [DISABLE] = "disable", [OPTION] = "option",
	[BAD_OPTION] = "bad_option_refused", [CPU_OFF] = "cpu_off",
	[CPU_ON] = "cpu_on", [UNLOAD] = "unload", [LOAD] = "load",
	[STATUS] = "status", [HIST] = "hist", [FD_OPEN] = "fd_open",
	[FD_READ] = "fd_read", [FD_STOP] = "fd_stop",
	[FD_BAD] = "fd_bad_call_refused", [FD_MMAP] = "fd_mmap",
	[FD_MIGRATE] = "fd_migrate", [FD_FORK] = "fd_read_in_fork_refused",
	[FD_KILL] = "fd_kill", [RING_OPEN] = "ring_open",
	[RING_READ] = "ring_read", [RING_POLL] = "ring_poll",
	[RING_MMAP] = "ring_mmap", [RING_SCRIBBLE] = "ring_scribble",
	[MONITOR_ON] = "monitor_on", [MONITOR_OFF] = "monitor_off",
	[DEV_OPEN] = "device_open", [DEV_START] = "start", [DEV_STOP] = "stop",
	[REGISTER] = "register", [BIND] = "bind", [UNBIND] = "unbind",
	[USER_START] = "user_start", [USER_STOP] = "user_stop",
	[USER_REGISTER] = "user_register", [DAEMON] = "daemon",
	[FUSE_MOUNT] = "fuse_mount", [FUSE_REGISTER] = "fuse_register",
	[WAITS_ON] = "waits_on", [WAITS_OFF] = "waits_off",
	[WAITS_LIST] = "waits_list", [WAITS_RECORDS] = "waits_records",
	[FUNCTIONS_ADD] = "functions_add", [FUNCTIONS_CLEAR] = "functions_clear",
	[FUNCTIONS_LIST] = "functions_list", [FUNCTIONS_READ] = "functions_read",
	[FUNCTIONS_MONITOR] = "functions_monitor",
	[FUNCTIONS_MONITOR_OFF] = "functions_monitor_off",
	[TASK_FUNCTIONS_RING] = "task_functions_ring", [TASK_FUNCTIONS] = "task_functions",
	[FUNCTIONS_MOVE] = "functions_move", [FUNCTIONS_SLEEP] = "functions_sleep_over_move",
	[USER_NAMESPACE] = "user_namespace", [RUN_BOUND] = "run_bound_program",
	[RUN_BOUND_SETUID] = "run_bound_setuid_program", [BOUND_WINDOWS] = "bound_windows",
	[FORK_STORM] = "fork_storm", [EXEC_STORM] = "exec_storm", [WAITS_HELD] = "waits_held",
	[RT_BUDGET] = "rt_budget", [OTHER_BUDGET] = "other_budget",
};

int count(enum action action, int result)
{
	struct counts *c = &shared->count[action];
	struct doings *d = &shared->doings[actor];
	unsigned int e = result < 0 ? -result : 0;

	__atomic_add_fetch(&c->attempts, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&d->attempts, 1, __ATOMIC_RELAXED);
	if (e) {
		__atomic_add_fetch(&c->by_errno[e < MAX_ERRNO ? e : 0], 1,
				   __ATOMIC_RELAXED);
	} else {
		__atomic_add_fetch(&c->successes, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&d->successes, 1, __ATOMIC_RELAXED);
	}
	return result;
}

void defect(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* one write(), since many processes print */
	dprintf(1, "# defect: %s\n", text);
	__atomic_add_fetch(&shared->defects, 1, __ATOMIC_RELAXED);
}

static uint64_t seed;

unsigned int rnd(unsigned int below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return below ? (seed >> 33) % below : 0;
}

void other_choices(unsigned int number)
{
	seed += number * 0x9e3779b97f4a7c15ULL;
	rnd(1);
}

void sleep_us(unsigned int us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000L };

	nanosleep(&t, NULL);
}

uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* No process polls: twenty that do so take the CPUs of a slow guest. */
static void wait_on(volatile uint32_t *word, uint32_t value, unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
}

static void wake_all(volatile uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool others_have_turn(void)
{
	enum group turn = shared->turn;

	return turn != ALL && group != ALL && turn != group && !shared->stop;
}

static void rest_once(void)
{
	struct doings *d = &shared->doings[actor];
	uint64_t late = now_us() - shared->closed_at_us;

	if (late > d->late_us)
		d->late_us = late;
	d->rests = true;
	__atomic_add_fetch(&shared->resting, 1, __ATOMIC_RELAXED);
	while (shared->unloading && !shared->stop)
		wait_on(&shared->unloading, 1, 100);
	__atomic_sub_fetch(&shared->resting, 1, __ATOMIC_RELAXED);
	d->rests = false;
}

void rest_at_gate(void)
{
	struct doings *d = &shared->doings[actor];

	do {
		if (shared->unloading)
			rest_once();
		d->rests = others_have_turn();
		if (d->rests)
			sleep_us(20000);
	} while (d->rests);
}

void wait_for_move(uint32_t moves)
{
	if (!shared->stop)
		wait_on(&shared->moves, moves, 60000);
}

void wake_sleepers(void)
{
	__atomic_add_fetch(&shared->moves, 1, __ATOMIC_RELEASE);
	wake_all(&shared->moves);
}

void close_gate(void)
{
	shared->closed_at_us = now_us();
	shared->unloading = 1;
}

void open_gate(void)
{
	shared->unloading = 0;
	wake_all(&shared->unloading);
}

void live_on(uint64_t began, unsigned int us)
{
	uint64_t now = now_us(), end = now + us + 2 * (now - began);

	for (; now < end && !shared->stop && !shared->unloading; now = now_us())
		sleep_us(end - now < 20000 ? end - now : 20000);
}

const char *control(const char *fmt, ...)
{
	static char path[256];
	const char *dir = "/sys/kernel/tracing/tlob_load";
	va_list ap;
	int n;

	if (access(dir, F_OK))
		dir = "/sys/kernel/debug/tlob_load";
	n = snprintf(path, sizeof(path), "%s/", dir);
	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - n, fmt, ap);
	va_end(ap);
	return path;
}

int pin(int cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	return sched_setaffinity(0, sizeof(mask), &mask) ? -errno : 0;
}

/* Hotplug has no file of the module: CPUs also come and go while it is unloaded. */
static const struct {
	const char *name;
	void (*run)(void);
	unsigned int copies;
	enum group group;
	bool gated;		/* comes to the gate */
} actors[] = {
	{ "enable", act_enable, 2, WORKLOAD, true }, { "options", act_options, 1, WORKLOAD, true },
	{ "hotplug", act_hotplug, 1, ALL, false }, { "module", act_module, 1, ALL, false },
	{ "look", act_look, 1, WORKLOAD, true }, { "fd", act_fd, 4, WORKLOAD, true },
	{ "ring", act_ring, 2, WORKLOAD, true }, { "tasks", act_tasks, 2, MONITOR, true },
	{ "bindings", act_bindings, 1, MONITOR, true }, { "monitor", act_monitor, 1, ALL, true },
	{ "users", act_users, 3, MONITOR, true }, { "fuse", act_fuse, 1, MONITOR, true },
	{ "waits", act_waits, 1, PROFILERS, true },
	{ "wait_readers", act_wait_readers, 1, PROFILERS, true },
	{ "functions", act_functions, 1, PROFILERS, true },
	{ "sleepers", act_sleepers, 2, PROFILERS, true },
	{ "programs", act_programs, 1, PROGRAMS, true }, { "storms", act_storms, 1, PROGRAMS, true },
	{ "held", act_held, 1, PROFILERS, true }, { "timers", act_timers, 1, PROGRAMS, true },
};

#define ACTORS	(sizeof(actors) / sizeof(*actors))

/* Returns whether this guest can have the actor. */
static bool can_act(unsigned int i)
{
	if (actors[i].run == act_module)
		return can_load;
	if (actors[i].run == act_fuse)
		return can_fuse;
	return true;
}

void print_restless(void)
{
	unsigned int i, k, n = 0;
	char text[1024] = "";	/* holds all */
	size_t len = 0;

	for (i = 0; i < ACTORS; i++)
		for (k = 0; can_act(i) && k < actors[i].copies; k++, n++)
			if (actors[i].gated && !shared->doings[n].rests)
				len += snprintf(text + len, sizeof(text) - len, " %s %u",
						actors[i].name, k);
	if (len)
		dprintf(1, "# actors that do not rest:%s\n", text);
}

static unsigned int start_actors(pid_t *pids)
{
	unsigned int i, k, n = 0;

	for (i = 0; i < ACTORS; i++)
		if (actors[i].gated && can_act(i))
			gated += actors[i].copies;
	for (i = 0; i < ACTORS; i++) {
		for (k = 0; can_act(i) && k < actors[i].copies; k++) {
			fflush(stdout);
			pids[n] = fork();
			if (!pids[n]) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				actor = n;
				group = actors[i].group;
				other_choices(n + 1);
				actors[i].run();
				_exit(0);
			}
			n++;
		}
	}
	return n;
}

static unsigned int number, failed;

static void result(bool ok, const char *name)
{
	printf("%sok %u - soak.%s\n", ok ? "" : "not ", ++number, name);
	failed += !ok;
}

/* Needs probes. */
static bool of_functions(enum action a)
{
	return a == FUNCTIONS_ADD || a == FUNCTIONS_READ || a == FUNCTIONS_MONITOR ||
	       a == FUNCTIONS_MONITOR_OFF || a == TASK_FUNCTIONS || a == FUNCTIONS_MOVE ||
	       a == FUNCTIONS_SLEEP;
}

/* Returns whether this guest can do @a. */
static bool can(enum action a)
{
	if (a == UNLOAD || a == LOAD)
		return can_load;
	if (a == FUSE_MOUNT || a == FUSE_REGISTER)
		return can_fuse;
	if (of_functions(a))
		return can_functions;
	return true;
}

static void report(enum action a)
{
	const struct counts *c = &shared->count[a];
	unsigned int e;

	printf("# %s: %llu attempts, %llu successes", names[a],
	       (unsigned long long)c->attempts,
	       (unsigned long long)c->successes);
	for (e = 0; e < MAX_ERRNO; e++)
		if (c->by_errno[e])
			printf(", %s %llu", e ? strerrorname_np(e) : "other",
			       (unsigned long long)c->by_errno[e]);
	printf("\n");
	if (!can(a)) {
		printf("ok %u - soak.%s # SKIP %s\n", ++number, names[a],
		       a == UNLOAD || a == LOAD ? "no MODULE was given" :
		       of_functions(a) ?
		       "this kernel has neither fprobe nor kretprobes" :
		       "this kernel has no FUSE");
		return;
	}
	if (delayed && !c->successes)
		printf("ok %u - soak.%s # SKIP delays leave it no time\n", ++number, names[a]);
	else
		result(c->successes, names[a]);
}

/* Each actor must have done something by itself, and not only one of its copies. */
static bool report_actors(void)
{
	unsigned int i, k, n = 0;
	uint64_t late;
	bool all = true;

	for (i = 0; i < ACTORS; i++) {
		if (!can_act(i))
			continue;
		late = 0;
		printf("# actor %s:", actors[i].name);
		for (k = 0; k < actors[i].copies; k++, n++) {
			const struct doings *d = &shared->doings[n];

			printf("%s %llu of %llu", k ? "," : "",
			       (unsigned long long)d->successes,
			       (unsigned long long)d->attempts);
			all = all && d->successes;
			late = d->late_us > late ? d->late_us : late;
		}
		printf(" attempts successful; at the gate after %llu ms at most\n",
		       (unsigned long long)late / 1000);
	}
	return all;
}

/* With @print names what has not succeeded yet. */
static bool all_succeeded(bool print)
{
	unsigned int i;
	int a;

	for (a = 0; print && a < NR_ACTIONS; a++)
		if (!shared->count[a].successes && can(a))
			printf("# not yet: %s, %llu attempts\n", names[a],
			       (unsigned long long)shared->count[a].attempts);

	for (i = 0; i < nr_actors; i++)
		if (!shared->doings[i].successes)
			return false;
	for (a = 0; a < NR_ACTIONS; a++)
		if (!shared->count[a].successes && can(a))
			return false;
	return true;
}

/* The actors that do @a for its own sake belong to it: see enum action. */
static enum group group_of(enum action a)
{
	if (a < MONITOR_ON)
		return WORKLOAD;
	if (a < WAITS_ON || a == USER_NAMESPACE)
		return MONITOR;
	return a < USER_NAMESPACE || a == WAITS_HELD ? PROFILERS : PROGRAMS;
}

/* The first group after @last that lacks a success, or just the next one. */
static enum group next_turn(enum group last)
{
	enum group g = last;
	unsigned int i;
	int a;

	for (i = 1; i < NR_GROUPS; i++) {
		g = 1 + g % (NR_GROUPS - 1);
		for (a = 0; a < NR_ACTIONS; a++)
			if (group_of(a) == g && !shared->count[a].successes && can(a))
				return g;
	}
	return 1 + last % (NR_GROUPS - 1);
}

/* Returns whether all actors rest that have to during a turn. */
static bool others_rest(void)
{
	unsigned int i, k, n = 0;

	for (i = 0; i < ACTORS; i++)
		for (k = 0; can_act(i) && k < actors[i].copies; k++, n++)
			if (actors[i].group != ALL && actors[i].group != shared->turn &&
			    !shared->doings[n].rests)
				return false;
	return true;
}

static void until(uint64_t end)
{
	while (now_us() < end && !all_succeeded(false))
		sleep_us(100000);
}

/*
 * A slow kernel has more time until each action has succeeded. There each actor is in the way of
 * most others, so the groups have turns of their own, and all of them together between. A turn
 * begins when the others rest: in a KASAN guest one of them needs ten seconds to get there.
 */
static void until_all_succeeded(uint64_t us)
{
	uint64_t end = now_us() + us, turn_us = us / 40, rested;
	unsigned int turns = 0;
	enum group last = ALL;

	all_succeeded(true);
	for (; now_us() < end && !all_succeeded(false); turns++) {
		shared->turn = last = next_turn(last);
		rested = now_us() + 3 * turn_us;
		while (!others_rest() && now_us() < rested)
			sleep_us(100000);
		until(now_us() + turn_us);
		shared->turn = ALL;
		until(now_us() + turn_us / 2);
	}
	if (turns)
		printf("# %u turns of %llu ms\n", turns, (unsigned long long)turn_us / 1000);
}

static void print_gates(uint64_t us)
{
	uint64_t n = shared->gates ? shared->gates : 1;

	printf("# the gate was closed %llu times, %llu %% of the time: on average all rested after %llu ms, unload and load took %llu ms\n",
	       (unsigned long long)shared->gates, (unsigned long long)(shared->gates_us * 100 / us),
	       (unsigned long long)(shared->resting_us / n / 1000),
	       (unsigned long long)(shared->loads_us / n / 1000));
	printf("# tries to unload at the gate: %llu succeeded, %llu lost a race, %llu gave up since some actors did not rest, %llu since the module stayed\n",
	       (unsigned long long)shared->unloaded, (unsigned long long)shared->outrun,
	       (unsigned long long)shared->restless,
	       (unsigned long long)shared->stayed);
}

/* Enough of them, since each that gives up allows the next one more time. */
static bool some_try_unloads(void)
{
	return shared->unloaded || shared->restless + shared->stayed < 8;
}

static bool has_functions(void)
{
	static char text[STATUS_MAX];

	return !read_text(control("functions"), text, sizeof(text)) &&
	       !strstr(text, "mechanism: none");
}

/* Switches everything off and brings all CPUs online. */
static void clean_up(void)
{
	char path[64];
	int cpu;

	write_file(control("enable"), "0");
	write_file(control("monitor_enable"), "0");
	write_file(control("waits"), "off");
	write_file(control("monitor"), "-:soak");
	write_file(control("monitor"), "-:program");
	write_file(control("functions_monitor"), "0");
	functions_clear();
	for (cpu = 1; cpu < cpus; cpu++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/online", cpu);
		write_file(path, "1");
	}
}

int main(int argc, char **argv)
{
	unsigned int n, i, seconds;
	uint64_t end, began;
	pid_t pids[MAX_ACTORS];
	bool ended = true, went = true;
	int a, st;

	if (argc > 1 && !isdigit(argv[1][0]))
		return run_program(argv);
	if (argc < 3) {
		fprintf(stderr, "usage: soak SECONDS SEED [MODULE]\n");
		return 129;
	}
	seconds = strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 0);
	module_path = argv[3];
	can_load = module_path;
	can_fuse = !access("/dev/fuse", F_OK);
	can_functions = has_functions();
	delayed = !access("/sys/module/tlob_delays", F_OK);
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n# %u s, seed %s, %d CPUs\n", seconds, argv[2],
	       cpus);
	n = nr_actors = start_actors(pids);
	actor = MAX_ACTORS - 1;		/* none of them */
	began = now_us();
	end = began + seconds * 1000000ULL;
	while (now_us() < end)
		sleep_us(100000);
	if (!delayed)
		until_all_succeeded(9000000ULL * seconds);
	shared->stop = true;
	wake_sleepers();
	print_gates(now_us() - began);
	/*
	 * An actor that does not come back is stuck in the kernel. On a busy host a guest does
	 * little in 30 s, so turns count as well.
	 */
	for (i = 0; i < n; i++) {
		unsigned int turns = 0;

		for (end = now_us() + 30000000; ; sleep_us(10000)) {
			pid_t pid = waitpid(pids[i], &st, WNOHANG);

			if (pid == pids[i])
				break;
			if (turns++ > 5000 && now_us() > end) {
				defect("actor %u does not end", i);
				ended = false;
				break;
			}
		}
	}
	clean_up();
	if (can_load)
		went = !unload_at_end();
	for (a = 0; a < NR_ACTIONS; a++)
		report(a);
	printf("# %llu runs checked: %llu windows, %llu missed\n",
	       (unsigned long long)shared->runs,
	       (unsigned long long)shared->windows,
	       (unsigned long long)shared->missed);
	result(report_actors() || delayed, "every_actor_did_something");
	result(shared->windows || delayed, "windows");
	result((shared->runs || delayed) && !shared->uncounted, "every_expiry_is_counted");
	result(!shared->defects, "no_defect");
	result(ended, "every_actor_ends");
	if (can_load) {
		result(some_try_unloads() || delayed, "some_try_unloads");
		result(went, "the_module_goes_at_the_end");
	}
	printf("1..%u\n", number);
	return failed != 0;
}
