// SPDX-License-Identifier: GPL-2.0
/*
 * The account of a window over a task. The parts add up after every event. An interruption
 * counts only while the task runs, on any CPU. The verdict is given once.
 */
#include "account_check.h"

/* Nothing interrupts a task that does not run; an event that says so is an error. */
TEST(test_noise_of_others)
{
	static const enum events_tlob away[] = { preempt_tlob, sleep_tlob };
	struct task a;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(away); i++) {
		open_window(&a);
		sched(&a, 2000, away[i]);
		tlob_account_enter(&a.acc, 2100, IRQ, 9, "disk", false);
		assert_int_equal(a.acc.split.errors, 1);
		tlob_account_exit(&a.acc, 2200, IRQ, 9);
		tlob_account_nmi(&a.acc, 50, 1, 50);
		assert_int_equal(a.acc.split.errors, 3);
		sched(&a, 3000, switch_in_tlob);
		stop(&a, 3500);
		assert_int_equal(part_at(&a, 0, TLOB_WORK_IRQ), 0);
		assert_int_equal(part_at(&a, 0, TLOB_WORK_NMI), 0);
		assert_int_equal(RUNNING(&a, 0), 1500);
		assert_int_equal(WAITING(&a, 0) + SLEEPING(&a, 0), 1000);
	}
}

/* An exit that was lost is forgotten when the task leaves its CPU. */
TEST(test_lost_exit)
{
	struct task a;

	open_window(&a);
	tlob_account_enter(&a.acc, 1100, IRQ, 9, "disk", false);
	sched(&a, 1200, preempt_tlob);
	assert_int_equal(a.acc.split.errors, 1);
	sched(&a, 1300, switch_in_tlob);
	assert_int_equal(RUNNING(&a, 1400), 100 + 100);
	tlob_account_exit(&a.acc, 1400, IRQ, 9);
	assert_int_equal(a.acc.split.errors, 2);
	stop(&a, 1500);
}

/*
 * Every pair that the table refuses is counted, and the state and the cursor stay. stop and
 * start have their own functions.
 */
TEST(test_refused)
{
	static const enum events_tlob events[] = {
		preempt_tlob, sleep_tlob, switch_in_tlob, wakeup_tlob,
	};
	static const struct {
		int way;	/* an event, or -1: none */
		__u8 state;
	} states[] = {
		{ -1, running_tlob }, { preempt_tlob, waiting_tlob },
		{ sleep_tlob, sleeping_tlob },
	};
	unsigned int refused = 0;
	struct task a;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		for (j = 0; j < ARRAY_SIZE(events); j++) {
			open_window(&a);
			if (states[i].way >= 0)
				sched(&a, 1100, states[i].way);
			assert_int_equal(a.acc.state, states[i].state);
			if (tlob_da_next(a.acc.state, events[j]) != INVALID_STATE)
				continue;
			refused++;
			assert_false(tlob_account_sched(&a.acc, 1200, events[j]));
			assert_int_equal(a.acc.state, states[i].state);
			assert_int_equal(a.acc.split.errors, 1);
			check_sum(&a, 1300);
		}
	assert_int_equal(refused, 5);

	memset(&a, 0, sizeof(a));
	for (j = 0; j < ARRAY_SIZE(events); j++) {
		assert_false(tlob_account_sched(&a.acc, 1200, events[j]));
		assert_int_equal(a.acc.split.errors, j + 1);
	}
}

/* Interrupts get what they took of a wait, at most its length. The sum of the parts stays. */
TEST(test_interrupted_wait)
{
	static const __u64 took[TLOB_NOISE_THREAD] = { 30, 20, 40 }, all[TLOB_NOISE_THREAD] = { 900, 5 };
	struct task a;

	open_window(&a);
	sched(&a, 1100, preempt_tlob);
	sched(&a, 1300, switch_in_tlob);
	tlob_account_interrupted(&a.acc, 200, 15, took);
	assert_int_equal(WAITING(&a, 1400), 95);
	assert_int_equal(part_at(&a, 1400, TLOB_WORK_STEAL), 15);
	assert_int_equal(part_at(&a, 1400, TLOB_WORK_IRQ), 30);
	assert_int_equal(part_at(&a, 1400, TLOB_WORK_SOFTIRQ), 20);
	assert_int_equal(part_at(&a, 1400, TLOB_WORK_NMI), 40);
	check_sum(&a, 1400);
	sched(&a, 1500, preempt_tlob);
	sched(&a, 1600, switch_in_tlob);
	tlob_account_interrupted(&a.acc, 100, 0, all);
	assert_int_equal(WAITING(&a, 1600), 95);
	assert_int_equal(part_at(&a, 1600, TLOB_WORK_IRQ), 130);
	assert_int_equal(part_at(&a, 1600, TLOB_WORK_SOFTIRQ), 20);
	stop(&a, 1700);
}

TEST(test_stop_refused)
{
	static const enum events_tlob away[] = { preempt_tlob, sleep_tlob };
	struct task a;
	size_t i;

	memset(&a, 0, sizeof(a));
	assert_false(tlob_account_stop(&a.acc, 1000));
	assert_int_equal(a.acc.split.errors, 1);
	for (i = 0; i < ARRAY_SIZE(away); i++) {
		open_window(&a);
		sched(&a, 1100, away[i]);
		assert_false(tlob_account_stop(&a.acc, 1200));
		assert_true(a.w.open);
		assert_int_equal(a.acc.split.errors, 1);
	}
}

