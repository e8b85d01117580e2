/* SPDX-License-Identifier: GPL-2.0 */
/* Time namespaces: the clock of a container may differ from the kernel's. */
#ifndef TLOB_MACHINE_TIMENS_H
#define TLOB_MACHINE_TIMENS_H

#include <stdint.h>

/*
 * The CLOCK_MONOTONIC of the kernel, which records of the kernel's side have, when
 * that of this process is @ns. Outside of a time namespace both are the same.
 */
uint64_t timens_kernel_ns(uint64_t ns);

/* The ns by which this process's CLOCK_MONOTONIC is ahead; 0 outside of a time namespace. */
int64_t timens_ahead_ns(void);

/* Parses /proc/PID/timens_offsets. The ns by which CLOCK_MONOTONIC is ahead; 0 if unknown. */
int64_t timens_parse(const char *text);

#endif /* TLOB_MACHINE_TIMENS_H */
