/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that look at what runs on all CPUs, and interrupt none: each switch notes its task. */
#ifndef TLOB_BACKEND_BPF_LOOK_H
#define TLOB_BACKEND_BPF_LOOK_H

#include "backend/bpf/tasks.h"

#define TLOB_LOOK_ONCE(x)	(*(volatile __typeof__(x) *)&(x))

/* The fields that are read; ___ and what follows is no part of the name in the kernel. */
struct task_struct___running {
	__s32	pid;
	__s32	prio;
	char	comm[TLOB_NAME_LEN];
} __attribute__((preserve_access_index));

/* What runs on each CPU, measured or not. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, TLOB_CELL_TASKS);
	__type(key, __u32);
	__type(value, struct tlob_cell_running);
} running SEC(".maps");

/* @next runs on this CPU from here on. The atomics with a result are full barriers. */
static inline void note_running(const struct task_struct___running *next)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tlob_cell_running *r = bpf_map_lookup_elem(&running, &cpu);

	if (!r)
		return;
	TLOB_LOOK_ONCE(r->scratch) = __sync_fetch_and_add(&r->seq, 1);
	r->pid = next->pid;
	r->prio = next->prio;
	__builtin_memcpy(r->name, __builtin_assume_aligned(next->comm, 8), TLOB_NAME_LEN);
	TLOB_LOOK_ONCE(r->scratch) = __sync_fetch_and_add(&r->seq, 1);
}

/* Fills @t. A CPU that switches just then is not known. */
static inline void look_around(void *ctx, struct tlob_cell_tasks *t, __u64 activation)
{
	struct tlob_cell_running *r;
	__u32 key, i;
	__u64 seq;

	t->activation = activation;
	t->frames = bpf_get_stack(ctx, t->frame, sizeof(t->frame), 0);
	for (i = 0; i < TLOB_CELL_TASKS; i++) {
		t->at[i].known = 0;
		key = i;
		r = bpf_map_lookup_elem(&running, &key);
		if (!r)
			continue;
		seq = __sync_fetch_and_add(&r->seq, 0);
		if (!seq || seq & 1)
			continue;
		t->at[i].pid = r->pid;
		t->at[i].prio = r->prio;
		__builtin_memcpy(t->at[i].name, r->name, TLOB_NAME_LEN);
		t->at[i].known = __sync_fetch_and_add(&r->seq, 0) == seq;
	}
}

#endif /* TLOB_BACKEND_BPF_LOOK_H */
