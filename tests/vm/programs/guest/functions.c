// SPDX-License-Identifier: GPL-2.0
/*
 * Time in kernel functions. tlob_inject has functions of known duration, which the
 * measured thread calls in its windows.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "guest.h"

#define MS	1000000ULL
#define US	1000ULL
#define INJECT	"/sys/kernel/debug/tlob_inject/functions"
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define ALLOW	"/sys/module/tlob_load/parameters/functions_module"
/*
 * ns that the probe of a call may add to a set in a guest that counts
 * instructions, and what a function takes beside its time.
 */
#define PROBE	1500

static struct tlob_window w;
static struct tlob_functions f;
static int run_fd, records;

/* The whole file `functions`. */
static const char *sets(void)
{
	static char text[4096];

	read_file(tlob_path("functions"), text, sizeof(text));
	return text;
}

/* The address of a function of tlob_inject, or the number "cost". */
static uint64_t of_inject(const char *name)
{
	char text[2048], line[32], *at;

	read_file(INJECT, text, sizeof(text));
	snprintf(line, sizeof(line), "%s ", name);
	at = strstr(text, line);
	check(at);
	return strtoull(at + strlen(line), NULL, 0);
}

static void clear(void)
{
	int file = open(tlob_path("functions"), O_WRONLY | O_TRUNC);

	check(file >= 0);
	close(file);
}

/* Adds a set of the functions in @names of tlob_inject. Returns 0 or -errno. */
static int add(const char *set, const char *names)
{
	char text[512], copy[128], *name, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", names);
	snprintf(text, sizeof(text), "%s", set);
	while ((name = strsep(&rest, " ")))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %llx",
			 (unsigned long long)of_inject(name));
	return put("functions", "%s\n", text);
}

/* A number of the set @set in the file: "calls", "open", ... */
static uint64_t total(const char *set, const char *field)
{
	char line[64];
	const char *at, *text = sets();

	snprintf(line, sizeof(line), "set %s ", set);
	at = strstr(text, line);
	check(at);
	snprintf(line, sizeof(line), " %s ", field);
	at = strstr(at, line);
	check(at);
	return strtoull(at + strlen(line), NULL, 0);
}

static bool refused(const char *text)
{
	const char *at = strstr(sets(), "refused: ");

	return at && strstr(at, text);
}

static void needs_functions(void)
{
	if (access(INJECT, F_OK))
		skip("tlob_inject is not loaded");
	if (strstr(sets(), "mechanism: none"))
		skip("this kernel has neither fprobe nor kretprobes on ftrace");
	check_eq(write_file(ALLOW, "tlob_inject"), 0);
	clear();
}

static void sized(void)
{
	needs_functions();
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	needs_sizes();
}

/* What holds for each window and its functions. */
static void check_functions(void)
{
	unsigned int i, part;

	check_eq(f.version, TLOB_FUNCTIONS_VERSION);
	check_eq(f.size, sizeof(f));
	check_eq(f.cpu, w.cpu);
	check_eq(f.activation, w.activation);
	check(f.sets <= TLOB_FUNCTION_SETS);
	for (part = 0; part < TLOB_NR_PARTS; part++) {
		uint64_t sum = 0;

		for (i = 0; i < TLOB_FUNCTION_SETS; i++)
			sum += f.set[i].part_ns[part];
		if (sum > w.part_ns[part])
			fail("activation %llu: %s is %llu, but the functions have %llu",
			     (unsigned long long)w.activation,
			     tlob_metric_names[TLOB_METRIC_PARTS + part],
			     (unsigned long long)w.part_ns[part], (unsigned long long)sum);
	}
	for (i = 0; i < TLOB_FUNCTION_SETS; i++) {
		check(i < f.sets || !f.set[i].calls);
		check(f.set[i].unreturned <= f.set[i].calls);
	}
}

static uint64_t net(unsigned int set)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		sum += f.set[set].part_ns[i];
	return sum;
}

static void begin(uint64_t period)
{
	setup("user", "0", period, period, "none");
	enable();
	records = open_cpu(0, "functions", O_RDONLY);
	pin(0);
	run_fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(run_fd, &w, sizeof(w)), sizeof(w));
}

