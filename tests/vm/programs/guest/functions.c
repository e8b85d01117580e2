// SPDX-License-Identifier: GPL-2.0
/*
 * Time in kernel functions. tlob_inject has functions of known duration, which the
 * measured thread calls in its windows.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions.h"
#include "guest.h"

#define GROUP	"functions"

#define MS	1000000ULL
#define US	1000ULL
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define ALLOW	"/sys/module/tlob_load/parameters/functions_module"
/*
 * ns that the probe of a call may add to a set in a guest that counts
 * instructions, and what a function takes beside its time.
 */
#define PROBE	1500

struct functions_run run;

const char *function_sets(void)
{
	static char text[4096];

	read_file(tlob_path("functions"), text, sizeof(text));
	return text;
}

uint64_t function_of_inject(const char *name)
{
	char text[2048], line[32], *at;

	read_file(INJECT, text, sizeof(text));
	snprintf(line, sizeof(line), "%s ", name);
	at = strstr(text, line);
	check(at);
	return strtoull(at + strlen(line), NULL, 0);
}

void functions_clear(void)
{
	int file = open(tlob_path("functions"), O_WRONLY | O_TRUNC);

	check(file >= 0);
	close(file);
}

int functions_add(const char *set, const char *names)
{
	char text[512], copy[128], *name, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", names);
	snprintf(text, sizeof(text), "%s", set);
	while ((name = strsep(&rest, " ")))
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %llx",
			 (unsigned long long)function_of_inject(name));
	return put("functions", "%s\n", text);
}

uint64_t function_total(const char *set, const char *field)
{
	char line[64];
	const char *at, *text = function_sets();

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
	const char *at = strstr(function_sets(), "refused: ");

	return at && strstr(at, text);
}

void needs_functions(void)
{
	if (access(INJECT, F_OK))
		skip("tlob_inject is not loaded");
	if (strstr(function_sets(), "mechanism: none"))
		skip("this kernel has neither fprobe nor kretprobes on ftrace");
	check_eq(write_file(ALLOW, "tlob_inject"), 0);
	functions_clear();
}

void needs_sized_functions(void)
{
	needs_functions();
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	needs_sizes();
}

void check_functions(void)
{
	unsigned int i, part;

	check_eq(run.f.version, TLOB_FUNCTIONS_VERSION);
	check_eq(run.f.size, sizeof(run.f));
	check_eq(run.f.cpu, run.w.cpu);
	check_eq(run.f.activation, run.w.activation);
	check(run.f.sets <= TLOB_FUNCTION_SETS);
	for (part = 0; part < TLOB_NR_PARTS; part++) {
		uint64_t sum = 0;

		for (i = 0; i < TLOB_FUNCTION_SETS; i++)
			sum += run.f.set[i].part_ns[part];
		if (sum > run.w.part_ns[part])
			fail("activation %llu: %s is %llu, but the functions have %llu",
			     (unsigned long long)run.w.activation,
			     tlob_metric_names[TLOB_METRIC_PARTS + part],
			     (unsigned long long)run.w.part_ns[part], (unsigned long long)sum);
	}
	for (i = 0; i < TLOB_FUNCTION_SETS; i++) {
		check(i < run.f.sets || !run.f.set[i].calls);
		check(run.f.set[i].unreturned <= run.f.set[i].calls);
	}
}

uint64_t functions_net(unsigned int set)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		sum += run.f.set[set].part_ns[i];
	return sum;
}

void functions_begin(uint64_t period)
{
	setup("user", "0", period, period, "none");
	enable();
	run.records = open_cpu(0, "functions", O_RDONLY);
	pin(0);
	run.fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(run.fd, &run.w, sizeof(run.w)), sizeof(run.w));
}

void functions_next(void)
{
	check_eq(read(run.fd, &run.w, sizeof(run.w)), sizeof(run.w));
	check_window(&run.w);
	check_eq(read(run.records, &run.f, sizeof(run.f)), sizeof(run.f));
	check_functions();
}

void functions_end(void)
{
	close(run.fd);
	unpin();
	close(run.records);
	disable();
	check_no_defect(0);
}

/* A window with only @command in it. Everything is warm after a first one. */
static void window_with(const char *command)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		check_eq(write_file(INJECT, command), 0);
		functions_next();
	}
}

