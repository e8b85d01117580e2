// SPDX-License-Identifier: GPL-2.0
/*
 * windows WORKLOAD SOURCE N: N windows of 1 ms on CPU 0 without work, of a kernel thread
 * (kthread) or of this program's own thread (user), after 20 that do not count.
 * Prints a line "wake irq first" for each, in ns after the expiry: its wake and
 * irq latency, and, of a user thread, the first reading of the clock after read().
 *
 * tlob-load itself reads and sums up the same records; here each is needed as it
 * is, and no trace is recorded on the way.
 */
#define _GNU_SOURCE
#include <fcntl.h>
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

int main(int argc, char **argv)
{
	long n = argc == 4 ? atol(argv[3]) : 0;

	if (n <= 0)
		return 129;
	put(CONTROL "workload", argv[1]);
	put(CONTROL "cpus", "0");
	put(CONTROL "period_ns", "1000000");
	put(CONTROL "budget_ns", "1000000");
	put(CONTROL "work", "none");
	put(CONTROL "noise_source", argv[2]);
	pin();
	put(CONTROL "enable", "1");
	if (strcmp(argv[1], "user"))
		kthread(n);
	else
		user(n);
	put(CONTROL "enable", "0");
	return 0;
}
