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

/* A task with a window, and what that window had at its end. */
struct task {
	struct tlob_account acc;
	struct tlob_account_window w;
	struct tlob_account_record ended;
};

static inline struct tlob_account_record record_at(struct task *t, __u64 now)
{
	struct tlob_account_record r = t->ended;

	if (t->w.open)
		tlob_account_read(&t->acc, &t->w, now, &r);
	return r;
}

static inline __u64 part_at(struct task *t, __u64 now, unsigned int i)
{
	return record_at(t, now).sums.part[i];
}

static inline __u64 elapsed_at(struct task *t, __u64 now)
{
	return record_at(t, now).elapsed;
}

#define RUNNING(t, now)	part_at(t, now, TLOB_WORK_ON_CPU)
#define WAITING(t, now)	part_at(t, now, TLOB_WORK_THREAD)
#define SLEEPING(t, now)	part_at(t, now, TLOB_WORK_SLEEP)

static inline void check_record(const struct tlob_account_record *r)
{
	unsigned int i;

	assert_int_equal(tlob_split_sum(r->sums.part, false), r->sums.part[TLOB_WAKE_IRQ_DELAY]);
	assert_int_equal(tlob_split_sum(r->sums.part, true) + r->sums.part[TLOB_WAKE_IRQ_DELAY],
			 r->elapsed);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		assert_true(r->sums.part[i] <= r->elapsed);	/* none is below 0 */
	assert_true(r->largest.ns <= r->elapsed);
}

static inline void check_sum(struct task *t, __u64 now)
{
	struct tlob_account_record r = record_at(t, now);

	check_record(&r);
}

static inline void open_window(struct task *t)
{
	memset(t, 0, sizeof(*t));
	tlob_account_open(&t->acc, &t->w, START, BUDGET);
	assert_true(t->w.open);
	assert_int_equal(t->acc.state, running_tlob);
}

static inline void sched(struct task *t, __u64 now, enum events_tlob event)
{
	if (!tlob_account_sched(&t->acc, now, event))
		fail_msg("%s is refused in %s", tlob_da_event_name(event),
			 tlob_da_state_name(t->acc.state));
	check_sum(t, now);
}

/* Takes the window away. */
static inline void cut(struct task *t, __u64 now)
{
	t->ended = record_at(t, now);
	tlob_account_close(&t->acc, &t->w);
	assert_false(t->w.open);
	if (!t->acc.newest)
		assert_int_equal(t->acc.state, unmonitored_tlob);
}

static inline enum tlob_verdict stop(struct task *t, __u64 now)
{
	enum tlob_verdict verdict;

	assert_true(tlob_account_stop(&t->acc, now));
	verdict = tlob_account_verdict(&t->acc, &t->w, now);
	cut(t, now);
	check_sum(t, now);
	return verdict;
}

static inline __u32 dirt(struct task *t)
{
	struct tlob_account_record r = record_at(t, 0);

	return r.sums.errors + r.sums.steps + (__u32)r.sums.adjusted;
}

#endif /* ACCOUNT_CHECK_H */
