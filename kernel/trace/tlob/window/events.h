/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of tlob-load; monitor_events.h has the events of the monitor's
 * automaton. Times are in ns, relative to t0 except for t0 itself.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tlob_load

#if !defined(_TLOB_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TLOB_EVENTS_H

#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/tlob.h>

#include "../split/parts.h"
#include "report.h"

#ifndef _TLOB_EVENTS_ONCE
#define _TLOB_EVENTS_ONCE
/* Each part is a field, so filters and triggers can use it. */
#define TLOB_PART_FIELD(PHASE, NAME, phase, name, ...)			\
	__field(u64, phase##_##name)
#define TLOB_PART_ASSIGN(PHASE, NAME, phase, name, ...)		\
	__entry->phase##_##name = part[TLOB_##PHASE##_##NAME];
#define TLOB_PART_FORMAT(PHASE, NAME, phase, name, ...)		\
	#phase "_" #name "=%llu "
#define TLOB_PART_ARG(PHASE, NAME, phase, name, ...)			\
	__entry->phase##_##name,
#endif /* _TLOB_EVENTS_ONCE */

/* A window has ended. */
TRACE_EVENT(tlob_window,

	TP_PROTO(const struct tlob_window *w),

	TP_ARGS(w),

	TP_STRUCT__entry(
		__field(u32, cpu)
		__field(u32, flags)
		__field(u64, activation)
		__field(u64, t0)
		__field(u64, irq_latency)
		__field(u64, wake)
		__field(u64, response)
		__field(u64, budget)
		__field(u64, missed)
		TLOB_PARTS(TLOB_PART_FIELD)
		__field(u64, noise_ns)
		__array(char, noise, TLOB_NAME_LEN)
		__array(char, delayed_by, TLOB_NAME_LEN)
	),

	TP_fast_assign(
		const u64 *part = w->part_ns;

		__entry->cpu = w->cpu;
		__entry->flags = w->flags;
		__entry->activation = w->activation;
		__entry->t0 = w->t0_ns;
		__entry->irq_latency = w->irq_latency_ns;
		__entry->wake = w->wake_ns;
		__entry->response = w->response_ns;
		__entry->budget = w->budget_ns;
		__entry->missed = w->missed;
		TLOB_PARTS(TLOB_PART_ASSIGN)
		__entry->noise_ns = w->largest.ns;
		memcpy(__entry->noise, w->largest.name, TLOB_NAME_LEN);
		memcpy(__entry->delayed_by, w->delayed_by, TLOB_NAME_LEN);
	),

	TP_printk("cpu=%u activation=%llu t0=%llu irq_latency=%llu wake=%llu response=%llu budget=%llu missed=%llu flags=%#x "
		  TLOB_PARTS(TLOB_PART_FORMAT) "noise=%s noise_ns=%llu delayed_by=%s",
		  __entry->cpu, __entry->activation, __entry->t0,
		  __entry->irq_latency, __entry->wake, __entry->response,
		  __entry->budget, __entry->missed, __entry->flags,
		  TLOB_PARTS(TLOB_PART_ARG) __entry->noise,
		  __entry->noise_ns, __entry->delayed_by)
);

/*
 * A window has exceeded its budget. Reported once per violation, as soon as the
 * budget's timer or the end of the window sees it. For windows of the workload
 * tag is the activation and monitor is 0. Windows of the monitor have no wake
 * phase. on_cpu includes the interruptions of the task; off_cpu is the rest.
 */
TRACE_EVENT(tlob_budget_exceeded,

	TP_PROTO(const struct tlob_exceeded *x),

	TP_ARGS(x),

	TP_STRUCT__entry(
		__field(u32, cpu)
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(u64, threshold)
		__field(u64, elapsed)
		__field(u64, on_cpu)
		__field(u64, off_cpu)
		__field(u32, switches)
		__array(char, state, 12)
		__field(u64, tag)
		__field(u8, monitor)
		TLOB_PARTS(TLOB_PART_FIELD)
		__array(char, current_comm, TASK_COMM_LEN)
		__field(pid_t, current_pid)
	),

	TP_fast_assign(
		const u64 *part = x->part;

		__entry->cpu = x->cpu;
		memcpy(__entry->comm, x->comm, TASK_COMM_LEN);
		__entry->pid = x->pid;
		__entry->threshold = x->threshold;
		__entry->elapsed = x->elapsed;
		__entry->on_cpu = x->part[TLOB_WORK_ON_CPU] +
				  x->part[TLOB_WORK_IRQ] +
				  x->part[TLOB_WORK_SOFTIRQ] +
				  x->part[TLOB_WORK_NMI] +
				  x->part[TLOB_WORK_HW];
		__entry->off_cpu = x->elapsed - __entry->on_cpu;
		__entry->switches = x->switches;
		strscpy(__entry->state, x->state, sizeof(__entry->state));
		__entry->tag = x->tag;
		__entry->monitor = x->monitor;
		TLOB_PARTS(TLOB_PART_ASSIGN)
		memcpy(__entry->current_comm, current->comm, TASK_COMM_LEN);
		__entry->current_pid = current->pid;
	),

	TP_printk("cpu=%u comm=%s pid=%d threshold=%llu elapsed=%llu on_cpu=%llu off_cpu=%llu switches=%u state=%s tag=%llu monitor=%u "
		  TLOB_PARTS(TLOB_PART_FORMAT) "current_comm=%s current_pid=%d",
		  __entry->cpu, __entry->comm, __entry->pid,
		  __entry->threshold, __entry->elapsed, __entry->on_cpu,
		  __entry->off_cpu, __entry->switches, __entry->state,
		  __entry->tag, __entry->monitor, TLOB_PARTS(TLOB_PART_ARG)
		  __entry->current_comm, __entry->current_pid)
);

#endif /* _TLOB_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
