/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who wakes a task: four programs for sched_waking, one of which a kernel accepts, as
 * bpf_choose_waking() finds out. The includer has struct task_struct with the fields below, and
 * defines
 *
 *	static int waking(struct task_struct *p, int count)
 */
#ifndef TLOB_WAITS_BPF_WAKER_H
#define TLOB_WAITS_BPF_WAKER_H

#include "backend/bpf/preempt.h"

#define NO_COUNT		(-1)

static int waking(struct task_struct *p, int count);

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

/* One of these programs is loaded: a kernel refuses a variable or a field that it does not have. */
SEC("tp_btf/sched_waking")
int sched_waking_task(__u64 *ctx)
{
	const struct task_struct___counts *task = (void *)bpf_get_current_task_btf();

	return waking((void *)ctx[0], (int)task->thread_info.preempt_count);
}

SEC("tp_btf/sched_waking")
int sched_waking_percpu(__u64 *ctx)
{
	const int *count = bpf_this_cpu_ptr(&__preempt_count);

	return waking((void *)ctx[0], *count & ~(1U << 31));
}

SEC("tp_btf/sched_waking")
int sched_waking_hot(__u64 *ctx)
{
	const struct pcpu_hot *hot = bpf_this_cpu_ptr(&pcpu_hot);

	return waking((void *)ctx[0], hot->preempt_count & ~(1U << 31));
}

SEC("tp_btf/sched_waking")
int sched_waking_blind(__u64 *ctx)
{
	return waking((void *)ctx[0], NO_COUNT);
}

#endif /* TLOB_WAITS_BPF_WAKER_H */
