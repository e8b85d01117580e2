/* SPDX-License-Identifier: GPL-2.0 */
/* The actions of --on-violation at a window of a region. */
#ifndef TLOB_ATTACH_ACT_H
#define TLOB_ATTACH_ACT_H

struct actions;
struct attach_result;
struct kept_region;

/* Takes the actions at @k, which is a violation, or counts it. 0 or -ENOMEM, printed. */
int act_region(struct actions *a, const struct attach_result *r, const struct kept_region *k);

/* After the measurement: waits for them, and says in @r what became of them. 0 or -ENOMEM, printed. */
int act_region_finish(struct actions *a, struct attach_result *r);

#endif /* TLOB_ATTACH_ACT_H */