/* Ends the window, reads it and its record. */
static void next(void)
{
	check_eq(read(run_fd, &w, sizeof(w)), sizeof(w));
	check_window(&w);
	check_eq(read(records, &f, sizeof(f)), sizeof(f));
	check_functions();
}

static void end(void)
{
	close(run_fd);
	unpin();
	close(records);
	disable();
	check_no_defect(0);
}

/* A window with only @command in it. Everything is warm after a first one. */
static void window_with(const char *command)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		check_eq(write_file(INJECT, command), 0);
		next();
	}
}

static void is_about(const char *what, uint64_t ns, uint64_t expected, uint64_t calls)
{
	note("%s: %llu ns, of them its own %llu", what, (unsigned long long)ns,
	     (unsigned long long)expected);
	if (ns < expected || ns > expected + calls * PROBE)
		fail("%s: %llu ns instead of %llu", what, (unsigned long long)ns,
		     (unsigned long long)expected);
}

/* What is refused, and by which words. */
static void control(void)
{
	uint64_t address;
	char many[512] = "";
	unsigned int i;

	needs_functions();
	address = of_inject("leaf");
	check_eq(put("functions", "\n"), -EINVAL);
	check_eq(put("functions", "a\n"), -EINVAL);
	check(refused("has no address"));
	check_eq(put("functions", "Lock %llx\n", (unsigned long long)address), -EINVAL);
	check(refused("'Lock' is not a name"));
	check_eq(put("functions", "abcdefghijklmnop %llx\n", (unsigned long long)address), -EINVAL);
	check_eq(put("functions", "a x\n"), -EINVAL);
	check(refused("'x' is not a hex address"));
	check_eq(put("functions", "a %llx 10\n", (unsigned long long)address), -EINVAL);
	check(refused("no function is there"));
	check_eq(put("functions", "a %llx\n", (unsigned long long)address + 9), -EINVAL);
	check(refused("not the start of a function"));
	check_eq(write_file(ALLOW, "other"), 0);
	check_eq(add("a", "leaf"), -EPERM);
	check(refused("inject_fn_leaf: module tlob_inject may go away"));
	check_eq(write_file(ALLOW, "tlob_inject"), 0);
	check(!strstr(sets(), "set a"));
	check_eq(put("functions", "a 0x%llx %llx\n", (unsigned long long)address,
		     (unsigned long long)address), 0);
	check(!strstr(sets(), "refused"));
	check_eq(total("a", "addresses"), 1);
	check_eq(add("a", "outer"), -EEXIST);
	for (i = 1; i < TLOB_FUNCTION_SETS; i++) {
		snprintf(many, sizeof(many), "a%u", i);
		check_eq(add(many, "leaf"), 0);
	}
	check_eq(add("b", "leaf"), -E2BIG);
	setup("user", "0", MS, MS, "none");
	set("noise_source", "both");
	check_eq(put("enable", "1"), -EINVAL);
	set("noise_source", "auto");
	enable();
	check_eq(add("b", "leaf"), -EBUSY);
	check_errno(open(tlob_path("functions"), O_WRONLY | O_TRUNC), EBUSY);
	disable();
	clear();
	check(!strstr(sets(), "set "));
}

/* Addresses of the kernel that must be refused. */
static void never(void)
{
	static const char * const names[] = { "preempt_count_add", "preempt_count_sub" };
	char line[256], name[128], type;
	unsigned long long address;
	unsigned int tried = 0, i;
	FILE *file;

	needs_functions();
	file = fopen("/proc/kallsyms", "r");
	check(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %127s", &address, &type, name) != 3)
			continue;
		for (i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strcmp(name, names[i])) {
				check_eq(put("functions", "a %llx\n", address), -EPERM);
				tried++;
			}
		if (!strcmp(name, "ktime_get_mono_fast_ns") || !strcmp(name, "vfs_read")) {
			/* the first is notrace, the second is not */
			check_eq(put("functions", "a%c %llx\n", *name, address),
				 *name == 'k' ? -EINVAL : 0);
			tried++;
		}
		if (!strcmp(name, "tlob_ring_write")) {
			check_eq(write_file(ALLOW, "other"), 0);
			check_eq(put("functions", "a %llx\n", address), -EPERM);
			tried++;
		}
	}
	fclose(file);
	note("%u tried", tried);
	check(tried >= 3);
	clear();
}

