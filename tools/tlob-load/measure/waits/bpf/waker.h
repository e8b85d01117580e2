/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who wakes a task. The includer has struct task_struct with the fields below.
 */
#ifndef TLOB_WAITS_BPF_WAKER_H
#define TLOB_WAITS_BPF_WAKER_H

#include "backend/bpf/preempt.h"

/* @count: preempt_count, or NO_COUNT. */
static inline void fill_waker(struct tlob_wait_waker *w, const struct task_struct *current,
			      int count)
{
	int softirq = count;

	__builtin_memset(w, 0, sizeof(*w));
	/* the idle task itself wakes no task: it is on its way out of an irq */
	if (count == NO_COUNT) {
		w->kind = current->pid ? TLOB_WAKER_UNKNOWN : TLOB_WAKER_IRQ;
		return;
	}
	if (bpf_core_field_exists(current->softirq_disable_cnt))
		softirq = current->softirq_disable_cnt;
	if (count & PREEMPT_NMI) {
		w->kind = TLOB_WAKER_NMI;
	} else if (count & PREEMPT_HARDIRQ) {
		w->kind = TLOB_WAKER_IRQ;
	} else if (softirq & PREEMPT_SOFTIRQ) {
		w->kind = TLOB_WAKER_SOFTIRQ;
	} else if (!current->pid) {
		w->kind = TLOB_WAKER_IRQ;
	} else {
		w->kind = TLOB_WAKER_TASK;
		w->tid = current->pid;
		w->tgid = current->tgid;
		__builtin_memcpy(__builtin_assume_aligned(w->comm, 8),
				 __builtin_assume_aligned(current->comm, 8), TLOB_NAME_LEN);
	}
}

#endif /* TLOB_WAITS_BPF_WAKER_H */
