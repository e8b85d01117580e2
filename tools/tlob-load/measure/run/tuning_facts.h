/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records the settings of this machine that affect latencies. Results carry them,
 * so that a comparison can distinguish a retuned machine from a regression.
 */
#ifndef TLOB_RUN_TUNING_FACTS_H
#define TLOB_RUN_TUNING_FACTS_H

struct cpus;
struct result;

/* Fills @r->tuning with what this machine has. 0 or -ENOMEM, prints nothing. */
int tuning_read(struct result *r, const struct cpus *cpus);

#endif /* TLOB_RUN_TUNING_FACTS_H */
