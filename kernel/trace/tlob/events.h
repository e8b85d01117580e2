/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of tlob-load; those of the monitor's automaton are in
 * monitor_events.h. Times in ns, relative to t0 where they are not t0.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tlob_load

#if !defined(_TLOB_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TLOB_EVENTS_H

#include <linux/sched.h>
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>
#include <linux/tlob.h>

#include "report.h"

#ifndef _TLOB_EVENTS_ONCE
#define _TLOB_EVENTS_ONCE
#define TLOB_STACK_FRAMES	24

/* The thirteen parts by name, so that a filter or a trigger can use them. */
#define TLOB_PART_FIELDS						\
	__field(u64, wake_irq_delay)					\
	__field(u64, wake_irq)						\
	__field(u64, wake_softirq)					\
	__field(u64, wake_nmi)						\
	__field(u64, wake_thread)					\
	__field(u64, wake_sched)					\
	__field(u64, work_on_cpu)					\
	__field(u64, work_irq)						\
	__field(u64, work_softirq)					\
	__field(u64, work_nmi)						\
	__field(u64, work_thread)					\
	__field(u64, work_sleep)					\
	__field(u64, work_hw)

#define TLOB_PART_ASSIGN(part)						\
	__entry->wake_irq_delay = (part)[TLOB_WAKE_IRQ_DELAY];		\
	__entry->wake_irq = (part)[TLOB_WAKE_IRQ];			\
	__entry->wake_softirq = (part)[TLOB_WAKE_SOFTIRQ];		\
	__entry->wake_nmi = (part)[TLOB_WAKE_NMI];			\
	__entry->wake_thread = (part)[TLOB_WAKE_THREAD];		\
	__entry->wake_sched = (part)[TLOB_WAKE_SCHED];			\
	__entry->work_on_cpu = (part)[TLOB_WORK_ON_CPU];		\
	__entry->work_irq = (part)[TLOB_WORK_IRQ];			\
	__entry->work_softirq = (part)[TLOB_WORK_SOFTIRQ];		\
	__entry->work_nmi = (part)[TLOB_WORK_NMI];			\
	__entry->work_thread = (part)[TLOB_WORK_THREAD];		\
	__entry->work_sleep = (part)[TLOB_WORK_SLEEP];			\
	__entry->work_hw = (part)[TLOB_WORK_HW]

#define TLOB_PART_FORMAT						\
	"wake: irq_delay=%llu irq=%llu softirq=%llu nmi=%llu "		\
	"thread=%llu sched=%llu work: on_cpu=%llu irq=%llu "		\
	"softirq=%llu nmi=%llu thread=%llu sleep=%llu hw=%llu"

#define TLOB_PART_ARGS							\
	__entry->wake_irq_delay, __entry->wake_irq,			\
	__entry->wake_softirq, __entry->wake_nmi,			\
	__entry->wake_thread, __entry->wake_sched,			\
	__entry->work_on_cpu, __entry->work_irq,			\
	__entry->work_softirq, __entry->work_nmi,			\
	__entry->work_thread, __entry->work_sleep, __entry->work_hw

const char *tlob_trace_frames(struct trace_seq *p, const unsigned long *frame,
			      unsigned int nr);
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
		TLOB_PART_FIELDS
		__field(u64, noise_ns)
		__array(char, noise, TLOB_NAME_LEN)
		__array(char, delayed_by, TLOB_NAME_LEN)
	),

	TP_fast_assign(
		__entry->cpu = w->cpu;
		__entry->flags = w->flags;
		__entry->activation = w->activation;
		__entry->t0 = w->t0_ns;
		__entry->irq_latency = w->irq_latency_ns;
		__entry->wake = w->wake_ns;
		__entry->response = w->response_ns;
		__entry->budget = w->budget_ns;
		__entry->missed = w->missed;
		TLOB_PART_ASSIGN(w->part_ns);
		__entry->noise_ns = w->largest.ns;
		memcpy(__entry->noise, w->largest.name, TLOB_NAME_LEN);
		memcpy(__entry->delayed_by, w->delayed_by, TLOB_NAME_LEN);
	),

	TP_printk("cpu=%u activation=%llu t0=%llu irq_latency=%llu wake=%llu response=%llu budget=%llu missed=%llu flags=%#x "
		  TLOB_PART_FORMAT " noise=%s noise_ns=%llu delayed_by=%s",
		  __entry->cpu, __entry->activation, __entry->t0,
		  __entry->irq_latency, __entry->wake, __entry->response,
		  __entry->budget, __entry->missed, __entry->flags,
		  TLOB_PART_ARGS, __entry->noise, __entry->noise_ns,
		  __entry->delayed_by)
);

/*
 * A window has outlived its budget: once a violation, as soon as either the
 * budget's timer or the end of the window sees it. Of the workload's windows (tag:
 * the activation, monitor=0) and of the monitor's, which have no wake phase. on_cpu has what
 * interrupted the task; off_cpu is the rest.
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
		TLOB_PART_FIELDS
		__array(char, current_comm, TASK_COMM_LEN)
		__field(pid_t, current_pid)
	),

	TP_fast_assign(
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
		TLOB_PART_ASSIGN(x->part);
		memcpy(__entry->current_comm, current->comm, TASK_COMM_LEN);
		__entry->current_pid = current->pid;
	),

	TP_printk("cpu=%u comm=%s pid=%d threshold=%llu elapsed=%llu on_cpu=%llu off_cpu=%llu switches=%u state=%s tag=%llu monitor=%u "
		  TLOB_PART_FORMAT " current_comm=%s current_pid=%d",
		  __entry->cpu, __entry->comm, __entry->pid,
		  __entry->threshold, __entry->elapsed, __entry->on_cpu,
		  __entry->off_cpu, __entry->switches, __entry->state,
		  __entry->tag, __entry->monitor, TLOB_PART_ARGS,
		  __entry->current_comm, __entry->current_pid)
);

/* With print_stack: the kernel frames of what ran when the budget was over. */
TRACE_EVENT(tlob_stack,

	TP_PROTO(const struct tlob_exceeded *x, const unsigned long *frame,
		 unsigned int nr),

	TP_ARGS(x, frame, nr),

	TP_STRUCT__entry(
		__field(u32, cpu)
		__field(u32, nr)
		__field(u64, tag)
		__field(u8, monitor)
		__array(unsigned long, frame, TLOB_STACK_FRAMES)
	),

	TP_fast_assign(
		__entry->cpu = x->cpu;
		__entry->monitor = x->monitor;
		__entry->nr = min_t(unsigned int, nr, TLOB_STACK_FRAMES);
		__entry->tag = x->tag;
		memset(__entry->frame, 0, sizeof(__entry->frame));
		memcpy(__entry->frame, frame,
		       __entry->nr * sizeof(*__entry->frame));
	),

	TP_printk("cpu=%u tag=%llu monitor=%u%s", __entry->cpu, __entry->tag,
		  __entry->monitor,
		  tlob_trace_frames(p, __entry->frame, __entry->nr))
);

#endif /* _TLOB_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
