/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_MACHINE_BPF_STEAL_H
#define TLOB_MACHINE_BPF_STEAL_H

#include <stdbool.h>

/* Returns whether this is a guest of KVM, which counts what it steals from its CPUs. */
bool bpf_kvm_counts_steal(void);

#endif /* TLOB_MACHINE_BPF_STEAL_H */
