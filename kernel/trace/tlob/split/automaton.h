/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The automaton of the tlob monitor: the state of a task while a window over it
 * is open. Pure C: compiled in the kernel and in the unit tests.
 *
 *	unmonitored	no window
 *	running		the task is current on some CPU
 *	waiting		the task is runnable, and another one runs
 *	sleeping	the task is blocked or stopped
 *
 * The table says more than is obvious:
 *
 * - A task opens and ends its own windows. So start leads to running, and stop
 *   comes only from there. Disable, unbind, close and exit take a window away:
 *   they reset it to the initial state without an event.
 * - wakeup may come for a task that runs or waits, and then changes nothing. A
 *   running task that gets it is between its set_current_state() and
 *   schedule().
 * - switch_in may come without a wakeup. Linux 6.1 reports the old state of a
 *   task that was about to block but did not because a signal was pending.
 * - budget_expired changes no state. The window continues to its end and its
 *   record, like a window of the workload. account.h ensures that it is
 *   reported once.
 *
 * Any other event is INVALID_STATE: an event was lost, doubled or made up. It
 * is counted and reported, and the state does not change.
 *
 * Linux's rvgen makes the same names in the same order from
 * docs/explanation/tlob.dot. So a kernel with CONFIG_RV can use this table
 * unchanged.
 */
#ifndef _TLOB_AUTOMATON_H
#define _TLOB_AUTOMATON_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#endif

/* Written by scripts/automaton from docs/explanation/tlob.dot: change it there. */
enum states_tlob {
	unmonitored_tlob,
	running_tlob,
	sleeping_tlob,
	waiting_tlob,
	state_max_tlob,
};

#define INVALID_STATE state_max_tlob

enum events_tlob {
	budget_expired_tlob,
	preempt_tlob,
	sleep_tlob,
	start_tlob,
	stop_tlob,
	switch_in_tlob,
	wakeup_tlob,
	event_max_tlob,
};

struct automaton_tlob {
	char *state_names[state_max_tlob];
	char *event_names[event_max_tlob];
	unsigned char function[state_max_tlob][event_max_tlob];
	unsigned char initial_state;
	bool final_states[state_max_tlob];
};

static const struct automaton_tlob automaton_tlob = {
	.state_names = {
		[unmonitored_tlob] = "unmonitored",
		[running_tlob] = "running",
		[sleeping_tlob] = "sleeping",
		[waiting_tlob] = "waiting",
	},
	.event_names = {
		[budget_expired_tlob] = "budget_expired",
		[preempt_tlob] = "preempt",
		[sleep_tlob] = "sleep",
		[start_tlob] = "start",
		[stop_tlob] = "stop",
		[switch_in_tlob] = "switch_in",
		[wakeup_tlob] = "wakeup",
	},
	.function = {
		[unmonitored_tlob] = {
			[budget_expired_tlob] = INVALID_STATE,
			[preempt_tlob] = INVALID_STATE,
			[sleep_tlob] = INVALID_STATE,
			[start_tlob] = running_tlob,
			[stop_tlob] = INVALID_STATE,
			[switch_in_tlob] = INVALID_STATE,
			[wakeup_tlob] = INVALID_STATE,
		},
		[running_tlob] = {
			[budget_expired_tlob] = running_tlob,
			[preempt_tlob] = waiting_tlob,
			[sleep_tlob] = sleeping_tlob,
			[start_tlob] = INVALID_STATE,
			[stop_tlob] = unmonitored_tlob,
			[switch_in_tlob] = INVALID_STATE,
			[wakeup_tlob] = running_tlob,
		},
		[sleeping_tlob] = {
			[budget_expired_tlob] = sleeping_tlob,
			[preempt_tlob] = INVALID_STATE,
			[sleep_tlob] = INVALID_STATE,
			[start_tlob] = INVALID_STATE,
			[stop_tlob] = INVALID_STATE,
			[switch_in_tlob] = running_tlob,
			[wakeup_tlob] = waiting_tlob,
		},
		[waiting_tlob] = {
			[budget_expired_tlob] = waiting_tlob,
			[preempt_tlob] = INVALID_STATE,
			[sleep_tlob] = INVALID_STATE,
			[start_tlob] = INVALID_STATE,
			[stop_tlob] = INVALID_STATE,
			[switch_in_tlob] = running_tlob,
			[wakeup_tlob] = waiting_tlob,
		},
	},
	.initial_state = unmonitored_tlob,
	.final_states = {
		[unmonitored_tlob] = true,
	},
};

/* The end of what scripts/automaton has written. */

/*
 * Returns the state after @event in @state, or INVALID_STATE if it is not
 * accepted.
 */
static inline enum states_tlob tlob_da_next(unsigned int state,
					    unsigned int event)
{
	if (state >= state_max_tlob || event >= event_max_tlob)
		return INVALID_STATE;
	return automaton_tlob.function[state][event];
}

static inline const char *tlob_da_state_name(unsigned int state)
{
	return state < state_max_tlob ? automaton_tlob.state_names[state] :
					"invalid";
}

static inline const char *tlob_da_event_name(unsigned int event)
{
	return event < event_max_tlob ? automaton_tlob.event_names[event] :
					"invalid";
}

/*
 * Returns the event of a task that sched_switch takes off its CPU. @preempt and
 * @prev_state come from the tracepoint. @state is the task's state at that
 * moment.
 *
 * - A task may be preempted between its set_current_state() and schedule(). Its
 *   state is no longer TASK_RUNNING (0), but it stays on the run queue and
 *   returns without a wake-up. So it waits.
 * - Linux 6.1 reports the state from before a signal kept the task runnable. By
 *   then the task's state is TASK_RUNNING again.
 */
static inline enum events_tlob tlob_da_switch_out(bool preempt,
						  unsigned int prev_state,
						  unsigned int state)
{
	return !preempt && prev_state && state ? sleep_tlob : preempt_tlob;
}

#endif /* _TLOB_AUTOMATON_H */
