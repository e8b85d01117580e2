// SPDX-License-Identifier: GPL-2.0
/* From which wake-up on a window is late: when stacks are taken. */
#include "late_limit.h"
#include "unit.h"

static void learn(struct tlob_late_limit *limit, uint64_t wake_ns, uint64_t work_ns,
		  uint64_t budget_ns, uint32_t flags)
{
	const struct tlob_window w = {
		.wake_ns = wake_ns, .response_ns = wake_ns + work_ns, .budget_ns = budget_ns, .flags = flags,
	};

	tlob_late_learn(limit, &w);
}

/* Longer than the shortest of the worst. The warm-up has none of them. */
TEST(worst)
{
	struct tlob_late_limit limit;
	unsigned int i;

	tlob_late_begin(&limit, 1000000);
	assert_int_equal(limit.late_ns, TLOB_LATE_LEAST_NS);
	assert_int_equal(limit.over_ns, 1000000);
	learn(&limit, 900000, 1000, 1000000, TLOB_WINDOW_WARM_UP);
	assert_int_equal(limit.late_ns, TLOB_LATE_LEAST_NS);
	/* in any order */
	for (i = 0; i < TLOB_LATE_WORST; i++)
		learn(&limit, 100000 + (i * 7 % TLOB_LATE_WORST), 1000, 1000000, 0);
	assert_int_equal(limit.late_ns, 100000);
	learn(&limit, 100005, 1000, 1000000, 0);
	assert_int_equal(limit.late_ns, 100001);
	learn(&limit, 60000, 1000, 1000000, 0);
	assert_int_equal(limit.late_ns, 100001);
}

/* Each window that goes over its budget is late, also if many are worse. */
TEST(budget)
{
	struct tlob_late_limit limit;
	unsigned int i;

	tlob_late_begin(&limit, 200000);
	learn(&limit, 10000, 120000, 200000, TLOB_WINDOW_WARM_UP);
	assert_int_equal(limit.over_ns, 80000);
	for (i = 0; i < TLOB_LATE_WORST; i++)
		learn(&limit, 300000, 150000, 200000, 0);
	assert_int_equal(limit.over_ns, 80000);
	assert_int_equal(limit.late_ns, 80000);
	/* the shortest work counts */
	learn(&limit, 300000, 110000, 200000, 0);
	assert_int_equal(limit.over_ns, 90000);
	assert_int_equal(limit.late_ns, 90000);
	/* the work alone exceeds it */
	tlob_late_begin(&limit, 200000);
	learn(&limit, 300000, 250000, 200000, 0);
	assert_int_equal(limit.over_ns, 0);
	assert_int_equal(limit.late_ns, TLOB_LATE_LEAST_NS);
}

#define T0	1000000000ULL

static struct tlob_late_times times(uint64_t late_ns, uint64_t over_ns)
{
	struct tlob_late_times t;

	tlob_late_arm(&t, T0, late_ns, over_ns);
	return t;
}

/* No stack is taken where it could make a violation, nor where the timer's delay is the cause. */
TEST(late)
{
	const struct tlob_late_times t = times(60000, 200000);

	assert_false(tlob_late_is(&t, T0 + 60000));
	assert_true(tlob_late_is(&t, T0 + 60001));
	assert_true(tlob_late_is(&t, T0 + 149999));
	assert_false(tlob_late_is(&t, T0 + 150000));
	assert_false(tlob_late_is(&t, T0 + 200000));
	assert_true(tlob_late_is(&t, T0 + 200001));

	assert_true(tlob_late_waits(&t, T0, T0 + 40000, T0 + 80000));
	assert_false(tlob_late_waits(&t, T0, T0 + 40000, T0 + 79999));
	assert_false(tlob_late_waits(&t, T0, T0 + 20000, T0 + 60000));
	assert_false(tlob_late_waits(&t, T0, T0, T0 + 170000));
}

/* An interrupt that comes after that time and 1 ns finds it late, at the earliest moment. */
TEST(after)
{
	struct tlob_late_times t = times(60000, 300000);

	assert_int_equal(tlob_late_after(&t, T0, T0 + 1000), 59000);
	/* later than most of the delay */
	assert_int_equal(tlob_late_after(&t, T0, T0 + 50000), 50000);
	assert_int_equal(tlob_late_after(&t, T0, T0 + 130000), 170000);
	assert_int_equal(tlob_late_after(&t, T0, T0 + 400000), 400000);
	t = times(60000, 70000);
	assert_int_equal(tlob_late_after(&t, T0, T0 + 1000), 69000);
	/* one that comes a little later would be refused */
	t = times(60000, 119000);
	assert_int_equal(tlob_late_after(&t, T0, T0 + 1000), 118000);
	t = times(60000, 121000);
	assert_int_equal(tlob_late_after(&t, T0, T0 + 1000), 59000);
	t = times(60000, 0);
	assert_int_equal(tlob_late_after(&t, T0, T0 + 1000), 59000);
}

UNIT_MAIN(NULL, NULL)
