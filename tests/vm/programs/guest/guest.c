// SPDX-License-Identifier: GPL-2.0
/* Helpers of the tests in a guest: control files, windows and the trace. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "split.h"

#define TRACE	"/sys/kernel/tracing/instances/tlob-test"

const char *source = "hooks";
bool debug_kernel;

const char *tlob_path(const char *file)
{
	static char path[256];
	static const char *dir;

	if (!dir)
		dir = access("/sys/kernel/tracing/tlob_load", F_OK) ?
		      "/sys/kernel/debug/tlob_load" :
		      "/sys/kernel/tracing/tlob_load";
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return path;
}

static char module_path[256];

void needs_module(void)
{
	glob_t g;

	/* only a built-in tlob_load has its files in tracefs */
	if (strstr(tlob_path(""), "/tracing/"))
		skip("tlob_load is built into this kernel");
	check(!glob("/vm/modules/*tlob_load.ko", 0, NULL, &g) ||
	      !glob("/tlob_load.ko", 0, NULL, &g));
	snprintf(module_path, sizeof(module_path), "%s", g.gl_pathv[0]);
	globfree(&g);
}

int load_module(void)
{
	int fd = open(module_path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err;
}

int unload_module(void)
{
	return syscall(SYS_delete_module, "tlob_load", O_NONBLOCK) ? -errno : 0;
}

void read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, len = 0;

	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	while ((n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	if (n < 0)
		fail("%s: %s", path, strerror(errno));
	close(fd);
	buf[len] = 0;
}

static int vput(const char *file, const char *fmt, va_list ap)
{
	char text[5000];

	vsnprintf(text, sizeof(text), fmt, ap);
	return write_file(tlob_path(file), text);
}

int put(const char *file, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = vput(file, fmt, ap);
	va_end(ap);
	return err;
}

void set(const char *file, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = vput(file, fmt, ap);
	va_end(ap);
	if (err)
		fail("%s: %s", file, strerror(-err));
}

const char *get(const char *file)
{
	static char buf[65536];

	read_file(tlob_path(file), buf, sizeof(buf));
	buf[strcspn(buf, "\n")] = 0;
	return buf;
}

static uint64_t number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	if (!p)
		fail("status has no %s", key);
	return strtoull(p + strlen(key), NULL, 10);
}

uint64_t status_field(const char *line, const char *field)
{
	static char buf[65536];
	char key[64], *start;

	read_file(tlob_path("status"), buf, sizeof(buf));
	snprintf(key, sizeof(key), "%s: ", line);
	start = strstr(buf, key);
	if (!start)
		fail("status has no line %s", line);
	start[strcspn(start, "\n")] = 0;
	snprintf(key, sizeof(key), " %s=", field);
	return number_after(start, key);
}

uint64_t status(int cpu, const char *field)
{
	static char buf[65536];
	char key[64];

	if (cpu >= 0) {
		snprintf(key, sizeof(key), "cpu%d", cpu);
		return status_field(key, field);
	}
	read_file(tlob_path("status"), buf, sizeof(buf));
	snprintf(key, sizeof(key), "%s: ", field);
	return number_after(buf, key);
}

void setup(const char *workload, const char *cpus, uint64_t period_ns,
	   uint64_t budget_ns, const char *work)
{
	set("workload", "%s", workload);
	set("cpus", "%s", cpus);
	set("period_ns", "%llu", (unsigned long long)period_ns);
	set("budget_ns", "%llu", (unsigned long long)budget_ns);
	set("work", "%s", work);
	set("noise_source", "%s", source);
}

void enable(void)
{
	set("enable", "1");
}

void disable(void)
{
	set("enable", "0");
}

int open_cpu(int cpu, const char *file, int flags)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "per_cpu/cpu%d/%s", cpu, file);
	fd = open(tlob_path(name), flags | O_CLOEXEC);
	if (fd < 0)
		fail("%s: %s", name, strerror(errno));
	return fd;
}

void read_windows(int fd, struct tlob_window *w, size_t n)
{
	while (n) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&p, 1, PATIENCE / 1000000) != 1 || !(p.revents & POLLIN))
			fail("timeout: %zu windows have not come", n);
		got = read(fd, w, n * sizeof(*w));
		if (got <= 0 || got % sizeof(*w))
			fail("read of windows: %zd", got);
		w += got / sizeof(*w);
		n -= got / sizeof(*w);
	}
}

void check_window(const struct tlob_window *w)
{
	unsigned int i;

	check_eq(w->version, TLOB_WINDOW_VERSION);
	check_eq(w->size, sizeof(*w));
	check(w->irq_latency_ns <= w->wake_ns);
	check(w->wake_ns <= w->response_ns);
	check_eq(tlob_split_sum(w->part_ns, false), w->wake_ns);
	check_eq(tlob_split_sum(w->part_ns, true),
		 w->response_ns - w->wake_ns);
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		check(w->part_ns[i] <= w->response_ns);
		if (w->unavailable & (1U << i))
			check_eq(w->part_ns[i], 0);
	}
	check_eq(!!(w->flags & TLOB_WINDOW_VIOLATION),
		 w->response_ns > w->budget_ns);
	check_eq(!!(w->flags & TLOB_WINDOW_INEXACT),
		 w->errors || w->adjusted_ns || w->clock_steps);
	check(memchr(w->delayed_by, 0, sizeof(w->delayed_by)));
	check(memchr(w->largest.name, 0, sizeof(w->largest.name)));
	check(w->largest.ns <= w->response_ns);
}

