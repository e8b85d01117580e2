/* SPDX-License-Identifier: GPL-2.0 */
/* Sets the scheduling policy of the workload, and checks RT throttling. */
#ifndef TLOB_RUN_SCHED_H
#define TLOB_RUN_SCHED_H

struct run_config;
struct result;

/* Sets the policy of --policy for the calling thread. 0 or -errno, printed. */
int sched_apply_policy(const struct run_config *config);

/* Adds a note if the work exceeds what RT throttling leaves. 0 or -ENOMEM. */
int sched_note_throttling(struct result *r, const struct run_config *config);

#endif /* TLOB_RUN_SCHED_H */
