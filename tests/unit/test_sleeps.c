// SPDX-License-Identifier: GPL-2.0
/* Which futexes are locks: what libraries were seen to wait with, by strace. */
#include <linux/futex.h>

#include "unit.h"
#include "sleeps.h"

#define FUTEX	202
#define PRIVATE	FUTEX_PRIVATE_FLAG
#define TIMED	(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME | PRIVATE)

TEST(test_futexes)
{
	static const struct {
		uint32_t op, value;
		enum tlob_sleep sleep;
	} of[] = {
		/* glibc: mutex, robust, with priority inheritance, with a time */
		{ FUTEX_WAIT | PRIVATE, 2, TLOB_SLEEP_LOCK },
		{ FUTEX_WAIT, 0x80002996, TLOB_SLEEP_LOCK },
		{ FUTEX_LOCK_PI | PRIVATE, 0, TLOB_SLEEP_LOCK },
		{ FUTEX_LOCK_PI2 | PRIVATE, 0, TLOB_SLEEP_LOCK },
		{ TIMED, 2, TLOB_SLEEP_LOCK },
		/* rwlock: for the writer, for the readers */
		{ TIMED, 3, TLOB_SLEEP_LOCK },
		{ TIMED, 2, TLOB_SLEEP_LOCK },
		/* condition variable, semaphore; with priority inheritance; thread, barrier */
		{ TIMED, 0, TLOB_SLEEP_NEXT },
		{ TIMED, 4, TLOB_SLEEP_NEXT },
		{ FUTEX_WAIT_REQUEUE_PI | PRIVATE, 0, TLOB_SLEEP_NEXT },
		{ FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 10646, TLOB_SLEEP_NEXT },
		{ FUTEX_WAIT | PRIVATE, 10, TLOB_SLEEP_UNCLEAR },
		/* musl: mutex, recursive one, lock of its own, rwlock; semaphores; barrier */
		{ FUTEX_WAIT | PRIVATE, 0x80000010, TLOB_SLEEP_LOCK },
		{ FUTEX_WAIT | PRIVATE, 0x800029a7, TLOB_SLEEP_LOCK },
		{ FUTEX_WAIT | PRIVATE, 0x80000001, TLOB_SLEEP_LOCK },
		{ FUTEX_WAIT | PRIVATE, 0x80000000, TLOB_SLEEP_NEXT },
		{ FUTEX_WAIT | PRIVATE, 0xffffffff, TLOB_SLEEP_NEXT },
		{ FUTEX_WAIT | PRIVATE, 1, TLOB_SLEEP_UNCLEAR },
		/* Rust: Mutex, readers of RwLock, Condvar, park() */
		{ FUTEX_WAIT_BITSET | PRIVATE, 2, TLOB_SLEEP_LOCK },
		{ FUTEX_WAIT_BITSET | PRIVATE, 0x7fffffff, TLOB_SLEEP_LOCK },
		{ FUTEX_WAIT_BITSET | PRIVATE, 3, TLOB_SLEEP_NEXT },
		{ FUTEX_WAIT_BITSET | PRIVATE, 0xffffffff, TLOB_SLEEP_NEXT },
		/* no wait at all */
		{ FUTEX_WAKE, 1, TLOB_SLEEP_UNCLEAR },
	};
	struct tlob_sleep_call c = { .nr = FUTEX, .word = 0x5000, .stack = 0x7ffe0000 };
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		c.op = of[i].op;
		c.value = of[i].value;
		assert_int_equal(tlob_sleep_for(&c, FUTEX), of[i].sleep);
	}
}

/* A condition variable of musl is on the stack of the thread that waits; a mutex is anywhere else. */
TEST(test_own_stack)
{
	struct tlob_sleep_call c = {
		.nr = FUTEX, .op = FUTEX_WAIT | PRIVATE, .value = 2,
		.word = 0x7ffe00ec, .stack = 0x7ffe0000,
	};

	assert_int_equal(tlob_sleep_for(&c, FUTEX), TLOB_SLEEP_NEXT);
	c.word = c.stack + 512;
	assert_int_equal(tlob_sleep_for(&c, FUTEX), TLOB_SLEEP_LOCK);
	c.word = c.stack - 1;
	assert_int_equal(tlob_sleep_for(&c, FUTEX), TLOB_SLEEP_LOCK);
}

TEST(test_other_calls)
{
	struct tlob_sleep_call c = { .op = FUTEX_WAIT, .value = 2, .word = 0x5000 };

	assert_int_equal(tlob_sleep_for(&c, FUTEX), TLOB_SLEEP_NEXT);
	c.nr = TLOB_NR_IO_URING_ENTER;
	assert_int_equal(tlob_sleep_for(&c, FUTEX), TLOB_SLEEP_UNCLEAR);
	c.nr = TLOB_NR_FUTEX_WAITV;
	assert_int_equal(tlob_sleep_for(&c, FUTEX), TLOB_SLEEP_UNCLEAR);
}

#define NANOSLEEP	230
#define MS		1000000ULL

static bool cycle_continues(const struct tlob_cycle *c, uint32_t nr, uint32_t flags, uint64_t now)
{
	struct tlob_sleep_call call = { .nr = nr, .op = flags };

	return tlob_cycle_continues(c, &call, NANOSLEEP, now);
}

/* Three times at equal distances are a cycle; a skipped period and rounded times belong to it. */
TEST(test_cycle)
{
	static const struct {
		uint64_t at;
		bool known;
	} expiries[] = {
		{ 100 * MS, false }, { 110 * MS, false }, { 120 * MS, true }, { 130 * MS, true },
		{ 160 * MS, true }, { 170 * MS + 1000, true }, { 180 * MS, true },
		/* 27 periods later it is a new one, of another length */
		{ 450 * MS, false }, { 455 * MS, false }, { 460 * MS, true }, { 465 * MS, true },
		/* not regular; then back in time */
		{ 471 * MS, false }, { 478 * MS, false }, { 70 * MS, false }, { 80 * MS, false },
		{ 90 * MS, true },
	};
	struct tlob_cycle c = { 0 };
	size_t i;

	for (i = 0; i < sizeof(expiries) / sizeof(*expiries); i++) {
		tlob_cycle_expired(&c, expiries[i].at);
		assert_int_equal(cycle_continues(&c, FUTEX, 0, expiries[i].at + MS),
				 expiries[i].known);
	}
}

/* Any other sleep is in the middle, also a relative one; not if the thread has given it up. */
TEST(test_cycle_continues)
{
	struct tlob_cycle c = { .expiry = 100 * MS, .distance = 10 * MS, .period = 10 * MS };

	assert_true(cycle_continues(&c, 0, TLOB_TIMER_ABSTIME, 101 * MS));
	assert_true(cycle_continues(&c, NANOSLEEP, 0, 101 * MS));
	assert_false(cycle_continues(&c, NANOSLEEP, TLOB_TIMER_ABSTIME, 101 * MS));
	assert_true(cycle_continues(&c, FUTEX, 0, 179 * MS));
	assert_false(cycle_continues(&c, FUTEX, 0, 180 * MS));
}

UNIT_MAIN(NULL, NULL)
