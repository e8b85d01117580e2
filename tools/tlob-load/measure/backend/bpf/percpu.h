/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variables of a CPU. A kernel without symbols of data has no addresses for them. So they are found
 * by their distance from the CPU's run queue, which a task points to.
 */
#ifndef TLOB_BACKEND_BPF_PERCPU_H
#define TLOB_BACKEND_BPF_PERCPU_H

#include "machine/bpf_percpu.h"

/* The fields that are read; ___ and what follows is no part of the name in the kernel. */
struct cfs_rq___percpu {
	void	*rq;
} __attribute__((preserve_access_index));

struct sched_entity___percpu {
	struct cfs_rq___percpu *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct___percpu {
	struct sched_entity___percpu se;
} __attribute__((preserve_access_index));

/* Since 6.2; a load from memory, and nothing else. */
static void *(*const percpu_cast)(const void *obj, __u32 btf_id) = (void *)BPF_CAST_CALL;

/* Returns the address of this CPU's run queue. 0: no task knows it. */
static inline __u64 percpu_queue(void)
{
#ifdef TLOB_BPF_OLDER
	const struct task_struct___percpu *task = (void *)bpf_get_current_task();

	return bpf_core_field_exists(task->se.cfs_rq) ? (__u64)BPF_CORE_READ(task, se.cfs_rq, rq) : 0;
#else
	const struct task_struct___percpu *task = (void *)bpf_get_current_task_btf();

	return bpf_core_field_exists(task->se.cfs_rq) ? (__u64)task->se.cfs_rq->rq : 0;
#endif
}

/* x86 has the first two, arm64 the others. */
struct pt_regs___irq {
	unsigned long r15, cs;
	unsigned long long regs[31], pstate;
} __attribute__((preserve_access_index));

#define PSR_MODE	0xf		/* arm64: 0 for user code */
#define LINK_REGISTER	30

static inline const struct pt_regs___irq *percpu_cast_regs(__u64 at)
{
	return percpu_cast((void *)at, bpf_core_type_id_kernel(struct pt_regs___irq));
}

/*
 * In an irq: returns the registers of what it has interrupted. NULL: none, or not known. At the
 * address of a pointer the first field is that pointer.
 */
static inline const struct pt_regs___irq *percpu_irq_regs(const volatile struct bpf_irq_regs_at *at)
{
	const struct pt_regs___irq *pointer;
	__u64 queue, regs;

	if (!at->known)
		return NULL;
	queue = percpu_queue();
	if (!queue)
		return NULL;
	pointer = percpu_cast_regs(queue + at->offset);
	regs = bpf_core_field_exists(pointer->r15) ? pointer->r15 : pointer->regs[0];
	return regs ? percpu_cast_regs(regs) : NULL;
}

/* In an irq: returns whether it has interrupted user code, which cannot keep irqs off. */
static inline bool percpu_met_user(const volatile struct bpf_irq_regs_at *at)
{
	const struct pt_regs___irq *regs = percpu_irq_regs(at);

	if (!regs)
		return false;
	return bpf_core_field_exists(regs->cs) ? regs->cs & 3 : !(regs->pstate & PSR_MODE);
}

/* In an irq: returns the link register of the kernel's code that it has interrupted. 0: none, or not known. */
static inline __u64 percpu_met_link(const volatile struct bpf_irq_regs_at *at)
{
	const struct pt_regs___irq *regs = percpu_irq_regs(at);

	return regs && bpf_core_field_exists(regs->regs) && regs->pstate & PSR_MODE ?
	       regs->regs[LINK_REGISTER] : 0;
}

#endif /* TLOB_BACKEND_BPF_PERCPU_H */
