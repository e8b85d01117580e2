// SPDX-License-Identifier: GPL-2.0
/* Reports of windows over tasks. Defines the tracepoints of the automaton. */
#include "../split/parts.h"
#include "../window/report.h"
#include "monitor_report.h"
#include "rv.h"

#define CREATE_TRACE_POINTS
#include "monitor_events.h"

const u8 tlob_task_part_of[TLOB_NR_TASK_PARTS] = TLOB_TASK_PARTS_IN_A_RUN;

void tlob_report_task(const struct tlob_task_window *w)
{
	const char *event = tlob_da_event_name(budget_expired_tlob);
	struct tlob_exceeded x = {
		.cpu = w->cpu,
		.comm = w->comm,
		.pid = w->tid,
		.tag = w->tag,
		.monitor = true,
		.elapsed = w->elapsed_ns,
		.threshold = w->threshold_ns,
		.switches = w->switches,
		.state = tlob_da_state_name(w->state),
	};
	char env[32];
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		x.part[tlob_task_part_of[i]] = w->part_ns[i];
	tlob_report_exceeded(&x);
	if (tlob_rv_is_silent())
		return;
	/* same format as RV's ha_get_env_string() */
	snprintf(env, sizeof(env), "elapsed=%llu", w->elapsed_ns);
	trace_error_env_tlob(w->tid, x.state, event, env);
	trace_detail_env_tlob(w);
	tlob_rv_react(w->comm, w->tid, x.state, event, env);
}

void tlob_report_event(const struct task_struct *task, unsigned int state,
		       enum events_tlob event, unsigned int next)
{
	if (trace_event_tlob_enabled() && !tlob_rv_is_silent())
		trace_event_tlob(task->pid, tlob_da_state_name(state),
				 tlob_da_event_name(event),
				 tlob_da_state_name(next),
				 automaton_tlob.final_states[next]);
}

void tlob_report_error(const struct task_struct *task, unsigned int state,
		       enum events_tlob event)
{
	if (tlob_rv_is_silent())
		return;
	trace_error_tlob(task->pid, tlob_da_state_name(state),
			 tlob_da_event_name(event));
	tlob_rv_react(task->comm, task->pid, tlob_da_state_name(state),
		      tlob_da_event_name(event), NULL);
}
