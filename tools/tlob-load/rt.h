/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduling policy of the workload, and what throttles it. */
#ifndef TLOB_RT_H
#define TLOB_RT_H

struct options;
struct result;

/* Gives the calling thread the policy of --policy. 0 or -errno, printed. */
int rt_set_policy(const struct options *o);

/* Notes that the work exceeds what RT throttling leaves. 0 or -ENOMEM. */
int rt_note_throttling(struct result *r, const struct options *o);

#endif /* TLOB_RT_H */
