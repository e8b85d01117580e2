/* SPDX-License-Identifier: GPL-2.0 */
/* Takes the stacks of a late window. A window that is in time only compares. */
#ifndef TLOB_BACKEND_BPF_STACKS_H
#define TLOB_BACKEND_BPF_STACKS_H

#include "backend/bpf/cell.h"
#include "backend/bpf/stack.h"

/* The tool makes room for the measured CPUs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tlob_late);
} late SEC(".maps");

/* An interrupt comes here in @ns, and none that was to come before. Irqs are off. */
static TLOB_NOINLINE int look_again(struct tlob_cell *c, __u64 ns)
{
	if (!with.look_again)
		return 0;
	c->looked |= TLOB_LATE_LOOK;
	c->look_at = 0;
	interrupt_later(ns);
	return 0;
}

/* @running is the task that runs here: the idle task keeps nothing from the CPU, but softirqs run in it. */
static TLOB_NOINLINE int take_stack(void *ctx, struct tlob_cell *c, void *running, __u32 moment,
				    bool blocked)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tlob_late *l = bpf_map_lookup_elem(&late, &cpu);

	if (!l || moment >= TLOB_NR_LATE)
		return 0;
	fill_stack(ctx, &l->at[moment], running, blocked, &with.irq_regs);
	c->looked |= 1U << moment;
	return 0;
}

#endif /* TLOB_BACKEND_BPF_STACKS_H */
