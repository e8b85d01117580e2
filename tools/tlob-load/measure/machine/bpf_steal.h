/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_MACHINE_BPF_STEAL_H
#define TLOB_MACHINE_BPF_STEAL_H

#include "machine/bpf_percpu.h"

/*
 * Where programs find the clock of what is stolen from a CPU: in a guest of KVM, which counts it.
 * The helper without bpf_rdonly_cast() is not for a locked kernel.
 */
struct bpf_steal_at bpf_find_steal(void);

#endif /* TLOB_MACHINE_BPF_STEAL_H */
