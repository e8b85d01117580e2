// SPDX-License-Identifier: GPL-2.0
/*
 * tlob-test [--source hooks|osnoise|both] [--debug] [GROUP[.TEST]]...
 *
 * Runs the tests in a guest, or as a kselftest on a machine that can lose a CPU for a moment.
 * Without a group it runs all. --debug skips the tests of sizes, since a
 * debug kernel's own paths are longer than these allow. Prints TAP (version 13).
 * Exit: 0 all passed or skipped, 1 some failed, 4 no tlob_load, 129 usage.
 *
 * Each test runs in its own process under an alarm. Afterwards all of its processes are ended,
 * also those that it forgot or left behind when it failed, and then the module's settings are
 * restored. So no test depends on another, and one that fails does not make the next ones fail.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "guest.h"
#include "rv.h"

/* A host may be busy: a test takes seconds. Longer than what it waits for by itself, PATIENCE. */
#define TEST_SECONDS	900
#define SKIPPED		77
#define SKIP_ALL	4	/* kselftest's exit code for a skip */
#define OSNOISE	"/sys/kernel/tracing/instances/tlob-test-osnoise"

enum { TESTS_MAX = 512 };

static const struct test *tests[TESTS_MAX];
static unsigned int nr_tests;

static const char * const settings[] = {
	"workload", "cpus", "period_ns", "budget_ns", "work", "policy",
	"align_ns", "phase_ns", "warm_up", "noise_source", "hw_threshold_ns",
	"stop_on_exceed", "timeline", "longest_wait",
};

#define SETTINGS	(sizeof(settings) / sizeof(*settings))

static char saved[SETTINGS][4096];
static char skip_reason[256];
static int skip_pipe;

static void vnote(const char *fmt, va_list ap)
{
	printf("# ");
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
}

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vnote(fmt, ap);
	va_end(ap);
}

