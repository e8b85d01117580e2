/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the BTF of the running kernel says. It is read by the first of these functions, and kept until
 * bpf_kernel_forget(): the two cost 5 MB, and 20 million instructions.
 */
#ifndef TLOB_MACHINE_BPF_KERNEL_H
#define TLOB_MACHINE_BPF_KERNEL_H

#include <stdbool.h>

#include <linux/types.h>

#include "machine/bpf_percpu.h"

#define BTF_FILE	"/sys/kernel/btf/vmlinux"

/* 0 or -errno, not printed. Without it the kernel has nothing, by the functions below. */
int  bpf_kernel_read(void);
void bpf_kernel_forget(void);

/* Returns whether the kernel has the tracepoint @name. */
bool bpf_has_tracepoint(const char *name);

/* Returns whether the kernel has the type, function or variable @name of BTF_KIND_... @kind. */
bool bpf_has_type(const char *name, unsigned int kind);

/* Returns whether it is known what the tracepoint sched_switch reports: of Linux 5.18 it is not. */
bool bpf_knows_switches(void);

/*
 * Returns whether programs find on this kernel what they need in an object that is built with
 * TLOB_BPF_OLDER only: backend/bpf/older.h.
 */
bool bpf_is_older(void);

/* Returns whether programs may call bpf_@name(). */
bool bpf_has_helper(const char *name);

/* Returns whether each CPU has the variable @name, and in *@offset where. */
bool bpf_find_percpu(const char *name, __s64 *offset);

/* Returns whether the kernel has bpf_rdonly_cast(): BPF_CAST_CALL is called only then. */
bool bpf_has_cast(void);
/* Its id, or 0. */
__s32 bpf_find_cast(void);

/*
 * Returns whether programs can read the counter of preemption, which distinguishes wake-ups by irqs
 * and by tasks.
 */
bool bpf_reads_preempt(void);

/* Returns where programs find the counter of preemption. */
struct bpf_preempt_at bpf_find_preempt(void);

/* Returns where programs find the registers of the code that an irq has interrupted. */
struct bpf_irq_regs_at bpf_find_irq_regs(void);

#endif /* TLOB_MACHINE_BPF_KERNEL_H */
