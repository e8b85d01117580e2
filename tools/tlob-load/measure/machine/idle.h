/* SPDX-License-Identifier: GPL-2.0 */
/* Limits the idle states of single CPUs. */
#ifndef TLOB_MACHINE_IDLE_H
#define TLOB_MACHINE_IDLE_H

struct cpus;
struct knobs;

/*
 * Disables idle states deeper than @deepest on the measured CPUs, as knobs.
 * 0; -EOPNOTSUPP: no cpuidle driver; -errno. Printed.
 */
int idle_limit(struct knobs *k, const struct cpus *cpus, int deepest);

#endif /* TLOB_MACHINE_IDLE_H */
