/* SPDX-License-Identifier: GPL-2.0 */
/* Takes the stack of a task, now or when an interrupt comes. */
#ifndef TLOB_BACKEND_BPF_STACK_H
#define TLOB_BACKEND_BPF_STACK_H

#include <stdbool.h>

#include "backend/bpf/older.h"
#include "backend/bpf/percpu.h"
#include "late_limit.h"

#define NO_USER_MODE	0x00204010	/* PF_KTHREAD, PF_USER_WORKER, PF_IO_WORKER: no system calls */
#define USER_CS_64	0x33		/* x86: the numbers of 32-bit programs mean other calls */
#define PSR_32BIT	0x10		/* arm64: likewise */

#define LOOK_NEVER_NS	(1ULL << 62)

#ifdef TLOB_BPF_OLDER
/* No timers: the tool never asks for it. */
static inline void interrupt_later(__u64 ns)
{
}

/* Where a task has entered the kernel is not known to programs. */
static inline __s64 system_call(struct task_struct___read *task)
{
	return -1;
}
#else
/*
 * Of a CPU. Where the kernel is preempted at certain points only, a task may have left the code that
 * kept the CPU when it leaves the CPU. So an interrupt looks once while the thread still waits.
 */
struct tlob_look {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tlob_look);
} looks SEC(".maps");

#define LOOK_PINNED	2		/* BPF_F_TIMER_CPU_PIN, since 6.7 */

/* The interrupt was all that was wanted: irq_entry() has looked. */
static int looked_again(void *map, __u32 *key, struct tlob_look *l)
{
	return 0;
}

/* An interrupt comes here in @ns, and none that was to come before. Irqs are off. */
static inline void interrupt_later(__u64 ns)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tlob_look *l = bpf_map_lookup_elem(&looks, &cpu);

	if (!l)
		return;
	/* refused but the first time */
	bpf_timer_init(&l->timer, &looks, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&l->timer, looked_again);
	/* before 6.7 the flag is refused, and /proc/sys/kernel/timer_migration keeps it here */
	if (bpf_timer_start(&l->timer, ns, LOOK_PINNED))
		bpf_timer_start(&l->timer, ns, 0);
}

/* Returns the number of the system call that @task is in. < 0: in none, or unknown. */
static inline __s64 system_call(struct task_struct___read *task)
{
	const struct pt_regs___read *regs;

	if (task->flags & NO_USER_MODE)
		return -1;
	regs = (void *)bpf_task_pt_regs((void *)task);
	if (bpf_core_field_exists(regs->orig_ax))
		return regs->cs == USER_CS_64 ? (__s64)regs->orig_ax : -1;
	if (bpf_core_field_exists(regs->syscallno))
		return regs->pstate & PSR_32BIT ? -1 : regs->syscallno;
	return -1;
}
#endif

/* @running has this CPU, or has just left it. @blocked: it waits for something. */
static inline void fill_stack(void *ctx, struct tlob_late_stack *s, void *running, bool blocked,
			      const volatile struct bpf_irq_regs_at *irq_regs)
{
	struct task_struct___read *task = running;

	s->pid = task_pid(task) ? task_pid(task) : TLOB_LATE_IDLE;
	s->blocked = blocked;
	s->call = system_call(task);
	s->size = bpf_get_stack(ctx, s->frame, sizeof(s->frame), 0);
	s->link = percpu_met_link(irq_regs);
}

#endif /* TLOB_BACKEND_BPF_STACK_H */
