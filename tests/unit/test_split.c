// SPDX-License-Identifier: GPL-2.0
/*
 * The split: every nanosecond of a window is in exactly one part. An event that cannot follow
 * another one counts as an error.
 */
#include "split_check.h"

static __u64 total(const struct tlob_split *s)
{
	return tlob_split_sum(s->part, false) + tlob_split_sum(s->part, true);
}

/* The time that a stack takes is its task's, which leaves the CPU or was met by an irq. */
TEST(test_charge_looks)
{
	struct tlob_split s;

	tlob_split_arm(&s, 1000, 2000, OWN, false);
	tlob_split_switch(&s, 1100, OWN, "own", true, OTHER);
	tlob_split_enter(&s, 2010, IRQ, 1, "timer" TLOB_NAME_PAD, true);
	tlob_split_t1(&s, 2040);
	tlob_split_exit(&s, 2100, IRQ, 1);
	tlob_split_enter(&s, 3000, IRQ, 1, "timer" TLOB_NAME_PAD, true);
	tlob_split_charge(&s, 3010);
	tlob_split_charge_met(&s, 3210);
	tlob_split_exit(&s, 3230, IRQ, 1);
	assert_int_equal(s.part[TLOB_WAKE_IRQ], 90 + 10 + 20);
	assert_int_equal(s.part[TLOB_WAKE_THREAD], 900 + 200);
	tlob_split_switch(&s, 4000, OTHER, "other", false, OWN);
	assert_int_equal(s.largest.ns, 900 + 200 + 770);
	tlob_split_charge_left(&s, 4300);
	tlob_split_t2(&s, 4310);
	assert_int_equal(s.part[TLOB_WAKE_THREAD], 900 + 200 + 770 + 300);
	assert_int_equal(s.part[TLOB_WAKE_SCHED], 10);
	assert_int_equal(s.count[0][IRQ], 2);
	assert_int_equal(s.count[0][TLOB_NOISE_THREAD], 1);
	tlob_split_t3(&s, 5000);
	assert_int_equal(total(&s), 3000);
	assert_int_equal(s.count[0][TLOB_NOISE_THREAD] + s.count[1][TLOB_NOISE_THREAD], 1);
	assert_int_equal(s.errors + s.steps + s.adjusted, 0);
}

/* A duration that ends in the work and began in the wake phase is cut at its begin, and counted. */
TEST(test_move_over_t2)
{
	struct tlob_split s;

	armed(&s, true);
	tlob_split_t1(&s, 2040);
	tlob_split_move(&s, 2100, IRQ, 236, "local_timer", false, 90);
	tlob_split_switch(&s, 2300, IDLE, "swapper", false, OWN);
	tlob_split_t2(&s, 2500);
	tlob_split_move(&s, 2520, IRQ, 9, "disk", false, 70);
	assert_int_equal(s.part[TLOB_WORK_IRQ], 20);
	assert_int_equal(s.adjusted, 50);
	assert_int_equal(tlob_split_sum(s.part, false), 500);
}

/* Nor does it reach over a switch at which a look has charged what came before: no irq was open there. */
TEST(test_move_over_left)
{
	struct tlob_split s;

	armed(&s, true);
	tlob_split_t1(&s, 2040);
	tlob_split_switch(&s, 2100, IDLE, "swapper", false, OTHER);
	tlob_split_switch(&s, 2300, OTHER, "other", false, OWN);
	tlob_split_charge_left(&s, 2310);
	tlob_split_move(&s, 2350, IRQ, 9, "disk", false, 70);
	assert_int_equal(s.part[TLOB_WAKE_THREAD], 210);
	assert_int_equal(s.thread_ns, 210);
	assert_int_equal(s.part[TLOB_WAKE_IRQ], 40);
	assert_int_equal(s.adjusted, 30);
}

