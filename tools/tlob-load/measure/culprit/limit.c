// SPDX-License-Identifier: GPL-2.0
#include "culprit/limit.h"

static uint64_t *least_of(uint64_t worst[RESULT_WORST])
{
	uint64_t *least = worst, *next;

	for (next = worst; next < worst + RESULT_WORST; next++)
		if (*next < *least)
			least = next;
	return least;
}

void late_learn(struct late_limit *limit, const struct tlob_window *w)
{
	uint64_t *least = least_of(limit->worst), work = w->response_ns - w->wake_ns;

	if (!limit->work_ns || work < limit->work_ns)
		limit->work_ns = work;
	limit->over_ns = w->budget_ns > limit->work_ns ? w->budget_ns - limit->work_ns : 0;
	if (w->wake_ns > *least && !(w->flags & TLOB_WINDOW_WARM_UP))
		*least = w->wake_ns;
	limit->late_ns = *least_of(limit->worst);
	if (limit->late_ns > limit->over_ns)
		limit->late_ns = limit->over_ns;
	if (limit->late_ns < TLOB_LATE_LEAST_NS)
		limit->late_ns = TLOB_LATE_LEAST_NS;
}
