// SPDX-License-Identifier: GPL-2.0
/*
 * windows WORKLOAD SOURCE N: N windows of 1 ms on CPU 0 without work, of a kernel thread
 * (kthread) or of this program's own thread (user), after 20 that do not count. SOURCE is
 * the module's, or floor: then bench/floor wakes the thread and nothing measures.
 * Prints a line "wake irq first" for each, in ns after the expiry: its wake and
 * irq latency, and, of a user thread, the first reading of the clock after read().
 *
 * tlob-load itself reads and sums up the same records; here each is needed as it
 * is, and no trace is recorded on the way.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "measure.h"

#define WARM_UP	20

static void report(const struct tlob_window *w, uint64_t first)
{
	printf("%llu %llu %llu\n", (unsigned long long)w->wake_ns,
	       (unsigned long long)w->irq_latency_ns,
	       (unsigned long long)(first ? first - w->t0_ns : 0));
}

static void kthread(long n)
{
	int fd = open(CONTROL "per_cpu/cpu0/windows", O_RDONLY);
	static struct tlob_window w[4096];
	long i, seen = -WARM_UP;
	ssize_t got;

	while (seen < n) {
		got = read(fd, w, sizeof(w));
		if (got <= 0)
			die("windows");
		for (i = 0; i < got / (ssize_t)sizeof(*w) && seen < n; i++)
			if (seen++ >= 0)
				report(&w[i], 0);
	}
}

/* A record comes with the read() after its window. */
static void user(long n)
{
	uint64_t *first = calloc(n + WARM_UP + 1, sizeof(*first));
	struct tlob_window *w = calloc(n + WARM_UP + 1, sizeof(*w));
	int fd = open(CONTROL "per_cpu/cpu0/tlob_fd", O_RDONLY);
	long i;

	if (!first || !w || fd < 0 || mlockall(MCL_CURRENT | MCL_FUTURE))
		die("tlob_fd");
	be(95);
	for (i = 0; i < n + WARM_UP + 1; i++) {
		if (read(fd, &w[i], sizeof(*w)) != sizeof(*w))
			die("read");
		first[i] = now_ns();
	}
	for (i = WARM_UP + 1; i < n + WARM_UP + 1; i++)
		report(&w[i], first[i - 1]);
	close(fd);
	free(first);
	free(w);
}

/* As bench/floor returns it. */
struct floor_window {
	uint64_t t0, wake_ns;
};

static void floor_of(const char *workload, long n)
{
	struct floor_window *w = calloc(n + WARM_UP, sizeof(*w));
	uint64_t *first = calloc(n + WARM_UP, sizeof(*first));
	bool own = !strcmp(workload, "user");
	char path[64], count[24];
	int fd;
	long i;

	snprintf(path, sizeof(path), "/sys/kernel/debug/tlob_floor/%s", workload);
	snprintf(count, sizeof(count), "%ld", n + WARM_UP);
	fd = open(path, O_RDWR);
	if (!w || !first || fd < 0 || mlockall(MCL_CURRENT | MCL_FUTURE))
		die(path);
	if (own)
		be(95);
	else if (write(fd, count, strlen(count)) < 0)
		die(path);
	for (i = 0; i < n + WARM_UP; i++) {
		if (read(fd, &w[i], sizeof(*w)) != sizeof(*w))
			die("read");
		if (own)
			first[i] = now_ns();
	}
	for (i = WARM_UP; i < n + WARM_UP; i++)
		printf("%llu 0 %llu\n", (unsigned long long)w[i].wake_ns,
		       (unsigned long long)(own ? first[i] - w[i].t0 : 0));
	close(fd);
	free(first);
	free(w);
}

int main(int argc, char **argv)
{
	long n = argc == 4 ? atol(argv[3]) : 0;

	if (n <= 0)
		return 129;
	if (!strcmp(argv[2], "floor")) {
		pin();
		floor_of(argv[1], n);
		return 0;
	}
	put(CONTROL "workload", argv[1]);
	put(CONTROL "cpus", "0");
	put(CONTROL "period_ns", "1000000");
	put(CONTROL "budget_ns", "1000000");
	put(CONTROL "work", "none");
	put(CONTROL "noise_source", argv[2]);
	/* no window has a tick, as with bench/floor */
	put(CONTROL "phase_ns", "500000");
	pin();
	put(CONTROL "enable", "1");
	if (strcmp(argv[1], "user"))
		kthread(n);
	else
		user(n);
	put(CONTROL "enable", "0");
	return 0;
}
