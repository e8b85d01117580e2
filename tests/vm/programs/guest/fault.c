// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation of an operation fails once. The operation must be refused and leave nothing
 * behind, so that the next attempt works. Needs a kernel with fault injection, which fails only
 * the nth allocation of this thread (Documentation/fault-injection).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"fault"

#define MS	1000000ULL
#define NTH	"/proc/thread-self/fail-nth"
#define FAULT	"/sys/kernel/debug/"
#define MOST	20000U		/* allocations of one operation */
#define MANY_OPTIONAL	50U

/*
 * A task's fail-nth counts each place that may fail. With @all it counts every allocation, also
 * those that may sleep. Without, it counts none, so that only a chosen function counts.
 */
static void arm_kernel(bool all)
{
	if (access(NTH, F_OK))
		skip("this kernel is built without CONFIG_FAULT_INJECTION");
	/* an operation has hundreds of allocations and is tried once for each */
	alarm(1200);
	write_file(FAULT "failslab/verbose", "0");
	write_file(FAULT "fail_page_alloc/verbose", "0");
	write_file(FAULT "failslab/ignore-gfp-wait", "0");
	write_file(FAULT "failslab/cache-filter", all ? "0" : "1");
	write_file(FAULT "fail_page_alloc/ignore-gfp-wait", "0");
	write_file(FAULT "fail_page_alloc/min-order", all ? "0" : "20");
}

/* Runs @op; the @nth place that counts fails. False when @op has fewer. */
static bool fail_nth(unsigned int nth, int (*op)(void), int *err)
{
	int fd = open(NTH, O_RDWR);
	char text[16];
	ssize_t n;

	check(fd >= 0);
	n = snprintf(text, sizeof(text), "%u", nth);
	check_eq(write(fd, text, n), n);
	*err = op();
	n = pread(fd, text, sizeof(text) - 1, 0);
	check(n > 0);
	text[n] = 0;
	check_eq(pwrite(fd, "0", 1, 0), 1);
	close(fd);
	return *text == '0';
}

/*
 * Runs @op once for each of its allocations, which then fails. Some allocations are optional:
 * @undo follows each attempt that works. After every tenth failure @op must work again; the
 * other failures are checked by the next attempt, which gets one allocation further.
 *
 * Loading the module has about a thousand optional allocations. Behind the first MANY_OPTIONAL
 * in a row only every tenth is tried.
 */
static void each_fails(const char *what, int (*op)(void), void (*undo)(void))
{
	unsigned int nth, tried = 0, failed = 0, went_on = 0, row = 0;
	int err;

	for (nth = 1; nth < MOST; nth += row > MANY_OPTIONAL ? 10 : 1) {
		bool hit = fail_nth(nth, op, &err);

		if (!err)
			undo();
		if (!hit)
			break;
		tried++;
		if (!err) {
			went_on++;
			row++;
			continue;
		}
		row = 0;
		/* opening the file also allocates, with other errors */
		if (err != -ENOMEM && err != -ENFILE && err != -EAGAIN)
			fail("%s, allocation %u: %s", what, nth, strerror(-err));
		failed++;
		if (nth % 10)
			continue;
		err = op();
		if (err)
			fail("%s still fails after the failure of allocation %u: %s", what,
			     nth, strerror(-err));
		undo();
	}
	note("%s: %u allocations, %u were tried, %u of them were needed", what, nth - 1, tried,
	     failed);
	check(nth < MOST);
	check(!err);
	check(failed + went_on == tried);
	check(failed);
}

static int op_enable(void)
{
	return put("enable", "1");
}

static void two_cpus(const char *workload, const char *work)
{
	setup(workload, cpus_online() > 1 ? "0-1" : "0", 10 * MS, 10 * MS, work);
}

TEST(enable_kthread)
{
	arm_kernel(true);
	two_cpus("kthread", "mem:chase,ws=64K");
	each_fails("enable", op_enable, disable);
}

