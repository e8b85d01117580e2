/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only list of the parts of a window, in the order of enum tlob_part.
 * Names, conditions, tracepoint fields and the table in the docs come from it.
 * Pure C: compiled in the kernel, in the tool and in the unit tests.
 *
 *	PART(PHASE, NAME, phase, name, meaning)
 *
 * PHASE_NAME is the enumerator behind TLOB_; "phase.name" is the name for
 * people.
 */
#ifndef _TLOB_PARTS_H
#define _TLOB_PARTS_H

#include <linux/tlob.h>

#define TLOB_PARTS(PART)						\
	PART(WAKE, IRQ_DELAY, wake, irq_delay,				\
	     "from the expiry until the timer's interrupt is entered")	\
	PART(WAKE, IRQ, wake, irq,					\
	     "hard interrupts, the timer's own among them")		\
	PART(WAKE, SOFTIRQ, wake, softirq,				\
	     "softirqs; on PREEMPT_RT they are threads")		\
	PART(WAKE, NMI, wake, nmi,					\
	     "non-maskable interrupts")					\
	PART(WAKE, THREAD, wake, thread,				\
	     "another task ran after the timer's handler")		\
	PART(WAKE, SCHED, wake, sched,					\
	     "the CPU was idle, or on its way into our task")		\
	PART(WAKE, STEAL, wake, steal,					\
	     "the hypervisor ran something else on the CPU")		\
	PART(WORK, ON_CPU, work, on_cpu,				\
	     "our task ran")						\
	PART(WORK, IRQ, work, irq,					\
	     "hard interrupts")						\
	PART(WORK, SOFTIRQ, work, softirq,				\
	     "softirqs; on PREEMPT_RT they are threads")		\
	PART(WORK, NMI, work, nmi,					\
	     "non-maskable interrupts")					\
	PART(WORK, THREAD, work, thread,				\
	     "our task was runnable: another one ran, or the CPU woke up") \
	PART(WORK, SLEEP, work, sleep,					\
	     "our task was blocked or stopped")				\
	PART(WORK, STEAL, work, steal,					\
	     "the hypervisor ran something else on the CPU")		\
	PART(WORK, HW, work, hw,					\
	     "a gap in the clock that the kernel cannot explain: SMI, hypervisor")

/*
 * A list with a missing part or another order than the enum does not compile.
 */
#define TLOB_PART_PLACE(PHASE, NAME, ...)	TLOB_PLACE_##PHASE##_##NAME,
#define TLOB_PART_CHECK(PHASE, NAME, ...)				\
	_Static_assert((int)TLOB_PLACE_##PHASE##_##NAME ==		\
		       (int)TLOB_##PHASE##_##NAME,			\
		       "parts.h: another order than enum tlob_part");
enum { TLOB_PARTS(TLOB_PART_PLACE) TLOB_PLACES };
TLOB_PARTS(TLOB_PART_CHECK)
_Static_assert((int)TLOB_PLACES == (int)TLOB_NR_PARTS,
	       "parts.h: a part of enum tlob_part is missing");
#undef TLOB_PART_PLACE
#undef TLOB_PART_CHECK

/* The part of a run for each enum tlob_task_part. */
#define TLOB_TASK_PARTS_IN_A_RUN {					\
	[TLOB_TASK_PART_RUNNING] = TLOB_WORK_ON_CPU,			\
	[TLOB_TASK_PART_IRQ] = TLOB_WORK_IRQ,				\
	[TLOB_TASK_PART_SOFTIRQ] = TLOB_WORK_SOFTIRQ,			\
	[TLOB_TASK_PART_NMI] = TLOB_WORK_NMI,				\
	[TLOB_TASK_PART_HW] = TLOB_WORK_HW,				\
	[TLOB_TASK_PART_WAITING] = TLOB_WORK_THREAD,			\
	[TLOB_TASK_PART_SLEEPING] = TLOB_WORK_SLEEP,			\
	[TLOB_TASK_PART_TIMER] = TLOB_WAKE_IRQ_DELAY,			\
	[TLOB_TASK_PART_STEAL] = TLOB_WORK_STEAL,			\
}

#define TLOB_STEAL_PARTS	((1U << TLOB_WAKE_STEAL) | (1U << TLOB_WORK_STEAL))

#endif /* _TLOB_PARTS_H */
