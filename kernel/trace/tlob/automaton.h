/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The automaton of the tlob monitor: where a task is while a window over it is
 * open. Pure C: compiled in the kernel and in the unit tests.
 *
 *	unmonitored	no window
 *	running		the task is current on some CPU
 *	waiting		it could run and another one does
 *	sleeping	it is blocked or stopped
 *
 * What the table says beyond the obvious:
 *
 * - A window is opened and ended by its own task, so start leads to running and
 *   stop comes from there only. Whoever takes a window away from a task
 *   (disable, unbind, close, exit) resets it to the initial state: no event.
 * - wakeup may come for a task that runs or waits, and changes nothing then: in
 *   the first case it stands between its set_current_state() and schedule().
 * - switch_in may come without a wakeup: Linux 6.1 reports the state of a task
 *   that was about to block and did not, since a signal was pending.
 * - budget_expired changes no state. The window goes on to its end and its
 *   record, as that of the workload does. That it is reported once is not here
 *   but in account.h.
 *
 * Everything else is INVALID_STATE: an event was lost, doubled or made up. That
 * is counted and reported, and the state stays what it was.
 *
 * Names and order are those that rvgen of Linux makes of docs/explanation/tlob.dot, so a
 * kernel with CONFIG_RV can take this table as it is.
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

/* The state after @event in @state; INVALID_STATE: not accepted. */
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
 * The event of a task that sched_switch takes off its CPU. The tracepoint says @preempt
 * and @prev_state; @state is the task's at that moment.
 *
 * - A task may be preempted between its set_current_state() and schedule(). Its state
 *   is no longer TASK_RUNNING (0), but it stays on the run queue and comes back
 *   without a wake-up: it waits.
 * - Linux 6.1 reports the state from before it saw a signal that kept the task
 *   runnable. The task's state is TASK_RUNNING again by then.
 */
static inline enum events_tlob tlob_da_switch_out(bool preempt,
						  unsigned int prev_state,
						  unsigned int state)
{
	return !preempt && prev_state && state ? sleep_tlob : preempt_tlob;
}

#endif /* _TLOB_AUTOMATON_H */
