// SPDX-License-Identifier: GPL-2.0
/*
 * bpf-inject KIND OFFSET LEAST MOST - interruptions on the grid of a run
 * bpf-inject tick - the period of the tick in ns
 *
 * In the guest: puts one interruption of tests/modules/inject OFFSET ns after each
 * expiry, until it is killed. The run's period is a tick and its phase 1 ms, so its
 * expiries are known. The size goes from LEAST to MOST ns in 100 steps and begins again,
 * so any hundred windows in a row have the same sizes.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define PHASE	1000000
#define STEPS	100

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec until = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv)
{
	struct timespec tick;
	uint64_t period, t0, least, most, i;
	int64_t offset;
	FILE *f;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 1;
	if (argc == 2)
		return printf("%ld\n", tick.tv_nsec) < 0;
	if (argc != 5)
		return 129;
	offset = strtoll(argv[2], NULL, 10);
	least = strtoull(argv[3], NULL, 10);
	most = strtoull(argv[4], NULL, 10);
	period = tick.tv_nsec;
	for (i = 0;; i++) {
		t0 = (now_ns() / period + 1) * period + PHASE;
		f = fopen(PLAN, "w");
		if (!f || fprintf(f, "%s %" PRId64 " %" PRIu64 "\n", argv[1],
				  (int64_t)t0 + offset,
				  least + (most - least) * (i % STEPS + 1) / STEPS) < 0 || fclose(f)) {
			perror(PLAN);
			return 1;
		}
		/* after the window: work and interruption take less than half of the period */
		sleep_until(t0 + period / 2);
	}
}
