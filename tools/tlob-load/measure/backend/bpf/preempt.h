/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where BPF programs find the kernel's counter of preemption, which distinguishes irqs, softirqs
 * and nmis. x86 has it for each CPU, arm64 in the task.
 */
#ifndef TLOB_BACKEND_BPF_PREEMPT_H
#define TLOB_BACKEND_BPF_PREEMPT_H

struct pcpu_hot {
	int	preempt_count;
} __attribute__((preserve_access_index));

/* The fields that are read; ___ and what follows is no part of the name in the kernel. */
struct thread_info___counts {
	__u64	preempt_count;		/* the upper half says whether to reschedule */
} __attribute__((preserve_access_index));

struct task_struct___counts {
	struct thread_info___counts thread_info;
} __attribute__((preserve_access_index));

/* x86 before 6.2 and since 6.15; and between. */
extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot pcpu_hot __ksym __weak;

#define PREEMPT_NMI		0xf00000
#define PREEMPT_HARDIRQ		0x0f0000
#define PREEMPT_SOFTIRQ		0x000100	/* serving one */

#endif /* TLOB_BACKEND_BPF_PREEMPT_H */