void functions_is_about(const char *what, uint64_t ns, uint64_t expected, uint64_t calls)
{
	note("%s: %llu ns, of them its own %llu", what, (unsigned long long)ns,
	     (unsigned long long)expected);
	if (ns < expected || ns > expected + calls * PROBE)
		fail("%s: %llu ns instead of %llu", what, (unsigned long long)ns,
		     (unsigned long long)expected);
}

/* What is refused, and by which words. */
TEST(control)
{
	uint64_t address;
	char many[512] = "";
	unsigned int i;

	needs_functions();
	address = function_of_inject("leaf");
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
	check_eq(functions_add("a", "leaf"), -EPERM);
	check(refused("inject_fn_leaf: module tlob_inject may go away"));
	check_eq(write_file(ALLOW, "tlob_inject"), 0);
	check(!strstr(function_sets(), "set a"));
	check_eq(put("functions", "a 0x%llx %llx\n", (unsigned long long)address,
		     (unsigned long long)address), 0);
	check(!strstr(function_sets(), "refused"));
	check_eq(function_total("a", "addresses"), 1);
	check_eq(functions_add("a", "outer"), -EEXIST);
	for (i = 1; i < TLOB_FUNCTION_SETS; i++) {
		snprintf(many, sizeof(many), "a%u", i);
		check_eq(functions_add(many, "leaf"), 0);
	}
	check_eq(functions_add("b", "leaf"), -E2BIG);
	setup("user", "0", MS, MS, "none");
	set("noise_source", "both");
	check_eq(put("enable", "1"), -EINVAL);
	set("noise_source", "auto");
	enable();
	check_eq(functions_add("b", "leaf"), -EBUSY);
	check_errno(open(tlob_path("functions"), O_WRONLY | O_TRUNC), EBUSY);
	disable();
	functions_clear();
	check(!strstr(function_sets(), "set "));
}

/* Addresses of the kernel that must be refused. */
TEST(never)
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
		if (!strcmp(name, "tlob_window_arm")) {
			check_eq(write_file(ALLOW, "other"), 0);
			check_eq(put("functions", "a %llx\n", address), -EPERM);
			tried++;
		}
	}
	fclose(file);
	note("%u tried", tried);
	check(tried >= 3);
	functions_clear();
}

TEST(leaf)
{
	needs_sized_functions();
	check_eq(functions_add("a", "leaf"), 0);
	functions_begin(5 * MS);
	window_with("leaf 20000");
	functions_is_about("leaf", run.f.set[0].part_ns[TLOB_WORK_ON_CPU], 20 * US, 1);
	check_eq(functions_net(0), run.f.set[0].part_ns[TLOB_WORK_ON_CPU]);
	check_eq(run.f.set[0].calls, 1);
	check_eq(run.f.set[0].max_ns, functions_net(0));
	check_eq(run.f.set[0].max_function, function_of_inject("leaf"));
	check_eq(run.f.set[0].unreturned + run.f.missed, 0);
	functions_end();
	check_eq(function_total("a", "calls"), 2);
	check_eq(function_total("a", "max_function"), function_of_inject("leaf"));
	check_eq(function_total("a", "open") + function_total("a", "unreturned") +
		 function_total("a", "missed"), 0);
}

/* A call of the same set adds no time of its own; one of another set is taken out. */
TEST(nested)
{
	needs_sized_functions();
	check_eq(functions_add("both", "leaf outer"), 0);
	functions_begin(5 * MS);
	window_with("outer 20000");
	functions_is_about("outer and leaf", functions_net(0), 40 * US, 2);
	check_eq(run.f.set[0].calls, 2);
	check_eq(run.f.set[0].max_ns, functions_net(0));
	check_eq(run.f.set[0].max_function, function_of_inject("outer"));
	functions_end();

	functions_clear();
	check_eq(functions_add("leaf", "leaf"), 0);
	check_eq(functions_add("outer", "outer"), 0);
	functions_begin(5 * MS);
	window_with("outer 20000");
	functions_is_about("leaf", functions_net(0), 20 * US, 1);
	functions_is_about("outer without leaf", functions_net(1), 20 * US, 2);
	check_eq(run.f.set[0].calls + run.f.set[1].calls, 2);
	functions_end();
}

