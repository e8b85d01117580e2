/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From which wake-up on a window is late: if it is longer than most of the worst ones so far, or goes
 * over its budget. So the windows that are kept and the violations have stacks, and few others.
 */
#ifndef TLOB_CULPRIT_LIMIT_H
#define TLOB_CULPRIT_LIMIT_H

#include <stdint.h>

#include "culprit/late.h"
#include "result/kept.h"

/* Of one measuring thread. */
struct late_limit {
	uint64_t late_ns;		/* longer wake-ups are late */
	uint64_t over_ns;		/* longer ones make a violation of any window */
	uint64_t work_ns;		/* the shortest rest of a window so far */
	uint64_t worst[RESULT_WORST];	/* the largest wake-ups so far */
};

/* The thread had @w, which was late, or belongs to its warm-up. */
void late_learn(struct late_limit *limit, const struct tlob_window *w);

#endif /* TLOB_CULPRIT_LIMIT_H */
