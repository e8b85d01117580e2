/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is set on this machine that latencies depend on, as it is. A result
 * carries it, so that a comparison can tell a change of the machine from a change
 * of what is compared.
 */
#ifndef TLOB_TUNING_H
#define TLOB_TUNING_H

struct cpus;
struct result;

/* Fills @r->tuning. What a machine does not have is left out. 0 or -ENOMEM. */
int tuning_read(struct result *r, const struct cpus *cpus);

#endif /* TLOB_TUNING_H */
