// SPDX-License-Identifier: GPL-2.0
/* From which wake-up on a window is late: when stacks are taken. */
#include "culprit/limit.h"
#include "unit.h"

static void learn(struct late_limit *limit, uint64_t wake_ns, uint64_t work_ns, uint64_t budget_ns,
		  uint32_t flags)
{
	const struct tlob_window w = {
		.wake_ns = wake_ns, .response_ns = wake_ns + work_ns, .budget_ns = budget_ns, .flags = flags,
	};

	late_learn(limit, &w);
}

/* Longer than the shortest of the worst. The warm-up has none of them. */
TEST(worst)
{
	struct late_limit limit = { 0 };
	unsigned int i;

	learn(&limit, 900000, 1000, 1000000, TLOB_WINDOW_WARM_UP);
	assert_int_equal(limit.late_ns, TLOB_LATE_LEAST_NS);
	for (i = 0; i < RESULT_WORST; i++)
		learn(&limit, 100000 + i, 1000, 1000000, 0);
	assert_int_equal(limit.late_ns, 100000);
	learn(&limit, 100005, 1000, 1000000, 0);
	assert_int_equal(limit.late_ns, 100001);
	learn(&limit, 60000, 1000, 1000000, 0);
	assert_int_equal(limit.late_ns, 100001);
}

/* Each window that goes over its budget is late, also if many are worse. */
TEST(budget)
{
	struct late_limit limit = { 0 };
	unsigned int i;

	learn(&limit, 10000, 120000, 200000, TLOB_WINDOW_WARM_UP);
	assert_int_equal(limit.over_ns, 80000);
	for (i = 0; i < RESULT_WORST; i++)
		learn(&limit, 300000, 150000, 200000, 0);
	assert_int_equal(limit.over_ns, 80000);
	assert_int_equal(limit.late_ns, 80000);
	/* the shortest work counts */
	learn(&limit, 300000, 110000, 200000, 0);
	assert_int_equal(limit.over_ns, 90000);
	assert_int_equal(limit.late_ns, 90000);
	/* the work alone exceeds it */
	limit = (struct late_limit){ 0 };
	learn(&limit, 300000, 250000, 200000, 0);
	assert_int_equal(limit.over_ns, 0);
	assert_int_equal(limit.late_ns, TLOB_LATE_LEAST_NS);
}

UNIT_MAIN(NULL, NULL)
