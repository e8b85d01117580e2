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

/* arm64. A CPU that goes offline loses its clock, and has another one when it comes back. */
struct pvclock_vcpu_stolen_time {
	__u64	stolen_time;
} __attribute__((preserve_access_index));

struct pv_time_stolen_time_region {
	struct pvclock_vcpu_stolen_time *kaddr;
} __attribute__((preserve_access_index));

static inline const struct kvm_steal_time *steal_cast(__u64 at)
{
	return percpu_cast((void *)at, bpf_core_type_id_kernel(struct kvm_steal_time));
}

static inline const struct pv_time_stolen_time_region *steal_cast_region(__u64 at)
{
	return percpu_cast((void *)at, bpf_core_type_id_kernel(struct pv_time_stolen_time_region));
}

/* Returns the clock to which the variable at @at points, or 0 without one. Sets @ns to its time. */
static inline __u64 steal_behind(const volatile struct bpf_steal_at *steal, __u64 at, __u64 *ns)
{
	const struct pvclock_vcpu_stolen_time *clock = NULL;

	if (steal->cast)
		clock = steal_cast_region(at)->kaddr;
	else
		bpf_probe_read_kernel(&clock, sizeof(clock),
				      &((struct pv_time_stolen_time_region *)at)->kaddr);
	if (clock && steal->cast)
		*ns = clock->stolen_time;
	else if (clock)
		bpf_probe_read_kernel(ns, sizeof(*ns), &clock->stolen_time);
	return (__u64)clock;
}

/* Returns the clock at @at, in ns, or @last without one. */
static inline __u64 steal_read(const volatile struct bpf_steal_at *steal, __u64 at, __u64 last)
{
	if (!steal->known)
		return last;
	if (steal->behind) {
		if (at)
			steal_behind(steal, at, &last);
		return last;
	}
	if (steal->cast)
		return steal_cast(at)->steal;
	if (at)
		bpf_probe_read_kernel(&last, sizeof(last),
				      &((struct kvm_steal_time *)at)->steal);
	return last;
}

/* Returns where this CPU has its clock. 0: nothing has ever written to it. */
static inline __u64 steal_find(const volatile struct bpf_steal_at *steal)
{
	__u32 version = 0;
	__u64 at, ns;

	if (!steal->known)
		return 0;
	at = percpu_queue();
	if (!at)
		return 0;
	at += steal->offset;
	if (steal->behind)
		return steal_behind(steal, at, &ns) ? at : 0;
	if (steal->cast)
		version = steal_cast(at)->version;
	else
		bpf_probe_read_kernel(&version, sizeof(version),
				      &((struct kvm_steal_time *)at)->version);
	return version ? at : 0;
}

#endif /* TLOB_BACKEND_BPF_STEAL_H */