static void leaf(void)
{
	sized();
	check_eq(add("a", "leaf"), 0);
	begin(5 * MS);
	window_with("leaf 20000");
	is_about("leaf", f.set[0].part_ns[TLOB_WORK_ON_CPU], 20 * US, 1);
	check_eq(net(0), f.set[0].part_ns[TLOB_WORK_ON_CPU]);
	check_eq(f.set[0].calls, 1);
	check_eq(f.set[0].max_ns, net(0));
	check_eq(f.set[0].max_function, of_inject("leaf"));
	check_eq(f.set[0].unreturned + f.missed, 0);
	end();
	check_eq(total("a", "calls"), 2);
	check_eq(total("a", "max_function"), of_inject("leaf"));
	check_eq(total("a", "open") + total("a", "unreturned") + total("a", "missed"), 0);
}

/* A call of the same set adds no time of its own; one of another set is taken out. */
static void nested(void)
{
	sized();
	check_eq(add("both", "leaf outer"), 0);
	begin(5 * MS);
	window_with("outer 20000");
	is_about("outer and leaf", net(0), 40 * US, 2);
	check_eq(f.set[0].calls, 2);
	check_eq(f.set[0].max_ns, net(0));
	check_eq(f.set[0].max_function, of_inject("outer"));
	end();

	clear();
	check_eq(add("leaf", "leaf"), 0);
	check_eq(add("outer", "outer"), 0);
	begin(5 * MS);
	window_with("outer 20000");
	is_about("leaf", net(0), 20 * US, 1);
	is_about("outer without leaf", net(1), 20 * US, 2);
	check_eq(f.set[0].calls + f.set[1].calls, 2);
	end();
}

static void deep(void)
{
	sized();
	check_eq(add("recurse", "recurse"), 0);
	check_eq(add("ping", "ping"), 0);
	check_eq(add("pong", "pong"), 0);
	begin(5 * MS);
	window_with("recurse 32 2000");
	is_about("recurse", net(0), 64 * US, 32);
	check_eq(f.set[0].calls, 32);
	check_eq(f.set[0].unreturned + f.missed, 0);
	check_eq(f.set[0].max_ns, net(0));
	window_with("alternate 32 2000");
	is_about("ping", net(1), 32 * US, 32);
	is_about("pong", net(2), 32 * US, 32);
	check_eq(f.set[1].calls, 16);
	check_eq(f.set[2].calls, 16);
	check_eq(f.set[1].unreturned + f.set[2].unreturned + f.missed, 0);
	is_about("one ping", f.set[1].max_ns, 2 * US, 2);
	/* deeper than calls are kept: the rest is counted */
	window_with("alternate 140 1000");
	note("140 deep: %u and %u calls, %u missed", f.set[1].calls, f.set[2].calls, f.missed);
	check_eq(f.set[1].calls + f.set[2].calls + f.missed, 140);
	check(f.missed > 0);
	end();
}

/* A function in two sets: it is called in both, its time is that of the set added first. */
static void overlap(void)
{
	sized();
	check_eq(add("first", "leaf"), 0);
	check_eq(add("second", "leaf"), 0);
	begin(5 * MS);
	window_with("leaf 20000");
	check_eq(f.set[0].calls, 1);
	check_eq(f.set[1].calls, 1);
	is_about("first", net(0), 20 * US, 1);
	is_about("second", net(1), 0, 1);
	end();
}