void fail_at(const char *file, int line, const char *fmt, ...)
{
	const char *base = strrchr(file, '/');
	va_list ap;

	printf("# %s:%d: ", base ? base + 1 : file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void skip(const char *fmt, ...)
{
	char reason[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	if (write(skip_pipe, reason, strlen(reason)) < 0)
		_exit(1);
	_exit(SKIPPED);
}

static void save_settings(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		snprintf(saved[i], sizeof(saved[i]), "%s", get(settings[i]));
}

static bool restore_settings(void)
{
	size_t i;
	int fd;

	if (access(tlob_path("enable"), F_OK)) {
		printf("# tlob_load is gone\n");
		return false;
	}
	disable();
	rv_off();
	/* what uses the sets of functions goes before them: they hold modules, and slow hooks */
	if (!access(tlob_path("functions_monitor"), F_OK))
		put("functions_monitor", "0");
	fd = open(tlob_path("functions"), O_WRONLY | O_TRUNC);
	if (fd >= 0)
		close(fd);
	else if (errno != ENOENT)
		printf("# the sets of functions stay: %s\n", strerror(errno));
	/* functions_task removes this probe, unless it fails */
	write_file("/sys/kernel/tracing/events/tlob_test/enable", "0");
	write_file("/sys/kernel/tracing/dynamic_events", "-:tlob_test/kept");
	unbind_all();
	/* a build may lack both */
	if (!access(tlob_path("monitor_enable"), F_OK))
		set("monitor_enable", "0");
	if (!access(tlob_path("waits"), F_OK))
		set("waits", "off");
	for (i = 0; i < SETTINGS; i++)
		set(settings[i], "%s", saved[i]);
	trace_off();
	return true;
}

/* Sends SIGKILL to each child of this process. */
static void kill_children(void)
{
	DIR *proc = opendir("/proc");
	char path[64], text[512];
	struct dirent *entry;
	const char *at;
	ssize_t n;
	int fd, pid;

	while (proc && (entry = readdir(proc))) {
		pid = (int)strtol(entry->d_name, NULL, 10);
		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n > 0 ? n : 0] = 0;
		/* "PID (NAME) STATE PARENT" */
		at = strrchr(text, ')');
		if (at && strlen(at) > 4 && strtol(at + 4, NULL, 10) == getpid())
			kill(pid, SIGKILL);
	}
	if (proc)
		closedir(proc);
}

/*
 * A test may leave processes that never end, with files of the module open. This process gets
 * them as its children when their parents have ended. Returns whether all are gone.
 */
static bool end_processes(void)
{
	uint64_t until = now_ns() + PATIENCE;
	pid_t pid;

	for (;;) {
		do
			pid = waitpid(-1, NULL, WNOHANG);
		while (pid > 0);
		if (pid < 0)
			return true;
		if (now_ns() > until)
			return false;
		kill_children();
		sleep_ns(1000000);
	}
}

/* The setup that tlob-load makes for noise_source osnoise. */
static void start_osnoise(void)
{
	if (mkdir(OSNOISE, 0700) && errno != EEXIST)
		fail("%s: %s", OSNOISE, strerror(errno));
	if (write_file("/sys/kernel/tracing/osnoise/options",
		       "NO_OSNOISE_WORKLOAD"))
		fail("this kernel has no osnoise tracer");
	if (write_file(OSNOISE "/current_tracer", "osnoise"))
		fail("the osnoise tracer cannot be started");
}

/*
 * Attaching or detaching a probe patches the kernel's code. QEMU's TCG with several threads
 * sometimes runs a breakpoint of that patching after it is gone: "Oops: int3" in the tracepoint,
 * also without our module. A tracepoint with two more probes is not patched. So tests that
 * enable runs at a high rate on two CPUs hold two probes on each tracepoint in use. The guest
 * boots with maxcpus=1, and the second CPU comes when these probes are attached.
 */
static void hold_tracepoints(void)
{
	static const char * const events[] = {
		"sched/sched_switch", "sched/sched_wakeup",
		"sched/sched_migrate_task", "sched/sched_process_exit",
		"sched/sched_process_fork", "sched/sched_process_exec",
		"sched/sched_waking", "sched/sched_process_free",
		"power/cpu_idle", "irq",
#ifdef __x86_64__
		"irq_vectors", "nmi",
#else
		"ipi",
#endif
	};
	char path[256];
	int instance;
	size_t i;

	for (instance = 1; instance <= 2; instance++) {
		snprintf(path, sizeof(path),
			 "/sys/kernel/tracing/instances/tlob-hold-%d", instance);
		if (mkdir(path, 0700) && errno != EEXIST)
			fail("%s: %s", path, strerror(errno));
		for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
			snprintf(path, sizeof(path),
				 "/sys/kernel/tracing/instances/tlob-hold-%d/events/%s/enable",
				 instance, events[i]);
			if (write_file(path, "1"))
				fail("%s cannot be enabled", path);
		}
		snprintf(path, sizeof(path),
			 "/sys/kernel/tracing/instances/tlob-hold-%d/tracing_on",
			 instance);
		write_file(path, "0");
	}
	if (write_file("/sys/devices/system/cpu/cpu1/online", "1"))
		fail("CPU 1 does not come online");
}

static const char *run_one(const struct test *t)
{
	int pipes[2], st;
	pid_t pid, ended;
	ssize_t n;

	if (pipe(pipes))
		return "no pipe";
	fflush(stdout);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(pipes[0]);
		skip_pipe = pipes[1];
		alarm(TEST_SECONDS);
		if (t->cpus > (unsigned int)cpus_online())
			skip("needs %u CPUs", t->cpus);
		t->run();
		fflush(stdout);
		_exit(0);
	}
	close(pipes[1]);
	if (pid < 0)
		return "no process";
	/* others are what it has left */
	do
		ended = waitpid(-1, &st, 0);
	while (ended > 0 && ended != pid);
	if (ended != pid)
		return "no process";
	kill(-pid, SIGKILL);
	if (!end_processes())
		printf("# it left a process that cannot be killed\n");
	n = read(pipes[0], skip_reason, sizeof(skip_reason) - 1);
	skip_reason[n > 0 ? n : 0] = 0;
	close(pipes[0]);
	if (WIFSIGNALED(st)) {
		printf("# %s after at most %d s\n", strsignal(WTERMSIG(st)),
		       TEST_SECONDS);
		return "signal";
	}
	if (WEXITSTATUS(st) == SKIPPED && *skip_reason)
		return NULL;
	return WEXITSTATUS(st) ? "failed" : NULL;
}

