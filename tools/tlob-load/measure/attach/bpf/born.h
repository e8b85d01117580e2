/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of activations.bpf.c: threads that come later. One that is chosen takes a slot itself, as it
 * leaves a CPU for the first time: the activation before that did not begin with a wake-up.
 *
 * What a thread is changes at few moments, its policy excepted. A thread that was found not to be
 * chosen is asked again after these only.
 */
#ifndef TLOB_ATTACH_BPF_BORN_H
#define TLOB_ATTACH_BPF_BORN_H

#define REALTIME	(1U << 1 | 1U << 2 | 1U << 6)	/* SCHED_FIFO, RR and DEADLINE */
#define EPOCH_SHIFT	22		/* a tid has fewer bits */

const volatile struct watch_chosen chosen SEC(".rodata.chosen");

/* The one of --cgroup. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} group SEC(".maps");

/* What stands in the table for a thread that was not chosen. */
static inline __u32 judged(__u32 tid)
{
	return chosen.by_cgroup ? tid | ONCE(watch.epoch) << EPOCH_SHIFT : tid;
}

static inline bool has_policy(const struct task_struct *task)
{
	return !chosen.rt || 1U << (task->policy & 31) & REALTIME;
}

/*
 * Whether @task, which has no slot, may be one that is chosen. Each switch asks it, so of a process only
 * that is asked for: its threads have slots, mostly.
 */
static inline bool may_be_chosen(const struct task_struct *task)
{
	__u32 tid = task->pid;

	if (chosen.tgid)
		return task->tgid == watch.births;
	return watch.births && ONCE(watch.judged[tid & (WATCH_HINTS - 1)]) != judged(tid) && has_policy(task);
}

/* Whether the name of @task is what --comm has. */
static NOINLINE int has_name(struct task_struct *task)
{
	__u64 comm[TLOB_NAME_LEN / 8] = {};
	const __u8 *name = (const __u8 *)comm;
	__u32 at = 1, i;

	copy_name((char *)comm, task);
	for (i = 0; i < TLOB_NAME_LEN && name[i]; i++)
		at = WATCH_NAME_STEP(chosen, at, name[i]);
	return at >> chosen.end & 1;
}

static inline bool is_32bit_task(struct task_struct *task)
{
#ifdef TLOB_BPF_OLDER
	__u64 stack = (__u64)((struct task_struct___older *)task)->stack;
	const struct pt_regs___read *regs = (void *)(stack + stack_size - bpf_core_type_size(struct pt_regs));

	if (bpf_core_field_exists(regs->orig_ax))
		return BPF_CORE_READ(regs, cs) != USER_CS_64;
	return BPF_CORE_READ(regs, pstate) & PSR_32BIT;
#else
	const struct pt_regs___read *regs = (void *)bpf_task_pt_regs(task);

	if (bpf_core_field_exists(regs->orig_ax))
		return regs->cs != USER_CS_64;
	return regs->pstate & PSR_32BIT;
#endif
}

static NOINLINE int is_chosen(struct task_struct *task, bool compat)
{
	return task->pid != chosen.own && !(watch.nr_until && (task->flags & PF_KTHREAD || compat)) &&
	       (!chosen.by_name || has_name(task)) &&
	       (!chosen.by_cgroup || bpf_current_task_under_cgroup(&group, 0) == 1);
}

/* @task runs here, and leaves in @state. Returns its slot if it takes one, or WATCH_TASKS. */
static NOINLINE __u32 born(struct task_struct *task, unsigned int state)
{
	bool compat = !(task->flags & PF_KTHREAD) && is_32bit_task(task);
	__u32 tid = task->pid, slot = WATCH_TASKS;
	bool is_judged = ONCE(watch.judged[tid & (WATCH_HINTS - 1)]) == judged(tid);

	if (state & TASK_DEAD || !tid || is_judged || !has_policy(task))
		return WATCH_TASKS;
	if (is_chosen(task, compat)) {
		slot = take_slot((__u64)task->tgid << 32 | tid, compat);
		if (slot >= WATCH_TASKS)
			__sync_fetch_and_add(&watch.region.no_slot, 1);
	}
	/* without a slot it is left to the tool, which finds one that has become free */
	if (slot >= WATCH_TASKS)
		ONCE(watch.judged[tid & (WATCH_HINTS - 1)]) = judged(tid);
	return slot;
}

static inline int judge_again(const struct task_struct *task)
{
	ONCE(watch.judged[task->pid & (WATCH_HINTS - 1)]) = 0;
	return 0;
}

/* An earlier thread may have had this tid. */
SEC("tp_btf/task_newtask")
int task_newtask(__u64 *ctx)
{
	return judge_again((void *)ctx[0]);
}

/* Also by an exec. */
SEC("tp_btf/task_rename")
int task_rename(__u64 *ctx)
{
	return judge_again((void *)ctx[0]);
}

/* A process, perhaps with all its threads. */
SEC("tp_btf/cgroup_attach_task")
int cgroup_attach_task(__u64 *ctx)
{
	__sync_fetch_and_add(&watch.epoch, 1);
	return 0;
}

#endif /* TLOB_ATTACH_BPF_BORN_H */
