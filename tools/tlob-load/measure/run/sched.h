/* SPDX-License-Identifier: GPL-2.0 */
/* Sets the scheduling policy of the workload, and checks RT throttling. */
#ifndef TLOB_RUN_SCHED_H
#define TLOB_RUN_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct run_config;
struct tlob_policy;
struct result;

/*
 * For a backend without privilege: lowers a policy that was not asked for to what is
 * permitted, with a note. Tries it in the calling thread, which is SCHED_OTHER. 0;
 * -EPERM: --policy is not permitted; -ENOMEM. Printed.
 */
int sched_fit(struct run_config *config, struct result *r);

/* Sets the policy of --policy for the calling thread. 0 or -errno, printed. */
int sched_apply_policy(const struct run_config *config);

/*
 * Returns whether thread @tid (0: the caller) has another policy or priority than --policy
 * says; then @found has it, as in "other". False if the thread does not exist.
 */
bool sched_changed(const struct run_config *config, pid_t tid, char *found,
		   size_t size);
#define SCHED_FOUND	16		/* enough for @found */

/*
 * Adds a note, and sets @r->throttled, if the work exceeds what RT throttling leaves.
 * 0 or -ENOMEM.
 */
int sched_note_throttling(struct result *r, const struct run_config *config);

/* Sets @by to the limit that a thread sets itself: "its own runtime 200us/1ms". 0 or -ENOMEM. */
int sched_limit(char **by, const struct tlob_policy *p);

#endif /* TLOB_RUN_SCHED_H */
