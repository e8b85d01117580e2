/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernels have of a task. Those before 5.18 load an object of their own, made of the same
 * sources with TLOB_BPF_OLDER: their verifier refuses atomics with a result (before 5.12) even in
 * code that is not reached, pointers as arguments of global functions (before 5.13), timers (before
 * 5.15), and the state that sched_switch reports.
 */
#ifndef TLOB_BACKEND_BPF_OLDER_H
#define TLOB_BACKEND_BPF_OLDER_H

#include <stdbool.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <linux/tlob.h>

#ifdef TLOB_BPF_OLDER

/* The fields that are read; ___ and what follows is no part of the name in the kernel. */
struct thread_info___older {
	__u32	cpu;			/* since 5.16 */
} __attribute__((preserve_access_index));

struct task_struct___older {
	struct thread_info___older thread_info;
	__u32	cpu;
	unsigned int __state;		/* since 5.14 */
	long	state;
	__s32	pid, tgid;
	char	comm[TLOB_NAME_LEN];
	void	*stack;
} __attribute__((preserve_access_index));

static inline __u32 task_cpu(const void *task)
{
	const struct task_struct___older *t = task;

	return bpf_core_field_exists(t->thread_info.cpu) ? t->thread_info.cpu : t->cpu;
}

static inline unsigned int task_state(const void *task)
{
	const struct task_struct___older *t = task;

	return bpf_core_field_exists(t->__state) ? t->__state : t->state;
}

/*
 * The state in which @prev leaves, in the switch of @ctx. Who wakes it meanwhile waits until it has
 * left, and makes of any sleep another one at most.
 */
static inline unsigned int left_in(const __u64 *ctx, const void *prev)
{
	return task_state(prev);
}

/* No typed pointer to the current task before 5.11: NULL stands for it. */
static inline void *current_task(void)
{
	return NULL;
}

static inline __s32 task_pid(const void *task)
{
	const struct task_struct___older *t = task;

	return t ? t->pid : (__s32)bpf_get_current_pid_tgid();
}

static inline __s32 task_tgid(const void *task)
{
	const struct task_struct___older *t = task;

	return t ? t->tgid : (__s32)(bpf_get_current_pid_tgid() >> 32);
}

static inline void copy_name(char *to, const void *task)
{
	const struct task_struct___older *t = task;

	if (t)
		__builtin_memcpy(__builtin_assume_aligned(to, 8),
				 __builtin_assume_aligned(t->comm, 8), TLOB_NAME_LEN);
	else
		bpf_get_current_comm(to, TLOB_NAME_LEN);
}

#define name_of(task, copy)	(copy)

/* Before 5.12 BPF has no instruction that exchanges, or orders a load or a store after others. */
#define read_ordered(at)	(*(volatile __u32 *)(at))
#define set_ordered(at, to)	(*(volatile __u32 *)(at) = (to))
#define exchange(at, to)							\
({										\
	__u64 exchanged_ = *(volatile __u64 *)(at);				\
										\
	*(volatile __u64 *)(at) = (to);						\
	exchanged_;								\
})

#else

#define task_cpu(task)		((task)->thread_info.cpu)
#define task_state(task)	((task)->__state)
#define left_in(ctx, prev)	((unsigned int)(ctx)[3])
#define current_task()		((void *)bpf_get_current_task_btf())
#define task_pid(task)		((task)->pid)
#define task_tgid(task)		((task)->tgid)
#define copy_name(to, task)	__builtin_memcpy(__builtin_assume_aligned(to, 8), \
						 __builtin_assume_aligned((task)->comm, 8), TLOB_NAME_LEN)
#define name_of(task, copy)	((task)->comm)
/*
 * A load and a store of @at after all that this CPU has stored before. They need the result: without
 * one an atomic orders nothing on arm64.
 */
#define read_ordered(at)	__sync_fetch_and_add(at, 0)
#define set_ordered(at, to)	__sync_lock_test_and_set(at, to)
/* The same of 64 bits. Returns what was there. */
#define exchange(at, to)	__sync_lock_test_and_set(at, to)

#endif

#endif /* TLOB_BACKEND_BPF_OLDER_H */
