/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_BACKEND_BPF_WITH_H
#define TLOB_BACKEND_BPF_WITH_H

#include <stdbool.h>
#include <linux/types.h>

#include "machine/bpf_percpu.h"

/* What the windows of a run have next to their split, and what the kernel has. */
struct tlob_cell_with {
	bool	tracks, calls;
	bool	look_again;		/* it is preempted at certain points only, and has timers for BPF */
	struct bpf_steal_at steal;
	struct bpf_irq_regs_at irq_regs;
};

#endif /* TLOB_BACKEND_BPF_WITH_H */
