/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for the tests of account.h, and the invariants that always hold. */
#ifndef ACCOUNT_CHECK_H
#define ACCOUNT_CHECK_H

#include "account.h"
#include "unit.h"

#define IRQ	TLOB_NOISE_IRQ
#define SOFTIRQ	TLOB_NOISE_SOFTIRQ
#define START	1000
#define BUDGET	1000000

static inline __u64 part_at(const struct tlob_account *a, __u64 now, unsigned int i)
{
	__u64 part[TLOB_NR_PARTS];

	tlob_account_parts(a, now, part);
	return part[i];
}

#define RUNNING(a, now)	part_at(a, now, TLOB_WORK_ON_CPU)
#define WAITING(a, now)	part_at(a, now, TLOB_WORK_THREAD)
#define SLEEPING(a, now)	part_at(a, now, TLOB_WORK_SLEEP)

static inline void check_sum(const struct tlob_account *a, __u64 now)
{
	__u64 part[TLOB_NR_PARTS], elapsed = tlob_account_elapsed(a, now);
	unsigned int i;

	tlob_account_parts(a, now, part);
	assert_int_equal(tlob_split_sum(part, false), 0);
	assert_int_equal(tlob_split_sum(part, true), elapsed);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		assert_true(part[i] <= elapsed);	/* none is below 0 */
}

static inline void open_window(struct tlob_account *a, bool moves)
{
	memset(a, 0, sizeof(*a));
	assert_false(tlob_account_is_open(a));
	assert_true(tlob_account_start(a, START, BUDGET, moves));
	assert_int_equal(a->state, running_tlob);
}

static inline void sched(struct tlob_account *a, __u64 now, enum events_tlob event)
{
	if (!tlob_account_sched(a, now, event))
		fail_msg("%s is refused in %s", tlob_da_event_name(event),
			 tlob_da_state_name(a->state));
	check_sum(a, now);
}

static inline enum tlob_verdict stop(struct tlob_account *a, __u64 now)
{
	enum tlob_verdict verdict = TLOB_VERDICT_WITHIN;

	assert_true(tlob_account_stop(a, now, &verdict));
	assert_false(tlob_account_is_open(a));
	check_sum(a, now);
	return verdict;
}

static inline __u32 dirt(const struct tlob_account *a)
{
	return a->split.errors + a->split.steps + (__u32)a->split.adjusted;
}

#endif /* ACCOUNT_CHECK_H */
