// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what the time in a kernel function costs its caller, on CPU 0. The function is
 * getppid's, which does nearly nothing. In a deterministic guest a ns is an instruction.
 * Needs tlob_load. Prints lines "STATE call ns", for one call.
 *
 *	none		nothing is attached
 *	tlob.outside	a run is enabled, and the caller has no window
 *	tlob.run	in a window of a run
 *	tlob.attach	in a window of the monitor, as those of attach
 *	function_graph	the tracer, filtered to this function
 *	funclatency, bpftrace
 *		a histogram of the function's times, where these are in /bin; they are stopped
 *		once they have attached what they attach
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "beside.h"
#include "measure.h"

#define FUNCTION	"__x64_sys_getppid"
#define TRACING		"/sys/kernel/tracing/"
#define CALLS		2000
#define SECOND		"1000000000"

static void call(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void measure(const char *state)
{
	uint64_t start;

	call(100);
	start = now_ns();
	call(CALLS);
	printf("%s call %.1f\n", state, (double)(now_ns() - start) / CALLS);
	fflush(stdout);
}

/* The set has the function only. */
static void add_set(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long at;
	char name[256], line[512], text[64] = "";

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %255s", &at, name) == 2 && !strcmp(name, FUNCTION))
			snprintf(text, sizeof(text), "sys %llx", at);
	if (f)
		fclose(f);
	put(CONTROL "functions", text);
}

static void by_run(void)
{
	struct tlob_window w;
	int fd;

	put(CONTROL "workload", "user");
	put(CONTROL "noise_source", "hooks");
	put(CONTROL "cpus", "0");
	put(CONTROL "period_ns", SECOND);
	put(CONTROL "budget_ns", SECOND);
	add_set();
	put(CONTROL "enable", "1");
	measure("tlob.outside");
	fd = open(CONTROL "per_cpu/cpu0/tlob_fd", O_RDONLY);
	if (fd < 0 || read(fd, &w, sizeof(w)) != sizeof(w))
		die("tlob_fd");
	measure("tlob.run");
	close(fd);
	put(CONTROL "enable", "0");
}

static void by_attach(void)
{
	struct tlob_ring_setup ring = { .format = TLOB_FORMAT_FUNCTIONS };
	struct tlob_start_ns start = { .threshold_ns = 3600000000000ULL, .flags = TLOB_START_EVERY };
	int fd;

	put(CONTROL "functions_monitor", "1");
	put(CONTROL "monitor_enable", "1");
	fd = open("/dev/tlob", O_RDWR);
	start.notify_fd = fd;
	if (fd < 0 || ioctl(fd, TLOB_IOC_RING, &ring) || ioctl(fd, TLOB_IOC_START_NS, &start))
		die("/dev/tlob");
	measure("tlob.attach");
	close(fd);
	put(CONTROL "monitor_enable", "0");
	put(CONTROL "functions_monitor", "0");
}

/* The tracer knows one of the names that an address has. The line's end makes it look. */
static void filter(void)
{
	static const char * const names[] = { FUNCTION "\n", "__do_sys_getppid\n" };
	int fd = open(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC);
	ssize_t n = -1;
	size_t i;

	for (i = 0; fd >= 0 && n < 0 && i < sizeof(names) / sizeof(*names); i++)
		n = write(fd, names[i], strlen(names[i]));
	if (n < 0)
		die("set_ftrace_filter");
	close(fd);
}

static void by_tracer(void)
{
	filter();
	put(TRACING "current_tracer", "function_graph");
	measure("function_graph");
	put(TRACING "current_tracer", "nop");
}

static void by_tool(char *const argv[])
{
	char path[64];
	pid_t tool;

	snprintf(path, sizeof(path), "/bin/%s", argv[0]);
	if (access(path, X_OK))
		return;
	tool = beside_begin(argv, "/tool");
	if (kill(tool, SIGSTOP))
		die(argv[0]);
	measure(argv[0]);
	beside_end(tool, argv[0]);
}

int main(void)
{
	static char * const funclatency[] = { "funclatency", FUNCTION, NULL };
	static char * const bpftrace[] = { "bpftrace", "-e",
		"kprobe:" FUNCTION " { @start[tid] = nsecs; } "
		"kretprobe:" FUNCTION " /@start[tid]/ "
		"{ @ns = hist(nsecs - @start[tid]); delete(@start[tid]); }", NULL
	};

	pin();
	measure("none");
	by_run();
	by_attach();
	by_tracer();
	by_tool(funclatency);
	by_tool(bpftrace);
	return 0;
}
