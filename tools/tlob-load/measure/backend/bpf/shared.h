/* SPDX-License-Identifier: GPL-2.0 */
/* cell.h in the tool: its clock is the vDSO's, without the offset of a namespace. */
#ifndef TLOB_BACKEND_BPF_SHARED_H
#define TLOB_BACKEND_BPF_SHARED_H

#include "util/time.h"

/* Our CLOCK_MONOTONIC minus the hooks'. Constant while there are threads. */
extern uint64_t bpf_clock_offset;

struct tlob_cell;

static inline __u64 tlob_cell_clock(void)
{
	return now_ns() - bpf_clock_offset;
}

/* Asks the programs for the steal clock of @c, if that may have moved unseen. */
__u64 bpf_steal_ask(const struct tlob_cell *c);

static inline __u64 tlob_cell_steal(const struct tlob_cell *c)
{
	return bpf_steal_ask(c);
}

#include "backend/bpf/cell.h"

#endif /* TLOB_BACKEND_BPF_SHARED_H */