/* Since Linux 6.14 the kernel keeps open calls in a stack of each task, of 4 KiB. */
static bool of_task(void)
{
	return kernel_since(6, 14);
}

TEST(deep)
{
	needs_sized_functions();
	check_eq(functions_add("recurse", "recurse"), 0);
	check_eq(functions_add("ping", "ping"), 0);
	check_eq(functions_add("pong", "pong"), 0);
	functions_begin(5 * MS);
	window_with("recurse 32 2000");
	functions_is_about("recurse", functions_net(0), 64 * US, 32);
	check_eq(run.f.set[0].calls, 32);
	check_eq(run.f.set[0].unreturned + run.f.missed, 0);
	check_eq(run.f.set[0].max_ns, functions_net(0));
	window_with("alternate 32 2000");
	functions_is_about("ping", functions_net(1), 32 * US, 32);
	functions_is_about("pong", functions_net(2), 32 * US, 32);
	check_eq(run.f.set[1].calls, 16);
	check_eq(run.f.set[2].calls, 16);
	check_eq(run.f.set[1].unreturned + run.f.set[2].unreturned + run.f.missed, 0);
	functions_is_about("one ping", run.f.set[1].max_ns, 2 * US, 2);
	/* deeper than calls are kept: the rest is counted */
	window_with("alternate 140 1000");
	if (of_task()) {
		/* neither reported nor counted beyond a task's room: testing.md */
		note("140 deep: %u calls are reported", run.f.set[1].calls + run.f.set[2].calls);
		check(run.f.set[1].calls + run.f.set[2].calls >= 32);
		functions_end();
		return;
	}
	note("140 deep: %u and %u calls, %u missed", run.f.set[1].calls, run.f.set[2].calls, run.f.missed);
	check_eq(run.f.set[1].calls + run.f.set[2].calls + run.f.missed, 140);
	check(run.f.missed > 0);
	functions_end();
}

/* A function in two sets: it is called in both, its time belongs to the set added first. */
TEST(overlap)
{
	needs_sized_functions();
	check_eq(functions_add("first", "leaf"), 0);
	check_eq(functions_add("second", "leaf"), 0);
	functions_begin(5 * MS);
	window_with("leaf 20000");
	check_eq(run.f.set[0].calls, 1);
	check_eq(run.f.set[1].calls, 1);
	functions_is_about("first", functions_net(0), 20 * US, 1);
	/* both probes are in it */
	functions_is_about("second", functions_net(1), 0, 2);
	functions_end();
}

/* An irq is taken out of the function; a function of the irq has its part. */
TEST(interrupted)
{
	char plan[64];
	uint64_t t0;

	needs_sized_functions();
	check_eq(functions_add("leaf", "leaf"), 0);
	check_eq(functions_add("irq", "irq"), 0);
	functions_begin(5 * MS);
	window_with("leaf 20000");
	t0 = run.w.t0_ns + ((now_ns() - run.w.t0_ns) / (5 * MS) + 2) * 5 * MS;
	snprintf(plan, sizeof(plan), "irq %llu 30000", (unsigned long long)t0 + 100 * US);
	check_eq(write_file(PLAN, plan), 0);
	do
		functions_next();
	while (run.w.t0_ns + 5 * MS < t0);
	check_eq(write_file(INJECT, "leaf 200000"), 0);
	functions_next();
	check_eq(run.w.t0_ns, t0);
	functions_is_about("irq", run.f.set[1].part_ns[TLOB_WORK_IRQ], 30 * US, 1);
	check_eq(run.f.set[1].calls, 1);
	check(run.f.set[1].part_ns[TLOB_WORK_IRQ] <= run.w.part_ns[TLOB_WORK_IRQ]);
	check_eq(run.f.set[0].part_ns[TLOB_WORK_IRQ], 0);
	functions_is_about("interrupted leaf", functions_net(0), 200 * US, 2);
	functions_end();
}

