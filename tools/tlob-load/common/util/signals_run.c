// SPDX-License-Identifier: GPL-2.0
/* Waiting for a run that this process has started. */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cpulist.h"
#include "util/process.h"
#include "util/signals.h"

/* One cpu_set_t has too few CPUs for the largest machines. */
struct affinity {
	cpu_set_t set[CPULIST_MAX / CPU_SETSIZE];
};

/* Leaves the CPUs of @list if there are others. False: nothing has changed. */
static bool leave_cpus(const char *list, struct affinity *was)
{
	struct cpulist measured;
	struct affinity rest;
	int cpu;

	if (cpulist_parse(&measured, list) || sched_getaffinity(0, sizeof(*was), was->set))
		return false;
	rest = *was;
	for_each_cpu(cpu, &measured)
		CPU_CLR_S(cpu, sizeof(rest), rest.set);
	return CPU_COUNT_S(sizeof(rest), rest.set) && !sched_setaffinity(0, sizeof(rest), rest.set);
}

/* A terminal that takes no output may keep the tick: a signal ends that. */
static void tick(const struct ticks *ticks, const sigset_t *open, const sigset_t *block)
{
	sigprocmask(SIG_SETMASK, open, NULL);
	ticks->tick(ticks->data);
	sigprocmask(SIG_BLOCK, block, NULL);
}

int signals_wait_run(pid_t pid, const struct ticks *ticks)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), signo;
	struct pollfd ended = { .fd = fd, .events = POLLIN };
	const struct timespec second = { .tv_sec = 1 };
	struct affinity affinity = { 0 };
	sigset_t block, was;
	bool sent = false, left;
	int n;

	if (fd < 0)
		return process_wait(pid);
	left = ticks && leave_cpus(ticks->cpus, &affinity);
	signals_ends(&block);
	sigprocmask(SIG_BLOCK, &block, &was);
	if (ticks)
		tick(ticks, &was, &block);
	do {
		signo = signal_end();
		/* a terminal sends it to both: the same one twice would kill the run */
		if (signo && !sent)
			kill(pid, signo == SIGINT ? SIGTERM : SIGINT);
		sent = signo;
		n = ppoll(&ended, 1, ticks ? &second : NULL, &was);
		if (!n && ticks)
			tick(ticks, &was, &block);
	} while (!n || (n < 0 && errno == EINTR));
	sigprocmask(SIG_SETMASK, &was, NULL);
	if (left)
		sched_setaffinity(0, sizeof(affinity), affinity.set);
	close(fd);
	return process_wait(pid);
}
