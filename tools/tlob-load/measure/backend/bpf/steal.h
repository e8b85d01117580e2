/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of time that the hypervisor has stolen from a CPU: KVM writes it into a variable of
 * that CPU, each time before the CPU runs. A kernel without symbols of data has no address for
 * it. So it is found by its distance from the CPU's run queue, which a task points to.
 */
#ifndef TLOB_BACKEND_BPF_STEAL_H
#define TLOB_BACKEND_BPF_STEAL_H

/* The fields that are read; ___ and what follows is no part of the name in the kernel. */
struct kvm_steal_time {
	__u64	steal;
	__u32	version;
} __attribute__((preserve_access_index));

struct cfs_rq___steal {
	void	*rq;
} __attribute__((preserve_access_index));

struct sched_entity___steal {
	struct cfs_rq___steal *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct___steal {
	struct sched_entity___steal se;
} __attribute__((preserve_access_index));

/* Since 6.2; a load from memory, and nothing else. */
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym __weak;

static inline const struct kvm_steal_time *steal_cast(__u64 at)
{
	return bpf_rdonly_cast((void *)at, bpf_core_type_id_kernel(struct kvm_steal_time));
}

/* Returns the clock at @at, in ns, or @last without one. */
static inline __u64 steal_read(const volatile struct tlob_cell_with *with, __u64 at, __u64 last)
{
	if (!with->steal)
		return last;
	if (with->steal_cast)
		return steal_cast(at)->steal;
	if (at)
		bpf_probe_read_kernel(&last, sizeof(last),
				      &((struct kvm_steal_time *)at)->steal);
	return last;
}

/* Returns the address of this CPU's clock. 0: nothing has ever written to it. */
static inline __u64 steal_find(const volatile struct tlob_cell_with *with)
{
	const struct task_struct___steal *task;
	__u32 version = 0;
	__u64 at;

	if (!with->steal)
		return 0;
	task = (void *)bpf_get_current_task_btf();
	at = (__u64)task->se.cfs_rq->rq + with->steal_offset;
	if (with->steal_cast)
		version = steal_cast(at)->version;
	else
		bpf_probe_read_kernel(&version, sizeof(version),
				      &((struct kvm_steal_time *)at)->version);
	return version ? at : 0;
}

#endif /* TLOB_BACKEND_BPF_STEAL_H */