TEST(enable_user)
{
	arm_kernel(true);
	two_cpus("user", "none");
	each_fails("enable", op_enable, disable);
}

static int opened = -1;

static int op_open(const char *file)
{
	opened = open(tlob_path(file), O_RDWR | O_CLOEXEC);
	return opened < 0 ? -errno : 0;
}

static int op_open_fd(void)
{
	return op_open("per_cpu/cpu0/tlob_fd");
}

static int op_open_windows(void)
{
	return op_open("per_cpu/cpu0/windows");
}

static void close_opened(void)
{
	close(opened);
}

TEST(open_fd)
{
	arm_kernel(true);
	setup("user", "0", 10 * MS, 10 * MS, "none");
	enable();
	pin(0);
	each_fails("open of tlob_fd", op_open_fd, close_opened);
	unpin();
}

TEST(open_windows)
{
	arm_kernel(true);
	setup("kthread", "0", 10 * MS, 10 * MS, "none");
	enable();
	each_fails("open of windows", op_open_windows, close_opened);
}

static size_t map_size;
static void *mapped;

static int op_map(void)
{
	mapped = mmap(NULL, map_size, PROT_READ | PROT_WRITE, MAP_SHARED, opened,
		      0);
	return mapped == MAP_FAILED ? -errno : 0;
}

static void unmap(void)
{
	munmap(mapped, map_size);
}

TEST(map_windows)
{
	arm_kernel(true);
	setup("kthread", "0", 10 * MS, 10 * MS, "none");
	enable();
	check_eq(op_open_windows(), 0);
	map_size = status(-1, "ring_bytes");
	each_fails("mmap of windows", op_map, unmap);
	close_opened();
}

static int op_option(void)
{
	return put("work", "mem:stream,ws=4K");
}

static int op_cpus(void)
{
	return put("cpus", "0");
}

static void nothing(void)
{
}

TEST(options)
{
	arm_kernel(true);
	each_fails("a write of work", op_option, nothing);
	each_fails("a write of cpus", op_cpus, nothing);
}

#define CGROUP	"/tmp/tlob-cgroup2"

/* Control groups that were removed but are still referenced. */
static unsigned long dying_cgroups(void)
{
	char text[256], *p;

	read_file(CGROUP "/cgroup.stat", text, sizeof(text));
	p = strstr(text, "nr_dying_descendants ");
	check(p);
	return strtoul(p + strlen("nr_dying_descendants "), NULL, 10);
}

static int op_reset(void)
{
	return put("waits", "reset");
}

/* A reset that fails ends the profile, and lets the scope's control group go. */
TEST(waits_reset)
{
	unsigned int nth, failed = 0, tries;
	unsigned long dying;
	bool hit = true;
	int err;

	arm_kernel(true);
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL) && errno != EBUSY)
		fail("cgroup2: %s", strerror(errno));
	dying = dying_cgroups();
	for (nth = 1; hit; nth++) {
		check(nth < MOST);
		check(!mkdir(CGROUP "/fault", 0700));
		set("waits", "on cgroup=/fault");
		hit = fail_nth(nth, op_reset, &err);
		failed += !!err;
		set("waits", "off");
		check(!rmdir(CGROUP "/fault"));
	}
	note("reset: %u allocations, %u of them were needed", nth - 2, failed);
	check(failed);
	/* the kernel frees them later */
	for (tries = 0; dying_cgroups() > dying; tries++) {
		check(tries < 500);
		sleep_ns(10 * MS);
	}
}

static void unload(void)
{
	check_eq(unload_module(), 0);
}

TEST(load)
{
	arm_kernel(true);
	needs_module();
	unload();
	each_fails("loading the module", load_module, unload);
	check_eq(load_module(), 0);
}

