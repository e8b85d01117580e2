// SPDX-License-Identifier: GPL-2.0
/* Every expiry of a run is accounted for, or counted as unaccounted. */
#include "unit.h"
#include "result/result.h"
#include "run/expiries.h"

#define START	1000000000ULL
#define PERIOD	1000000ULL

static const struct cpu_grid grid = {
	.start_ns = START, .period_ns = PERIOD, .first = 4,
};

/* The first expiry is a period after the start of the grid. */
TEST(test_before)
{
	static const struct {
		uint64_t end, n;
	} t[] = {
		{ 0, 0 }, { START - 1, 0 }, { START, 0 }, { START + 1, 0 },
		{ START + PERIOD, 0 }, { START + PERIOD + 1, 1 },
		{ START + 2 * PERIOD, 1 }, { START + 2 * PERIOD + 1, 2 },
		{ START + 1000 * PERIOD, 999 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(expiries_before(&grid, t[i].end), t[i].n);
}

/* The kernel counted 4 ... 4 + @counted - 1; the run ended after expiry 20. */
static void check(uint64_t counted, uint64_t due, uint64_t unaccounted)
{
	struct result_cpu c = {
		.warm_up = 2, .warm_up_missed = 1, .missed = 4,
		.windows = counted - 7,
	};

	expiries_account(&c, &grid, START + 20 * PERIOD + 1);
	assert_int_equal(c.startup, 3);
	assert_int_equal(c.due, due);
	assert_int_equal(c.unaccounted, unaccounted);
	assert_int_equal(c.due, c.startup + c.warm_up + c.warm_up_missed +
			 c.windows + c.missed + c.unaccounted);
}

TEST(test_account)
{
	check(17, 20, 0);
	check(18, 21, 0);	/* closed after the next expiry */
	check(16, 20, 1);
	check(7, 20, 10);
}

/* A thread that never got its CPU. */
TEST(test_never_armed)
{
	const struct cpu_grid never = { .start_ns = START, .period_ns = PERIOD };
	struct result_cpu c = { .windows = 0 };

	expiries_account(&c, &never, START + 20 * PERIOD + 1);
	assert_int_equal(c.startup, 20);
	assert_int_equal(c.due, 20);
	assert_int_equal(c.unaccounted, 0);
}

UNIT_MAIN(NULL, NULL)
