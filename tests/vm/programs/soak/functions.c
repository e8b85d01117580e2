// SPDX-License-Identifier: GPL-2.0
/*
 * The actor that sets and removes sets of functions, while runs begin and end, the module
 * goes, and tasks of all other actors are inside of these functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "../guest/addresses.h"
#include "soak.h"

/* Called in all contexts; some sleep, or never return. Not all kernels have all. */
static const char * const names[] = {
	"vfs_read", "vfs_write", "ksys_read", "do_exit", "schedule", "try_to_wake_up",
	"hrtimer_interrupt", "mutex_lock", "rt_spin_lock", "_raw_spin_lock", "kernel_clone",
	"do_nanosleep", "do_wait", "handle_mm_fault", "__alloc_pages_noprof", "kmem_cache_free",
	"do_futex", "futex_wait", "pipe_read",
};

#define NAMES	(sizeof(names) / sizeof(*names))

static unsigned long long address[NAMES];

/* Adds a set of one to four functions. The kernel part refuses those that cannot be traced. */
static int add_set(void)
{
	unsigned int i, k, n = 1 + rnd(4);
	char text[128];
	size_t len;

	len = snprintf(text, sizeof(text), "s%u", rnd(3));
	for (i = 0; i < n; i++) {
		k = rnd(NAMES);
		if (address[k])
			len += snprintf(text + len, sizeof(text) - len, " %llx", address[k]);
	}
	return write_file(control("functions"), text);
}

