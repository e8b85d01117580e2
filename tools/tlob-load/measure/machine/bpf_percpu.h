/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by BPF programs and their loaders: how programs read variables of a CPU. */
#ifndef TLOB_MACHINE_BPF_PERCPU_H
#define TLOB_MACHINE_BPF_PERCPU_H

#include <stdbool.h>
#include <linux/types.h>

/*
 * A call of this helper, which no kernel has, stands for bpf_rdonly_cast() in an object, and
 * bpf_load_open() replaces it. For an extern that the kernel lacks, libbpf would look in each of
 * its modules, which needs CAP_SYS_ADMIN.
 */
#define BPF_CAST_CALL		0x746c6f62

/* Where x86 has the counter of preemption. On arm64 each task has it. */
struct bpf_preempt_at {
	bool	known;
	bool	cast;			/* the kernel has bpf_rdonly_cast() */
	__s64	offset;			/* from the CPU's run queue */
	int	hardirq, nmi;		/* the bits that count them; also on arm64 */
};

/* Where the CPU has the registers of what an irq has interrupted; it takes bpf_rdonly_cast(). */
struct bpf_irq_regs_at {
	bool	known;
	__s64	offset;			/* from the CPU's run queue */
};

/* Where the CPU has the clock of time that KVM has stolen from it. */
struct bpf_steal_at {
	bool	known;
	bool	cast;			/* the kernel has bpf_rdonly_cast() */
	bool	behind;			/* arm64: there is a pointer to it */
	__s64	offset;			/* from the CPU's run queue */
};

#endif /* TLOB_MACHINE_BPF_PERCPU_H */
