/* SPDX-License-Identifier: GPL-2.0 */
/* Limits the wake-up latency, and checks the frequency governor. */
#ifndef TLOB_MACHINE_POWER_H
#define TLOB_MACHINE_POWER_H

#include <stdbool.h>
#include <stdint.h>

struct cpus;
struct result;

/*
 * Limits the wake-up latency from idle to @us microseconds on all CPUs, until
 * *@fd is closed. On a kernel without PM QoS it fails if it was @asked for, else adds
 * a note and leaves *@fd at -1. 0 or -errno, printed.
 */
int power_hold_latency(struct result *r, int64_t us, bool asked, int *fd);

/* Adds a note if a governor may change the frequency of measured CPUs. 0 or -ENOMEM. */
int power_note_governor(struct result *r, const struct cpus *cpus);

#endif /* TLOB_MACHINE_POWER_H */
