// SPDX-License-Identifier: GPL-2.0
/*
 * bpf-inject KIND OFFSET LEAST MOST - interruptions on the grid of a run
 * bpf-inject plan KIND OFFSET NS [KIND OFFSET NS]... - the same ones after each expiry
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
#include <string.h>
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

/* What comes after the expiry @t0: @n interruptions. Ends the program on an error. */
static void plan(uint64_t t0, char *const *kind_offset_ns, int n)
{
	FILE *f = fopen(PLAN, "w");
	int i, bad = !f;

	for (i = 0; i < n && !bad; i++, kind_offset_ns += 3)
		bad = fprintf(f, "%s %" PRId64 " %s\n", kind_offset_ns[0],
			      (int64_t)(t0 + strtoll(kind_offset_ns[1], NULL, 10)), kind_offset_ns[2]) < 0;
	if (bad || fclose(f)) {
		perror(PLAN);
		exit(1);
	}
}

static uint64_t next_expiry(uint64_t period)
{
	return (now_ns() / period + 1) * period + PHASE;
}

int main(int argc, char **argv)
{
	uint64_t period, t0, least, most, i;
	struct timespec tick;
	char size[32], *one[] = { argv[1], argv[2], size };

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 1;
	if (argc == 2)
		return printf("%ld\n", tick.tv_nsec) < 0;
	period = tick.tv_nsec;
	while (argc > 2 && !strcmp(argv[1], "plan") && argc % 3 == 2) {
		t0 = next_expiry(period);
		plan(t0, argv + 2, argc / 3);
		sleep_until(t0 + period / 2);
	}
	if (argc != 5)
		return 129;
	least = strtoull(argv[3], NULL, 10);
	most = strtoull(argv[4], NULL, 10);
	for (i = 0;; i++) {
		t0 = next_expiry(period);
		snprintf(size, sizeof(size), "%" PRIu64, least + (most - least) * (i % STEPS + 1) / STEPS);
		plan(t0, one, 1);
		/* after the window: work and interruption take less than half of the period */
		sleep_until(t0 + period / 2);
	}
}