/* The next records of a CPU, if it has any. */
static int read_records(unsigned int cpu)
{
	struct tlob_functions f;
	unsigned int i, k;
	ssize_t n;
	int fd;

	fd = open(control("per_cpu/cpu%u/functions", cpu), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (k = 0; k < 8 && !shared->unloading; k++) {
		n = read(fd, &f, sizeof(f));
		if (n != sizeof(f))
			break;
		for (i = 0; i < TLOB_FUNCTION_SETS; i++)
			if (f.set[i].unreturned > f.set[i].calls || (i >= f.sets && f.set[i].calls))
				defect("functions: set %u of %u: %u calls, %u not returned", i, f.sets,
				       f.set[i].calls, f.set[i].unreturned);
	}
	close(fd);
	return 0;
}

int functions_clear(void)
{
	int fd = open(control("functions"), O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

void make_calls(void)
{
	char text[512], *page;
	unsigned int n;
	int fd[2];

	for (n = rnd(8); n; n--) {
		if (pipe2(fd, O_CLOEXEC))
			return;
		if (write(fd[1], text, rnd(sizeof(text))) > 0 && read(fd[0], text, sizeof(text)) < 0)
			defect("a pipe that was written: errno %d", errno);
		close(fd[0]);
		close(fd[1]);
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page != MAP_FAILED) {
			*page = 1;
			munmap(page, 4096);
		}
	}
}

int functions_ring(int device)
{
	struct tlob_ring_setup setup = { .format = TLOB_FORMAT_FUNCTIONS };

	return count(TASK_FUNCTIONS_RING, ioctl(device, TLOB_IOC_RING, &setup) ? -errno : 0);
}

/* Checks a window and its parts; a window without times has no set. */
void check_task_functions(const struct tlob_task_window_functions *w)
{
	const struct tlob_task_functions *f = &w->functions;
	unsigned int i, part;
	uint64_t sum;

	for (part = 0; part < TLOB_NR_TASK_PARTS; part++) {
		for (sum = i = 0; i < TLOB_FUNCTION_SETS; i++)
			sum += f->set[i].part_ns[part];
		if (sum > w->window.part_ns[part])
			defect("functions: %llu ns in a part of %llu", (unsigned long long)sum,
			       (unsigned long long)w->window.part_ns[part]);
	}
	for (i = 0; i < TLOB_FUNCTION_SETS; i++)
		if (f->set[i].unreturned > f->set[i].calls || (i >= f->sets && f->set[i].calls))
			defect("functions: set %u of %u: %u calls, %u not returned", i, f->sets,
			       f->set[i].calls, f->set[i].unreturned);
	for (i = 0; i < f->sets && !f->set[i].calls; i++)
		;
	if (f->sets)
		count(TASK_FUNCTIONS, i < f->sets ? 0 : -ENODATA);
}

/* The windows of tasks have the sets for a while; a run that begins then has none. */
static void lend_to_monitor(void)
{
	uint64_t began = now_us();
	uint64_t end;
	char all[16];
	bool moved;

	if (count(FUNCTIONS_MONITOR, write_file(control("functions_monitor"), "1")))
		return;
	write_file(control("monitor_enable"), "1");
	wake_sleepers();
	live_on(began, rnd(300000));
	for (end = now_us() + 500000; !shared->asleep && !shared->unloading && now_us() < end; )
		live_on(now_us(), 10000);
	began = now_us();
	count(FUNCTIONS_MONITOR_OFF, write_file(control("functions_monitor"), "0"));
	/* then a run, and the calls that began in windows of the monitor return in it */
	/* the others may be offline */
	write_file(control("cpus"), "0");
	moved = rnd(8) && !count(FUNCTIONS_MOVE, write_file(control("enable"), "1"));
	wake_sleepers();
	if (moved) {
		live_on(now_us(), rnd(50000));
		count(FUNCTIONS_READ, read_records(0));
		write_file(control("enable"), "0");
	}
	snprintf(all, sizeof(all), "0-%d", cpus - 1);
	write_file(control("cpus"), all);
	/* probes take grace periods to come and go, with the module's lock */
	live_on(began, 0);
}

void act_functions(void)
{
	static const char * const bad[] = {
		"", "s", "s 0", "s 1 2 3", "S 10", "s ffffffffffffffff", "s x", "s\t\n", "0 1",
	};
	static char text[STATUS_MAX];
	unsigned int i;
	uint64_t began;
	int err;

	find_addresses(names, address, NAMES);
	while (!shared->stop) {
		rest_at_gate();
		/* the module is not loaded */
		if (access(control("functions"), F_OK)) {
			sleep_us(1000);
			continue;
		}
		began = now_us();
		/* each set makes a run begin and end later */
		if (rnd(2))
			count(FUNCTIONS_CLEAR, functions_clear());
		count(FUNCTIONS_ADD, add_set());
		if (!rnd(4))
			lend_to_monitor();
		i = rnd(sizeof(bad) / sizeof(*bad));
		if (!write_file(control("functions"), bad[i]))
			defect("functions took '%s'", bad[i]);
		count(FUNCTIONS_LIST, read_text(control("functions"), text, sizeof(text)));
		err = read_records(rnd(cpus));
		count(FUNCTIONS_READ, err);
		/* with KASAN that takes seconds, in which no other task has the module's lock */
		live_on(began, rnd(50000));
	}
}

/* In probed functions, until the sets move: futex calls, a read of a pipe, a wait. */
static void sleep_in_calls(uint32_t moves)
{
	int fd[2];
	pid_t pid;
	char c;

	if (rnd(2) || pipe2(fd, O_CLOEXEC)) {
		wait_for_move(moves);
		return;
	}
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		wait_for_move(moves);
		_exit(0);
	}
	close(fd[1]);
	if (read(fd[0], &c, 1) > 0)
		defect("a byte from a pipe that nothing wrote");
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Tasks with windows that have the sets sleep in probed functions while these move to a run. */
void act_sleepers(void)
{
	struct tlob_start_ns s = { .threshold_ns = 10000000, .flags = TLOB_START_EVERY };
	struct tlob_task_window_functions record;
	uint32_t moves;
	int fd, err;

	while (!shared->stop) {
		rest_at_gate();
		moves = __atomic_load_n(&shared->moves, __ATOMIC_ACQUIRE);
		if (moves % 2 == 0) {
			live_on(now_us(), 20000);
			continue;
		}
		fd = open("/dev/tlob", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 || functions_ring(fd)) {
			sleep_us(20000);
			if (fd >= 0)
				close(fd);
			continue;
		}
		s.notify_fd = fd;
		err = ioctl(fd, TLOB_IOC_START_NS, &s) ? -errno : 0;
		if (!err) {
			__atomic_add_fetch(&shared->asleep, 1, __ATOMIC_RELAXED);
			sleep_in_calls(moves);
			__atomic_sub_fetch(&shared->asleep, 1, __ATOMIC_RELAXED);
			count(FUNCTIONS_SLEEP, moves == shared->moves ? -ETIMEDOUT : 0);
		} else {
			live_on(now_us(), 20000);
		}
		make_calls();
		ioctl(fd, TLOB_IOC_TRACE_STOP);
		while (read(fd, &record, sizeof(record)) == sizeof(record))
			check_task_functions(&record);
		close(fd);
	}
}