/* Both kinds of source charge the same to each part. */
TEST(test_sources_agree)
{
	struct tlob_split hooks, moves;
	unsigned int i;

	armed(&hooks, false);
	tlob_split_enter(&hooks, 2010, IRQ, 1, "timer", false);
	tlob_split_t1(&hooks, 2040);
	tlob_split_exit(&hooks, 2100, IRQ, 1);
	tlob_split_switch(&hooks, 2200, IDLE, "swapper", false, OTHER);
	tlob_split_enter(&hooks, 2250, SOFTIRQ, 1, "TIMER", false);
	tlob_split_enter(&hooks, 2260, IRQ, 9, "disk", false);
	tlob_split_exit(&hooks, 2290, IRQ, 9);
	tlob_split_exit(&hooks, 2310, SOFTIRQ, 1);
	tlob_split_switch(&hooks, 2400, OTHER, "other", false, OWN);
	tlob_split_t2(&hooks, 2450);
	tlob_split_t3(&hooks, 3000);

	armed(&moves, true);
	tlob_split_t1(&moves, 2040);
	tlob_split_move(&moves, 2100, IRQ, 1, "timer", false, 90);
	tlob_split_switch(&moves, 2200, IDLE, "swapper", false, OTHER);
	tlob_split_move(&moves, 2290, IRQ, 9, "disk", false, 30);
	tlob_split_move(&moves, 2310, SOFTIRQ, 1, "TIMER", false, 30);
	tlob_split_switch(&moves, 2400, OTHER, "other", false, OWN);
	tlob_split_t2(&moves, 2450);
	tlob_split_t3(&moves, 3000);

	for (i = 0; i < TLOB_NR_PARTS; i++)
		assert_int_equal(hooks.part[i], moves.part[i]);
	assert_int_equal(hooks.part[TLOB_WAKE_THREAD], 140);
	assert_memory_equal(hooks.count, moves.count, sizeof(moves.count));
	assert_string_equal(hooks.largest.name, "other");
	assert_memory_equal(&hooks.largest, &moves.largest,
			    sizeof(moves.largest));
	assert_int_equal(hooks.errors + moves.errors, 0);
}

/* A remote wake-up's time may lie behind the cursor, which is counted. */
TEST(test_late_wakeup)
{
	struct tlob_split s;

	in_work(&s);
	tlob_split_switch(&s, 3000, OWN, "own", true, IDLE);
	tlob_split_enter(&s, 3500, IRQ, 9, "disk", false);
	tlob_split_wakeup(&s, 3490);
	assert_int_equal(s.adjusted, 10);
	tlob_split_exit(&s, 3600, IRQ, 9);
	tlob_split_switch(&s, 3700, IDLE, "swapper", false, OWN);
	tlob_split_t3(&s, 4000);
	assert_int_equal(s.part[TLOB_WORK_SLEEP], 500);
	assert_int_equal(s.part[TLOB_WORK_THREAD], 100);
	assert_int_equal(total(&s), 2000);
}

TEST(test_nmi_too_long)
{
	struct tlob_split s;

	in_work(&s);
	tlob_split_nmi(&s, 700, 2, 400);
	tlob_split_t3(&s, 3000);
	assert_int_equal(s.part[TLOB_WORK_NMI], 500);
	assert_int_equal(s.part[TLOB_WORK_ON_CPU], 0);
	assert_int_equal(s.count[1][TLOB_NOISE_NMI], 2);
	assert_int_equal(s.largest.ns, 400);
	assert_int_equal(s.adjusted, 200);
}

/* It is taken out of the irq that it came in, which is net of it. */
TEST(test_stolen)
{
	struct tlob_split s;

	in_work(&s);
	s.short_ns = 99;
	tlob_split_enter(&s, 2600, IRQ, 9, "disk", false);
	tlob_split_stolen(&s, 300);
	tlob_split_exit(&s, 3000, IRQ, 9);
	tlob_split_t3(&s, 3100);
	assert_int_equal(s.part[TLOB_WORK_STEAL], 300);
	assert_int_equal(s.part[TLOB_WORK_IRQ], 100);
	assert_int_equal(s.part[TLOB_WORK_ON_CPU], 200);
	assert_int_equal(s.largest.ns, 100);
	assert_int_equal(s.adjusted, 0);
	/* a gap that the thread has seen there is known already */
	tlob_split_hw(&s, 350);
	assert_int_equal(s.part[TLOB_WORK_HW], 50);
	assert_int_equal(total(&s), 1100);
}

