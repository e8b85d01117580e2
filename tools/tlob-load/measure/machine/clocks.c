// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <time.h>

#include "machine/clocks.h"
#include "util/error.h"
#include "util/time.h"
#include "util/units.h"

struct boot_ahead boot_ahead_read(void)
{
	int64_t before = (int64_t)now_ns();
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return boot_ahead(before, (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec, (int64_t)now_ns());
}

int suspend_check(const struct boot_ahead *then)
{
	const struct boot_ahead now = boot_ahead_read();
	uint64_t ns = suspended_ns(then, &now);
	char time[DURATION_LEN];

	if (!ns)
		return 0;
	return fail(-ECANCELED, "the run was cut short by " SUSPENDED " for %s: a thread that sleeps through it is late for no other reason. Measure again while nothing suspends it (systemd-inhibit)",
		    duration_prose(time, ns));
}

uint64_t timers_resolution(void)
{
	struct timespec ts;
	uint64_t ns;

	if (clock_getres(CLOCK_MONOTONIC, &ts))
		return 0;
	ns = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	return ns < TIMERS_EXACT ? 0 : ns;
}
