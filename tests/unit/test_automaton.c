// SPDX-License-Identifier: GPL-2.0
/*
 * The automaton: every state with every event. test_automaton.sh tests that the DOT file says
 * the same.
 */
#include "automaton.h"
#include "unit.h"

/* Written by hand from the kernel's behaviour; the table must agree. */
static const struct {
	unsigned int state, event, next;
} accepted[] = {
	{ unmonitored_tlob, start_tlob, running_tlob },
	{ running_tlob, stop_tlob, unmonitored_tlob },
	{ running_tlob, preempt_tlob, waiting_tlob },
	{ running_tlob, sleep_tlob, sleeping_tlob },
	{ running_tlob, wakeup_tlob, running_tlob },
	{ running_tlob, budget_expired_tlob, running_tlob },
	{ waiting_tlob, switch_in_tlob, running_tlob },
	{ waiting_tlob, wakeup_tlob, waiting_tlob },
	{ waiting_tlob, budget_expired_tlob, waiting_tlob },
	{ sleeping_tlob, wakeup_tlob, waiting_tlob },
	{ sleeping_tlob, switch_in_tlob, running_tlob },
	{ sleeping_tlob, budget_expired_tlob, sleeping_tlob },
};

static unsigned int expected(unsigned int state, unsigned int event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(accepted); i++)
		if (accepted[i].state == state && accepted[i].event == event)
			return accepted[i].next;
	return INVALID_STATE;
}

TEST(test_every_pair)
{
	unsigned int from, event, pairs = 0;

	for (from = 0; from < state_max_tlob; from++)
		for (event = 0; event < event_max_tlob; event++, pairs++)
			if (tlob_da_next(from, event) != expected(from, event))
				fail_msg("%s in %s: %s, not %s",
					 tlob_da_event_name(event),
					 tlob_da_state_name(from),
					 tlob_da_state_name(tlob_da_next(from, event)),
					 tlob_da_state_name(expected(from, event)));
	assert_int_equal(pairs, 4 * 7);
}

TEST(test_out_of_range)
{
	assert_int_equal(tlob_da_next(state_max_tlob, start_tlob), INVALID_STATE);
	assert_int_equal(tlob_da_next(running_tlob, event_max_tlob), INVALID_STATE);
	assert_int_equal(tlob_da_next(~0U, ~0U), INVALID_STATE);
	assert_string_equal(tlob_da_state_name(state_max_tlob), "invalid");
	assert_string_equal(tlob_da_event_name(~0U), "invalid");
}

/* A slot of zeros has no window. */
TEST(test_initial_and_final)
{
	unsigned int i;

	assert_int_equal(unmonitored_tlob, 0);
	assert_int_equal(automaton_tlob.initial_state, unmonitored_tlob);
	for (i = 0; i < state_max_tlob; i++)
		assert_int_equal(automaton_tlob.final_states[i],
				 i == unmonitored_tlob);
}

TEST(test_names)
{
	static const char * const states[] = {
		[unmonitored_tlob] = "unmonitored", [running_tlob] = "running",
		[sleeping_tlob] = "sleeping", [waiting_tlob] = "waiting",
	};
	static const char * const events[] = {
		[budget_expired_tlob] = "budget_expired",
		[preempt_tlob] = "preempt", [sleep_tlob] = "sleep",
		[start_tlob] = "start", [stop_tlob] = "stop",
		[switch_in_tlob] = "switch_in", [wakeup_tlob] = "wakeup",
	};
	unsigned int i;

	assert_int_equal(ARRAY_SIZE(states), state_max_tlob);
	assert_int_equal(ARRAY_SIZE(events), event_max_tlob);
	for (i = 0; i < state_max_tlob; i++)
		assert_string_equal(tlob_da_state_name(i), states[i]);
	for (i = 0; i < event_max_tlob; i++)
		assert_string_equal(tlob_da_event_name(i), events[i]);
}

/* A task that is preempted with a state other than running waits. */
TEST(test_switch_out)
{
	static const struct {
		bool preempt;
		unsigned int prev_state, state;
		enum events_tlob event;
	} t[] = {
		{ false, 0, 0, preempt_tlob },	/* sched_yield() */
		{ true, 0, 0, preempt_tlob },
		{ true, 1, 1, preempt_tlob },	/* after set_current_state() */
		{ true, 2, 2, preempt_tlob },
		{ false, 1, 0, preempt_tlob },	/* 6.1: a signal was pending */
		{ false, 1, 1, sleep_tlob },
		{ false, 2, 2, sleep_tlob },
		{ false, 4, 4, sleep_tlob },	/* stopped */
		{ false, 0x80, 0x80, sleep_tlob },	/* dead */
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		assert_int_equal(tlob_da_switch_out(t[i].preempt,
						    t[i].prev_state,
						    t[i].state),
				 t[i].event);
}

UNIT_MAIN(NULL, NULL)
