// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the calls of a reactor of RV, also while raw locks are held. rv.c
 * includes this file. User space cannot make an event that a state does not
 * accept.
 */
#include <linux/spinlock.h>
#include <kunit/test.h>

#include "monitor_report.h"

static char kunit_reaction[256];
static unsigned int kunit_reactions;

__printf(1, 0) static void kunit_react(const char *msg, va_list args)
{
	vscnprintf(kunit_reaction, sizeof(kunit_reaction), msg, args);
	kunit_reactions++;
}

/* Acts as if RV had the monitor on, without hooks. No task has a window. */
static int tlob_rv_kunit_init(struct kunit *test)
{
	if (tlob_rv.enabled)
		kunit_skip(test, "it is on already");
	kunit_reactions = 0;
	tlob_rv.react = kunit_react;
	WRITE_ONCE(tlob_rv.enabled, true);
	return 0;
}

static void tlob_rv_kunit_exit(struct kunit *test)
{
	if (tlob_rv.react != kunit_react)
		return;
	WRITE_ONCE(tlob_rv.enabled, false);
	synchronize_rcu();
	tlob_rv.react = tlob_rv.reactor ? tlob_rv.reactor->react : NULL;
}

/*
 * Reports like the hooks of the scheduler: lockdep checks what a reactor may
 * take.
 */
static void report_error_in_hook(void)
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	tlob_report_error(current, sleeping_tlob, preempt_tlob);
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void rv_reacts_to_error(struct kunit *test)
{
	char wanted[256];

	report_error_in_hook();
	KUNIT_EXPECT_EQ(test, kunit_reactions, 1U);
	snprintf(wanted, sizeof(wanted),
		 "rv: monitor tlob does not allow event preempt on state sleeping: %s[%d]\n",
		 current->comm, current->pid);
	KUNIT_EXPECT_STREQ(test, kunit_reaction, wanted);
}

static void rv_reacts_to_violation(struct kunit *test)
{
	struct tlob_task_window w = {
		.tid = 7, .comm = "kunit", .state = waiting_tlob,
		.elapsed_ns = 2, .threshold_ns = 1,
	};

	tlob_report_task(&w);
	KUNIT_EXPECT_EQ(test, kunit_reactions, 1U);
	KUNIT_EXPECT_STREQ(test, kunit_reaction,
			   "rv: monitor tlob does not allow event budget_expired on state waiting with env elapsed=2: kunit[7]\n");
}

/* Only monitor_enable has the monitor on. */
static void rv_does_not_react(struct kunit *test)
{
	WRITE_ONCE(tlob_rv.enabled, false);
	report_error_in_hook();
	KUNIT_EXPECT_EQ(test, kunit_reactions, 0U);
}

static struct kunit_case tlob_rv_cases[] = {
	KUNIT_CASE(rv_reacts_to_error),
	KUNIT_CASE(rv_reacts_to_violation),
	KUNIT_CASE(rv_does_not_react),
	{}
};

static struct kunit_suite tlob_rv_suite = {
	.name = "tlob_rv",
	.init = tlob_rv_kunit_init,
	.exit = tlob_rv_kunit_exit,
	.test_cases = tlob_rv_cases,
};

kunit_test_suite(tlob_rv_suite);
