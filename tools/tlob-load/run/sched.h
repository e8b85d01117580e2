/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduling policy of the workload, and what throttles it. */
#ifndef TLOB_SCHED_H
#define TLOB_SCHED_H

struct run_config;
struct result;

/* Gives the calling thread the policy of --policy. 0 or -errno, printed. */
int sched_apply_policy(const struct run_config *o);

/* Notes that the work exceeds what RT throttling leaves. 0 or -ENOMEM. */
int sched_note_throttling(struct result *r, const struct run_config *o);

#endif /* TLOB_SCHED_H */