void check_no_defect(int cpu)
{
	check_eq(status(cpu, "sum_failures"), 0);
	check_eq(status(cpu, "errors"), 0);
	check_eq(status(cpu, "adjusted_ns"), 0);
	check_eq(status(cpu, "clock_steps"), 0);
}

void more_windows(int cpu, uint64_t n)
{
	uint64_t wanted = status(cpu, "windows") + n, until = now_ns() + PATIENCE;

	while (status(cpu, "windows") < wanted) {
		if (now_ns() > until)
			fail("CPU %d has no %llu more windows", cpu, (unsigned long long)n);
		sleep_ns(1000000);
	}
}

void check_expiries(int cpu)
{
	check_eq(status(cpu, "windows") + status(cpu, "missed"),
		 status(cpu, "expiries"));
}

static void schedule_as(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, policy, &param))
		fail("sched_setscheduler: %s", strerror(errno));
}

void pin(int cpu)
{
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	if (sched_setaffinity(0, sizeof(mask), &mask))
		fail("sched_setaffinity: %s", strerror(errno));
	schedule_as(SCHED_FIFO, 95);
}

void unpin(void)
{
	cpu_set_t mask;
	int cpu;

	schedule_as(SCHED_OTHER, 0);
	CPU_ZERO(&mask);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		CPU_SET(cpu, &mask);
	sched_setaffinity(0, sizeof(mask), &mask);
}

int cpus_online(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

char task_state(pid_t tid)
{
	char path[64], text[512];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	read_file(path, text, sizeof(text));
	at = strrchr(text, ')');
	check(at && at[1] == ' ');
	return at[2];
}

void until_asleep(pid_t tid, const char *states)
{
	uint64_t until = now_ns() + PATIENCE;

	while (!strchr(states, task_state(tid))) {
		if (now_ns() > until)
			fail("%d does not sleep", tid);
		sleep_ns(100000);
	}
}

static int by_wake(const void *a, const void *b)
{
	const struct tlob_window *x = a, *y = b;

	return (x->wake_ns > y->wake_ns) - (x->wake_ns < y->wake_ns);
}

uint64_t wake_quantile(struct tlob_window *w, size_t n, unsigned int percent)
{
	qsort(w, n, sizeof(*w), by_wake);
	return w[(n - 1) * percent / 100].wake_ns;
}

void needs_sizes(void)
{
	if (debug_kernel)
		skip("tests sizes: a debug kernel's own paths are longer");
}

void needs_no_stops(void)
{
	if (!access("/sys/kernel/debug/kcsan", F_OK))
		skip("KCSAN stops the CPU for some us at random");
}

/* Some of these kernels have no /sys/kernel/realtime. */
bool preempt_rt(void)
{
	struct utsname u;

	return !uname(&u) && strstr(u.version, "PREEMPT_RT");
}

bool kernel_since(unsigned int major, unsigned int minor)
{
	unsigned int is_major = 0, is_minor = 0;
	struct utsname u;

	check(!uname(&u) && sscanf(u.release, "%u.%u", &is_major, &is_minor) == 2);
	return is_major > major || (is_major == major && is_minor >= minor);
}

bool boot_option(const char *text)
{
	char cmdline[4096];

	read_file("/proc/cmdline", cmdline, sizeof(cmdline));
	return strstr(cmdline, text);
}

bool deterministic(void)
{
	return boot_option("tlob.deterministic");
}

void reap(pid_t pid)
{
	int st;

	check_eq(waitpid(pid, &st, 0), pid);
	check_eq(st, 0);
}

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void spin_ns(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

void sleep_ns(uint64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}

void trace_on(const char *event)
{
	/* the automaton's events are RV's where the monitor is an RV monitor */
	static const char * const systems[] = { "tlob_load", "rv", "workqueue", "timer", "sched", "csd" };
	char path[256];
	size_t i;
	int err;

	mkdir(TRACE, 0700);
	for (i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
		snprintf(path, sizeof(path), TRACE "/events/%s/%s/enable", systems[i], event);
		if (!access(path, F_OK))
			break;
	}
	err = write_file(path, "1");
	if (err)
		fail("%s: %s", path, strerror(-err));
}

void trace_switches_to(const char *comm)
{
	char filter[64];

	trace_on("sched_switch");
	snprintf(filter, sizeof(filter), "next_comm == \"%s\"", comm);
	check_eq(write_file(TRACE "/events/sched/sched_switch/filter", filter), 0);
}

static unsigned int lines_in(const char *path, const char *text)
{
	FILE *f = fopen(path, "r");
	char line[4096];
	unsigned int n = 0;

	if (!f)
		fail("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, text);
	fclose(f);
	return n;
}

unsigned int trace_lines(const char *text)
{
	return lines_in(TRACE "/trace", text);
}

unsigned int trace_lines_on(int cpu, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), TRACE "/per_cpu/cpu%d/trace", cpu);
	return lines_in(path, text);
}

unsigned int trace_count(const char *event)
{
	char text[64];

	snprintf(text, sizeof(text), " %s: ", event);
	return trace_lines(text);
}

void trace_off(void)
{
	if (!rmdir(TRACE) || errno == ENOENT)
		return;
	fail("rmdir " TRACE ": %s", strerror(errno));
}
