// SPDX-License-Identifier: GPL-2.0
#include "machine/bpf_kernel.h"
#include "machine/bpf_steal.h"
#include "machine/rights.h"

/* Whether a CPU has a clock on arm64 its pointer says: programs ask on each CPU. */
#ifdef __aarch64__
#define VARIABLE	"stolen_time_region"
#define BEHIND		true
#else
#define VARIABLE	"steal_time"
#define BEHIND		false
#endif

#ifdef __x86_64__
#include <asm/kvm_para.h>
#include <cpuid.h>
#include <stdint.h>
#include <string.h>

#define MOST_BASES	0x100
#define STEP		0x100

/* The signature may come after another hypervisor's, which KVM imitates. */
static bool kvm_counts_steal(void)
{
	uint32_t i, base, eax, ebx, ecx, edx, name[3];

	__cpuid(1, eax, ebx, ecx, edx);
	if (!(ecx & 1U << 31))	/* no hypervisor at all */
		return false;
	for (i = 0; i < MOST_BASES; i++) {
		base = KVM_CPUID_SIGNATURE + i * STEP;
		__cpuid(base, eax, name[0], name[1], name[2]);
		if (memcmp(name, KVM_SIGNATURE, sizeof(name)))
			continue;
		__cpuid(base | KVM_CPUID_FEATURES, eax, ebx, ecx, edx);
		return eax & 1U << KVM_FEATURE_STEAL_TIME;
	}
	return false;
}
#else
static bool kvm_counts_steal(void)
{
	return BEHIND;
}
#endif

struct bpf_steal_at bpf_find_steal(void)
{
	struct bpf_steal_at to = { .cast = bpf_has_cast(), .behind = BEHIND };
	__s64 queue, at;

	if (!kvm_counts_steal() || (!to.cast && rights_locked_down()) ||
	    !bpf_find_percpu("runqueues", &queue) || !bpf_find_percpu(VARIABLE, &at))
		return to;
	to.known = true;
	to.offset = at - queue;
	return to;
}