/* An irq is taken out of the function; a function of the irq has its part. */
static void interrupted(void)
{
	char plan[64];
	uint64_t t0;

	sized();
	check_eq(add("leaf", "leaf"), 0);
	check_eq(add("irq", "irq"), 0);
	begin(5 * MS);
	window_with("leaf 20000");
	t0 = w.t0_ns + ((now_ns() - w.t0_ns) / (5 * MS) + 2) * 5 * MS;
	snprintf(plan, sizeof(plan), "irq %llu 30000", (unsigned long long)t0 + 100 * US);
	check_eq(write_file(PLAN, plan), 0);
	do
		next();
	while (w.t0_ns + 5 * MS < t0);
	check_eq(write_file(INJECT, "leaf 200000"), 0);
	next();
	check_eq(w.t0_ns, t0);
	is_about("irq", f.set[1].part_ns[TLOB_WORK_IRQ], 30 * US, 1);
	check_eq(f.set[1].calls, 1);
	check(f.set[1].part_ns[TLOB_WORK_IRQ] <= w.part_ns[TLOB_WORK_IRQ]);
	check_eq(f.set[0].part_ns[TLOB_WORK_IRQ], 0);
	is_about("interrupted leaf", net(0), 200 * US, 2);
	end();
}

/* The measured task sleeps in a call: the sleep is of the call, in its part. */
static void sleeping(void)
{
	sized();
	check_eq(add("nap", "nap"), 0);
	begin(5 * MS);
	window_with("sleep 50000");
	note("sleep %llu, thread %llu", (unsigned long long)f.set[0].part_ns[TLOB_WORK_SLEEP],
	     (unsigned long long)f.set[0].part_ns[TLOB_WORK_THREAD]);
	check(f.set[0].part_ns[TLOB_WORK_ON_CPU] >= 100 * US);
	check(f.set[0].part_ns[TLOB_WORK_SLEEP] >= 40 * US);
	check(f.set[0].part_ns[TLOB_WORK_SLEEP] <= 50 * US);
	check_eq(f.set[0].part_ns[TLOB_WORK_SLEEP], w.part_ns[TLOB_WORK_SLEEP]);
	check_eq(f.set[0].part_ns[TLOB_WORK_THREAD], 0);
	check_eq(f.set[0].calls, 1);
	end();
}

/* A thread of this CPU dies in a call while the measured task sleeps. */
static void dying(void)
{
	sized();
	check_eq(add("last", "last"), 0);
	begin(20 * MS);
	window_with("die 30000");
	note("its net is %llu ns", (unsigned long long)net(0));
	check_eq(f.set[0].calls, 1);
	check_eq(f.set[0].unreturned, 1);
	check(net(0) >= 30 * US);
	next();
	check_eq(f.set[0].calls, 0);
	end();
	check_eq(total("last", "unreturned"), 2);
	check_eq(total("last", "open"), 0);
}

/* The address of a function of the kernel, or 0. */
static unsigned long long of_kernel(const char *wanted)
{
	unsigned long long address, found = 0;
	char line[256], name[128], type;
	FILE *file = fopen("/proc/kallsyms", "r");

	check(file);
	while (!found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %c %127s", &address, &type, name) == 3 &&
		    !strcmp(name, wanted))
			found = address;
	fclose(file);
	return found;
}

/* Each window ends in a call, and the next one begins in it. */
static void straddle(void)
{
	unsigned int i;

	needs_functions();
	check_eq(put("functions", "read %llx\n", of_kernel("vfs_read")), 0);
	begin(5 * MS);
	next();
	for (i = 0; i < 20; i++) {
		spin_ns(50 * US);
		check_eq(read(run_fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		check_eq(read(records, &f, sizeof(f)), sizeof(f));
		check_functions();
		/* the call in which it began, that of the records, that of its end */
		check_eq(f.set[0].unreturned, 1);
		check_eq(f.set[0].calls, 3);
		check(f.set[0].part_ns[TLOB_WAKE_SCHED] > 0);
		check(f.set[0].part_ns[TLOB_WORK_ON_CPU] > 0);
	}
	end();
	check_eq(total("read", "open"), 0);
}

static pthread_t other;
static volatile int other_runs;
static const char *command;
static int other_cpu;

static void *run_other(void *unused)
{
	(void)unused;
	pin(other_cpu);
	other_runs = 1;
	write_file(INJECT, command);
	return NULL;
}

/* SIGUSR1 without SA_RESTART ends a wait. */
static void on_signal(int sig)
{
	(void)sig;
}

static void start_other(int cpu, const char *what)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &act, NULL);
	other_cpu = cpu;
	command = what;
	other_runs = 0;
	check_eq(pthread_create(&other, NULL, run_other, NULL), 0);
	while (!other_runs)
		sleep_ns(MS);
	sleep_ns(20 * MS);
}

