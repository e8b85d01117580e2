// SPDX-License-Identifier: GPL-2.0
/* --dump-tasks with the module: at its event of a violation the tasks of all CPUs go to a ring. */
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>

#define inline inline __attribute__((always_inline))

#include "backend/bpf/look.h"

/* The fields of the event, from kernel/trace/tlob/window/events.h. */
struct budget_exceeded {
	__u64	common;
	__u32	cpu;
	char	comm[16];
	__s32	pid;
	__u64	threshold, elapsed, on_cpu, off_cpu;
	__u32	switches;
	char	state[12];
	__u64	tag;
	__u8	monitor;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);	/* 900 violations; they are read every 50 ms */
} dumps SEC(".maps");

char LICENSE[] SEC("license") = "GPL";

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	note_running((void *)ctx[2]);
	return 0;
}

/* Windows of the monitor are not the run's. A wake-up would be an irq on this CPU. */
SEC("tracepoint/tlob_load/tlob_budget_exceeded")
int budget_exceeded(struct budget_exceeded *ctx)
{
	struct tlob_module_tasks *r;

	if (ctx->monitor)
		return 0;
	r = bpf_ringbuf_reserve(&dumps, sizeof(*r), 0);
	if (!r)
		return 0;
	r->cpu = ctx->cpu;
	look_around(ctx, &r->tasks, ctx->tag);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 0;
}
