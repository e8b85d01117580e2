/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of time that the hypervisor has stolen from a CPU: KVM writes it each time before the
 * CPU runs.
 */
#ifndef TLOB_BACKEND_BPF_STEAL_H
#define TLOB_BACKEND_BPF_STEAL_H

#include "backend/bpf/percpu.h"

/*
 * Two words of a structure: of KVM's on x86 the time and the version, on arm64 a pointer to the
 * clock, whose second word is the time. These are part of KVM's interface. Their own types are not
 * in each kernel's BTF, and for a type that the kernel lacks, libbpf would look in each of its
 * modules, which needs CAP_SYS_ADMIN.
 */
struct timespec64___words {
	__s64	tv_sec;
	long	tv_nsec;
} __attribute__((preserve_access_index));

static inline __u64 steal_word(const volatile struct bpf_steal_at *steal, __u64 at, bool second)
{
	const struct timespec64___words *words = (void *)at;
	__u64 word = 0;

	if (steal->cast) {
		words = percpu_cast(words, bpf_core_type_id_kernel(struct timespec64___words));
		return second ? (__u64)words->tv_nsec : (__u64)words->tv_sec;
	}
	if (second)
		bpf_probe_read_kernel(&word, sizeof(word), &words->tv_nsec);
	else
		bpf_probe_read_kernel(&word, sizeof(word), &words->tv_sec);
	return word;
}

/* Returns the clock at @at, in ns, or @last without one. */
static inline __u64 steal_read(const volatile struct bpf_steal_at *steal, __u64 at, __u64 last)
{
	if (!steal->known || (!at && (steal->behind || !steal->cast)))
		return last;
	if (!steal->behind)
		return steal_word(steal, at, false);
	/* a CPU that goes offline loses its clock, and has another one when it comes back */
	at = steal_word(steal, at, false);
	return at ? steal_word(steal, at, true) : last;
}

/* Returns where this CPU has its clock. 0: nothing has ever written to it. */
static inline __u64 steal_find(const volatile struct bpf_steal_at *steal)
{
	__u64 at;

	if (!steal->known)
		return 0;
	at = percpu_queue();
	if (!at)
		return 0;
	at += steal->offset;
	if (steal->behind)
		return steal_word(steal, at, false) ? at : 0;
	return (__u32)steal_word(steal, at, true) ? at : 0;
}

#endif /* TLOB_BACKEND_BPF_STEAL_H */
