/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where BPF programs find the kernel's counter of preemption, which distinguishes irqs, softirqs
 * and nmis. x86 has it for each CPU, arm64 in the task.
 */
#ifndef TLOB_BACKEND_BPF_PREEMPT_H
#define TLOB_BACKEND_BPF_PREEMPT_H

#include "backend/bpf/percpu.h"

/* Each kernel has this struct, with an int at its beginning. */
struct refcount_struct___counts {
	struct {
		int counter;
	} refs;
} __attribute__((preserve_access_index));

#define PREEMPT_NMI		(preempt_at.nmi)
#define PREEMPT_HARDIRQ		(preempt_at.hardirq)
#define PREEMPT_SOFTIRQ		0x000100	/* serving one */
#define NO_COUNT		(-1)

/* The tool fills it in before it loads the programs. */
const volatile struct bpf_preempt_at preempt_at SEC(".rodata.preempt") = { .known = true };

static inline const struct refcount_struct___counts *counts_cast(__u64 at)
{
	return percpu_cast((void *)at, bpf_core_type_id_kernel(struct refcount_struct___counts));
}

/* Returns preempt_count, or NO_COUNT. */
static inline int preempt_count(void)
{
#ifdef TLOB_BPF_OLDER
	const struct task_struct___read *task = (void *)bpf_get_current_task();
#else
	const struct task_struct___read *task = (void *)bpf_get_current_task_btf();
#endif
	int count;
	__u64 at;

#ifdef TLOB_BPF_OLDER
	if (bpf_core_field_exists(task->thread_info.preempt_count))
		return (int)BPF_CORE_READ(task, thread_info.preempt_count);
#else
	if (bpf_core_field_exists(task->thread_info.preempt_count))
		return (int)task->thread_info.preempt_count;
#endif
	at = preempt_at.known ? percpu_queue() : 0;
	if (!at)
		return NO_COUNT;
	at += preempt_at.offset;
	if (preempt_at.cast)
		count = counts_cast(at)->refs.counter;
	else if (bpf_probe_read_kernel(&count, sizeof(count), (void *)at))
		return NO_COUNT;
	return count & ~(1U << 31);
}

/* Returns whether the tracepoint of an irq was hit in an nmi: pseudo-NMIs of arm64 do that. */
static inline bool irq_is_nmi(void)
{
	const struct task_struct___read *task = NULL;
	int count;

	if (!bpf_core_field_exists(task->thread_info.preempt_count))
		return false;
	count = preempt_count();
	return count != NO_COUNT && count & PREEMPT_NMI;
}

#endif /* TLOB_BACKEND_BPF_PREEMPT_H */
