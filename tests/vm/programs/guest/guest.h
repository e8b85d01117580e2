/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers of the tests in a guest: TAP, control files, windows, the trace. */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/tlob.h>
#include "hist.h"
#include "write_file.h"

struct test {
	const char *group, *name;
	void (*run)(void);
	unsigned int cpus;		/* it needs at least so many; 0: any */
};

/* @t must stay. */
void add_test(const struct test *t);

/* Begins a test of GROUP, which the file defines. The tests of a file run in its order. */
#define TEST_ON(function, nr_cpus)						\
	static void function(void);						\
	__attribute__((constructor)) static void add_##function(void)		\
	{									\
		static const struct test t = { GROUP, #function, function, nr_cpus }; \
										\
		add_test(&t);							\
	}									\
	static void function(void)

#define TEST(function)	TEST_ON(function, 0)

/* Both end the test. fail() also prints the place in the source. */
void fail_at(const char *file, int line, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 3, 4)));
void skip(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
/* Prints a diagnostic line ("# ..."). */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define fail(...)	fail_at(__FILE__, __LINE__, __VA_ARGS__)
#define check(cond)							\
	do {								\
		if (!(cond))						\
			fail("%s", #cond);				\
	} while (0)
#define check_eq(a, b)							\
	do {								\
		long long _a = (long long)(a), _b = (long long)(b);	\
									\
		if (_a != _b)						\
			fail("%s = %lld, expected %s = %lld", #a, _a,	\
			     #b, _b);					\
	} while (0)
/* @call must return -1 with errno @error. */
#define check_errno(call, error)					\
	do {								\
		errno = 0;						\
		if ((call) != -1 || errno != (error))			\
			fail("%s: errno %d (%s), expected %d (%s)",	\
			     #call, errno, strerror(errno), error,	\
			     strerror(error));				\
	} while (0)

/* Control files, relative to tlob_load/. put() returns 0 or -errno. */
int  put(const char *file, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void set(const char *file, const char *fmt, ...)	/* must succeed */
	__attribute__((format(printf, 2, 3)));
/* The whole file without the last newline, in a static buffer. */
const char *get(const char *file);
const char *tlob_path(const char *file);
/* A number in `status`: "cpu0: ... field=N" or, with cpu < 0, "field: N". */
uint64_t status(int cpu, const char *field);
/* A field of the line "@line: ... field=N" there. */
uint64_t status_field(const char *line, const char *field);
void read_file(const char *path, char *buf, size_t size);

/* The noise source under test: "hooks", "osnoise" or "both". */
extern const char *source;

/* Writes the settings of a run; @workload is "kthread" or "user". Does not enable it. */
void setup(const char *workload, const char *cpus, uint64_t period_ns,
	   uint64_t budget_ns, const char *work);
void enable(void);
void disable(void);

/* Skips the test if tlob_load is built in. */
void needs_module(void);
/* After that: loads the tlob_load that the guest has, or unloads it. 0 or -errno. */
int  load_module(void);
int  unload_module(void);

/* Opens per_cpu/cpuN/FILE; must succeed. */
int  open_cpu(int cpu, const char *file, int flags);
/*
 * How long a test waits for what must come. Only a failure takes so long: a host may stop a guest,
 * or give it a small part of its time, at any moment.
 */
#define PATIENCE	600000000000ULL

/* Reads exactly @n records from `windows`; fails after PATIENCE without one. */
void read_windows(int fd, struct tlob_window *w, size_t n);
void check_window(const struct tlob_window *w);
/* The quantile @percent of wake, in ns, of @n windows. Sorts them. */
uint64_t wake_quantile(struct tlob_window *w, size_t n, unsigned int percent);
/* Every counter of defects of @cpu in `status` must be 0. */
void check_no_defect(int cpu);
/* Waits until the run has @n more windows on @cpu. */
void more_windows(int cpu, uint64_t n);
/* After disable(): windows + missed must be the expiries since the first arming. */
void check_expiries(int cpu);

/* of a thread; PTHREAD_STACK_MIN of arm64 */
#define SMALL_STACK	(128UL * 1024)

/* pin() puts the caller on one CPU at FIFO 95; unpin() on all CPUs at SCHED_OTHER. */
void pin(int cpu);
void unpin(void);
int  cpus_online(void);
/* True if the kernel's command line has @text. */
bool boot_option(const char *text);
/* True on PREEMPT_RT: softirqs run in threads, most spinlocks sleep. */
bool preempt_rt(void);
/* Linux @major.@minor or later. */
bool kernel_since(unsigned int major, unsigned int minor);
/* True in a guest that counts instructions: sizes mean something. */
bool deterministic(void);

/* Skips the test with --debug: it tests sizes. */
void needs_sizes(void);
/* Skips the test with KCSAN, which stops the CPU for 20 to 80 us at random. */
void needs_no_stops(void);
extern bool debug_kernel;

uint64_t now_ns(void);
void spin_ns(uint64_t ns);
void sleep_ns(uint64_t ns);
/* The letter of /proc/TID/stat. */
char task_state(pid_t tid);
/* Waits until @tid has one of these @states; fails after PATIENCE. */
void until_asleep(pid_t tid, const char *states);
/* Waits for a child that must end with 0. */
void reap(pid_t pid);

/* trace_count() counts the trace's lines of @event (" NAME: "), trace_lines() those with @text. */
void trace_on(const char *event);
void trace_switches_to(const char *comm);
unsigned int trace_count(const char *event);
unsigned int trace_lines(const char *text);
unsigned int trace_lines_on(int cpu, const char *text);
void trace_off(void);

#endif /* GUEST_H */