/* The measured task sleeps in a call: the sleep is of the call, in its part. */
TEST(sleeping)
{
	needs_sized_functions();
	check_eq(functions_add("nap", "nap"), 0);
	functions_begin(5 * MS);
	window_with("sleep 50000");
	note("sleep %llu, thread %llu", (unsigned long long)run.f.set[0].part_ns[TLOB_WORK_SLEEP],
	     (unsigned long long)run.f.set[0].part_ns[TLOB_WORK_THREAD]);
	check(run.f.set[0].part_ns[TLOB_WORK_ON_CPU] >= 100 * US);
	check(run.f.set[0].part_ns[TLOB_WORK_SLEEP] >= 40 * US);
	check(run.f.set[0].part_ns[TLOB_WORK_SLEEP] <= 50 * US);
	check_eq(run.f.set[0].part_ns[TLOB_WORK_SLEEP], run.w.part_ns[TLOB_WORK_SLEEP]);
	check_eq(run.f.set[0].part_ns[TLOB_WORK_THREAD], 0);
	check_eq(run.f.set[0].calls, 1);
	functions_end();
}

/* A thread of this CPU dies in a call while the measured task sleeps. */
TEST(dying)
{
	needs_sized_functions();
	check_eq(functions_add("last", "last"), 0);
	functions_begin(20 * MS);
	window_with("die 30000");
	note("its net is %llu ns", (unsigned long long)functions_net(0));
	check_eq(run.f.set[0].calls, 1);
	check_eq(run.f.set[0].unreturned, 1);
	check(functions_net(0) >= 30 * US);
	functions_next();
	check_eq(run.f.set[0].calls, 0);
	functions_end();
	check_eq(function_total("last", "unreturned"), 2);
	check_eq(function_total("last", "open"), 0);
}

unsigned long long function_of_kernel(const char *wanted)
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
TEST(straddle)
{
	unsigned int i;

	needs_functions();
	check_eq(put("functions", "read %llx\n", function_of_kernel("vfs_read")), 0);
	functions_begin(5 * MS);
	functions_next();
	for (i = 0; i < 20; i++) {
		spin_ns(50 * US);
		check_eq(read(run.fd, &run.w, sizeof(run.w)), sizeof(run.w));
		check_window(&run.w);
		check_eq(read(run.records, &run.f, sizeof(run.f)), sizeof(run.f));
		check_functions();
		/* the calls in which it began, read its records, and ended */
		check_eq(run.f.set[0].unreturned, 1);
		check_eq(run.f.set[0].calls, 3);
		check(run.f.set[0].part_ns[TLOB_WAKE_SCHED] > 0);
		check(run.f.set[0].part_ns[TLOB_WORK_ON_CPU] > 0);
	}
	functions_end();
	check_eq(function_total("read", "open"), 0);
}

/* Detaching takes mutexes, when no window is open any more: nothing is missed. */
TEST(detached)
{
	unsigned long long lock = function_of_kernel("mutex_lock");

	needs_functions();
	if (!deterministic())
		skip("in this guest an interrupt may come in the middle of a probe");
	/* lockdep's name of it */
	if (!lock)
		lock = function_of_kernel("mutex_lock_nested");
	check_eq(put("functions", "lock %llx\n", lock), 0);
	functions_begin(5 * MS);
	functions_next();
	functions_end();
	check_eq(function_total("lock", "missed"), 0);
}

/* Calls in an nmi are counted, and not measured. */
TEST(in_nmi)
{
	char plan[64];
	int i;

	needs_functions();
	check_eq(functions_add("nmi", "nmi"), 0);
	functions_begin(20 * MS);
	functions_next();
	/* on a busy host it may come between two windows */
	for (i = 0; i < 20; i++) {
		snprintf(plan, sizeof(plan), "nmi %llu 1000",
			 (unsigned long long)now_ns() + 5 * MS);
		check_eq(write_file(PLAN, plan), 0);
		spin_ns(10 * MS);
		functions_next();
		check_eq(run.f.set[0].calls, 0);
		if (run.f.missed)
			break;
	}
	check(run.f.missed >= 1);
	functions_end();
	check(function_total("nmi", "missed") >= 1);
}

/* A kernel with neither mechanism says so, and takes no set. */
TEST(unsupported)
{
	if (!strstr(function_sets(), "mechanism: none"))
		skip("this kernel has fprobe or kretprobes");
	check(strstr(function_sets(), "limit: 0"));
	check_eq(put("functions", "a %llx\n", 0xffffffff81000000ULL), -EOPNOTSUPP);
	check(refused("no fprobe and no kretprobes"));
	functions_clear();
	check(!strstr(function_sets(), "set "));
}
