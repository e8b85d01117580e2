/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who wakes a task. The includer has struct task_struct with the fields below.
 */
#ifndef TLOB_WAITS_BPF_WAKER_H
#define TLOB_WAITS_BPF_WAKER_H

#include "backend/bpf/older.h"
#include "backend/bpf/preempt.h"

#ifdef TLOB_BPF_OLDER
#define SOFTIRQS_OF(current)	BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), softirq_disable_cnt)
#else
#define SOFTIRQS_OF(current)	((current)->softirq_disable_cnt)
#endif

/* @count: preempt_count, or NO_COUNT. */
static inline void fill_waker(struct tlob_wait_waker *w, const struct task_struct *current,
			      int count)
{
	int softirq = count;

	__builtin_memset(w, 0, sizeof(*w));
	/* the idle task itself wakes no task: it is on its way out of an irq */
	if (count == NO_COUNT) {
		w->kind = task_pid(current) ? TLOB_WAKER_UNKNOWN : TLOB_WAKER_IRQ;
		return;
	}
	if (bpf_core_field_exists(current->softirq_disable_cnt))
		softirq = SOFTIRQS_OF(current);
	if (count & PREEMPT_NMI) {
		w->kind = TLOB_WAKER_NMI;
	} else if (count & PREEMPT_HARDIRQ) {
		w->kind = TLOB_WAKER_IRQ;
	} else if (softirq & PREEMPT_SOFTIRQ) {
		w->kind = TLOB_WAKER_SOFTIRQ;
	} else if (!task_pid(current)) {
		w->kind = TLOB_WAKER_IRQ;
	} else {
		w->kind = TLOB_WAKER_TASK;
		w->tid = task_pid(current);
		w->tgid = task_tgid(current);
		copy_name(w->comm, current);
	}
}

#endif /* TLOB_WAITS_BPF_WAKER_H */
