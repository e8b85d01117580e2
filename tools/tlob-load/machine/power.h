/* SPDX-License-Identifier: GPL-2.0 */
/* Idle states, the PM QoS latency and what the frequency governor is. */
#ifndef TLOB_POWER_H
#define TLOB_POWER_H

#include <stdint.h>

struct cpus;
struct knobs;
struct result;

/*
 * Disables the idle states deeper than @deepest on the measured CPUs, as knobs.
 * 0; -EOPNOTSUPP: no cpuidle driver; -errno. Errors have been printed.
 */
int power_limit_idle(struct knobs *k, const struct cpus *cpus, int deepest);

/*
 * Asks for at most @us of wake-up latency from all CPUs for as long as *@fd
 * stays open. A kernel without it gets a note. 0 or -errno, printed.
 */
int power_hold_latency(struct result *r, int64_t us, int *fd);

/* Notes measured CPUs whose governor may change the frequency. 0 or -ENOMEM. */
int power_note_governor(struct result *r, const struct cpus *cpus);

#endif /* TLOB_POWER_H */
