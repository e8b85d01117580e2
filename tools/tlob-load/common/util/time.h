/* SPDX-License-Identifier: GPL-2.0 */
/* The current time, by the clock of all records. */
#ifndef TLOB_UTIL_TIME_H
#define TLOB_UTIL_TIME_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

#endif /* TLOB_UTIL_TIME_H */
