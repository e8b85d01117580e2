// SPDX-License-Identifier: GPL-2.0
/* A suspend is noticed whatever happens between two readings of the clocks. */
#include "unit.h"
#include "machine/clocks.h"

#define SECOND	1000000000LL

/* A reading may take 200 ms. That is not taken for a suspend, and a suspend is still found. */
TEST(suspended)
{
	static const struct {
		int64_t took[2], slept;
		uint64_t least;
	} t[] = {
		{ { 0, 0 }, 0, 0 },
		{ { 200000000, 0 }, 0, 0 },
		{ { 0, 200000000 }, 0, 0 },
		{ { 200000000, 200000000 }, 0, 0 },
		{ { 100, 100 }, 1000, 800 },
		{ { 0, 0 }, 1, 1 },
		{ { 200000000, 200000000 }, SECOND, 600000000 },
	};
	const int64_t ahead = 7 * SECOND;	/* of an earlier suspend */
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		int64_t at = 5 * SECOND, late = t[i].took[0], later = t[i].took[1];
		struct boot_ahead then = boot_ahead(at, at + ahead + late / 2, at + late);
		struct boot_ahead now = boot_ahead(2 * at, 2 * at + ahead + t[i].slept + later / 2,
						   2 * at + later);
		uint64_t ns = suspended_ns(&then, &now);

		assert_true(ns <= (uint64_t)t[i].slept);
		assert_true(ns >= t[i].least);
	}
}

/* This machine's clocks, which no suspend moves during the test. */
TEST(read_here)
{
	struct boot_ahead then = boot_ahead_read(), now = boot_ahead_read();

	assert_true(then.least <= then.most);
	assert_int_equal(suspended_ns(&then, &now), 0);
	assert_int_equal(suspended_ns(&now, &then), 0);
}

UNIT_MAIN(NULL, NULL)