/* Returns whether ftrace can hook @function, so that a kprobe on it needs no int3. */
static bool is_traceable(const char *function)
{
	FILE *f = fopen("/sys/kernel/tracing/available_filter_functions", "r");
	size_t len = strlen(function);
	bool found = false;
	char line[256];

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, function, len) &&
			strchr(" \n", line[len]);
	if (f)
		fclose(f);
	return found;
}

/*
 * Runs @op with the @call-th call of @function failing, and returns its result. fail-nth
 * chooses the call where it can: for a probability, 6.12 takes a random number under a sleeping
 * lock in the probe, which PREEMPT_RT reports. Code of kernel/trace/ needs the probability:
 * ftrace cannot hook it, and the kernel ignores fail-nth in an int3, which is an nmi. Linux 7
 * takes its random numbers without a lock.
 */
static int fail_call(const char *function, unsigned int call, int (*op)(void))
{
	bool nth = is_traceable(function);
	char text[16];
	int err;

	write_file(FAULT "fail_function/probability", nth ? "0" : "100");
	/* interval N fails each Nth call; the kernel never resets its counter */
	snprintf(text, sizeof(text), "%u", nth ? 1 : call);
	write_file(FAULT "fail_function/interval", text);
	write_file(FAULT "fail_function/times", "1");
	if (!nth)
		return op();
	check(fail_nth(call, op, &err));
	return err;
}

/*
 * Each function that enable and open call fails alone, and they return its errno. It fails at
 * its first call and, where two CPUs are measured, at its second.
 */
TEST(functions)
{
	static const struct {
		const char *name;
		const char *retval;	/* the value it returns, in hex */
		int err;		/* the operation's error then */
		const char *workload;
		int (*op)(void);
		unsigned int calls;	/* in one operation; 2: one for each CPU */
	} f[] = {
		{ "tlob_ring_alloc", "0", -ENOMEM, "kthread", op_enable, 2 },
		{ "tlob_work_alloc", "0xfffffffffffffff4", -ENOMEM, "kthread", op_enable, 2 },
		{ "tlob_noise_attach", "0xffffffffffffffa1", -EOPNOTSUPP, "kthread", op_enable, 1 },
		{ "tlob_ring_wake_start", "0xfffffffffffffff4", -ENOMEM, "kthread", op_enable, 1 },
		{ "tlob_kthread_create", "0xfffffffffffffff5", -EAGAIN, "kthread", op_enable, 2 },
		{ "tlob_noise_attach", "0xfffffffffffffff4", -ENOMEM, "user", op_enable, 1 },
		{ "tlob_window_claim", "0xffffffffffffffed", -ENODEV, "user", op_open_fd, 1 },
	};
	unsigned int i, call, calls;
	char path[128];

	arm_kernel(false);
	if (access(FAULT "fail_function/inject", F_OK))
		skip("this kernel is built without CONFIG_FAIL_FUNCTION");
	write_file(FAULT "fail_function/verbose", "0");
	for (i = 0; i < sizeof(f) / sizeof(*f); i++) {
		bool on_open = f[i].op == op_open_fd;

		calls = cpus_online() > 1 ? f[i].calls : 1;
		for (call = 1; call <= calls; call++) {
			two_cpus(f[i].workload, "mem:chase,ws=64K");
			if (on_open) {
				enable();
				pin(0);
			}
			check_eq(write_file(FAULT "fail_function/inject", f[i].name), 0);
			snprintf(path, sizeof(path),
				 FAULT "fail_function/%s/retval", f[i].name);
			check_eq(write_file(path, f[i].retval), 0);
			check_eq(fail_call(f[i].name, call, f[i].op), f[i].err);
			write_file(FAULT "fail_function/inject", "");
			if (f[i].op()) {
				unpin();
				fail("%s: the operation still fails after its failure",
				     f[i].name);
			}
			if (on_open) {
				close_opened();
				unpin();
			}
			disable();
		}
		note("%s: failed and unwound, %u of %u calls", f[i].name, calls,
		     f[i].calls);
	}
}
