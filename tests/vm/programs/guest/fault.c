// SPDX-License-Identifier: GPL-2.0
/*
 * Every allocation of an operation fails once: it must be refused and leave
 * nothing behind, so that the next one works. Needs a kernel with fault injection,
 * which fails the nth of this thread's alone (Documentation/fault-injection).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define MS	1000000ULL
#define NTH	"/proc/thread-self/fail-nth"
#define FAULT	"/sys/kernel/debug/"
#define MODULE	"/vm/modules/00-tlob_load.ko"
#define MOST	20000U		/* allocations of one operation */

/*
 * A task's fail-nth counts each place that may fail: @all allocations, those that
 * may sleep too, or none of them, so that only a chosen function counts.
 */
static void arm_kernel(bool all)
{
	if (access(NTH, F_OK))
		skip("this kernel is built without CONFIG_FAULT_INJECTION");
	/* an operation has hundreds, and works or is undone after each */
	alarm(1200);
	write_file(FAULT "failslab/verbose", "0");
	write_file(FAULT "fail_page_alloc/verbose", "0");
	write_file(FAULT "failslab/ignore-gfp-wait", "0");
	write_file(FAULT "failslab/cache-filter", all ? "0" : "1");
	write_file(FAULT "fail_page_alloc/ignore-gfp-wait", "0");
	write_file(FAULT "fail_page_alloc/min-order", all ? "0" : "20");
}

/* @op with the @nth of what counts failing. False when it has fewer. */
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
 * @op once for each of its allocations, @undo after each that worked: some do
 * without what they did not get. Each attempt gets as far as the one before
 * failed; that all of it works again is seen for every tenth.
 */
static void each_fails(const char *what, int (*op)(void), void (*undo)(void))
{
	unsigned int nth, failed = 0, went_on = 0;
	int err;

	for (nth = 1; nth < MOST; nth++) {
		bool hit = fail_nth(nth, op, &err);

		if (!err)
			undo();
		if (!hit)
			break;
		if (!err) {
			went_on++;
			continue;
		}
		/* the path to our file has allocations of its own */
		if (err != -ENOMEM && err != -ENFILE && err != -EAGAIN)
			fail("%s, allocation %u: %s", what, nth, strerror(-err));
		failed++;
		if (nth % 10)
			continue;
		err = op();
		if (err)
			fail("%s works no more after allocation %u: %s", what,
			     nth, strerror(-err));
		undo();
	}
	note("%s: %u allocations, %u of them were needed", what, nth - 1, failed);
	check(nth < MOST);
	check(!err);
	check(failed + went_on == nth - 1);
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

static void enable_kthread(void)
{
	arm_kernel(true);
	two_cpus("kthread", "mem:chase,ws=64K");
	each_fails("enable", op_enable, disable);
}

static void enable_user(void)
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

static void open_fd(void)
{
	arm_kernel(true);
	setup("user", "0", 10 * MS, 10 * MS, "none");
	enable();
	pin(0);
	each_fails("open of tlob_fd", op_open_fd, close_opened);
	unpin();
}

static void open_windows(void)
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

static void map_windows(void)
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

static void options(void)
{
	arm_kernel(true);
	each_fails("a write of work", op_option, nothing);
	each_fails("a write of cpus", op_cpus, nothing);
}

static void unload(void)
{
	check_eq(syscall(SYS_delete_module, "tlob_load", O_NONBLOCK), 0);
}

static int op_load(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err;
}

static void load(void)
{
	arm_kernel(true);
	if (access(MODULE, F_OK))
		skip("tlob_load is built into this kernel");
	unload();
	each_fails("loading the module", op_load, unload);
	check_eq(op_load(), 0);
}

/* Whether ftrace can hook @function, so that a kprobe on it needs no int3. */
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
 * @op with the @call-th call of @function failing; what it returns. By fail-nth: for
 * a probability 6.12 takes a random number in the probe, which takes a sleeping
 * lock, and PREEMPT_RT reports that. But an int3 is an nmi, in which fail-nth is not
 * looked at: with code of kernel/trace/, which ftrace leaves alone. Linux 7 has
 * random numbers without locks for it.
 */
static int fail_call(const char *function, unsigned int call, int (*op)(void))
{
	bool nth = is_traceable(function);
	char text[16];
	int err;

	write_file(FAULT "fail_function/probability", nth ? "0" : "100");
	/* the counter of calls is never reset: one that fails first */
	snprintf(text, sizeof(text), "%u", nth ? 1 : call);
	write_file(FAULT "fail_function/interval", text);
	write_file(FAULT "fail_function/times", "1");
	if (!nth)
		return op();
	check(fail_nth(call, op, &err));
	return err;
}

/*
 * What enable and open call fails by itself: with the errno, at its first call
 * and, where two CPUs are measured, at its second.
 */
static void functions(void)
{
	static const struct {
		const char *name;
		const char *retval;	/* what it returns, in hex */
		int err;		/* that, as the operation's */
		const char *workload;
		int (*op)(void);
		unsigned int calls;	/* of one operation, for each CPU: 2 */
	} f[] = {
		{ "tlob_ring_alloc", "0", -ENOMEM, "kthread", op_enable, 2 },
		{ "tlob_work_alloc", "0xfffffffffffffff4", -ENOMEM, "kthread", op_enable, 2 },
		{ "tlob_noise_attach", "0xffffffffffffffa1", -EOPNOTSUPP, "kthread", op_enable, 1 },
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
				fail("%s: nothing works after it has failed",
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

const struct test fault_tests[] = {
	{ "enable_kthread", enable_kthread, 0 },
	{ "enable_user", enable_user, 0 },
	{ "open_fd", open_fd, 0 },
	{ "open_windows", open_windows, 0 },
	{ "map_windows", map_windows, 0 },
	{ "options", options, 0 },
	{ "load", load, 0 },
	{ "functions", functions, 0 },
	{ NULL, NULL, 0 },
};
