/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of the monitor's automaton. If it is a monitor of RV they are in
 * the system `rv`, where the program rv reads those of a monitor (`rv mon tlob
 * -t`). Otherwise they are in `tlob_load` with the others.
 */
#include "../base/compat.h"

#undef TRACE_SYSTEM
#ifdef TLOB_RV
#define TRACE_SYSTEM rv
#else
#define TRACE_SYSTEM tlob_load
#endif
/* events.h, in the same object, may have the same system */
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR tlob_monitor

#if !defined(_TLOB_MONITOR_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TLOB_MONITOR_EVENTS_H

#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/tlob.h>

/* A transition of the automaton in a window of thread @id. */
TRACE_EVENT(event_tlob,

	TP_PROTO(pid_t id, const char *state, const char *event,
		 const char *next_state, bool final_state),

	TP_ARGS(id, state, event, next_state, final_state),

	TP_STRUCT__entry(
		__field(pid_t, id)
		__string(state, state)
		__string(event, event)
		__string(next_state, next_state)
		__field(bool, final_state)
	),

	TP_fast_assign(
		__entry->id = id;
		tlob_assign_str(state, state);
		tlob_assign_str(event, event);
		tlob_assign_str(next_state, next_state);
		__entry->final_state = final_state;
	),

	TP_printk("%d: %s x %s -> %s%s", __entry->id, __get_str(state),
		  __get_str(event), __get_str(next_state),
		  __entry->final_state ? " (final)" : "")
);

/* An event that the state does not accept: lost, doubled or made up. */
TRACE_EVENT(error_tlob,

	TP_PROTO(pid_t id, const char *state, const char *event),

	TP_ARGS(id, state, event),

	TP_STRUCT__entry(
		__field(pid_t, id)
		__string(state, state)
		__string(event, event)
	),

	TP_fast_assign(
		__entry->id = id;
		tlob_assign_str(state, state);
		tlob_assign_str(event, event);
	),

	TP_printk("%d: event %s not expected in the state %s", __entry->id,
		  __get_str(event), __get_str(state))
);

/* The constraint elapsed <= threshold is broken. @env: elapsed=NS. */
TRACE_EVENT(error_env_tlob,

	TP_PROTO(pid_t id, const char *state, const char *event,
		 const char *env),

	TP_ARGS(id, state, event, env),

	TP_STRUCT__entry(
		__field(pid_t, id)
		__string(state, state)
		__string(event, event)
		__string(env, env)
	),

	TP_fast_assign(
		__entry->id = id;
		tlob_assign_str(state, state);
		tlob_assign_str(event, event);
		tlob_assign_str(env, env);
	),

	TP_printk("%d: event %s not expected in the state %s with env %s",
		  __entry->id, __get_str(event), __get_str(state),
		  __get_str(env))
);

/*
 * Follows error_env_tlob: where the time went so far. running_ns excludes
 * interruptions.
 */
TRACE_EVENT(detail_env_tlob,

	TP_PROTO(const struct tlob_task_window *w),

	TP_ARGS(w),

	TP_STRUCT__entry(
		__field(pid_t, id)
		__field(u64, threshold_ns)
		__field(u64, running_ns)
		__field(u64, irq_ns)
		__field(u64, softirq_ns)
		__field(u64, nmi_ns)
		__field(u64, waiting_ns)
		__field(u64, sleeping_ns)
	),

	TP_fast_assign(
		__entry->id = w->tid;
		__entry->threshold_ns = w->threshold_ns;
		__entry->running_ns = w->part_ns[TLOB_TASK_PART_RUNNING];
		__entry->irq_ns = w->part_ns[TLOB_TASK_PART_IRQ];
		__entry->softirq_ns = w->part_ns[TLOB_TASK_PART_SOFTIRQ];
		__entry->nmi_ns = w->part_ns[TLOB_TASK_PART_NMI];
		__entry->waiting_ns = w->part_ns[TLOB_TASK_PART_WAITING] +
				      w->part_ns[TLOB_TASK_PART_STEAL];
		__entry->sleeping_ns = w->part_ns[TLOB_TASK_PART_SLEEPING] +
				       w->part_ns[TLOB_TASK_PART_TIMER];
	),

	TP_printk("%d: threshold_ns=%llu running_ns=%llu irq_ns=%llu softirq_ns=%llu nmi_ns=%llu waiting_ns=%llu sleeping_ns=%llu",
		  __entry->id, __entry->threshold_ns, __entry->running_ns,
		  __entry->irq_ns, __entry->softirq_ns, __entry->nmi_ns,
		  __entry->waiting_ns, __entry->sleeping_ns)
);

#endif /* _TLOB_MONITOR_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE monitor_events
#include <trace/define_trace.h>