static void end_other(void)
{
	check_eq(pthread_kill(other, SIGUSR1), 0);
	check_eq(pthread_join(other, NULL), 0);
}

/* Another task begins a call in a window; it ends in a later one, or after the run. */
static void waiting(void)
{
	needs_functions();
	check_eq(add("hold", "hold"), 0);
	begin(100 * MS);
	start_other(0, "wait");
	next();
	check_eq(total("hold", "open"), 1);
	end_other();
	next();
	check_eq(total("hold", "open"), 0);
	check_eq(total("hold", "unreturned"), 0);
	/* detached while inside, and attached again */
	start_other(0, "wait");
	next();
	end();
	check_eq(total("hold", "unreturned"), 1);
	check_eq(total("hold", "open"), 0);
	begin(100 * MS);
	end_other();
	next();
	end();
	check_eq(total("hold", "open") + total("hold", "unreturned"), 0);
}

/* A process is killed while it sleeps in a call. */
static void killed(void)
{
	pid_t pid;
	int i;

	needs_functions();
	check_eq(add("hold", "hold"), 0);
	begin(20 * MS);
	for (i = 0; i < 3; i++) {
		pid = fork();
		check(pid >= 0);
		if (!pid) {
			/* it is not the measured task; it has its CPU */
			write_file(INJECT, "wait");
			_exit(0);
		}
		sleep_ns(MS);
		next();
		check_eq(total("hold", "open"), 1);
		kill(pid, SIGKILL);
		check_eq(waitpid(pid, NULL, 0), pid);
		next();
		check_eq(total("hold", "open"), 0);
	}
	end();
	check_eq(total("hold", "unreturned"), 0);
}

/* A call begins on a measured CPU and ends on another one. */
static void migrating(void)
{
	int i;

	needs_functions();
	check_eq(add("move", "move"), 0);
	begin(50 * MS);
	for (i = 0; i < 5; i++) {
		start_other(0, "migrate 1 20000");
		check_eq(pthread_join(other, NULL), 0);
		next();
	}
	check_eq(total("move", "open"), 0);
	end();
	check(total("move", "calls") >= 5);
	check_eq(total("move", "unreturned"), 0);
}

/* Calls in an nmi are counted, and not measured. */
static void in_nmi(void)
{
	char plan[64];
	int i;

	needs_functions();
	check_eq(add("nmi", "nmi"), 0);
	begin(20 * MS);
	next();
	/* on a busy host it may come between two windows */
	for (i = 0; i < 20; i++) {
		snprintf(plan, sizeof(plan), "nmi %llu 1000",
			 (unsigned long long)now_ns() + 5 * MS);
		check_eq(write_file(PLAN, plan), 0);
		spin_ns(10 * MS);
		next();
		check_eq(f.set[0].calls, 0);
		if (f.missed)
			break;
	}
	check(f.missed >= 1);
	end();
	check(total("nmi", "missed") >= 1);
}

