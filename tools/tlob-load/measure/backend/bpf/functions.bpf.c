// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of --functions in the backend `bpf`: one program at the entry and one at the
 * exit of each function. The maps are shared with split.bpf.c. cell.h has what they do.
 *
 * Both programs of a function run in one frame of its trampoline. So the address of
 * their context says which exit belongs to which entry, and how deep the stack is.
 *
 * Most functions have irqs on. A spin lock of BPF switches them off; nothing else takes
 * it. Nothing may be called while it is held, so all is inline.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define inline inline __attribute__((always_inline))
#define TLOB_NOINLINE inline
#define TLOB_CALLS_LOCKED

static inline __u64 tlob_cell_clock(void)
{
	return bpf_ktime_get_ns();
}

#include "backend/bpf/cell.h"
#include "backend/bpf/preempt.h"
#include "backend/bpf/probes.h"
#include "backend/bpf/steal.h"

/* A probe moves no cursor, so it charges neither a track nor, in the split, a call. */
static inline struct tlob_track *tlob_split_find_track(const struct tlob_split *s)
{
	return NULL;
}

static inline struct tlob_calls *tlob_split_find_calls(const struct tlob_split *s)
{
	return NULL;
}

struct tlob_cell cells[TLOB_CELL_CPUS];

/* As in split.bpf.c, and in a map of its own. */
const volatile struct tlob_cell_with with SEC(".rodata.with") = { .steal.known = true };

static inline __u64 tlob_cell_steal(const struct tlob_cell *c)
{
	return steal_read(&with.steal, c->steal_at, c->steal);
}

/* The tool fills it in before it loads the programs. */
const volatile struct tlob_probe probes[TLOB_PROBES_ROOM] = { { .set = 1 } };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tlob_calls);
} calls SEC(".maps");

struct guard {
	struct bpf_spin_lock lock;
	__u32	pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct guard);
} guards SEC(".maps");

char LICENSE[] SEC("license") = "GPL";

#define LEVEL_NMI	(TLOB_CALL_IRQ + 1)

/* As the kernel's interrupt_context_level(). */
static inline unsigned int context_level(void)
{
	__u32 count = (__u32)preempt_count();

	if (count & PREEMPT_NMI)
		return LEVEL_NMI;
	if (count & PREEMPT_HARDIRQ)
		return TLOB_CALL_IRQ;
	return count & PREEMPT_SOFTIRQ ? TLOB_CALL_SOFTIRQ : TLOB_CALL_TASK;
}

/* Returns this CPU's cell. False: the probe has nothing to do. */
static inline bool find(struct tlob_cell **c, struct tlob_calls **of, struct guard **guard)
{
	__u32 cpu = bpf_get_smp_processor_id();

	if (cpu >= TLOB_CELL_CPUS)
		return false;
	*c = &cells[cpu];
	*of = bpf_map_lookup_elem(&calls, &cpu);
	*guard = bpf_map_lookup_elem(&guards, &cpu);
	return *of && *guard;
}

static inline bool is_active(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return cpu < TLOB_CELL_CPUS && cells[cpu].active;
}

static __attribute__((noinline)) int enters(__u64 *ctx, __u32 i)
{
	const volatile struct tlob_probe *p = &probes[i & (TLOB_PROBES_ROOM - 1)];
	unsigned int level = context_level(), set = p->set;
	__u64 now, steal, function = p->address;
	struct tlob_calls *of;
	struct tlob_cell *c;
	struct guard *guard;

	if (!find(&c, &of, &guard))
		return 0;
	/* it may have interrupted one that holds the lock */
	if (level == LEVEL_NMI) {
		__sync_fetch_and_add(&TLOB_SPLIT_AT(of->unseen, set), 1);
		return 0;
	}
	now = tlob_cell_clock();
	steal = tlob_cell_steal_until(c, now);
	bpf_spin_lock(&guard->lock);
	/* the verifier computes with addresses only once they were in memory */
	TLOB_CELL_ONCE(of->scratch) = (__u64)ctx;
	tlob_cell_call_enter(c, of, now, steal, level, set, function,
			     TLOB_CELL_ONCE(of->scratch));
	bpf_spin_unlock(&guard->lock);
	return 0;
}

static __attribute__((noinline)) int leaves(__u64 *ctx, __u32 i)
{
	__u64 now, steal, function = probes[i & (TLOB_PROBES_ROOM - 1)].address;
	struct tlob_calls *of;
	struct tlob_cell *c;
	struct guard *guard;

	if (!find(&c, &of, &guard) || context_level() == LEVEL_NMI)
		return 0;
	now = tlob_cell_clock();
	steal = tlob_cell_steal_until(c, now);
	bpf_spin_lock(&guard->lock);
	TLOB_CELL_ONCE(of->scratch) = (__u64)ctx;
	tlob_cell_call_leave(c, of, now, steal, function, TLOB_CELL_ONCE(of->scratch));
	bpf_spin_unlock(&guard->lock);
	return 0;
}

/* Returns whether this CPU is measured: a call may return between two windows. */
static inline bool is_measured(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return cpu < TLOB_CELL_CPUS && cells[cpu].calls;
}

#define PROBE(i)							\
SEC("fentry")								\
int enter_##i(__u64 *ctx)						\
{									\
	return is_active() ? enters(ctx, i) : 0;			\
}									\
									\
SEC("fexit")								\
int leave_##i(__u64 *ctx)						\
{									\
	return is_measured() ? leaves(ctx, i) : 0;				\
}

TLOB_PROBES(PROBE)