void add_test(const struct test *t)
{
	if (nr_tests == TESTS_MAX)
		abort();
	tests[nr_tests++] = t;
}

/* Runs a test, and prints its line. Returns whether it passed. */
static bool run_test(const struct test *t, unsigned int nr)
{
	const char *why = run_one(t);
	bool clean = restore_settings();

	printf("%s %u - %s.%s", why || !clean ? "not ok" : "ok", nr, t->group, t->name);
	if (!why && clean && *skip_reason)
		printf(" # SKIP %s", skip_reason);
	printf("\n");
	fflush(stdout);
	return !why && clean;
}

/* @what: GROUP, GROUP.TEST, or NULL for all. Counts what ran in @nr. The number that failed. */
static unsigned int run_tests(const char *what, unsigned int *nr)
{
	unsigned int failed = 0, i;

	for (i = 0; i < nr_tests; i++) {
		const struct test *t = tests[i];
		size_t n = strlen(t->group);

		if (what && (strncmp(what, t->group, n) ||
			     (what[n] && (what[n] != '.' || strcmp(what + n + 1, t->name)))))
			continue;
		failed += !run_test(t, ++*nr);
	}
	return failed;
}

/*
 * For suites/backends: locks the kernel down by writing to @file, which nothing undoes. What an
 * open file of /dev/tlob may observe of others ends there.
 */
static int lock_kernel(const char *file)
{
	struct tlob_listen listen = { .name = "none" };
	struct tlob_ring_setup ring = { .format = TLOB_FORMAT_FUNCTIONS };
	int fd = open("/dev/tlob", O_RDWR);

	check(fd >= 0);
	check_errno(ioctl(fd, TLOB_IOC_LISTEN, &listen), ENOENT);
	check_eq(write_file(file, "confidentiality"), 0);
	check_errno(ioctl(fd, TLOB_IOC_LISTEN, &listen), EPERM);
	check_errno(ioctl(fd, TLOB_IOC_RING, &ring), EPERM);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int failed = 0, nr = 0, before;

	/* life.executed execs this program, to end the window that it began before */
	if (argc == 3 && !strcmp(argv[1], "--stop"))
		return ioctl(atoi(argv[2]), TLOB_IOC_TRACE_STOP) ? errno : 0;

	if (argc == 2 && !strcmp(argv[1], "--violate"))
		return violate();

	if (argc == 3 && !strcmp(argv[1], "--lock"))
		return lock_kernel(argv[2]);

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	if (access(tlob_path("enable"), F_OK)) {
		printf("1..0 # SKIP no tlob_load/ in tracefs or debugfs: modprobe tlob_load, as root\n");
		return SKIP_ALL;
	}
	if (argc > 2 && !strcmp(argv[1], "--source")) {
		source = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc > 1 && !strcmp(argv[1], "--debug")) {
		debug_kernel = true;
		argv++;
		argc--;
	}
	/* see end_processes() */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		fail("PR_SET_CHILD_SUBREAPER: %s", strerror(errno));
	if (strcmp(source, "hooks"))
		start_osnoise();
	if (boot_option("maxcpus=1"))
		hold_tracepoints();
	save_settings();
	if (argc == 1)
		failed = run_tests(NULL, &nr);
	for (; argc > 1; argc--, argv++) {
		before = nr;
		failed += run_tests(argv[1], &nr);
		if (nr == before) {
			fprintf(stderr, "no test or group '%s'\n", argv[1]);
			return 129;
		}
	}
	printf("1..%u\n", nr);
	return failed || !nr;
}
