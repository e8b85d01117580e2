/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variables of a CPU. A kernel without symbols of data has no addresses for them. So they are found
 * by their distance from the CPU's run queue, which a task points to.
 */
#ifndef TLOB_BACKEND_BPF_PERCPU_H
#define TLOB_BACKEND_BPF_PERCPU_H

#include "machine/bpf_percpu.h"

/*
 * The fields that the headers here read; ___ and what follows is no part of the name in the kernel. One
 * struct for all of them: with each one libbpf compares the names of all types of the kernel.
 */
#define READ_CORE	__attribute__((preserve_access_index))

struct rq___read {
	__u64	clock;
} READ_CORE;

struct cfs_rq___read {
	struct rq___read *rq;
	int	throttle_count;
	__u64	throttled_clock_self, throttled_clock_self_time; /* since 6.6 */
} READ_CORE;

struct sched_entity___read {
	struct cfs_rq___read *cfs_rq;
} READ_CORE;

struct hrtimer___read {
	__s64	_softexpires;
} READ_CORE;

struct sched_dl_entity___read {
	unsigned int dl_throttled : 1;
	unsigned int dl_yielded : 1;
	struct hrtimer___read dl_timer;
} READ_CORE;

struct thread_info___read {
	__u64	preempt_count;		/* arm64; the upper half says whether to reschedule */
} READ_CORE;

struct task_struct___read {
	struct thread_info___read thread_info;
	unsigned int flags;
	__s32	pid;
	int	prio;
	struct sched_entity___read se;
	struct sched_dl_entity___read dl;
	_Bool	throttled;		/* since 6.18 */
} READ_CORE;

/* x86 has the first three, arm64 the others. */
struct pt_regs___read {
	unsigned long r15, cs, orig_ax;
	unsigned long long regs[31];
	__u64	pstate;
	__s32	syscallno;
} READ_CORE;

/* Since 6.2; a load from memory, and nothing else. */
static void *(*const percpu_cast)(const void *obj, __u32 btf_id) = (void *)BPF_CAST_CALL;

/* Returns the address of this CPU's run queue. 0: no task knows it. */
static inline __u64 percpu_queue(void)
{
#ifdef TLOB_BPF_OLDER
	const struct task_struct___read *task = (void *)bpf_get_current_task();

	return bpf_core_field_exists(task->se.cfs_rq) ? (__u64)BPF_CORE_READ(task, se.cfs_rq, rq) : 0;
#else
	const struct task_struct___read *task = (void *)bpf_get_current_task_btf();

	return bpf_core_field_exists(task->se.cfs_rq) ? (__u64)task->se.cfs_rq->rq : 0;
#endif
}

#define PSR_MODE	0xf		/* arm64: 0 for user code */
#define LINK_REGISTER	30

static inline const struct pt_regs___read *percpu_cast_regs(__u64 at)
{
	return percpu_cast((void *)at, bpf_core_type_id_kernel(struct pt_regs___read));
}

/*
 * In an irq: returns the registers of what it has interrupted. NULL: none, or not known. At the
 * address of a pointer the first field is that pointer.
 */
static inline const struct pt_regs___read *percpu_irq_regs(const volatile struct bpf_irq_regs_at *at)
{
	const struct pt_regs___read *pointer;
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
	const struct pt_regs___read *regs = percpu_irq_regs(at);

	if (!regs)
		return false;
	return bpf_core_field_exists(regs->cs) ? regs->cs & 3 : !(regs->pstate & PSR_MODE);
}

/* In an irq: returns the link register of the kernel's code that it has interrupted. 0: none, or not known. */
static inline __u64 percpu_met_link(const volatile struct bpf_irq_regs_at *at)
{
	const struct pt_regs___read *regs = percpu_irq_regs(at);

	return regs && bpf_core_field_exists(regs->regs) && regs->pstate & PSR_MODE ?
	       regs->regs[LINK_REGISTER] : 0;
}

#endif /* TLOB_BACKEND_BPF_PERCPU_H */