/* What was stolen before t0 is no part of the window, and is no mistake. */
TEST(test_stolen_before)
{
	struct tlob_split s;

	armed(&s, false);
	s.short_ns = 9;
	tlob_split_stolen(&s, 5000);
	tlob_split_enter(&s, 1500, IRQ, 9, "disk", false);
	tlob_split_exit(&s, 1600, IRQ, 9);
	tlob_split_stolen(&s, 5000);
	tlob_split_enter(&s, 2010, IRQ, 1, "timer" TLOB_NAME_PAD, true);
	assert_int_equal(s.part[TLOB_WAKE_STEAL], 10);
	assert_int_equal(s.part[TLOB_WAKE_IRQ_DELAY], 0);
	tlob_split_t1(&s, 2040);
	/* later it is a mistake, unless the clocks differ by so little */
	tlob_split_stolen(&s, 10000);
	tlob_split_exit(&s, 12035, IRQ, 1);
	assert_int_equal(s.adjusted, 0);
	tlob_split_stolen(&s, 200);
	tlob_split_switch(&s, 12135, IDLE, "swapper", false, OWN);
	assert_int_equal(s.adjusted, 100);
}

/* After a short stretch the clock need not be read, and what it says is older than that. */
TEST(test_stolen_short)
{
	struct tlob_split s;

	in_work(&s);
	assert_false(tlob_split_is_long(&s, 2500 + 1000 * TLOB_SHORT_NS));
	assert_true(tlob_split_is_long(&s, 2499));
	tlob_split_has_steal(&s);
	assert_true(tlob_split_enter_plain(&s, 2500 + TLOB_SHORT_NS, IRQ, 9, "disk" TLOB_NAME_PAD, true));
	assert_false(tlob_split_exit_plain(&s, s.last + TLOB_SHORT_NS + 1, IRQ, 9));
	tlob_split_stolen(&s, 5000);
	tlob_split_exit(&s, s.last + TLOB_SHORT_NS, IRQ, 9);
	assert_int_equal(s.part[TLOB_WORK_STEAL], 0);
	tlob_split_stolen(&s, 2000);
	tlob_split_t3(&s, s.last + TLOB_SHORT_NS + 1);
	assert_int_equal(s.part[TLOB_WORK_STEAL], 2000);
	assert_int_equal(s.adjusted, 0);
	/* before t0 each boundary reads it */
	armed(&s, false);
	assert_true(tlob_split_enter_plain(&s, 1500, IRQ, 9, "disk" TLOB_NAME_PAD, true));
	armed(&s, false);
	tlob_split_has_steal(&s);
	assert_false(tlob_split_enter_plain(&s, 1500, IRQ, 9, "disk" TLOB_NAME_PAD, true));
}

/* An nmi after a remote wake-up is not charged before it. */
TEST(test_nmi_after_wakeup)
{
	struct tlob_split s;

	in_work(&s);
	tlob_split_switch(&s, 3000, OWN, "own", true, IDLE);
	tlob_split_nmi(&s, 300, 1, 300);
	tlob_split_wakeup(&s, 3100);
	tlob_split_switch(&s, 3500, IDLE, "swapper", false, OWN);
	tlob_split_t3(&s, 4000);
	assert_int_equal(s.part[TLOB_WORK_NMI], 300);
	assert_int_equal(s.part[TLOB_WORK_SLEEP] +
			 s.part[TLOB_WORK_THREAD], 200);
	assert_int_equal(s.adjusted, 0);
	assert_int_equal(total(&s), 2000);
}

/* A source of durations that does not report the timer's own irq is silent. */
TEST(test_silent_source)
{
	struct tlob_split s;

	armed(&s, true);
	tlob_split_t1(&s, 2040);
	tlob_split_switch(&s, 2300, IDLE, "swapper", false, OWN);
	tlob_split_t2(&s, 2500);
	assert_int_equal(s.errors, 1);
}

TEST(test_hw)
{
	struct tlob_split s;

	in_work(&s);
	tlob_split_t3(&s, 3000);
	tlob_split_hw(&s, 200);
	assert_int_equal(s.part[TLOB_WORK_HW], 200);
	assert_int_equal(s.part[TLOB_WORK_ON_CPU], 300);
	tlob_split_hw(&s, 400);
	assert_int_equal(s.part[TLOB_WORK_HW], 500);
	assert_int_equal(s.adjusted, 100);
	assert_int_equal(total(&s), 1000);
}

/* A call: @a and @b are the kind and the irq, or the tasks before and after. */
struct step {
	enum { END, ENTER, EXIT, SWITCH, WAKEUP, T1, T2 } call;
	__u64 now;
	int a, b;
};

