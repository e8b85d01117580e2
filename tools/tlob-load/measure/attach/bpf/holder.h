/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: who holds the lock for which a task goes to sleep. The kernel knows it
 * of an rt_mutex, which is a futex with priority inheritance and, on PREEMPT_RT, most of its own locks.
 */
#ifndef TLOB_ATTACH_BPF_HOLDER_H
#define TLOB_ATTACH_BPF_HOLDER_H

struct rt_mutex_base {
	struct task_struct *owner;	/* bit 0: others wait */
} CORE;

/*
 * An rt_mutex_base is the first field of each rt_mutex. It has no relocation of its own: for a type
 * that the kernel lacks, libbpf would look in each of its modules, which needs CAP_SYS_ADMIN.
 */
struct rt_mutex___base {
	struct rt_mutex_base rtmutex;
} CORE;

struct rt_mutex___older {		/* before 5.15 */
	struct task_struct *owner;
} CORE;

struct rt_mutex_waiter {
	struct rt_mutex___base *lock;
} CORE;

struct task_struct___blocked {
	struct rt_mutex_waiter *pi_blocked_on;
} CORE;

/* Its first field is a number, so what is at the address of a pointer can be read as one. */
struct rb_node {
	unsigned long __rb_parent_color;
} CORE;

const volatile struct watch_holders holders SEC(".rodata.holders") = { .known = true };

static inline __u64 word_at(const void *at)
{
	const struct rb_node *node = percpu_cast(at, bpf_core_type_id_kernel(struct rb_node));

	return node->__rb_parent_color;
}

/* Returns whether @task waits for an rt_mutex. @owner: its owner, 0: it has just been released. */
static inline bool is_blocked(const struct task_struct___blocked *task, __u64 *owner)
{
	struct rt_mutex_waiter *waiter;
	struct rt_mutex___base *lock;

	if (!holders.known || !bpf_core_field_exists(task->pi_blocked_on))
		return false;
	if (holders.cast) {
		waiter = task->pi_blocked_on;
		if (!waiter)
			return false;
		*owner = word_at(&waiter->lock->rtmutex.owner);
	} else {
		waiter = BPF_CORE_READ(task, pi_blocked_on);
		if (!waiter)
			return false;
		lock = BPF_CORE_READ(waiter, lock);
		*owner = (__u64)(bpf_core_field_exists(lock->rtmutex.owner) ? BPF_CORE_READ(lock, rtmutex.owner) :
				 BPF_CORE_READ((struct rt_mutex___older *)lock, owner));
	}
	*owner &= ~1ULL;
	return true;
}

/* @task, of @t, leaves its CPU and is blocked. */
static NOINLINE int find_holder(struct watch_task *t, struct task_struct *task)
{
	const struct task_struct *holder;
	__u64 owner = 0;

	if (!t)
		return 0;
	t->holder.kind = TLOB_WAKER_UNKNOWN;
	if (!is_blocked((void *)task, &owner))
		return 0;
	t->lock = 1;
	if (!owner)
		return 0;
	if (holders.cast) {
		holder = percpu_cast((void *)owner, bpf_core_type_id_kernel(struct task_struct));
		t->holder.tid = holder->pid;
		t->holder.tgid = holder->tgid;
		copy_name(t->holder.comm, holder);
	} else {
		holder = (void *)owner;
		t->holder.tid = BPF_CORE_READ(holder, pid);
		t->holder.tgid = BPF_CORE_READ(holder, tgid);
		bpf_core_read(t->holder.comm, sizeof(t->holder.comm), &holder->comm);
	}
	t->holder.kind = TLOB_WAKER_TASK;
	return 0;
}

#endif /* TLOB_ATTACH_BPF_HOLDER_H */
