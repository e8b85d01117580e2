/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of time that the hypervisor has stolen from a CPU: KVM writes it each time before the
 * CPU runs.
 */
#ifndef TLOB_BACKEND_BPF_STEAL_H
#define TLOB_BACKEND_BPF_STEAL_H

#include "backend/bpf/percpu.h"

/* The fields that are read; ___ and what follows is no part of the name in the kernel. */
struct kvm_steal_time {
	__u64	steal;
	__u32	version;
} __attribute__((preserve_access_index));

static inline const struct kvm_steal_time *steal_cast(__u64 at)
{
	return percpu_cast((void *)at, bpf_core_type_id_kernel(struct kvm_steal_time));
}

/* Returns the clock at @at, in ns, or @last without one. */
static inline __u64 steal_read(const volatile struct bpf_steal_at *steal, __u64 at, __u64 last)
{
	if (!steal->known)
		return last;
	if (steal->cast)
		return steal_cast(at)->steal;
	if (at)
		bpf_probe_read_kernel(&last, sizeof(last),
				      &((struct kvm_steal_time *)at)->steal);
	return last;
}

/* Returns the address of this CPU's clock. 0: nothing has ever written to it. */
static inline __u64 steal_find(const volatile struct bpf_steal_at *steal)
{
	__u32 version = 0;
	__u64 at;

	if (!steal->known)
		return 0;
	at = percpu_queue();
	if (!at)
		return 0;
	at += steal->offset;
	if (steal->cast)
		version = steal_cast(at)->version;
	else
		bpf_probe_read_kernel(&version, sizeof(version),
				      &((struct kvm_steal_time *)at)->version);
	return version ? at : 0;
}

#endif /* TLOB_BACKEND_BPF_STEAL_H */