static void play(struct tlob_split *s, const struct step *p)
{
	for (; p->call != END; p++) {
		switch (p->call) {
		case END:    break;
		case ENTER:  tlob_split_enter(s, p->now, p->a, p->b, "irq", false); break;
		case EXIT:   tlob_split_exit(s, p->now, p->a, p->b); break;
		case SWITCH: tlob_split_switch(s, p->now, p->a, "task", p->b == IDLE, p->b); break;
		case WAKEUP: tlob_split_wakeup(s, p->now); break;
		case T1:     tlob_split_t1(s, p->now); break;
		case T2:     tlob_split_t2(s, p->now); break;
		}
	}
}

/* Each has at least one counted error. */
TEST(test_broken_sequences)
{
	static const struct {
		const char *what;
		struct step step[2 * (TLOB_SPLIT_LEVELS + 1) + 1];
	} broken[] = {
		{ "an exit is missing", {
			{ ENTER, 2600, IRQ, 9 }, { SWITCH, 2700, OWN, IDLE },
			{ WAKEUP, 2750, 0, 0 }, { SWITCH, 2800, IDLE, OWN } } },
		{ "an exit is missing at t3", { { ENTER, 2600, IRQ, 9 } } },
		{ "an entry is missing", { { EXIT, 2600, IRQ, 9 } } },
		{ "a doubled entry", {
			{ ENTER, 2600, IRQ, 9 }, { ENTER, 2610, IRQ, 9 },
			{ EXIT, 2700, IRQ, 9 } } },
		{ "a doubled exit", {
			{ ENTER, 2600, IRQ, 9 }, { EXIT, 2700, IRQ, 9 }, { EXIT, 2710, IRQ, 9 } } },
		{ "a wrong exit", {
			{ ENTER, 2600, IRQ, 9 }, { EXIT, 2700, IRQ, 8 }, { EXIT, 2710, IRQ, 9 } } },
		{ "crossed exits", {
			{ ENTER, 2600, SOFTIRQ, 3 }, { ENTER, 2610, IRQ, 9 },
			{ EXIT, 2700, SOFTIRQ, 3 }, { EXIT, 2710, IRQ, 9 } } },
		{ "a softirq inside an irq", {
			{ ENTER, 2600, IRQ, 9 }, { ENTER, 2610, SOFTIRQ, 3 },
			{ EXIT, 2700, SOFTIRQ, 3 } } },
		{ "too deep", {
			{ ENTER, 2600, IRQ, 0 }, { ENTER, 2601, IRQ, 1 }, { ENTER, 2602, IRQ, 2 },
			{ ENTER, 2603, IRQ, 3 }, { ENTER, 2604, IRQ, 4 }, { EXIT, 2696, IRQ, 4 },
			{ EXIT, 2697, IRQ, 3 }, { EXIT, 2698, IRQ, 2 }, { EXIT, 2699, IRQ, 1 },
			{ EXIT, 2700, IRQ, 0 } } },
		{ "a switch is missing", { { SWITCH, 2700, OTHER, OWN } } },
		{ "a doubled switch", {
			{ SWITCH, 2600, OWN, OTHER }, { SWITCH, 2610, OWN, OTHER },
			{ SWITCH, 2700, OTHER, OWN } } },
		{ "it never came back", { { SWITCH, 2600, OWN, IDLE } } },
		{ "a doubled t1", { { T1, 2600, 0, 0 } } },
		{ "a doubled t2", { { T2, 2600, 0, 0 } } },
	};
	struct tlob_split s;
	size_t i;

	_Static_assert(TLOB_SPLIT_LEVELS == 4, "one entry more is too deep");
	for (i = 0; i < ARRAY_SIZE(broken); i++) {
		in_work(&s);
		play(&s, broken[i].step);
		tlob_split_t3(&s, 3000);
		if (!s.errors)
			fail_msg("%s, and it was not noticed", broken[i].what);
		assert_int_equal(total(&s), 1000);
		assert_int_equal(s.depth, 0);
	}
}

TEST(test_t2_without_t1)
{
	struct tlob_split s;

	armed(&s, false);
	tlob_split_switch(&s, 2300, IDLE, "swapper", false, OWN);
	tlob_split_t2(&s, 2500);
	assert_true(s.errors > 0);
}

UNIT_MAIN(NULL, NULL)