TEST(test_clock_steps_back)
{
	struct task a;

	open_window(&a);
	sched(&a, 1500, preempt_tlob);
	sched(&a, 1490, switch_in_tlob);
	check_sum(&a, 1480);
	assert_int_equal(a.acc.split.steps, 1);
	assert_int_equal(WAITING(&a, 1480), 0);
	sched(&a, 1600, sleep_tlob);
	sched(&a, 1595, wakeup_tlob);
	sched(&a, 1700, switch_in_tlob);
	assert_int_equal(stop(&a, 1690), TLOB_VERDICT_WITHIN);
	assert_int_equal(a.acc.split.steps, 3);
	assert_int_equal(RUNNING(&a, 0), 500 + 100);
	assert_int_equal(WAITING(&a, 0), 100);
	assert_int_equal(SLEEPING(&a, 0), 0);
	assert_int_equal(elapsed_at(&a, 0), 700);
	assert_int_equal(a.acc.split.errors, 0);
}

/* The thread of a timer preempts the task after the end of the budget. */
TEST(test_due_in_a_thread)
{
	struct task a = {};
	__u64 now;

	tlob_account_open(&a.acc, &a.w, 1000, 500);
	now = 1400;
	assert_int_equal(tlob_account_due(&a.acc, &a.w, &now), running_tlob);
	tlob_account_sched(&a.acc, 1510, preempt_tlob);
	now = 1520;
	assert_int_equal(tlob_account_due(&a.acc, &a.w, &now), running_tlob);
	assert_int_equal(now, 1510);
	assert_int_equal(elapsed_at(&a, now), 510);
	/* it was waiting already */
	memset(&a, 0, sizeof(a));
	tlob_account_open(&a.acc, &a.w, 1000, 500);
	tlob_account_sched(&a.acc, 1500, preempt_tlob);
	now = 1520;
	assert_int_equal(tlob_account_due(&a.acc, &a.w, &now), waiting_tlob);
	assert_int_equal(now, 1520);
}

static struct tlob_account_record end(struct tlob_account *a,
				      struct tlob_account_window *w, __u64 now)
{
	struct tlob_account_record r;

	assert_true(tlob_account_stop(a, now));
	tlob_account_read(a, w, now, &r);
	tlob_account_close(a, w);
	check_record(&r);
	return r;
}

static void irq(struct tlob_account *a, __u64 now, __s32 id, __u64 ns)
{
	tlob_account_enter(a, now, IRQ, id, "irq" TLOB_NAME_PAD, id & 1);
	tlob_account_exit(a, now + ns, IRQ, id);
}

static void goes_away(struct tlob_account *a, __u64 from, __u64 to, __s32 pid, const char *comm)
{
	struct tlob_noise other = { .ns = to - from, .id = pid, .kind = TLOB_NOISE_THREAD };

	snprintf(other.name, sizeof(other.name), "%s", comm);
	tlob_account_sched(a, from, preempt_tlob);
	assert_int_equal(a->waits_since, from);
	tlob_account_waited(a, to, &other);
	assert_int_equal(a->waits_since, to);
	tlob_account_sched(a, to, switch_in_tlob);
}

/* Who ran while the task waited, apart from interruptions. */
TEST(test_other_tasks)
{
	struct tlob_account a = {};
	struct tlob_account_window w[2] = {};
	struct tlob_account_record r;

	tlob_account_open(&a, &w[0], 1000, 1);
	goes_away(&a, 1100, 1300, 7, "early");
	tlob_account_open(&a, &w[1], 2000, 1);
	irq(&a, 2100, 2, 50);
	goes_away(&a, 2200, 2290, 8, "late");
	goes_away(&a, 2300, 2350, 0, "idle");
	tlob_account_sched(&a, 3000, sleep_tlob);
	tlob_account_sched(&a, 3800, wakeup_tlob);
	assert_int_equal(a.waits_since, 3800);
	tlob_account_waited(&a, 3820, &(struct tlob_noise){ .ns = 20, .id = 9, .name = "brief" });
	tlob_account_sched(&a, 3820, switch_in_tlob);
	r = end(&a, &w[1], 4000);
	assert_int_equal(r.largest.ns, 50);
	assert_int_equal(r.other.ns, 90);
	assert_int_equal(r.other.id, 8);
	assert_int_equal(r.other.kind, TLOB_NOISE_THREAD);
	assert_string_equal(r.other.name, "late");
	r = end(&a, &w[0], 4100);
	assert_int_equal(r.other.ns, 200);
	assert_string_equal(r.other.name, "early");
}

/* The account has missed a switch_in: its task opens a window, so it runs. */
TEST(test_open_while_away)
{
	struct tlob_account_window other = {};
	struct task a;

	open_window(&a);
	sched(&a, 1100, sleep_tlob);
	tlob_account_open(&a.acc, &other, 1500, 1);
	assert_int_equal(a.acc.state, running_tlob);
	assert_int_equal(other.start.errors, 1);
	stop(&a, 2000);
	assert_int_equal(SLEEPING(&a, 0), 400);
	assert_int_equal(RUNNING(&a, 0), 600);
	assert_int_equal(dirt(&a), 1);
}

UNIT_MAIN(NULL, NULL)