/* Reads all records of both rings; those of one window must fit. */
static unsigned int drain(int windows, int functions)
{
	unsigned int n = 0;

	while (read(windows, &w, sizeof(w)) == sizeof(w)) {
		check_window(&w);
		while (f.activation < w.activation)
			if (read(functions, &f, sizeof(f)) != sizeof(f))
				break;
		if (f.activation != w.activation)
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

/*
 * Functions that all contexts call, while runs begin and end: locks, the scheduler,
 * the timer's interrupt, exits, and one that never returns.
 */
static void race(void)
{
	static const char * const locks[] = {
		"_raw_spin_lock", "_raw_spin_lock_irqsave", "rt_spin_lock", "mutex_lock",
	};
	static const char * const others[] = {
		"schedule", "try_to_wake_up", "hrtimer_interrupt", "__sysvec_apic_timer_interrupt",
		"handle_softirqs", "__do_softirq", "vfs_read", "vfs_write", "do_exit", "exit_mm",
		"kernel_clone", "finish_task_switch.isra.0",
	};
	const int cpus = cpus_online();
	int windows[2], functions[2], cpu;
	unsigned int run, seen = 0, i;
	char text[512] = "lock";
	pid_t pid;

	needs_functions();
	if (deterministic())
		skip("it takes minutes where instructions are counted");
	for (i = 0; i < sizeof(locks) / sizeof(*locks); i++)
		if (of_kernel(locks[i]))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " %llx",
				 of_kernel(locks[i]));
	check_eq(put("functions", "%s\n", text), 0);
	for (i = 0; i < sizeof(others) / sizeof(*others) && i < TLOB_FUNCTION_SETS - 1; i++)
		if (of_kernel(others[i]) && put("functions", "o%u %llx\n", i, of_kernel(others[i])))
			note("%s: %s", others[i], strstr(sets(), "refused"));
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		disturb();
	}
	check(pid > 0);
	for (run = 0; run < 6; run++) {
		setup("kthread", cpus > 1 ? "0-1" : "0", MS, MS, run % 2 ? "spin:100us" : "none");
		set("timeline", "%d", run == 5);
		enable();
		for (cpu = 0; cpu < 2 && cpu < cpus; cpu++) {
			functions[cpu] = open_cpu(cpu, "functions", O_RDONLY | O_NONBLOCK);
			windows[cpu] = open_cpu(cpu, "windows", O_RDONLY | O_NONBLOCK);
		}
		sleep_ns(200 * MS);
		disable();
		for (cpu = 0; cpu < 2 && cpu < cpus; cpu++) {
			f.activation = 0;
			seen += drain(windows[cpu], functions[cpu]);
			close(windows[cpu]);
			close(functions[cpu]);
			check_no_defect(cpu);
		}
		check_eq(total("lock", "open"), 0);
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	note("%u windows; %s", seen, strstr(sets(), "set lock"));
	check(seen > 0);
	check(total("lock", "calls") > 0);
}

static uint64_t cost(void)
{
	check_eq(write_file(INJECT, "cost 20"), 0);
	return of_inject("cost");
}

/* What a probe costs, outside of a window and in one. */
static void costs(void)
{
	uint64_t bare, attached, in, same;

	sized();
	pin(0);
	cost();
	bare = cost();
	check_eq(add("empty", "empty"), 0);
	check_eq(add("leaf", "leaf outer"), 0);
	setup("user", "0", 100 * MS, 100 * MS, "none");
	enable();
	cost();
	attached = cost();
	disable();
	begin(100 * MS);
	cost();
	in = cost();
	next();
	note("the empty function's own times add up to %llu ns in %u calls",
	     (unsigned long long)net(0), f.set[0].calls);
	end();
	clear();
	check_eq(add("empty", "empty recurse"), 0);
	same = cost();
	check_eq(same, bare);
	note("instructions that a probe adds to a call: %llu outside of windows, %llu in one",
	     (unsigned long long)(attached - bare), (unsigned long long)(in - bare));
	check(attached > bare && in > attached);
	check(in - bare < 1016);
	unpin();
}

const struct test functions_tests[] = {
	{ "control", control, 0 },
	{ "never", never, 0 },
	{ "leaf", leaf, 0 },
	{ "nested", nested, 0 },
	{ "deep", deep, 0 },
	{ "overlap", overlap, 0 },
	{ "interrupted", interrupted, 0 },
	{ "sleeping", sleeping, 0 },
	{ "dying", dying, 0 },
	{ "straddle", straddle, 0 },
	{ "waiting", waiting, 0 },
	{ "killed", killed, 0 },
	{ "migrating", migrating, 2 },
	{ "in_nmi", in_nmi, 0 },
	{ "race", race, 0 },
	{ "costs", costs, 0 },
	{ NULL, NULL, 0 },
};
